// The terminal: its width, whether it takes colours, a line that is written over, and Ctrl-C.

import Import
import Synchronization

enum Terminal {
  /// The columns of the terminal on standard output; 100 where it is none.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return Int(size.ws_col)
  }

  /// Whether to colour: on a terminal, and never against NO_COLOR.
  static var isColored: Bool {
    isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }
}

/// Ctrl-C, SIGTERM, and SIGHUP where it is not ignored: the first lets the program end in order, the second ends it at once.
enum Interruption {
  private static let received = Atomic<Int32>(0)

  /// The signal that came; 0 if none.
  static var signal: Int32 { received.load(ordering: .relaxed) }

  /// How the program ends after the signal that came.
  static var status: ExitStatus { ExitStatus(rawValue: 128 + signal) ?? .interrupted }

  static func install() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let wasIgnored = Platform.handle(number) { number in
        // Only what is safe in a handler: an atomic store, and leaving.
        if Interruption.received.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
      }
      // Under nohup a terminal that goes away is no reason to stop.
      if number == SIGHUP, wasIgnored { Platform.ignore(number) }
    }
    // A parent's worker thread may have started us with its own mask: then none of them would ever come.
    var stopping = sigset_t()
    sigemptyset(&stopping)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&stopping, number) }
    pthread_sigmask(SIG_UNBLOCK, &stopping, nil)
    // A reader of standard output that goes away is seen by its write failing.
    Platform.ignore(SIGPIPE)
  }
}

/// What a command is at, shown on a terminal and nowhere else.
struct StatusLine {
  /// What takes away the line that the cursor is on.
  static let erasing = "\r\u{1B}[K"

  private let isShown: Bool

  init(isQuiet: Bool) { isShown = isatty(STDERR_FILENO) == 1 && !isQuiet }

  func show(_ text: String) {
    if isShown { writeAll(Self.erasing + text, to: STDERR_FILENO) }
  }

  func clear() { show("") }
}
