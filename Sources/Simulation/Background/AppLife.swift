// What happens to the app while its downloads go on: the user, the system, and accidents.

/// The life of an app, from the moment it starts to download: by default five seconds in front and then none of it.
package struct AppLife: Hashable, Sendable {
  /// A time in which the user has the app in front again.
  package struct Visit: Hashable, Sendable {
    /// When it begins, from the start of the run.
    package var start: Interval
    package var duration: Interval

    package init(start: Interval, duration: Interval) { (self.start, self.duration) = (start, duration) }
  }

  enum LifecycleEvent {
    case leave, reenter, crash, quit
  }

  /// How long the app stays in front at the beginning.
  package var foreground = Interval.seconds(5)
  /// The most that a background task runs after the app has left the foreground.
  package var backgroundTask = Interval.seconds(180)
  /// How long the system lets the app run at a wake-up before it kills it, in nanoseconds; drawn at each.
  package var assertion = Distribution.uniform(30_000_000_000, 40_000_000_000)
  /// How long a process that is not there any more takes to be launched.
  package var launch = Interval.seconds(1)
  /// When the user comes back, in order and apart from each other.
  package var visits: [Visit] = []
  /// When the app crashes; the daemon's tasks go on.
  package var crash: Interval?
  /// When the user quits the app by hand: the daemon's tasks are cancelled, and nothing wakes it until the user does.
  package var forceQuit: Interval?

  package init() {}

  /// What happens to the app, from the last to the first; of one instant in the reverse of the order here.
  var lifecycleEvents: [(at: Int64, kind: LifecycleEvent)] {
    var lifecycleEvents: [(at: Int64, kind: LifecycleEvent)] = [(foreground.nanoseconds, .leave)]
    for visit in visits {
      lifecycleEvents += [(visit.start.nanoseconds, .reenter), ((visit.start + visit.duration).nanoseconds, .leave)]
    }
    if let crash { lifecycleEvents.append((crash.nanoseconds, .crash)) }
    if let forceQuit { lifecycleEvents.append((forceQuit.nanoseconds, .quit)) }
    return lifecycleEvents.enumerated().sorted { ($0.element.at, $0.offset) > ($1.element.at, $1.offset) }.map(\.element)
  }
}

/// What the daemon does with tasks before it starts them.
package struct DaemonSettings: Hashable, Sendable {
  /// What passes before an idle daemon starts a task that may start, in nanoseconds; drawn each time. Up to 29 s have been reported
  /// (developer.apple.com/forums/thread/124450).
  package var startDelay = Distribution.uniform(0, 29_000_000_000)
  /// The limiter's delay after the first wake-up; zero for no limiter.
  package var limiter = Interval.seconds(60)
  /// What passes until an occasion suits the system, for tasks created in the background, in nanoseconds; drawn for each batch.
  package var discretionary = Distribution.constant(0)
  /// `HTTPMaximumConnectionsPerHost` where the strategy says nothing: 6, and HTTP/1.1 only.
  package var connections = 6

  package init() {}
}

/// A proxy of the energy that downloads take, for comparing strategies and nothing else:
///
///     energy = radioPower × radio active + megabitEnergy × megabits received + awakePower × app awake in the background + wakeEnergy × wake-ups
package struct EnergyProxy: Hashable, Sendable {
  /// Watts while the radio is in its active state, its tail included: LTE, Huang et al., MobiSys 2012.
  package var radioPower = 1.06
  /// Joules for each megabit received: 52 mW per Mbps, same source.
  package var megabitEnergy = 0.052
  /// Watts while the process runs in the background; an assumption.
  package var awakePower = 0.5
  /// Joules for each wake-up; an assumption.
  package var wakeEnergy = 2.0

  package init() {}

  /// The energy in joules.
  package func joules(radioMs: Double, bytes: Int64, awakeMs: Double, wakes: Int) -> Double {
    radioPower * radioMs / 1000 + megabitEnergy * Double(bytes) * 8 / 1e6 + awakePower * awakeMs / 1000 + wakeEnergy * Double(wakes)
  }
}
