// The definition of a prefetcher for sweep files. A new prefetcher is a file with its definition, and a name in `standard`.

/// A prefetcher's name, its settings, and a function that creates it from them.
public struct PrefetcherDefinition: Sendable {
  /// The `kind` in a sweep file.
  package let name: String
  package let summary: String
  /// True if it knows the future: a bound for the others, which no app can ship.
  package var isOracle = false
  /// The settings, in the order of lists and canonical lines. Each can be an axis.
  package let settings: [Parameter]
  package let make: @Sendable (_ settings: PrefetcherSettings) -> any Prefetcher

  /// Creates the definition of the prefetcher `name`; `make` creates one from settings that are within their ranges.
  public init(
    _ name: String, _ summary: String, settings: [Parameter] = [],
    make: @escaping @Sendable (_ settings: PrefetcherSettings) -> any Prefetcher
  ) {
    self.name = name
    self.summary = summary
    self.settings = settings
    self.make = make
  }

  /// The built-in prefetchers, in the order of lists.
  package static let standard: [PrefetcherDefinition] = [
    .noPrefetch, .itemsAhead, .costBudget, .iFunnyProduction, .iFunnyFive, .adaptive, .clairvoyant,
    // UIKit, lists of two articles, Texture, image libraries for iOS.
    .uikitOne, .uikitScreens, .infinite, .threshold, .dynamicThreshold, .lazyTarget, .textureFull, .textureMinimum, .textureArticle,
    .operationQueue, .nuke, .kingfisher, .sdWebImage, .igListKit,
    // Lists of Android and React Native, short videos, the web.
    .glide, .recyclerView, .paging3, .reactNative, .media3, .byteDance, .shortVideoRounds, .tikTok2022, .chromium, .guess,
  ]
}

/// The decoded settings of a prefetcher: within their ranges, defaults filled in.
public struct PrefetcherSettings: Sendable {
  private var values: [(key: String, value: Parameter.Value)] = []

  package init() {}

  package mutating func set(_ key: String, _ value: Parameter.Value) { values.append((key, value)) }

  private func value(_ key: String) -> Parameter.Value? { values.first { $0.key == key }?.value }

  /// Returns an integer setting; nil if it is optional and absent.
  public func optionalInteger(_ key: String) -> Int? {
    if case .integer(let value)? = value(key) { Int(value) } else { nil }
  }

  /// Returns an integer setting.
  public func integer(_ key: String) -> Int { optionalInteger(key) ?? Self.undeclared(key) }

  /// Returns a number or share.
  public func number(_ key: String) -> Double {
    if case .number(let value)? = value(key) { value } else { Self.undeclared(key) }
  }

  /// Returns a Boolean setting.
  public func boolean(_ key: String) -> Bool {
    if case .boolean(let value)? = value(key) { value } else { Self.undeclared(key) }
  }

  /// Returns a duration setting.
  public func duration(_ key: String) -> Interval { Interval(nanoseconds: Int64(integer(key))) }

  /// Returns a size setting, in bytes.
  public func size(_ key: String) -> Int64 { Int64(integer(key)) }

  /// Returns a choice setting as a case of its enumeration.
  public func choice<Choice: RawRepresentable<String>>(_ key: String, of type: Choice.Type = Choice.self) -> Choice {
    if case .text(let name)? = value(key), let choice = Choice(rawValue: name) { choice } else { Self.undeclared(key) }
  }

  private static func undeclared<Value>(_ key: String) -> Value {
    preconditionFailure(
      "a prefetcher reads the setting \(key), which its definition does not declare with this type, or declares as optional")
  }
}

extension Parameter {
  static func ahead(_ count: Int) -> Parameter {
    .integer("ahead", default: count, in: 0...100_000, "Items after the active one that are prefetched.")
  }
}
