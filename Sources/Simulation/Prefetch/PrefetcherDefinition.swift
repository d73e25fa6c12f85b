// What a prefetcher must say of itself to be named in a sweep. A new one is a file with its definition and a name in `standard`.

/// A prefetcher by name, its settings, and how it is made of them.
public struct PrefetcherDefinition: Sendable {
  /// The `kind` in a sweep file.
  package let name: String
  package let summary: String
  /// Its settings, in the order of lists and canonical lines. Each can be an axis.
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

  /// The prefetchers that the program comes with, in the order of lists.
  package static let standard: [PrefetcherDefinition] = [
    .noPrefetch, .itemsAhead, .costBudget, .iFunnyProduction, .iFunnyFive, .adaptive, .clairvoyant,
    // UIKit's lists, the articles', Texture.
    .uikitOne, .uikitScreens, .infinite, .threshold, .dynamicThreshold, .lazyTarget, .textureFull, .textureMinimum, .textureArticle,
    .operationQueue, .nuke, .kingfisher, .sdWebImage, .igListKit,
    // Android's lists and React Native's, short videos, the web.
    .glide, .recyclerView, .paging3, .reactNative, .media3, .byteDance, .shortVideoRounds, .chromium, .guess,
  ]
}

/// The decoded settings of a prefetcher: each within its range, defaults filled in.
public struct PrefetcherSettings: Sendable {
  private var values: [(key: String, value: Parameter.Value)] = []

  package init() {}

  package mutating func set(_ key: String, _ value: Parameter.Value) { values.append((key, value)) }

  private func value(_ key: String) -> Parameter.Value? { values.first { $0.key == key }?.value }

  /// Returns a whole number; nil if it is optional and not given.
  public func optionalInteger(_ key: String) -> Int? {
    if case .integer(let value)? = value(key) { Int(value) } else { nil }
  }

  /// Returns a whole number.
  public func integer(_ key: String) -> Int { optionalInteger(key) ?? Self.undeclared(key) }

  /// Returns a number or a share.
  public func number(_ key: String) -> Double {
    if case .number(let value)? = value(key) { value } else { Self.undeclared(key) }
  }

  /// Returns a Boolean.
  public func boolean(_ key: String) -> Bool {
    if case .boolean(let value)? = value(key) { value } else { Self.undeclared(key) }
  }

  /// Returns a duration.
  public func duration(_ key: String) -> Interval { Interval(nanoseconds: Int64(integer(key))) }

  /// Returns an amount of bytes.
  public func size(_ key: String) -> Int64 { Int64(integer(key)) }

  /// Returns a case of an enumeration.
  public func choice<Choice: RawRepresentable<String>>(_ key: String, of type: Choice.Type = Choice.self) -> Choice {
    if case .text(let name)? = value(key), let choice = Choice(rawValue: name) { choice } else { Self.undeclared(key) }
  }

  private static func undeclared<Value>(_ key: String) -> Value {
    preconditionFailure("a prefetcher reads the setting \(key), which its definition does not declare as such, or not as required")
  }
}

extension Parameter {
  static func ahead(_ count: Int) -> Parameter {
    .integer("ahead", default: count, in: 0...100_000, "Items after the active one that are prefetched.")
  }
}
