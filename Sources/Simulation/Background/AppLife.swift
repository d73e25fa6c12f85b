// The lifecycle of an app during background downloads, and the settings of the system's download daemon.

/// The lifecycle of an app from the start of its downloads: by default 5 s in the foreground, then in the background.
package struct AppLife: Hashable, Sendable {
  enum LifecycleEvent { case leave, reenter, crash, quit }

  /// The time in the foreground at the start of the run.
  package var foreground = Interval.seconds(5)
  /// The longest time that a background task runs after the app has left the foreground.
  package var backgroundTask = Interval.seconds(180)
  /// The time that the system grants at a wake-up before it kills the app, in nanoseconds; drawn at each wake-up.
  package var assertion = Distribution.uniform(30_000_000_000, 40_000_000_000)
  /// The time to launch a process that was terminated.
  package var launch = Interval.seconds(1)
  /// The times for which the user brings the app to the foreground again, in order and without overlap.
  package var visits: [TimeSpan] = []
  package var crash: Interval?
  /// The time at which the user quits the app: the daemon cancels its tasks and no longer wakes it.
  package var forceQuit: Interval?

  package init() {}

  /// The events in descending order of time, so that the next one is last. Of equal times, the event declared first here is next.
  var lifecycleEvents: [(at: Int64, kind: LifecycleEvent)] {
    var lifecycleEvents: [(at: Int64, kind: LifecycleEvent)] = [(foreground.nanoseconds, .leave)]
    for visit in visits { lifecycleEvents += [(visit.start.nanoseconds, .reenter), (visit.end.nanoseconds, .leave)] }
    if let crash { lifecycleEvents.append((crash.nanoseconds, .crash)) }
    if let forceQuit { lifecycleEvents.append((forceQuit.nanoseconds, .quit)) }
    return lifecycleEvents.enumerated().sorted { ($0.element.at, $0.offset) > ($1.element.at, $1.offset) }.map(\.element)
  }
}

package struct DaemonSettings: Hashable, Sendable {
  /// The delay before an idle daemon starts a task, in nanoseconds; drawn each time.
  /// Up to 29 s have been reported (developer.apple.com/forums/thread/124450).
  package var startDelay = Distribution.uniform(0, 29_000_000_000)
  /// The delay of the wake limiter after the first wake-up; zero for no limiter.
  package var limiter = Interval.seconds(60)
  /// The wait of discretionary tasks for suitable conditions, in nanoseconds; drawn for each batch created in the background.
  package var discretionary = Distribution.constant(0)
  /// `HTTPMaximumConnectionsPerHost` if the strategy has none: 6, for HTTP/1.1 only.
  package var connections = 6

  package init() {}
}
