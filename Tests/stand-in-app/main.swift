// stand-in-app: a feed that scrolls and loads over real sockets, and the server of its items, to try devices without a phone.

import Foundation

let usage = """
  usage: stand-in-app serve PORT [--kbps N] [--delay-ms N]
         stand-in-app scroll HOST PORT --device NAME --seed N --max-cost N --connections N [--items N] [--dwell-ms N]
                             [--planted CONNECTIONS:PERCENT[:DEVICE]] [--drift PERCENT --runs FILE]

  serve answers `GET /DEVICE/BYTES`. With --kbps it paces each device by itself, for machines without a slow link (Tests/live-link).
  scroll views the items one after the other with the policy costBudget: the active item first, then the next ones while an image costs 1, a
  video 2 and their sum is at most --max-cost. The user waits for each item, then views it for --dwell-ms. Its last line is that of the app:
  FEED-STATISTICS and a JSON object. --planted makes each wait longer by PERCENT where the settings have so many connections, on DEVICE or on
  all; --drift makes it longer by PERCENT for each run that FILE has counted.
  """

func fail(_ text: String) -> Never {
  FileHandle.standardError.write(Data("stand-in-app: \(text)\n".utf8))
  exit(1)
}

/// Returns a value that is there, or ends the program.
func required<Value>(_ value: Value?, _ problem: @autoclosure () -> String) -> Value {
  guard let value else { fail(problem()) }
  return value
}

/// The words and the options of the command line.
struct Words {
  private(set) var words: [String] = []
  private var options: [String: String] = [:]

  init(_ arguments: [String]) {
    var rest = arguments[...]
    while let word = rest.popFirst() {
      if word.hasPrefix("--") { options[word] = required(rest.popFirst(), "\(word): needs a value\n\(usage)") } else { words.append(word) }
    }
  }

  func text(_ name: String) -> String? { options[name] }

  func number(_ name: String, _ usual: UInt64? = nil) -> UInt64 {
    guard let text = options[name] else { return required(usual, "\(name): is missing\n\(usage)") }
    return required(UInt64(text), "\(name): is \(text), no whole number")
  }
}

let words = Words(Array(CommandLine.arguments.dropFirst()))
// A client that has ended must not end the server.
signal(SIGPIPE, SIG_IGN)
// A program started by a thread that blocks signals inherits that, and `kill` would not end it.
var none = sigset_t()
sigemptyset(&none)
sigprocmask(SIG_SETMASK, &none, nil)
switch words.words.first {
case "serve" where words.words.count == 2: Server(words).run(port: words.words[1])
case "scroll" where words.words.count == 3: Feed(words).scroll()
default: fail("\n\(usage)")
}
