// How a scenario's feed comes in pages, and how high its items stand.

import Import
import Simulation

extension ScenarioDecoder {
  private static let pageTriggers = ["endReached", "ratio", "ratioOfNewestPage", "remainingScreens", "itemsFromEnd", "offsetAddressed"]

  /// `feed.pages`; nil where the feed is one list.
  func decodePages(_ part: inout ObjectReader, _ description: inout ScenarioDescription) -> PageSettings? {
    guard part.has("pages"), var reader = part.object("pages") else { return nil }
    defer { reader.finish() }
    var pages = PageSettings()
    pages.size = reader.integer("size", default: pages.size, in: 1...Self.itemLimit)
    pages.firstSize = reader.has("first") ? reader.integer("first", in: 1...Self.itemLimit) : nil
    pages.bytes = reader.size("bytes", default: pages.bytes, in: 1...Volume.limitBytes)
    pages.source = reader.choice("source", default: .network)
    pages.latch = reader.choice("latch", default: .inFlight)
    // Each trigger's number may stand there whatever the trigger is, so that the trigger can be an axis.
    let trigger = reader.choice("trigger", of: Self.pageTriggers, default: "endReached")
    let ratio = reader.number("ratio", default: 0.7, in: 0...1)
    let screens = reader.number("screens", default: 2, in: 0...1000)
    let fromEnd = reader.integer("fromEnd", default: pages.size, in: 0...Self.itemLimit)
    let words: String
    switch trigger {
    case "ratio": (pages.trigger, words) = (.ratio(ratio), "at \(ratio) of the list")
    case "ratioOfNewestPage": (pages.trigger, words) = (.ratioOfNewestPage(ratio), "at \(ratio) of the newest page")
    case "remainingScreens": (pages.trigger, words) = (.remainingScreens(screens), "with \(screens) screens left")
    case "itemsFromEnd": (pages.trigger, words) = (.itemsFromEnd(fromEnd), "with fewer than \(fromEnd) items left")
    case "offsetAddressed": (pages.trigger, words) = (.offsetAddressed, "by place")
    default: (pages.trigger, words) = (.endReached, "at the end of the list")
    }
    let source = pages.source == .local ? ", answered locally" : ""
    description.feed += "; in pages of \(pages.size) asked for \(words)\(source)\(pages.latch == .asPrinted ? ", without a latch" : "")"
    return pages
  }

  /// The height of a kind in points: a whole number, or { min, max }; nil where it fills the viewport.
  func decodeHeight(_ part: inout ObjectReader) -> Distribution? {
    guard let value = part.value("height") else { return nil }
    if value.members == nil { return .constant(Int64(part.integer("height", in: 1...1_000_000))) }
    guard var reader = part.object("height") else { return nil }
    defer { reader.finish() }
    let low = Int64(reader.integer("min", in: 1...1_000_000))
    let high = Int64(reader.integer("max", in: 1...1_000_000))
    guard low <= high else {
      reader.report("max", problem: "is less than min", remedy: "write min ≤ max")
      return nil
    }
    return .uniform(low, high)
  }

  /// The viewport's height, which stands with the user's phone.
  func decodeViewport(_ reader: inout ObjectReader) -> Double? {
    guard let user = reader.value("user"), user.members != nil else { return nil }
    var part = ObjectReader(user, path: reader.path(of: "user"), context: reader.context)
    return part.has("viewport") ? part.number("viewport", in: 1...100_000) : nil
  }
}

extension NetworkClass {
  /// The class of a network by the name of its profile; nil where the name says nothing.
  package init?(profile name: String) {
    let words = name.split(separator: " ").map(String.init)
    if ["Wi-Fi", "DSL", "Cable", "FIOS"].contains(where: words.contains) || name == "High Latency DNS" {
      self = .wifi
    } else if ["LTE", "4G"].contains(where: words.contains) {
      self = .cellular4G
    } else if ["3G"].contains(where: words.contains) {
      self = .cellular3G
    } else if ["EDGE", "Edge", "2G", "56K"].contains(where: words.contains) {
      self = .cellular2G
    } else {
      return nil
    }
  }
}

extension ScenarioDecoder {
  /// `feed.hosts`: the host of each kind, and of the pages, by name. Names only tell them apart, so a point's id has their numbers.
  func decodeHosts(_ part: inout ObjectReader, _ description: inout ScenarioDescription) -> FeedHosts {
    guard let value = part.value("hosts") else { return FeedHosts() }
    // Its parts leave no lines of their own.
    var reader = ObjectReader(value, path: part.path(of: "hosts"), context: DecodingContext(sink: part.context.sink))
    defer { reader.finish() }
    let keys = ItemKind.allCases.map(\.name) + ["pages"]
    var names: [String] = []
    for key in keys {
      var name: String?
      if case .string(let text)? = reader.value(key)?.kind, text.isEmpty || !text.utf8.allSatisfy(Self.isHostByte) {
        reader.report(key, problem: "is no name of a host: \(quoted(text))", remedy: "use letters, digits, '-' and '.', such as cdn")
      } else {
        name = reader.optionalText(key)
      }
      names.append(name ?? (key == "pages" ? "api" : "media"))
    }
    let hosts = FeedHosts(kinds: Array(names.dropLast()), pages: names[names.count - 1])
    let numbers = ItemKind.allCases.map { "\(hosts.of($0))" } + ["\(hosts.ofPages)"]
    let isLikeDefault = hosts.itemHosts == 1 && hosts.ofPages == 1
    if !isLikeDefault { part.record("hosts", numbers.joined(separator: ",")) }
    let hasPages = part.has("pages")
    description.feed += "; from \(hasPages ? hosts.names.count : hosts.itemHosts) hosts"
    return hosts
  }

  private static func isHostByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    case UInt8(ascii: "-"), UInt8(ascii: "."): true
    default: false
    }
  }
}
