// Decodes background download scenarios: resources, app life, daemon, strategy and energy.

import Base
import Simulation

/// The key `resources`: the number and size of the files to download.
struct ResourcesPart: ScenarioPart {
  var scenario = BackgroundScenario.blank

  static let fields: [Field<ResourcesPart>] = [
    Field(.integer("count", in: 1...10_000, "Resources that the app caches."), \.scenario.resources),
    Field(.integer("slices", in: 1...100_000, "Slices of each resource."), \.scenario.slices),
    Field(Parameter("slice", .sizes(1...Volume.limitBytes), "The bytes of a slice."), \.scenario.sliceBytes),
    Field { reader, part, _ in
      let (resources, slices) = (part.scenario.resources, part.scenario.slices)
      if resources * slices > BackgroundScenario.taskLimit {
        reader.report(
          "slices", beside: ["count"], problem: "make \(resources * slices) slices in all, more than \(BackgroundScenario.taskLimit)",
          remedy: "write fewer or larger ones")
      }
      if part.scenario.sliceBytes.maximum > Volume.limitBytes / Int64(slices) {
        reader.report(
          "slice", beside: ["slices"], problem: "makes a resource larger than \(Volume.limitBytes) bytes",
          remedy: "write fewer or smaller slices, or a distribution with a max")
      }
    },
  ]

  var text: String { "\(scenario.resources) of \(scenario.slices) slices, \(scenario.sliceBytes.described(.size)) each" }
}

extension AppLife: ScenarioPart {
  static let fields: [Field<AppLife>] = [
    Field(.duration("foreground", "The time in the foreground at the beginning."), \.foreground)
      .saying { "\($0.foreground.described) in the foreground" },
    Field(.duration("backgroundTask", "The longest time of a background task."), \.backgroundTask)
      .saying { "background tasks of at most \($0.backgroundTask.described)" },
    Field(
      Parameter("assertion", .durations(1_000_000...Parameter.day), "The time that the app runs at a wake-up before it is killed."),
      \.assertion
    ).saying { "\($0.assertion.described(.duration)) at each wake-up, then killed" },
    Field(.duration("launch", in: 0...60_000_000_000, "The time of a launch."), \.launch).saying { "\($0.launch.described) to launch" },
    Field(Parameter("visits", .other("[{ at: \"2h\", for: \"1min\" }] or \"none\""), "The times when the user returns.").optional("none")) {
      reader, part, _ in
      part.visits = reader.spans("visits", after: part.foreground, tooMany: "write fewer") { end in
        ("is before \(end), the end of the last time in the foreground", "write visits in order and apart, after app.foreground")
      }
    }.saying { $0.visits.isEmpty ? nil : "in the foreground again \($0.visits.count) times" },
    Field(orNone: .duration("crash", "The time of the app's crash; the daemon continues."), \.crash)
      .saying { $0.crash.map { "crashes after \($0.described)" } },
    Field(orNone: .duration("forceQuit", "The time when the user force-quits the app; the daemon's tasks are cancelled."), \.forceQuit)
      .saying { $0.forceQuit.map { "quit by its user after \($0.described)" } },
  ]
}

extension DaemonSettings: ScenarioPart {
  static let fields: [Field<DaemonSettings>] = [
    Field(Parameter("startDelay", .durations(0...Parameter.day), "The delay before an idle daemon starts a task."), \.startDelay)
      .saying { "starts after \($0.startDelay.described(.duration))" },
    Field(.duration("limiter", "The delay after the first wake-up, doubled at each; 0s for no limiter."), \.limiter)
      .saying { $0.limiter == .zero ? "no limiter" : "limiter \($0.limiter.described), doubled at each wake-up" },
    Field(
      Parameter("discretionary", .durations(0...Parameter.day), "The delay before tasks created in the background may start."),
      \.discretionary
    ).saying { $0.discretionary == .constant(0) ? nil : "discretionary tasks start after \($0.discretionary.described(.duration))" },
    Field(.integer("connections", in: 1...256, "Connections to a host, unless the strategy sets them."), \.connections)
      .saying { "\($0.connections) connections" },
  ]
}

extension EnergyProxy: ScenarioPart {
  static let fields: [Field<EnergyProxy>] = [
    Field(.number("radio", in: 0...1000, "Watts while the radio is active."), \.radioPower),
    Field(.number("megabit", in: 0...1000, "Joules for each megabit received."), \.megabitEnergy),
    Field(.number("awake", in: 0...1000, "Watts while the app runs in the background."), \.awakePower),
    Field(.number("wake", in: 0...1000, "Joules for each wake-up."), \.wakeEnergy),
  ]

  var text: String {
    "\(radioPower) W radio active + \(megabitEnergy) J a megabit + \(awakePower) W awake in the background + \(wakeEnergy) J a wake-up"
  }
}

extension DownloadStrategy: ScenarioPart {
  init() { self = .fourPerWake }

  private static let tasks = 1...BackgroundScenario.taskLimit

  static let fields: [Field<DownloadStrategy>] = [
    Field(Parameter("kind", .choice(all.map(\.name)), "The strategy's name; it gives the other keys their defaults.")) { reader, part, _ in
      let name = reader.choice("kind", of: all.map(\.name))
      part = all.first { $0.name == name } ?? part
    }.saying { $0.name },
    Field(
      Parameter("slices", .integer(tasks), "Slices at a time, for strategies that count them.").optional("the strategy's")
    ) { reader, part, _ in
      switch part.batch {
      case .slices(let count): part.batch = .slices(reader.integer("slices", default: count, in: tasks))
      case .window(let count): part.batch = .window(reader.integer("slices", default: count, in: tasks))
      case .resource, .everything: break
      }
    }.saying { strategy in
      switch strategy.batch {
      case .slices(let count): "\(count) slices at a time"
      case .resource: "a resource at a time"
      case .everything: strategy.isArchive ? "one file a resource, all at once" : "everything at once"
      case .window(let count): "\(count) slices ahead"
      }
    },
    Field(Parameter.integer("connections", in: 1...256, "Connections of its session.").optional("the strategy's, or the daemon's")) {
      reader, part, _ in
      if reader.has("connections") { part.connections = reader.integer("connections", in: 1...256) }
      if part.connections == nil { reader.record("connections", "the daemon's") }
    }.saying { strategy in
      let connections = strategy.connections.map { "\($0) connections" }
      return strategy.staysAwake ? (connections.map { $0 + ", " } ?? "") + "stays awake" : connections
    },
    named(.duration("creation", in: 0...60_000_000_000, "The time that the app needs to create a task."), \.creation),
    named(.boolean("backgroundTask", "Asks for a background task when it leaves the foreground."), \.usesBackgroundTask)
      .saying { $0.leaksBackgroundTask ? "never ends its background tasks" : $0.usesBackgroundTask ? "with a background task" : nil },
    named(.boolean("discretionary", "Lets the system choose when to start a task."), \.isDiscretionary)
      .saying { $0.isDiscretionary ? "discretionary" : nil },
  ]

  /// Creates a parameter whose default is that of the named strategy.
  private static func named<Value: ParameterValue>(_ parameter: Parameter, _ target: Field<Self>.Target<Value>) -> Field<Self> {
    Field(parameter.optional("the strategy's"), target, fallback: { $0[keyPath: target] })
  }

  var traits: [String] { phrases + ["\(creation.described) to create a task"] }
  var text: String { traits.joined(separator: ", ") }
}
