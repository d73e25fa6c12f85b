// What happens to the app while its downloads go on: the user, the system, and accidents.

/// The life of an app, from the moment it starts to download.
public struct AppLife: Hashable, Sendable {
  /// A time in which the user has the app in front again.
  public struct Visit: Hashable, Sendable {
    /// When it begins, from the start of the run.
    public var start: Interval
    /// How long it lasts.
    public var duration: Interval

    /// A visit of `duration` that begins at `start`.
    public init(start: Interval, duration: Interval) {
      self.start = start
      self.duration = duration
    }
  }

  /// How long the app stays in front at the beginning.
  public var foreground = Interval.seconds(5)
  /// The most that a background task runs after the app has left the foreground.
  public var backgroundTask = Interval.seconds(180)
  /// How long the system lets the app run at a wake-up before it kills it, in nanoseconds; drawn at each.
  public var assertion = Distribution.uniform(30_000_000_000, 40_000_000_000)
  /// How long a process that is not there any more takes to be launched.
  public var launch = Interval.seconds(1)
  /// When the user comes back, in order and apart from each other.
  public var visits: [Visit] = []
  /// When the app crashes; the daemon's tasks go on.
  public var crash: Interval?
  /// When the user quits the app by hand: the daemon's tasks are cancelled, and nothing wakes it until the user does.
  public var forceQuit: Interval?

  /// The usual life: five seconds in front and then none of it.
  public init() {}
}

/// What the daemon does with tasks before it starts them.
public struct DaemonSettings: Hashable, Sendable {
  /// What passes before an idle daemon starts a task that may start, in nanoseconds; drawn each time. Up to 29 s have been reported
  /// (developer.apple.com/forums/thread/124450).
  public var startDelay = Distribution.uniform(0, 29_000_000_000)
  /// The limiter's delay after the first wake-up; zero for no limiter.
  public var limiter = Interval.seconds(60)
  /// What passes until an occasion suits the system, for tasks created in the background, in nanoseconds; drawn for each batch.
  public var discretionary = Distribution.constant(0)
  /// `HTTPMaximumConnectionsPerHost` where the strategy says nothing: 6, and HTTP/1.1 only.
  public var connections = 6

  /// The usual daemon.
  public init() {}
}

/// A proxy of the energy that downloads take, for comparing strategies and nothing else:
///
///     energy = radioPower × radio active + megabitEnergy × megabits received + awakePower × app awake in the background + wakeEnergy × wake-ups
public struct EnergyProxy: Hashable, Sendable {
  /// Watts while the radio is in its active state, its tail included: LTE, Huang et al., MobiSys 2012.
  public var radioPower = 1.06
  /// Joules for each megabit received: 52 mW per Mbps, same source.
  public var megabitEnergy = 0.052
  /// Watts while the process runs in the background; an assumption.
  public var awakePower = 0.5
  /// Joules for each wake-up; an assumption.
  public var wakeEnergy = 2.0

  /// The usual coefficients.
  public init() {}

  /// The energy in joules.
  public func joules(radioMs: Double, bytes: Int64, awakeMs: Double, wakes: Int) -> Double {
    radioPower * radioMs / 1000 + megabitEnergy * Double(bytes) * 8 / 1e6 + awakePower * awakeMs / 1000 + wakeEnergy * Double(wakes)
  }
}
