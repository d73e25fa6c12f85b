// The app's process as the system sees it.

/// Where the process stands and until when.
struct AppProcess {
  enum State {
    /// The user has it in front.
    case foreground
    /// It goes on in the background: under a background task, or because it is kept awake.
    case background
    /// The daemon has woken it, and it has not said yet that it is done.
    case woken
    /// It is in memory and does not run.
    case suspended
    /// It is not there; the daemon may launch it.
    case terminated
    /// The user has quit it; only the user launches it again.
    case quit
  }

  var state = State.suspended
  /// When the system takes the processor away from it.
  var deadline = Instant.never.nanoseconds
  /// When the task that it is creating is there.
  var nextCreation = Instant.never.nanoseconds
  /// Tasks of the batch that are not created yet, the one being created included.
  var batchLeft = 0
  /// The occasion's wait that the batch has drawn; negative until it is.
  var occasionWait: Int64 = -1

  var isRunning: Bool { state == .foreground || state == .background || state == .woken }
  var isRunningInBackground: Bool { state == .background || state == .woken }

  /// Stops whatever it was doing.
  mutating func stop(_ state: State) {
    self.state = state
    deadline = Instant.never.nanoseconds
    nextCreation = Instant.never.nanoseconds
    batchLeft = 0
  }
}

/// What befalls the app, in the order of time.
struct Incidents {
  enum Kind {
    case leaves, returns, crashes, isQuit
  }

  private var events: ContiguousArray<(at: Int64, kind: Kind)> = []
  private var place = 0

  init(_ life: AppLife) {
    events.append((life.foreground.nanoseconds, .leaves))
    for visit in life.visits {
      events.append((visit.start.nanoseconds, .returns))
      events.append(((visit.start + visit.duration).nanoseconds, .leaves))
    }
    if let crash = life.crash { events.append((crash.nanoseconds, .crashes)) }
    if let quit = life.forceQuit { events.append((quit.nanoseconds, .isQuit)) }
    // The order of those that share an instant is the order above.
    events = ContiguousArray(events.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element))
  }

  /// When the next one comes.
  var next: Int64 { place < events.count ? events[place].at : Instant.never.nanoseconds }

  /// Takes the next one, which there is.
  mutating func take() -> Kind {
    place += 1
    return events[place - 1].kind
  }
}

/// What chance decides in a run; each kind of draw has a stream of its own, so that the k-th is the same for every strategy.
struct Fates {
  private var starts: RandomStream
  private var assertions: RandomStream
  private var occasions: RandomStream

  init(seed: UInt64) {
    starts = RandomStream(runSeed: seed, name: "background.start")
    assertions = RandomStream(runSeed: seed, name: "background.assertion")
    occasions = RandomStream(runSeed: seed, name: "background.occasion")
  }

  mutating func start(_ delays: Distribution) -> Int64 { delays.draw(from: &starts) }
  mutating func assertion(_ times: Distribution) -> Int64 { times.draw(from: &assertions) }
  mutating func occasion(_ waits: Distribution) -> Int64 { waits.draw(from: &occasions) }
}
