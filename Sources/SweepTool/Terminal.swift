// The terminal's width and colours, the status line, and signals that stop the program.

import Import
import Synchronization

enum Terminal {
  /// The number of columns of the terminal on standard output; 100 without a terminal.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return Int(size.ws_col)
  }

  /// True if standard output is a terminal and NO_COLOR is not set.
  static var isColored: Bool {
    isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }
}

/// SIGINT, SIGTERM and, unless ignored, SIGHUP. The first signal stops the program in order, a later one at once.
enum Interruption {
  private static let received = Atomic<Int32>(0)
  /// The time of the first signal in milliseconds.
  private static let firstMs = Atomic<Int>(0)
  /// The time within which signals count as one: a terminal and a parent such as `swift run` may both send it.
  private static let togetherMs = 100

  /// The received signal; 0 if none.
  static var signal: Int32 { received.load(ordering: .relaxed) }

  /// The exit status for the received signal.
  static var status: ExitStatus { ExitStatus(rawValue: 128 + signal) ?? .interrupted }

  static func install() {
    for number in [SIGINT, SIGTERM, SIGHUP] {
      let wasIgnored = Platform.handle(number) { number in
        // A handler may only store atomic values, read the clock and exit.
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC, &now)
        let ms = Int(now.tv_sec) * 1000 + Int(now.tv_nsec) / 1_000_000
        if Interruption.signal == 0 { Interruption.firstMs.store(ms, ordering: .relaxed) }
        if Interruption.received.compareExchange(expected: 0, desired: number, ordering: .relaxed).exchanged { return }
        if ms - Interruption.firstMs.load(ordering: .relaxed) > Interruption.togetherMs { _exit(128 + number) }
      }
      // Under nohup the program continues after its terminal is closed.
      if number == SIGHUP, wasIgnored { Platform.ignore(number) }
    }
    // A parent's worker thread may have started the program with these signals blocked.
    var stopping = sigset_t()
    sigemptyset(&stopping)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&stopping, number) }
    pthread_sigmask(SIG_UNBLOCK, &stopping, nil)
    // A closed pipe makes `write` fail, which ends the output without a signal.
    Platform.ignore(SIGPIPE)
  }
}

/// A status line that is shown on a terminal only.
struct StatusLine {
  /// The control sequence that erases the current line.
  static let erasing = "\r\u{1B}[K"

  private let isShown: Bool

  init(isQuiet: Bool) { isShown = isatty(STDERR_FILENO) == 1 && !isQuiet }

  func show(_ text: String) {
    if isShown { writeAll(Self.erasing + text, to: STDERR_FILENO) }
  }

  func clear() { show("") }
}
