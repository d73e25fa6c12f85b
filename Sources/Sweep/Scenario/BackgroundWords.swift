// A background scenario in words, for the head of its report.

import Import
import Simulation

/// The parts of the head.
package struct BackgroundWords {
  package let parts: [ScenarioDescription.Part]

  /// Words for a scenario whose network is described already.
  package init(_ scenario: BackgroundScenario, network: String) {
    parts = [
      .init(label: "network", text: network),
      .init(
        label: "resources",
        text: "\(scenario.resources) of \(scenario.slices) slices, \(scenario.sliceBytes.described(.size)) each"),
      .init(label: "app", text: Self.app(scenario.life)),
      .init(label: "daemon", text: Self.daemon(scenario.daemon)),
      .init(label: "strategy", text: Self.strategy(scenario.strategy)),
      .init(label: "energy", text: Self.energy(scenario.energy)),
      .init(label: "mark", text: Self.time(scenario.mark)),
    ]
  }

  private static func time(_ interval: Interval) -> String { Quantity.described(interval.nanoseconds, .duration) }

  private static func app(_ life: AppLife) -> String {
    var words = [
      "\(time(life.foreground)) in front", "a background task of \(time(life.backgroundTask)) for those that ask",
      "\(life.assertion.described(.duration)) at each wake-up, then killed", "\(time(life.launch)) to launch",
    ]
    if !life.visits.isEmpty { words.append("in front again \(life.visits.count) times") }
    if let crash = life.crash { words.append("crashes after \(time(crash))") }
    if let quit = life.forceQuit { words.append("quit by its user after \(time(quit))") }
    return words.joined(separator: ", ")
  }

  private static func daemon(_ daemon: DaemonSettings) -> String {
    let limiter = daemon.limiter == .zero ? "no limiter" : "limiter \(time(daemon.limiter)), doubled at each wake-up"
    let waits = daemon.discretionary == .constant(0) ? "" : ", \(daemon.discretionary.described(.duration)) until an occasion"
    return "starts after \(daemon.startDelay.described(.duration)), \(limiter)\(waits), \(daemon.connections) connections"
  }

  private static func energy(_ energy: EnergyProxy) -> String {
    "\(energy.radioPower) W radio active + \(energy.megabitEnergy) J a megabit + \(energy.awakePower) W awake in the background + "
      + "\(energy.wakeEnergy) J a wake-up"
  }

  /// A strategy's name and traits.
  package static func strategy(_ strategy: DownloadStrategy) -> String {
    var words = [strategy.name]
    switch strategy.batch {
    case .slices(let count): words.append("\(count) slices at a time")
    case .resource: words.append("a resource at a time")
    case .everything: words.append(strategy.isArchive ? "one file a resource, all at once" : "everything at once")
    case .window(let count): words.append("\(count) slices ahead")
    }
    if let connections = strategy.connections { words.append("\(connections) connections") }
    if strategy.staysAwake { words.append("stays awake") }
    if strategy.leaksBackgroundTask {
      words.append("never ends its background tasks")
    } else if strategy.usesBackgroundTask {
      words.append("with a background task")
    }
    if strategy.isDiscretionary { words.append("discretionary") }
    words.append("\(time(strategy.creation)) to create a task")
    return words.joined(separator: ", ")
  }
}
