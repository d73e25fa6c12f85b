// The scenario of downloads in the background: resources, the app's life, the daemon, and the strategy between them.

import Import
import Simulation

extension ScenarioDecoder {
  /// The most that a day has.
  private static let day: ClosedRange<Int64> = 0...dwellLimitNanoseconds

  /// A background scenario; nil after a report.
  func decodeBackground(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> BackgroundScenario? {
    let (network, startsAnywhere) = decodeNetwork(&reader, &description)
    let strategy = decodeStrategy(&reader)
    // Numbers stand in where there is no network, so that the rest is read all the same.
    let link = network ?? NetworkConfiguration(down: LinkRate(constant: 1), up: LinkRate(constant: 1), delayDown: .zero, delayUp: .zero)
    var scenario = BackgroundScenario(network: link, startsAnywhere: startsAnywhere, strategy: strategy ?? .fourPerWake)
    decodeResources(&reader, into: &scenario)
    scenario.life = decodeLife(&reader)
    scenario.daemon = decodeDaemon(&reader)
    scenario.energy = decodeEnergy(&reader)
    scenario.mark = Interval(nanoseconds: reader.duration("mark", default: scenario.mark.nanoseconds, in: 0...Self.horizon))
    description.others = BackgroundWords(scenario, network: description.network).parts
    description.prefetcher = strategy.map { BackgroundWords.strategy($0) } ?? ""
    return network == nil || strategy == nil ? nil : scenario
  }

  private static let horizon = BackgroundScenario.horizon.nanoseconds

  private func decodeResources(_ reader: inout ObjectReader, into scenario: inout BackgroundScenario) {
    guard var part = part("resources", of: &reader) else { return }
    defer { part.finish() }
    scenario.resources = part.integer("count", default: scenario.resources, in: 1...10_000)
    scenario.slices = part.integer("slices", default: scenario.slices, in: 1...100_000)
    scenario.sliceBytes = part.distribution("slice", .size, default: scenario.sliceBytes, in: 1...Volume.limitBytes)
    let tasks = scenario.resources * scenario.slices
    if tasks > BackgroundScenario.taskLimit {
      part.report(
        "slices", problem: "make \(tasks) slices in all, more than \(BackgroundScenario.taskLimit)", remedy: "write fewer or larger ones")
    }
    let largest = scenario.sliceBytes.maximum
    if largest > Volume.limitBytes / Int64(scenario.slices) {
      part.report(
        "slice", problem: "makes a resource larger than \(Volume.limitBytes) bytes",
        remedy: "write fewer or smaller slices, or a distribution with a max")
    }
  }

  // MARK: The strategy

  private func decodeStrategy(_ reader: inout ObjectReader) -> DownloadStrategy? {
    guard reader.has("strategy") else {
      reader.reportMissing("strategy", example: "\"fourPerWake\"")
      return nil
    }
    guard var part = part("strategy", of: &reader) else { return nil }
    defer { part.finish() }
    let name = part.choice("kind", of: DownloadStrategy.all.map(\.name))
    guard var strategy = DownloadStrategy.all.first(where: { $0.name == name }) else { return nil }
    switch strategy.batch {
    case .slices(let count): strategy.batch = .slices(part.integer("slices", default: count, in: 1...BackgroundScenario.taskLimit))
    case .window(let count): strategy.batch = .window(part.integer("slices", default: count, in: 1...BackgroundScenario.taskLimit))
    case .resource, .everything: break
    }
    if part.has("connections") { strategy.connections = part.integer("connections", in: 1...256) }
    if strategy.connections == nil { part.record("connections", "the daemon's") }
    strategy.creation = Interval(nanoseconds: part.duration("creation", default: strategy.creation.nanoseconds, in: 0...60_000_000_000))
    strategy.usesBackgroundTask = part.boolean("backgroundTask", default: strategy.usesBackgroundTask)
    strategy.isDiscretionary = part.boolean("discretionary", default: strategy.isDiscretionary)
    return strategy
  }

  // MARK: The app

  private func decodeLife(_ reader: inout ObjectReader) -> AppLife {
    var life = AppLife()
    guard var part = part("app", of: &reader) else { return life }
    defer { part.finish() }
    life.foreground = Interval(nanoseconds: part.duration("foreground", default: life.foreground.nanoseconds, in: Self.day))
    life.backgroundTask = Interval(nanoseconds: part.duration("backgroundTask", default: life.backgroundTask.nanoseconds, in: Self.day))
    life.assertion = part.distribution("assertion", .duration, default: life.assertion, in: 1_000_000...Self.dwellLimitNanoseconds)
    life.launch = Interval(nanoseconds: part.duration("launch", default: life.launch.nanoseconds, in: 0...60_000_000_000))
    life.visits = decodeVisits(&part, after: life.foreground)
    life.crash = decodeMoment("crash", &part)
    life.forceQuit = decodeMoment("forceQuit", &part)
    return life
  }

  /// A moment, or "none".
  private func decodeMoment(_ key: String, _ part: inout ObjectReader) -> Interval? {
    if !part.has(key) || part.value(key)?.text == "none" {
      part.record(key, "none")
      return nil
    }
    return Interval(nanoseconds: part.duration(key, in: Self.day))
  }

  /// `visits: [{ at: "2h", for: "1min" }]` or "none", in order and apart from each other.
  private func decodeVisits(_ part: inout ObjectReader, after foreground: Interval) -> [AppLife.Visit] {
    let elements = part.value("visits")?.text == "none" ? [] : part.array("visits") ?? []
    if elements.isEmpty { part.record("visits", "none") }
    guard elements.count <= Self.outageLimit else {
      part.report("visits", problem: "has \(elements.count) visits, more than \(Self.outageLimit)", remedy: "write fewer")
      return []
    }
    var visits: [AppLife.Visit] = []
    var last = foreground
    for (index, element) in elements.enumerated() {
      let problems = part.context.sink.count
      var reader = ObjectReader(element, path: "\(part.path(of: "visits")).\(index)", context: part.context)
      let start = Interval(nanoseconds: reader.duration("at", in: Self.day))
      let length = Interval(nanoseconds: reader.duration("for", in: 1...Self.dwellLimitNanoseconds))
      reader.finish()
      guard part.context.sink.count == problems else { continue }
      if start < last {
        reader.report(
          "at", problem: "is before \(Quantity.described(last.nanoseconds, .duration)), when the app was last in front",
          remedy: "write visits in order and apart, after app.foreground")
      }
      visits.append(AppLife.Visit(start: start, duration: length))
      last = start + length
    }
    return visits
  }

  // MARK: The daemon

  private func decodeDaemon(_ reader: inout ObjectReader) -> DaemonSettings {
    var daemon = DaemonSettings()
    guard var part = part("daemon", of: &reader) else { return daemon }
    defer { part.finish() }
    daemon.startDelay = part.distribution("startDelay", .duration, default: daemon.startDelay, in: Self.day)
    daemon.limiter = Interval(nanoseconds: part.duration("limiter", default: daemon.limiter.nanoseconds, in: Self.day))
    daemon.discretionary = part.distribution("discretionary", .duration, default: daemon.discretionary, in: Self.day)
    daemon.connections = part.integer("connections", default: daemon.connections, in: 1...256)
    return daemon
  }

  private func decodeEnergy(_ reader: inout ObjectReader) -> EnergyProxy {
    var energy = EnergyProxy()
    guard var part = part("energy", of: &reader) else { return energy }
    defer { part.finish() }
    energy.radioPower = part.number("radio", default: energy.radioPower, in: 0...1000)
    energy.megabitEnergy = part.number("megabit", default: energy.megabitEnergy, in: 0...1000)
    energy.awakePower = part.number("awake", default: energy.awakePower, in: 0...1000)
    energy.wakeEnergy = part.number("wake", default: energy.wakeEnergy, in: 0...1000)
    return energy
  }
}

extension Distribution {
  /// The largest value that can be drawn.
  package var maximum: Int64 {
    switch self {
    case .constant(let value): value
    case .uniform(_, let high): high
    case .lognormal(_, _, _, let high), .exponential(_, _, let high): high
    }
  }
}
