// What ends a run that would not end by itself: limits of virtual time and of events, and a caller that wants it to stop.

/// Why a run was stopped before its end.
package enum RunStop: Error, Hashable, Sendable, CustomStringConvertible {
  /// The caller wanted it to stop: it is neither done nor failed.
  case cancelled
  case tooLong(limit: Interval)
  case tooManyEvents(limit: Int)

  /// The reason as a sentence, with a remedy.
  package var description: String {
    switch self {
    case .cancelled: "stopped"
    case .tooLong(let limit):
      "the run was still going on after \(limit.nanoseconds / 86_400_000_000_000) days of virtual time; "
        + "use a faster network, less loss or a shorter script"
    case .tooManyEvents(let limit):
      "the run had more than \(limit) events; use fewer items, shorter stays or a slower network"
    }
  }
}

package struct RunLimits: Sendable {
  /// The most virtual time of a run, a year, unless its script is longer.
  package static let time = Interval.seconds(365 * 86_400)
  /// A longer script may take so many times its own length: the waits of a user with patience are part of the script.
  static let scriptFactor: Int64 = 2
  /// The most events of a run that writes them down.
  static let loggedEvents = 100_000_000

  /// The most events of a run: what the session does, and the packets and timers of its network.
  package var events = 1_000_000_000
  /// Asked every few thousand events; true ends the run with `RunStop.cancelled`.
  package var isCancelled: @Sendable () -> Bool

  package init(isCancelled: @escaping @Sendable () -> Bool = { false }) { self.isCancelled = isCancelled }

  /// The limit of virtual time for a script of so many nanoseconds; below the end of time.
  static func time(script: Int64) -> Interval {
    let (long, overflow) = script.multipliedReportingOverflow(by: scriptFactor)
    return Interval(nanoseconds: min(Instant.never.nanoseconds - 1, max(time.nanoseconds, overflow ? .max : long)))
  }
}

/// Counts the events of one run, in the session and below it, and remembers why it is to stop.
final class RunWatch {
  /// A session asks after so many of its events: each may look through a whole feed.
  static let sessionStep = 64
  /// A transport asks after so many of its own.
  static let transportStep = 4096

  /// The limit of virtual time, in nanoseconds.
  let timeLimit: Int64
  private let limits: RunLimits
  private var events = 0
  private(set) var stop: RunStop?

  /// A watch over a run within limits; without a limit of time where its clock is not virtual.
  init(_ limits: RunLimits, time: Interval = Instant.never - .start) {
    self.limits = limits
    timeLimit = time.nanoseconds
  }

  /// Counts events; true if the run is to stop.
  func count(_ more: Int) -> Bool {
    events += more
    if stop == nil {
      if events > limits.events {
        stop = .tooManyEvents(limit: limits.events)
      } else if limits.isCancelled() {
        stop = .cancelled
      }
    }
    return stop != nil
  }

  /// Notes that the run has reached its limit of virtual time.
  func reachTimeLimit() { if stop == nil { stop = .tooLong(limit: Interval(nanoseconds: timeLimit)) } }

  /// - Throws: why the run was stopped, if it was.
  func check() throws(RunStop) { if let stop { throw stop } }
}
