// The parts of each kind of scenario, in the order of canonical lines.

import Base
import Simulation

/// A decoded part of a scenario, independent of the other parts.
struct DecodedPart: Sendable {
  let assign: @Sendable (inout ScenarioDraft) -> Void
  let text: @Sendable () -> String
  var ignored: [IgnoredSetting] = []
  /// Adds the part's facts to the context of later parts.
  var surround: @Sendable (inout Surroundings) -> Void = { _ in }
}

struct PartReader: Sendable {
  let key: String
  /// The paths that the part depends on: its own and those that it is validated against.
  let dependsOn: [String]
  /// True if a team ships the whole part with its app.
  let isShipped: Bool
  let sections: [ScenarioSchema.Section]
  /// Decodes the part; nil after a report.
  let decode: @Sendable (inout ObjectReader, Surroundings) -> DecodedPart?

  init(
    _ key: String, beside others: [String] = [], isShipped: Bool = false, sections: [ScenarioSchema.Section] = [],
    decode: @escaping @Sendable (inout ObjectReader, Surroundings) -> DecodedPart?
  ) {
    (self.key, dependsOn, self.isShipped, self.sections, self.decode) = (key, [key] + others, isShipped, sections, decode)
  }

  /// Creates a part that a table of fields reads. It is required if there is an `example`.
  init<Part: ScenarioPart>(
    _ key: String, _: Part.Type, example: String? = nil, beside others: [String] = [], isShipped: Bool = false,
    _ sections: [ScenarioSchema.Section] = [], surround: @escaping @Sendable (Part, inout Surroundings) -> Void = { _, _ in },
    assign: @escaping @Sendable (Part, inout ScenarioDraft) -> Void
  ) {
    let own = ScenarioSchema.Section(path: key, parameters: Part.parameters)
    self.init(key, beside: others, isShipped: isShipped, sections: [own] + sections) { reader, surroundings in
      guard var object = reader.part(key, example: example) else { return nil }
      var part = Part()
      part.read(&object, surroundings)
      guard part.isComplete else { return nil }
      return DecodedPart(
        assign: { [part] in assign(part, &$0) }, text: { [part] in part.text }, ignored: part.ignored,
        surround: { [part] in surround(part, &$0) })
    }
  }
}

extension ObjectReader {
  /// Returns the object under a key and expands a string that abbreviates it. It is required if there is an `example`.
  fileprivate mutating func part(_ key: String, example: String?) -> ObjectReader? {
    guard let value = value(key) else {
      if let example { reportMissing(key, example: example) }
      return example == nil ? objectOrEmpty(key) : nil
    }
    let object = ObjectReader(ScenarioText.expanding(key, value) ?? value, path: path(of: key), context: context)
    return object.isBroken ? nil : object
  }
}

struct ScenarioDraft {
  var feed = Scenario.blank
  var background = BackgroundScenario.blank
}

extension NetworkConfiguration {
  fileprivate static let blank = NetworkConfiguration(
    down: LinkRate(constant: 1), up: LinkRate(constant: 1), delayDown: .zero, delayUp: .zero)
}

extension Scenario {
  static let blank = Scenario(
    feed: .fixed([]), network: .blank, downloads: DownloadSettings(), user: UserScript(scroll: 1, dwell: .constant(1)),
    prefetcher: ItemsAhead(ahead: 0))
}

extension BackgroundScenario {
  static let blank = BackgroundScenario(network: .blank, strategy: .fourPerWake)
}

extension ScenarioKind {
  var parts: [PartReader] { self == .feed ? Self.feedParts : Self.backgroundParts }

  func scenario(_ parts: some Sequence<DecodedPart>) -> any Model {
    var draft = ScenarioDraft()
    for part in parts { part.assign(&draft) }
    return switch self {
    case .feed: draft.feed
    case .backgroundDownload: draft.background
    }
  }

  private static let network = PartReader("network", NetworkPart.self, example: "\"3G\"") { part, draft in
    (draft.feed.network, draft.feed.startsAnywhere) = (part.network, part.startsAnywhere)
    (draft.background.network, draft.background.startsAnywhere) = (part.network, part.startsAnywhere)
  }

  private static let feedParts: [PartReader] = [
    PartReader(
      "feed", FeedPart.self, [ScenarioSchema.Section(path: "feed.pages", parameters: PagesPart.parameters.map { $0.shipped() })],
      surround: { ($1.feedCount, $1.pages, $1.segment) = ($0.count, $0.pages, $0.segment) }
    ) { part, draft in
      (draft.feed.feed, draft.feed.pages) = (part.source ?? .fixed([]), part.pages)
      (draft.feed.hosts, draft.feed.decodeTimes) = (part.hosts, part.decodeTimes)
    },
    network,
    // The choice of a rendition needs renditions.
    PartReader("downloads", DownloadSettings.self, beside: ["feed.video"], isShipped: true) { $1.feed.downloads = $0 },
    // Scrolling ends with the feed.
    PartReader("user", UserPart.self, beside: ["feed"]) { ($1.feed.user, $1.feed.viewportHeight) = ($0.user, $0.viewport) },
    // The prefetcher's `maxSize` must hold the pages.
    PartReader("prefetcher", beside: ["feed.pages"], isShipped: true) { reader, surroundings in
      guard var object = reader.part("prefetcher", example: "{ kind: \"costBudget\" }"),
        let (prefetcher, words) = surroundings.prefetchers.prefetcher(from: &object, files: surroundings.files)
      else { return nil }
      if let pages = surroundings.pages { checkMaxSize(of: prefetcher, pages, object) }
      return DecodedPart(assign: { $0.feed.prefetcher = prefetcher }, text: { words })
    },
    // The radio's powers. Without the key it adds no canonical line, so ids do not depend on it.
    PartReader("energy", sections: [ScenarioSchema.Section(path: "energy", parameters: EnergyProxy.parameters)]) { reader, surroundings in
      guard reader.has("energy") else { return DecodedPart(assign: { _ in }, text: { "" }) }
      guard var object = reader.part("energy", example: nil) else { return nil }
      for key in ["awake", "wake"] where object.has(key) {
        object.report(key, problem: "is of background downloads; the app of a feed is in the foreground", remedy: "leave it out")
      }
      var energy = EnergyProxy()
      energy.read(&object, surroundings)
      return DecodedPart(
        assign: { [energy] in $0.feed.energy = energy },
        text: { [energy] in "\(energy.radioPower) W radio active + \(energy.megabitEnergy) J a megabit" })
    },
  ]

  /// Reports a `maxSize` below a page plus the prefetch distance on both sides, as Paging 3 does.
  private static func checkMaxSize(of prefetcher: any Prefetcher, _ pages: PageSettings, _ reader: ObjectReader) {
    guard let maxSize = prefetcher.pageMaxSize, case .itemsFromEnd(let distance)? = prefetcher.pageTrigger else { return }
    let least = pages.size + 2 * distance
    guard maxSize < least else { return }
    reader.context.sink.report(
      at: reader.location, key: reader.path(of: "maxSize"),
      problem: "is \(maxSize), less than a page and the prefetch distance on either side, \(least)",
      remedy: "write \(least) or more, or leave it out")
  }

  private static let backgroundParts: [PartReader] = [
    network,
    PartReader("strategy", DownloadStrategy.self, example: "\"fourPerWake\"", isShipped: true) { $1.background.strategy = $0 },
    PartReader("resources", ResourcesPart.self) { part, draft in
      let from = part.scenario
      (draft.background.resources, draft.background.slices, draft.background.sliceBytes) = (from.resources, from.slices, from.sliceBytes)
    },
    PartReader("app", AppLife.self) { $1.background.life = $0 },
    PartReader("daemon", DaemonSettings.self) { $1.background.daemon = $0 },
    PartReader("energy", EnergyProxy.self) { $1.background.energy = $0 },
    PartReader("mark", sections: [ScenarioSchema.Section(path: "", parameters: mark.parameters)]) { reader, surroundings in
      var scenario = BackgroundScenario.blank
      mark.read(&reader, &scenario, surroundings)
      return DecodedPart(
        assign: { [mark = scenario.mark] in $0.background.mark = mark }, text: { [mark = scenario.mark] in mark.described })
    },
  ]

  private static let mark = Field<BackgroundScenario>(
    .duration("mark", in: 0...BackgroundScenario.horizon.nanoseconds, "The time of the metrics whose names end in AtMark."), \.mark,
    standard: BackgroundScenario.blank.mark)
}
