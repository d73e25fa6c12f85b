// The terminal's width and colours, the status line, and signals that stop the program.

import Base
import Synchronization

enum Terminal {
  /// The number of columns of printed tables: COLUMNS, else those of the window on standard output; 100 without both.
  static var width: Int { namedWidth ?? windowWidth(STDOUT_FILENO) ?? 100 }

  /// The number of columns of a line on standard error that must not be folded; read again each time, because windows are resized.
  static var statusWidth: Int { [namedWidth, windowWidth(STDERR_FILENO)].compactMap(\.self).min() ?? 80 }

  /// True if standard output is a terminal with colours, and NO_COLOR is not set.
  static var isColored: Bool { isatty(STDOUT_FILENO) == 1 && !isDumb && environment("NO_COLOR").isEmpty }

  /// True if standard error is a terminal on which a line can be overwritten.
  static var showsStatus: Bool { isatty(STDERR_FILENO) == 1 && !isDumb }

  private static var isDumb: Bool { environment("TERM") == "dumb" }

  private static var namedWidth: Int? { Int(environment("COLUMNS")).flatMap { $0 > 0 ? $0 : nil } }

  private static func environment(_ name: String) -> String { ProcessInfo.processInfo.environment[name] ?? "" }

  private static func windowWidth(_ descriptor: Int32) -> Int? {
    var size = winsize()
    return ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : nil
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

/// A line on standard error that the next one overwrites.
struct StatusLine {
  private let isShown: Bool
  private var shownWidth = 0

  init(isShown: Bool) { self.isShown = isShown }

  mutating func show(_ text: String) {
    if isShown { writeAll(replacing(with: text, width: Terminal.statusWidth), to: STDERR_FILENO) }
  }

  mutating func clear() {
    if shownWidth > 0 { show("") }
  }

  /// Returns the text that replaces the shown line on a terminal of `width` columns. The last column stays free, so that nothing scrolls.
  mutating func replacing(with text: String, width: Int) -> String {
    // A terminal that became narrower has folded the shown line into several rows; the cursor is in the last.
    let rows = max(0, shownWidth - 1) / max(1, width)
    let line = text.prefix(max(0, width - 1))
    shownWidth = line.count
    return (rows > 0 ? "\r\u{1B}[\(rows)A\u{1B}[J" : "\r\u{1B}[K") + line
  }
}
