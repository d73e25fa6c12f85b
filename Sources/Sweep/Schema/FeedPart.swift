// The feed of a scenario: a generator's description or a file, how it comes in pages, and from which hosts.

import Import
import Simulation

/// `feed`, as it is decoded.
struct FeedPart: ScenarioPart {
  /// Nil after a report.
  var source: Scenario.FeedSource?
  /// How many items there are; nil where that is not known.
  var count: Int?
  /// Nil where the feed is one list.
  var pages: PageSettings?
  var hosts = FeedHosts()
  private var generator = FeedGenerator(
    count: 1000, mix: [0.8, 0.2, 0, 0], sizes: ItemKind.allCases.map { FeedGenerator.defaultSizes(of: $0) })
  private var words: [String] = []

  init() {}

  /// The feed in words.
  var text: String { words.joined(separator: "; ") }

  static let fields: [Field<FeedPart>] = [items, mix, ItemKind.allCases.flatMap(sizes), [settled, pages], hosts].flatMap { $0 }

  private static let items: [Field<FeedPart>] = [
    Field(Parameter("file", .other("a file of items"), "The feed as a file.").optional("none").naming()) { reader, part, files in
      if reader.has("file") { part.readFile(&reader, files) }
    },
    Field(Parameter.integer("items", default: 1000, in: 1...ScenarioDecoder.itemLimit, "How many items are generated.")) {
      reader, part, _ in
      if !reader.has("file") { part.generator.count = reader.integer("items", default: 1000, in: 1...ScenarioDecoder.itemLimit) }
    },
  ]

  private static let settled = Field<FeedPart> { reader, part, _ in if !reader.has("file") { part.settleGenerator() } }

  private mutating func readFile(_ reader: inout ObjectReader, _ files: InputFiles) {
    let location = reader.location(of: "file")
    guard let path = reader.optionalText("file") else { return }
    do {
      let feed = try files.feed(path)
      reader.record("file.contents", feed.hash)
      guard let items = feed.items else { return reader.context.sink.report(feed.problems) }
      (source, count) = (.fixed(items), items.count)
      words.append("\(items.count) items of \(path)")
    } catch {
      reader.context.sink.report(error, at: location, key: reader.path(of: "file"))
    }
  }

  private mutating func settleGenerator() {
    (source, count) = (.generated(generator), generator.count)
    let total = generator.mix.reduce(0, +)
    let kinds = zip(ItemKind.allCases, generator.mix).filter { $1 > 0 }.map { kind, weight in
      "\(Int((weight / total * 100).rounded())) % \(kind.name) of \(generator.sizes[Int(kind.rawValue)].bytes.described(.size))"
    }
    words.append("\(generator.count) items: \(kinds.joined(separator: ", "))")
    let video = Int(ItemKind.video.rawValue)
    if generator.mix[video] > 0 {
      words.append("a video starts with \(Quantity.described(generator.sizes[video].prefixBytes, .size))")
    }
  }

  // MARK: Kinds

  /// The weight of each kind; four images to a video unless any is said.
  private static let mix: [Field<FeedPart>] =
    ItemKind.allCases.map { kind in
      let usual = FeedPart().generator.mix[Int(kind.rawValue)]
      return Field(
        Parameter.number("mix.\(kind.name)", default: usual, in: 0...1e9, "The weight of \(kind.name) items; 0 where others are given.")
      ) { _, _, _ in }
    } + [Field { reader, part, _ in if !reader.has("file") { part.readMix(&reader) } }]

  private mutating func readMix(_ reader: inout ObjectReader) {
    guard reader.has("mix") else {
      for (kind, weight) in zip(ItemKind.allCases, generator.mix) { reader.record("mix.\(kind.name)", ScalarValue.plain(weight)) }
      return
    }
    generator.mix = [1, 0, 0, 0]
    guard var mix = reader.object("mix") else { return }
    let weights = ItemKind.allCases.map { mix.number($0.name, default: 0, in: 0...1e9) }
    mix.finish()
    if weights.reduce(0, +) > 0 {
      generator.mix = weights
    } else if reader.context.sink.isEmpty {
      reader.report("mix", problem: "has no kind with a weight above 0", remedy: "write such as { image: 0.8, video: 0.2 }")
    }
  }

  private static func sizes(of kind: ItemKind) -> [Field<FeedPart>] {
    let usual = FeedGenerator.defaultSizes(of: kind)
    var parameters = [Parameter("bytes", .sizes(1...Volume.limitBytes), "The bytes of \(kind.name) items.")]
    parameters[0].fallback = .value(.distribution(usual.bytes))
    if kind == .video {
      parameters += [
        .size("prefix", default: usual.prefixBytes, in: 1...Volume.limitBytes, "The bytes that a video needs to start."),
        Parameter("bitRate", .rate(1000...1_000_000_000), "The rate at which a video plays."),
      ]
      parameters[2].fallback = .value(.integer(usual.bitsPerSecond))
    }
    parameters.append(
      Parameter("height", .other("points, or { min: 100, max: 400 }"), "The height of \(kind.name) items.").optional("the viewport's"))
    let declared = parameters
    return parameters.map { parameter in
      var shown = parameter
      shown.key = "\(kind.name).\(parameter.key)"
      return Field(shown) { _, _, _ in }
    } + [
      Field { reader, part, _ in
        if reader.has("file") { return }
        var own = reader.objectOrEmpty(kind.name)
        defer { own.finish() }
        for parameter in declared.dropLast() {
          guard case .value(let usual) = parameter.fallback else { continue }
          part.generator.sizes[Int(kind.rawValue)].set(parameter.key, own.read(parameter, default: usual))
        }
        part.generator.sizes[Int(kind.rawValue)].height = height(&own)
      }
    ]
  }

  /// The height of a kind in points: a whole number, or { min, max }; nil where it fills the viewport.
  private static func height(_ reader: inout ObjectReader) -> Distribution? {
    guard let value = reader.value("height") else { return nil }
    if value.members == nil { return .constant(Int64(reader.integer("height", in: 1...1_000_000))) }
    guard var bounds = reader.object("height") else { return nil }
    defer { bounds.finish() }
    let low = Int64(bounds.integer("min", in: 1...1_000_000))
    let high = Int64(bounds.integer("max", in: 1...1_000_000))
    if low <= high { return .uniform(low, high) }
    bounds.report("max", problem: "is less than min", remedy: "write min ≤ max")
    return nil
  }

  // MARK: Pages and hosts

  private static let pages = Field<FeedPart>(step: { reader, part, files in
    guard reader.has("pages"), var object = reader.object("pages") else { return }
    var pages = PagesPart()
    pages.read(&object, files)
    part.pages = pages.settings
    part.words.append(pages.text)
  })

  private static let hosts: [Field<FeedPart>] =
    (ItemKind.allCases.map(\.name) + ["pages"]).map { key in
      let usual = key == "pages" ? "api" : "media"
      return Field(
        Parameter("hosts.\(key)", .text, "The host that \(key == "pages" ? "pages" : "\(key) items") come from.").optional(usual)
      ) { _, _, _ in }
    } + [Field { reader, part, _ in part.readHosts(&reader) }]

  /// Names only tell hosts apart, so that a point's id has their numbers.
  private mutating func readHosts(_ reader: inout ObjectReader) {
    guard let value = reader.value("hosts") else { return }
    // Its parts leave no lines of their own.
    var own = ObjectReader(value, path: reader.path(of: "hosts"), context: DecodingContext(sink: reader.context.sink))
    defer { own.finish() }
    let names = (ItemKind.allCases.map(\.name) + ["pages"]).map { key in
      let usual = key == "pages" ? "api" : "media"
      if case .string(let text)? = own.value(key)?.kind, text.isEmpty || !text.utf8.allSatisfy(Self.isHostByte) {
        own.report(key, problem: "is no name of a host: \(quoted(text))", remedy: "use letters, digits, '-' and '.', such as cdn")
        return usual
      }
      return own.optionalText(key) ?? usual
    }
    hosts = FeedHosts(kinds: Array(names.dropLast()), pages: names[names.count - 1])
    if hosts.itemHosts > 1 || hosts.ofPages != 1 {
      let numbers = ItemKind.allCases.map { "\(hosts.of($0))" } + ["\(hosts.ofPages)"]
      reader.record("hosts", numbers.joined(separator: ","))
    }
    words.append("from \(reader.has("pages") ? hosts.names.count : hosts.itemHosts) hosts")
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}

extension FeedGenerator.Sizes {
  fileprivate mutating func set(_ key: String, _ value: Parameter.Value) {
    switch key {
    case "prefix": prefixBytes = value.integer ?? prefixBytes
    case "bitRate": bitsPerSecond = value.integer ?? bitsPerSecond
    default: bytes = value.distribution ?? bytes
    }
  }
}

/// `feed.pages`, as it is decoded. Each trigger's number may stand there whatever the trigger is, so that the trigger can be an axis.
struct PagesPart: ScenarioPart {
  private enum Trigger: String, CaseIterable, ParameterValue {
    case endReached, ratio, ratioOfNewestPage, remainingScreens, itemsFromEnd, offsetAddressed
  }

  private(set) var settings = PageSettings()
  private var trigger = Trigger.endReached
  private var ratio = 0.7
  private var screens = 2.0
  private var fromEnd = 30

  init() {}

  static let fields: [Field<PagesPart>] = [
    Field(.integer("size", in: 1...ScenarioDecoder.itemLimit, "Items on a page."), \.settings.size),
    Field(Parameter.integer("first", in: 1...ScenarioDecoder.itemLimit, "Items on the first page.").optional("as on the others")) {
      reader, part, _ in
      if reader.has("first") { part.settings.firstSize = reader.integer("first", in: 1...ScenarioDecoder.itemLimit) }
    },
    Field(.size("bytes", in: 1...Volume.limitBytes, "Bytes of a page's answer."), \.settings.bytes),
    Field(.choice("source", default: PageSettings.Source.network, "Who answers a request for a page."), \.settings.source),
    Field(
      .choice("latch", default: PageLatch.inFlight, "Asks for a page once while it is in flight, or at each trigger."), \.settings.latch),
    Field(.choice("trigger", default: Trigger.endReached, "What makes the client ask for the next page."), \.trigger),
    Field(.number("ratio", in: 0...1, "The share of the list for ratio, of the newest page for ratioOfNewestPage."), \.ratio),
    Field(.number("screens", in: 0...1000, "The screens that are left for remainingScreens."), \.screens),
    Field(
      .integer("fromEnd", in: 0...ScenarioDecoder.itemLimit, "The items that are left for itemsFromEnd.").optional("size"), \.fromEnd,
      fallback: { $0.settings.size }),
    Field { _, part, _ in
      part.settings.trigger =
        switch part.trigger {
        case .endReached: .endReached
        case .ratio: .ratio(part.ratio)
        case .ratioOfNewestPage: .ratioOfNewestPage(part.ratio)
        case .remainingScreens: .remainingScreens(part.screens)
        case .itemsFromEnd: .itemsFromEnd(part.fromEnd)
        case .offsetAddressed: .offsetAddressed
        }
    },
  ]

  /// The pages in words.
  var text: String {
    let when =
      switch trigger {
      case .endReached: "at the end of the list"
      case .ratio: "at \(ratio) of the list"
      case .ratioOfNewestPage: "at \(ratio) of the newest page"
      case .remainingScreens: "with \(screens) screens left"
      case .itemsFromEnd: "with fewer than \(fromEnd) items left"
      case .offsetAddressed: "by place"
      }
    let source = settings.source == .local ? ", answered locally" : ""
    return "in pages of \(settings.size) asked for \(when)\(source)\(settings.latch == .asPrinted ? ", without a latch" : "")"
  }
}

extension PageSettings.Source: ParameterValue {}
extension PageLatch: ParameterValue {}
