// Decodes the feed of a scenario: generated or from a file, its renditions, its pages and its hosts.

import Base
import Inputs
import Simulation

struct FeedPart: ScenarioPart {
  private(set) var source: Scenario.FeedSource?
  private(set) var count: Int?
  /// The pages; nil if the feed is one list.
  private(set) var pages: PageSettings?
  private(set) var hosts = FeedHosts()
  private var generator = FeedGenerator(
    count: 1000, mix: [0.8, 0.2, 0, 0], sizes: ItemKind.allCases.map { FeedGenerator.defaultSizes(of: $0) })
  private var isFile = false
  private var words: [String] = []

  init() {}

  var text: String { words.joined(separator: "; ") }
  var isComplete: Bool { source != nil }
  var segment: Interval? { generator.sizes[Int(ItemKind.video.rawValue)].renditions?.segment }
  var decodeTimes: DecodeTimes { DecodeTimes(generator.sizes.map(\.decode)) }

  static let fields: [Field<FeedPart>] =
    [
      Field(Parameter("file", .other("a file of items"), "The feed as a file.").optional("none").naming()) { reader, part, surroundings in
        part.isFile = reader.has("file")
        guard let path = reader.optionalText("file"),
          let items = reader.contents(of: "file", at: path, in: surroundings.files, { FeedReader.read($0, into: $1) })
        else { return }
        (part.source, part.count) = (.fixed(items), items.count)
        part.words.append("\(items.count) items of \(path)")
      },
      generated(Field(.integer("items", in: 1...ScenarioDecoder.itemLimit, "The number of generated items."), \.generator.count)), mix,
    ] + ItemKind.allCases.map(sizes) + ItemKind.allCases.map(decodingOfFile) + [
      generated(Field { _, part, _ in part.settleGenerator() }),
      Field { _, part, _ in part.describeDecoding() },
      Field { reader, part, surroundings in
        guard reader.has("pages"), var object = reader.object("pages") else { return }
        var pages = PagesPart()
        pages.read(&object, surroundings)
        part.pages = pages.settings
        part.words.append(pages.text)
      },
      hosts,
    ]

  /// Returns a field that a feed from a file does not read.
  private static func generated(_ field: Field<FeedPart>) -> Field<FeedPart> { field.when { !$0.isFile } }

  private mutating func settleGenerator() {
    (source, count) = (.generated(generator), generator.count)
    let total = generator.mix.reduce(0, +)
    let kinds = zip(ItemKind.allCases, generator.mix).filter { $1 > 0 }.map { kind, weight in
      "\(Int((weight / total * 100).rounded())) % \(kind.name) of \(generator.sizes[Int(kind.rawValue)].bytes.described(.size))"
    }
    words.append("\(generator.count) items: \(kinds.joined(separator: ", "))")
    let video = Int(ItemKind.video.rawValue)
    if generator.mix[video] > 0, let renditions = generator.sizes[video].renditions {
      let rates = renditions.bitsPerSecond.map { Quantity.described($0, .rate) }
      let kinds = "\(rates.count) rendition\(rates.count == 1 ? "" : "s") of \(rates.joined(separator: ", "))"
      words.append("videos in \(kinds), in segments of \(renditions.segment.described)")
    } else if generator.mix[video] > 0 {
      words.append("a video starts with \(Quantity.described(generator.sizes[video].prefixBytes, .size))")
    }
  }

  // MARK: Kinds

  /// The weights of the kinds; by default, four images to a video.
  private static let mix = generated(
    Field(
      zip(ItemKind.allCases, FeedPart().generator.mix).map { kind, standard in
        .number("mix.\(kind.name)", default: standard, in: 0...1e9, "The weight of \(kind.name) items; 0 if only others are given.")
      }
    ) { reader, part, _ in
      let isGiven = reader.has("mix")
      var mix = reader.objectOrEmpty("mix", example: "{ image: 0.8, video: 0.2 }")
      let weights = zip(ItemKind.allCases, part.generator.mix).map { kind, standard in
        mix.number(kind.name, default: isGiven ? 0 : standard, in: 0...1e9)
      }
      mix.finish()
      if weights.reduce(0, +) > 0 {
        part.generator.mix = weights
      } else if reader.context.sink.isEmpty {
        reader.report("mix", problem: "has no kind with a weight above 0", remedy: "write such as { image: 0.8, video: 0.2 }")
      }
    })

  private static func sizes(of kind: ItemKind) -> Field<FeedPart> {
    let (index, standard) = (Int(kind.rawValue), FeedGenerator.defaultSizes(of: kind))
    let bytes = Field<FeedGenerator.Sizes>(
      Parameter("bytes", .sizes(1...Volume.limitBytes), "The bytes of \(kind.name) items."), \.bytes, standard: standard.bytes)
    let height = Field<FeedGenerator.Sizes>(
      Parameter("height", .other("points, or { min: 100, max: 400 }"), "The height of \(kind.name) items.").optional("the viewport's")
    ) { reader, sizes, _ in sizes.height = Self.height(&reader) }
    let fields = [bytes] + (kind == .video ? video : []) + [height] + decoding(of: kind)
    return generated(Field(object: kind.name, \.generator.sizes[index], fields))
  }

  /// The fields that only videos have. Those of renditions add no canonical lines while they are absent.
  private static let video: [Field<FeedGenerator.Sizes>] = [
    Field(
      .size("prefix", in: 1...Volume.limitBytes, "The bytes that a video needs to start."), \.prefixBytes,
      standard: FeedGenerator.defaultSizes(of: .video).prefixBytes),
    Field(
      Parameter("bitRate", .rate(1000...1_000_000_000), "The rate at which a video plays."), \.bitsPerSecond,
      standard: FeedGenerator.defaultSizes(of: .video).bitsPerSecond
    ).then { reader, sizes, _ in
      guard reader.has("prefix"), sizes.prefixBytes > sizes.bytes.maximum else { return }
      let largest = Quantity.described(sizes.bytes.maximum, .size)
      reader.report(
        "prefix", beside: ["bytes"], problem: "is \(Quantity.described(sizes.prefixBytes, .size)), more than the largest video, \(largest)",
        remedy: "write \(largest) or less, or larger bytes")
    },
    Field(
      Parameter(
        "renditions", .other("a list of rates"),
        "The bit rates in which each video can be had, cut into segments; its length stays bytes divided by bitRate."
      ).optional("none"),
      Parameter("segment", .duration(Renditions.segmentRange), "The media time of a segment of a video with renditions.").optional("2s")
    ) { reader, sizes, _ in readRenditions(&reader, &sizes) },
  ]

  private static func decoding(of kind: ItemKind) -> [Field<FeedGenerator.Sizes>] {
    let whole =
      kind == .video ? "The time to prepare a player up to the first frame of a video" : "The time to decode one of the \(kind.name) items"
    return [
      Field(ifGiven: .duration("decode", in: 0...10_000_000_000, "\(whole).").optional("0s"), \.decode.fixed),
      Field(
        ifGiven: .duration("decodePerMB", in: 0...1_000_000_000, "The same for each MB that makes the item ready.").optional("0s"),
        \.decode.perMegabyte),
    ]
  }

  /// Returns the field that reads the decode time of a kind beside a feed from a file, and nothing else.
  private static func decodingOfFile(_ kind: ItemKind) -> Field<FeedPart> {
    let own = Field(object: kind.name, \FeedPart.generator.sizes[Int(kind.rawValue)], decoding(of: kind))
    return Field<FeedPart> { reader, part, surroundings in own.read(&reader, &part, surroundings) }.when { $0.isFile }
  }

  private mutating func describeDecoding() {
    for (kind, sizes) in zip(ItemKind.allCases, generator.sizes) where sizes.decode != DecodeTime() {
      let perMegabyte = sizes.decode.perMegabyte > .zero ? " and \(sizes.decode.perMegabyte.described) a MB" : ""
      words.append("\(kind.name) items are decoded in \(sizes.decode.fixed.described)\(perMegabyte)")
    }
  }

  /// Reads the height of a kind in points: a whole number, or { min, max }; nil if it fills the viewport.
  private static func height(_ reader: inout ObjectReader) -> Distribution? {
    let points = 1...1_000_000
    guard let value = reader.value("height") else { return nil }
    if value.members == nil { return .constant(Int64(reader.integer("height", in: points))) }
    var bounds = reader.objectOrEmpty("height")
    let (low, high) = (Int64(bounds.integer("min", in: points)), Int64(bounds.integer("max", in: points)))
    if low > high { bounds.report("max", beside: ["min"], problem: "is less than min", remedy: "write min ≤ max") }
    bounds.finish()
    return .uniform(min(low, high), high)
  }

  private static func readRenditions(_ reader: inout ObjectReader, _ sizes: inout FeedGenerator.Sizes) {
    let isGiven = reader.has("renditions")
    if !isGiven, reader.has("segment") {
      reader.report("segment", problem: "needs renditions", remedy: "add renditions: [\"500kbps\", \"1Mbps\"], or leave segment out")
    }
    guard isGiven else { return }
    // After a report a value stands in, so that the choice of a rendition is no further problem.
    sizes.renditions = Renditions(bitsPerSecond: [500_000], segment: .seconds(2))
    let problems = reader.context.sink.count
    let rates = reader.scalars("renditions") { element throws(ValueProblem) in
      try ScalarValue.quantity(element, .rate, in: Renditions.rateRange)
    }
    let segment = reader.has("segment") ? reader.duration("segment", in: Renditions.segmentRange) : 2_000_000_000
    if reader.has("prefix") {
      reader.report("prefix", problem: "has no effect with renditions", remedy: "leave it out; a video starts with its first segment")
    }
    guard reader.context.sink.count == problems else { return }
    guard (1...Renditions.mostRates).contains(rates.count), zip(rates, rates.dropFirst()).allSatisfy(<) else {
      reader.report(
        "renditions", problem: "is no list of 1 to \(Renditions.mostRates) rates in increasing order",
        remedy: "write such as [\"500kbps\", \"1Mbps\", \"2Mbps\"]")
      return
    }
    reader.record("renditions", rates.map { "\($0)" }.joined(separator: " "))
    sizes.renditions = Renditions(bitsPerSecond: rates, segment: Interval(nanoseconds: segment))
  }

  // MARK: Hosts

  private static let defaultHosts = ItemKind.allCases.map { ($0.name, "media") } + [("pages", "api")]

  private static let hostBytes = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-.".utf8)

  /// Host names only distinguish hosts, so a point's id contains their numbers.
  private static let hosts = Field<FeedPart>(
    defaultHosts.map { key, standard in
      Parameter(
        "hosts.\(key)", .other("\"cdn-1.example\""),
        "The host of \(key == "pages" ? key : "\(key) items"): a name of letters, digits, '-' and '.'."
      ).optional(standard).shipped()
    }
  ) { reader, part, _ in
    guard let value = reader.value("hosts") else { return }
    // The parts add no canonical lines.
    var own = ObjectReader(value, path: reader.path(of: "hosts"), context: DecodingContext(sink: reader.context.sink))
    let names = defaultHosts.map { key, standard in
      if let text = own.value(key)?.text, text.isEmpty || !text.utf8.allSatisfy(hostBytes.contains) {
        own.report(key, problem: "is no name of a host: \(quoted(text))", remedy: "use letters, digits, '-' and '.', such as cdn")
        return standard
      }
      return own.optionalText(key) ?? standard
    }
    own.finish()
    let hosts = FeedHosts(kinds: names.dropLast(), pages: names[names.count - 1])
    if hosts.itemHosts > 1 || hosts.ofPages != 1 {
      let numbers = ItemKind.allCases.map { "\(hosts.of($0))" } + ["\(hosts.ofPages)"]
      reader.record("hosts", numbers.joined(separator: ","))
    }
    part.hosts = hosts
    part.words.append("from \(reader.has("pages") ? hosts.names.count : hosts.itemHosts) hosts")
  }
}

/// The key `feed.pages`. Every trigger's number is read with any trigger, so that the trigger can be an axis.
struct PagesPart: ScenarioPart {
  private enum Trigger: String, CaseIterable, ParameterValue {
    case endReached, ratio, ratioOfNewestPage, remainingScreens, itemsFromEnd, offsetAddressed
  }

  private(set) var settings = PageSettings()
  private var trigger = Trigger.endReached
  private var ratio = 0.7, screens = 2.0
  private var fromEnd = 30
  /// The trigger as a phrase of the feed's description.
  private var when = ""

  init() {}

  static let fields: [Field<PagesPart>] = [
    Field(.integer("size", in: 1...ScenarioDecoder.itemLimit, "Items on a page."), \.settings.size),
    Field(
      ifGiven: .integer("first", in: 1...ScenarioDecoder.itemLimit, "Items on the first page.").optional("as on the others"),
      \.settings.firstSize),
    Field(.size("bytes", in: 1...Volume.limitBytes, "Bytes of a page's answer."), \.settings.bytes),
    Field(
      .choice("source", default: PageSettings.Source.network, "The source of pages: a request or the device itself."), \.settings.source),
    Field(
      .choice("latch", default: PageLatch.inFlight, "Requests a page once while it is in flight, or at each trigger."), \.settings.latch),
    Field(.choice("trigger", default: Trigger.endReached, "The event that makes the client request the next page."), \.trigger),
    Field(.number("ratio", in: 0...1, "The share of the list for ratio, of the newest page for ratioOfNewestPage."), \.ratio),
    Field(.number("screens", in: 0...1000, "The screens that are left for remainingScreens."), \.screens),
    Field(
      .integer("fromEnd", in: 0...ScenarioDecoder.itemLimit, "The items that are left for itemsFromEnd.").optional("size"), \.fromEnd,
      fallback: { $0.settings.size }),
    Field { _, part, _ in part.settleTrigger() },
  ]

  private mutating func settleTrigger() {
    (settings.trigger, when) =
      switch trigger {
      case .endReached: (.endReached, "at the end of the list")
      case .ratio: (.ratio(ratio), "at \(ratio) of the list")
      case .ratioOfNewestPage: (.ratioOfNewestPage(ratio), "at \(ratio) of the newest page")
      case .remainingScreens: (.remainingScreens(screens), "with \(screens) screens left")
      case .itemsFromEnd: (.itemsFromEnd(fromEnd), "with fewer than \(fromEnd) items left")
      case .offsetAddressed: (.offsetAddressed, "by offset")
      }
  }

  var text: String {
    let source = settings.source == .local ? ", answered locally" : ""
    return "in pages of \(settings.size) requested \(when)\(source)\(settings.latch == .asPrinted ? ", without a latch" : "")"
  }
}

extension PageSettings.Source: ParameterValue {}
