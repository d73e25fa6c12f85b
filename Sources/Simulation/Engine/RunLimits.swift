// Limits that end a run: virtual time, events, and cancellation by the caller.

package enum RunStop: Error, Hashable, Sendable, CustomStringConvertible {
  /// The caller has cancelled it: it is neither done nor failed.
  case cancelled
  case tooLong(limit: Interval)
  /// No byte of the first page arrived for so long.
  case noPage(limit: Interval)
  case tooManyEvents(limit: Int)

  package var description: String {
    switch self {
    case .cancelled: "stopped"
    case .tooLong(let limit):
      "the run was still going on after \(limit.nanoseconds / 86_400_000_000_000) days of virtual time; "
        + "use a faster network, less loss or a shorter script"
    case .noPage(let limit):
      "no byte of the first page arrived for \(limit.nanoseconds / 3_600_000_000_000) hours of virtual time; "
        + "use a faster network, less loss or shorter outages"
    case .tooManyEvents(let limit):
      "the run had more than \(limit) events; use fewer items, shorter dwell times or a slower network"
    }
  }
}

package struct RunLimits: Sendable {
  /// The limit of virtual time, a year, unless the script is longer.
  package static let time = Interval.seconds(365 * 86_400)
  /// The time for which a user waits for a byte of the first page.
  package static let page = Interval.seconds(86_400)
  /// The factor of a script's length that limits its run: users wait for loaders as well.
  static let scriptFactor: Int64 = 2
  /// The limit of events of a run with an event log.
  static let loggedEvents = 100_000_000

  /// The limit of events: those of the session, and packets and timers of its network.
  package var events = 1_000_000_000
  /// Called every few thousand events; true ends the run with `RunStop.cancelled`.
  package var isCancelled: @Sendable () -> Bool

  package init(isCancelled: @escaping @Sendable () -> Bool = { false }) { self.isCancelled = isCancelled }

  /// Returns the result of a run that ends within its limits.
  static func ended<Result: ~Copyable>(_ run: () throws(RunStop) -> Result) -> Result {
    do throws(RunStop) { return try run() } catch { preconditionFailure("a run that may reach a limit needs limits: \(error)") }
  }

  /// Returns the limit of virtual time for a script of `script` nanoseconds.
  static func time(script: Int64) -> Interval {
    let (long, overflow) = script.multipliedReportingOverflow(by: scriptFactor)
    return Interval(nanoseconds: min(Instant.never.nanoseconds - 1, max(time.nanoseconds, overflow ? .max : long)))
  }
}

/// Counts the events of a session and its transport and remembers why the run must stop.
final class RunWatch {
  /// The events of a session between two checks: each may search a whole feed.
  static let sessionStep = 64
  /// The events of a transport between two checks.
  static let transportStep = 4096

  /// The limits of virtual time and of a wait for a byte of the first page, in nanoseconds.
  let timeLimit: Int64, pageLimit: Int64
  private let limits: RunLimits
  private var events = 0
  private(set) var stop: RunStop?

  /// Creates a watch; the default has no limit of time, for real clocks.
  init(_ limits: RunLimits, time: Interval? = nil) {
    self.limits = limits
    timeLimit = (time ?? Instant.never - .start).nanoseconds
    pageLimit = time == nil ? timeLimit : RunLimits.page.nanoseconds
  }

  /// Counts events; true if the run must stop.
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

  /// Stops the run for a reason, unless it has one.
  func end(for reason: RunStop) { stop = stop ?? reason }

  /// - Throws: The reason why the run must stop.
  func check() throws(RunStop) { if let stop { throw stop } }
}
