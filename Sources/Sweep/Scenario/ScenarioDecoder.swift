// From the scenario of a sweep file to the simulation's own: every key read, checked, defaulted and recorded.

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
  var pointLines: [String]

  /// A scenario whose runs a backend makes; `tree` is the scenario as written.
  package init(
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
}

/// A scenario in words, a phrase a part.
package struct ScenarioDescription: Hashable {
  package var feed = ""
  package var network = ""
  package var downloads = ""
  package var user = ""
  package var prefetcher = ""
  /// What is set and has no effect.
  package var ignored: [IgnoredSetting] = []
  /// The parts of a scenario that is no feed's; empty for a feed.
  package var others: [Part] = []

  /// A phrase and what it is about.
  package struct Part: Hashable {
    package var label: String
    package var text: String
  }

  /// All parts, in the order of a report's head.
  package var parts: [Part] {
    if !others.isEmpty { return others }
    return [
      Part(label: "network", text: network), Part(label: "user", text: user), Part(label: "feed", text: feed),
      Part(label: "downloads", text: downloads), Part(label: "prefetcher", text: prefetcher),
    ]
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

  /// The keys of a feed's scenario; the first part of every axis path.
  package static let keys = ["feed", "network", "downloads", "user", "prefetcher"]

  /// A string that is short for an object: a profile, a prefetcher's kind, a feed's file.
  package static func expanding(_ path: String, _ value: JSON5Value) -> JSON5Value? {
    guard case .string = value.kind else { return nil }
    let key: String
    switch path {
    case "network": key = "profile"
    case "prefetcher", "strategy": key = "kind"
    case "feed": key = "file"
    default: return nil
    }
    return JSON5Value(kind: .object([JSON5Member(key: key, keyLocation: value.location, value: value)]), location: value.location)
  }

  /// Decodes a scenario; problems go to `sink`, and then the result is not to be used.
  ///
  /// `memory` spares the parts that are as in the last scenario.
  package func decode(_ value: JSON5Value, into sink: DiagnosticSink, memory: PartMemory? = nil) -> DecodedScenario? {
    let context = DecodingContext(sink: sink)
    var reader = ObjectReader(value, context: context)
    var description = ScenarioDescription()
    let scenario: (any SweptScenario)? =
      switch ScenarioKind(from: &reader) {
      case .feed: decodeFeedScenario(&reader, &description, memory ?? PartMemory())
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

  /// The same for whoever has nothing else to report.
  ///
  /// - Throws: `InvalidInput` with all problems found.
  package func decoded(_ value: JSON5Value, memory: PartMemory? = nil) throws(InvalidInput) -> DecodedScenario {
    let sink = DiagnosticSink()
    if let decoded = decode(value, into: sink, memory: memory) { return decoded }
    throw sink.found
  }

  private func decodeFeedScenario(
    _ reader: inout ObjectReader, _ description: inout ScenarioDescription, _ memory: PartMemory
  ) -> Scenario? {
    let (feed, count, pages, hosts) = memory.feed.recalled("feed", of: &reader, &description) { decodeFeed(&$0, &$1) }
    let (network, startsAnywhere) = memory.network.recalled("network", of: &reader, &description) { decodeNetwork(&$0, &$1) }
    let downloads = memory.downloads.recalled("downloads", of: &reader, &description) { decodeDownloads(&$0, &$1) }
    let (user, viewport) = memory.user.recalled("user", of: &reader, &description, also: count) {
      (decodeUser(&$0, feedCount: count, &$1), decodeViewport(&$0))
    }
    let prefetcher = memory.prefetcher.recalled("prefetcher", of: &reader, &description) { decodePrefetcher(&$0, &$1) }
    guard let feed, let network, let prefetcher else { return nil }
    if let pages { checkMaxSize(of: prefetcher, pages, reader) }
    var scenario = Scenario(
      feed: feed, network: network, startsAnywhere: startsAnywhere, downloads: downloads, user: user, prefetcher: prefetcher)
    scenario.pages = pages
    scenario.hosts = hosts
    if let viewport { scenario.viewportHeight = viewport }
    return scenario
  }

  /// Paging refuses a `maxSize` that cannot hold a page and the prefetch distance on either side.
  private func checkMaxSize(of prefetcher: any Prefetcher, _ pages: PageSettings, _ reader: ObjectReader) {
    guard let maxSize = prefetcher.pageMaxSize, case .itemsFromEnd(let distance)? = prefetcher.pageTrigger else { return }
    let least = pages.size + 2 * distance
    guard maxSize < least else { return }
    reader.context.sink.report(
      at: reader.location(of: "prefetcher"), key: "\(reader.path(of: "prefetcher")).maxSize",
      problem: "is \(maxSize), less than a page and the prefetch distance on either side, \(least)",
      remedy: "write \(least) or more, or leave it out")
  }

  /// The object under a key, where a string may be short for it.
  package func part(_ key: String, of reader: inout ObjectReader, required: Bool = false) -> ObjectReader? {
    guard let value = reader.value(key) else {
      if required { reader.reportMissing(key, example: key == "network" ? "\"3G\"" : "{ kind: \"costBudget\" }") }
      return required ? nil : reader.objectOrEmpty(key)
    }
    let part = ObjectReader(Self.expanding(key, value) ?? value, path: reader.path(of: key), context: reader.context)
    return part.isBroken ? nil : part
  }

  private func decodeDownloads(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> DownloadSettings {
    guard var part = part("downloads", of: &reader) else { return DownloadSettings() }
    var settings = DownloadSettings(
      connections: decodeConnections(&part), cancel: part.choice("cancel", default: .keep),
      keepPartial: part.boolean("keepPartial", default: false), restFirst: part.boolean("restFirst", default: true),
      preempt: part.boolean("preempt", default: false))
    settings.onMemoryWarning = part.choice("onMemoryWarning", default: .keep)
    part.finish()
    let kept = settings.cancel == .keep && settings.keepPartial ? " (bytes of what is cut are kept)" : ""
    description.downloads =
      "\(settings.connections) at once, cancel \(settings.cancel.rawValue)\(kept)\(settings.restFirst ? "" : ", a video's rest last")"
      + (settings.preempt ? ", the active item takes a connection from a prefetch" : "")
      + (settings.onMemoryWarning == .drop ? ", a memory warning drops what is stored" : "")
    return settings
  }

  /// A number, or whose default it is: URLSession's on iOS (4) and macOS (6), or a browser's (6).
  private func decodeConnections(_ part: inout ObjectReader) -> Int {
    guard let value = part.value("connections"), value.text != nil else { return part.integer("connections", default: 4, in: 1...256) }
    do throws(ValueProblem) {
      let count = try ScalarValue.choice(value, of: ["iOS", "macOS", "browser"]) == "iOS" ? 4 : 6
      part.record("connections", "\(count)")
      return count
    } catch {
      part.context.sink.report(error, at: value.location, key: part.path(of: "connections"))
      return 4
    }
  }

  /// The longest feed.
  package static let itemLimit = 1_000_000
  /// The longest dwell, a day.
  package static let dwellLimitNanoseconds: Int64 = 86_400_000_000_000
  /// The most that all dwells, or all patience, come to: 50 years, well within `Instant.never`.
  static let sessionLimitNanoseconds: Int64 = 50 * 365 * dwellLimitNanoseconds
  /// The most that each stay may take beyond its dwell, ten seconds.
  static let overheadLimit: Int64 = 10_000_000_000
  /// The most times in the background, each at most a day.
  static let pauseLimit = 10_000
}
