// The parts of each kind of scenario, in the order of canonical lines.

import Base
import Simulation

/// A decoded part of a scenario, independent of the other parts.
struct DecodedPart<Whole>: Sendable {
  /// Assigns the part to a scenario.
  let assign: @Sendable (inout Whole) -> Void
  let text: @Sendable () -> String
  var ignored: [IgnoredSetting] = []
  /// Adds the part's facts to the context of later parts.
  var surround: @Sendable (inout Surroundings) -> Void = { _ in }
}

struct PartReader<Whole>: Sendable {
  let key: String
  /// The paths that the part depends on: its own and those that it is validated against.
  let dependsOn: [String]
  /// True if a team ships the whole part with its app.
  let isShipped: Bool
  /// The keys of the part, for lists.
  let sections: [ScenarioSchema.Section]
  /// Decodes the part; nil after a report.
  let decode: @Sendable (inout ObjectReader, Surroundings) -> DecodedPart<Whole>?

  init(
    _ key: String, beside others: [String] = [], isShipped: Bool = false, sections: [ScenarioSchema.Section] = [],
    decode: @escaping @Sendable (inout ObjectReader, Surroundings) -> DecodedPart<Whole>?
  ) {
    (self.key, dependsOn, self.isShipped, self.sections, self.decode) = (key, [key] + others, isShipped, sections, decode)
  }

  /// Creates a part that a table of fields reads. It is required if there is an `example`.
  init<Part: ScenarioPart>(
    _ key: String, _: Part.Type, example: String? = nil, beside others: [String] = [], isShipped: Bool = false,
    _ sections: [ScenarioSchema.Section] = [],
    surround: @escaping @Sendable (Part) -> @Sendable (inout Surroundings) -> Void = { _ in { _ in } },
    assign: @escaping @Sendable (Part) -> @Sendable (inout Whole) -> Void
  ) {
    let own = ScenarioSchema.Section(path: key, parameters: Part.parameters)
    self.init(key, beside: others, isShipped: isShipped, sections: [own] + sections) { reader, surroundings in
      guard var object = reader.part(key, example: example) else { return nil }
      var part = Part()
      part.read(&object, surroundings)
      guard part.isComplete else { return nil }
      return DecodedPart(assign: assign(part), text: { [part] in part.text }, ignored: part.ignored, surround: surround(part))
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

/// A scenario composed of parts.
protocol PartedScenario: Model {
  static var blank: Self { get }
  static var parts: [PartReader<Self>] { get }
}

extension NetworkConfiguration {
  fileprivate static let blank = NetworkConfiguration(
    down: LinkRate(constant: 1), up: LinkRate(constant: 1), delayDown: .zero, delayUp: .zero)
}

extension Scenario: PartedScenario {
  static let blank = Scenario(
    feed: .fixed([]), network: .blank, downloads: DownloadSettings(), user: UserScript(scroll: 1, dwell: .constant(1)),
    prefetcher: ItemsAhead(ahead: 0))

  static let parts: [PartReader<Scenario>] = [
    PartReader(
      "feed", FeedPart.self, [ScenarioSchema.Section(path: "feed.pages", parameters: PagesPart.parameters.map { $0.shipped() })],
      surround: { part in
        { [count = part.count, pages = part.pages, segment = part.segment] in
          ($0.feedCount, $0.pages, $0.segment) = (count, pages, segment)
        }
      }
    ) { part in
      { [source = part.source ?? .fixed([]), pages = part.pages, hosts = part.hosts, times = part.decodeTimes] in
        ($0.feed, $0.pages, $0.hosts, $0.decodeTimes) = (source, pages, hosts, times)
      }
    },
    PartReader("network", NetworkPart.self, example: "\"3G\"") { part in
      { [network = part.network, anywhere = part.startsAnywhere] in ($0.network, $0.startsAnywhere) = (network, anywhere) }
    },
    // The choice of a rendition needs renditions.
    PartReader("downloads", DownloadSettings.self, beside: ["feed.video"], isShipped: true) { part in { $0.downloads = part } },
    // Scrolling ends with the feed.
    PartReader("user", UserPart.self, beside: ["feed"]) { part in
      { [user = part.user, viewport = part.viewport] in ($0.user, $0.viewportHeight) = (user, viewport) }
    },
    // The prefetcher's `maxSize` must hold the pages.
    PartReader("prefetcher", beside: ["feed.pages"], isShipped: true) { reader, surroundings in
      guard var object = reader.part("prefetcher", example: "{ kind: \"costBudget\" }"),
        let (prefetcher, words) = surroundings.prefetchers.prefetcher(from: &object)
      else { return nil }
      if let pages = surroundings.pages { checkMaxSize(of: prefetcher, pages, object) }
      return DecodedPart(assign: { $0.prefetcher = prefetcher }, text: { words })
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
        assign: { [energy] in $0.energy = energy },
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
}

extension BackgroundScenario: PartedScenario {
  static let blank = BackgroundScenario(network: .blank, strategy: .fourPerWake)

  static let parts: [PartReader<BackgroundScenario>] = [
    PartReader("network", NetworkPart.self, example: "\"3G\"") { part in
      { [network = part.network, anywhere = part.startsAnywhere] in ($0.network, $0.startsAnywhere) = (network, anywhere) }
    },
    PartReader("strategy", DownloadStrategy.self, example: "\"fourPerWake\"", isShipped: true) { part in { $0.strategy = part } },
    PartReader("resources", ResourcesPart.self) { part in
      { [from = part.scenario] in ($0.resources, $0.slices, $0.sliceBytes) = (from.resources, from.slices, from.sliceBytes) }
    },
    PartReader("app", AppLife.self) { part in { $0.life = part } },
    PartReader("daemon", DaemonSettings.self) { part in { $0.daemon = part } },
    PartReader("energy", EnergyProxy.self) { part in { $0.energy = part } },
    PartReader("mark", sections: [ScenarioSchema.Section(path: "", parameters: markField.parameters)]) { reader, surroundings in
      var scenario = blank
      markField.read(&reader, &scenario, surroundings)
      let mark = scenario.mark
      return DecodedPart(assign: { $0.mark = mark }, text: { mark.described })
    },
  ]

  private static let markField = Field<BackgroundScenario>(
    .duration("mark", in: 0...horizon.nanoseconds, "The time of the metrics whose names end in AtMark."), \.mark, standard: blank.mark)
}
