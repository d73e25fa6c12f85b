// From the scenario of a sweep file to the simulation's own: one loop over the schema of each part.

import Import
import Simulation

/// A scenario of one point, ready to run.
package struct DecodedScenario {
  /// What the simulation needs.
  package var scenario: any SweptScenario
  /// Every scalar as `path=value`, defaults filled in and files as hashes of their contents.
  package var lines: [String]
  /// What a reader wants to know, in words.
  package var description: ScenarioDescription
  /// The scenario's own part of the lines that the point's id is made of.
  package var identity: [String]
  /// The lines that the point's id is made of.
  private var pointLines: [String]

  /// A scenario whose runs a backend makes; `tree` is the scenario as written.
  init(
    _ scenario: any SweptScenario, context: DecodingContext, description: ScenarioDescription, backend: Backend, tree: JSON5Value
  ) {
    self.scenario = scenario
    self.description = description
    lines = context.lines
    identity = context.identity
    pointLines = backend.pointLines(identity, tree: tree, decoded: lines)
  }

  /// The point's id: 16 digits of a hash of the resolved scenario and the model's version, or of what else makes its runs, never a
  /// place in a grid.
  package var point: String { PointID.text(pointNumber) }

  /// The point's id as a number.
  var pointNumber: UInt64 {
    var hash = ContentHash()
    for line in pointLines { hash.update(line: line) }
    return hash.highHalf
  }

  /// The path and the value of a canonical line.
  static func split(_ line: String) -> (path: String, value: String) {
    let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
  }
}

/// A scenario in words, a phrase a part.
package struct ScenarioDescription: Hashable {
  /// All parts, in the order of a report's head.
  package var parts: [Part] = []
  /// The prefetcher or the strategy with its settings.
  package var prefetcher = ""
  /// What is set and has no effect.
  package var ignored: [IgnoredSetting] = []

  /// A phrase and what it is about.
  package struct Part: Hashable {
    package var label: String
    package var text: String
  }
}

/// A point's id, its 16 hexadecimal digits as a number.
package enum PointID {
  /// The digits.
  package static func text(_ id: UInt64) -> String {
    let digits = String(id, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

/// Decodes scenarios whose files stand relative to one folder.
package struct ScenarioDecoder: Sendable {
  package let files: InputFiles
  /// The prefetchers that it knows.
  package var prefetchers = PrefetcherCatalogue.standard
  /// What makes the runs.
  package var backend = Backend.emulated

  package init(files: InputFiles, prefetchers: PrefetcherCatalogue = .standard, backend: Backend = .emulated) {
    (self.files, self.prefetchers, self.backend) = (files, prefetchers, backend)
  }

  /// The longest feed.
  package static let itemLimit = 1_000_000

  /// Decodes a scenario; problems go to `sink`, and then the result is not to be used.
  package func decode(_ value: JSON5Value, into sink: DiagnosticSink) -> DecodedScenario? {
    let context = DecodingContext(sink: sink, names: ScenarioSchema.names)
    var reader = ObjectReader(value, context: context)
    var description = ScenarioDescription()
    let scenario: (any SweptScenario)? =
      switch ScenarioKind(from: &reader) {
      case .feed: decodeFeedScenario(&reader, &description)
      case .backgroundDownload: decodeBackground(&reader, &description)
      }
    reader.finish()
    guard sink.isEmpty, let scenario else { return nil }
    return DecodedScenario(scenario, context: context, description: description, backend: backend, tree: value)
  }

  /// The same where `sink` may hold problems of something else, which do not spoil this scenario.
  package func decode(_ value: JSON5Value, reportingTo sink: DiagnosticSink) -> DecodedScenario? {
    let own = DiagnosticSink()
    let decoded = decode(value, into: own)
    sink.report(own.found)
    return decoded
  }

  /// Decodes a scenario that is the only source of problems.
  ///
  /// - Throws: `InvalidInput` with all problems found.
  package func decoded(_ value: JSON5Value) throws(InvalidInput) -> DecodedScenario {
    let sink = DiagnosticSink()
    if let decoded = decode(value, into: sink) { return decoded }
    throw sink.found
  }

  /// A network under an object of its own, with its description and what of it has no effect; nil after a report.
  package func network(
    _ reader: ObjectReader
  ) -> (network: NetworkConfiguration, startsAnywhere: Bool, text: String, ignored: [IgnoredSetting])? {
    var (reader, part) = (reader, NetworkPart())
    part.read(&reader, files)
    return part.hasRates ? (part.network, part.startsAnywhere, part.text, part.ignored) : nil
  }

  // MARK: Scenarios

  private func decodeFeedScenario(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> Scenario? {
    let feed = feed(&reader)
    let network = network(&reader)
    let downloads = downloads(&reader)
    let user = user(&reader, feedCount: feed?.count)
    let prefetcher = prefetcher(&reader)
    guard let feed, let source = feed.source, let network, let user, let prefetcher else { return nil }
    checkMaxSize(of: prefetcher.prefetcher, feed.pages, reader)
    description.parts = [
      .init(label: "network", text: network.text), .init(label: "user", text: user.text), .init(label: "feed", text: feed.text),
      .init(label: "downloads", text: downloads.phrases.joined(separator: ", ")), .init(label: "prefetcher", text: prefetcher.words),
    ]
    description.prefetcher = prefetcher.words
    description.ignored = network.ignored
    var scenario = Scenario(
      feed: source, network: network.network, startsAnywhere: network.startsAnywhere, downloads: downloads, user: user.user,
      prefetcher: prefetcher.prefetcher)
    scenario.pages = feed.pages
    scenario.hosts = feed.hosts
    if let viewport = user.viewport { scenario.viewportHeight = viewport }
    return scenario
  }

  private func decodeBackground(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> BackgroundScenario? {
    let network = network(&reader)
    if !reader.has("strategy") { reader.reportMissing("strategy", example: "\"fourPerWake\"") }
    let strategy = reader.has("strategy") ? read(DownloadStrategy(), "strategy", of: &reader) : nil
    var resources = read(ResourcesPart(), "resources", of: &reader) ?? ResourcesPart()
    let life = read(AppLife(), "app", of: &reader) ?? AppLife()
    let daemon = read(DaemonSettings(), "daemon", of: &reader) ?? DaemonSettings()
    let energy = read(EnergyProxy(), "energy", of: &reader) ?? EnergyProxy()
    ResourcesPart.mark.read(&reader, &resources, files)
    guard let network, let strategy else { return nil }
    var scenario = resources.scenario
    (scenario.network, scenario.startsAnywhere, scenario.strategy) = (network.network, network.startsAnywhere, strategy)
    (scenario.life, scenario.daemon, scenario.energy) = (life, daemon, energy)
    description.parts = [
      .init(label: "network", text: network.text), .init(label: "resources", text: resources.phrase),
      .init(label: "app", text: life.phrases.joined(separator: ", ")),
      .init(label: "daemon", text: daemon.phrases.joined(separator: ", ")), .init(label: "strategy", text: strategy.phrase),
      .init(label: "energy", text: energy.phrase), .init(label: "mark", text: scenario.mark.described),
    ]
    description.prefetcher = strategy.phrase
    description.ignored = network.ignored
    return scenario
  }

  /// Paging refuses a `maxSize` that cannot hold a page and the prefetch distance on either side.
  func checkMaxSize(of prefetcher: any Prefetcher, _ pages: PageSettings?, _ reader: ObjectReader) {
    guard let pages, let maxSize = prefetcher.pageMaxSize, case .itemsFromEnd(let distance)? = prefetcher.pageTrigger else { return }
    let least = pages.size + 2 * distance
    guard maxSize < least else { return }
    reader.context.sink.report(
      at: reader.location(of: "prefetcher"), key: "\(reader.path(of: "prefetcher")).maxSize",
      problem: "is \(maxSize), less than a page and the prefetch distance on either side, \(least)",
      remedy: "write \(least) or more, or leave it out")
  }

  // MARK: Parts

  func feed(_ reader: inout ObjectReader) -> FeedPart? { read(FeedPart(), "feed", of: &reader) }

  func network(_ reader: inout ObjectReader) -> NetworkPart? {
    guard let part = read(NetworkPart(), "network", of: &reader, example: "\"3G\""), part.hasRates else { return nil }
    return part
  }

  func downloads(_ reader: inout ObjectReader) -> DownloadSettings {
    read(DownloadSettings(), "downloads", of: &reader) ?? DownloadSettings()
  }

  func user(_ reader: inout ObjectReader, feedCount: Int?) -> UserPart? {
    var part = UserPart()
    part.feedCount = feedCount
    return read(part, "user", of: &reader)
  }

  func prefetcher(_ reader: inout ObjectReader) -> (prefetcher: any Prefetcher, words: String)? {
    guard var object = object("prefetcher", of: &reader, example: "{ kind: \"costBudget\" }") else { return nil }
    return prefetchers.prefetcher(from: &object)
  }

  /// A part under a key; nil after a report.
  private func read<Part: ScenarioPart>(
    _ part: Part, _ key: String, of reader: inout ObjectReader, example: String? = nil
  ) -> Part? {
    guard var object = object(key, of: &reader, example: example) else { return nil }
    var part = part
    part.read(&object, files)
    return part
  }

  /// The object under a key, where a string may be short for it; it is required where there is an `example`.
  private func object(_ key: String, of reader: inout ObjectReader, example: String? = nil) -> ObjectReader? {
    guard let value = reader.value(key) else {
      if let example { reader.reportMissing(key, example: example) }
      return example == nil ? reader.objectOrEmpty(key) : nil
    }
    let object = ObjectReader(ScenarioText.expanding(key, value) ?? value, path: reader.path(of: key), context: reader.context)
    return object.isBroken ? nil : object
  }
}
