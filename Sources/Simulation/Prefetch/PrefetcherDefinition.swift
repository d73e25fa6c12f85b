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
  /// Creates the prefetcher. `value` returns the value of a setting, within its range; nil for the default.
  package let make: @Sendable (_ value: (_ setting: Parameter) -> Parameter.Value?) -> any Prefetcher

  /// Creates the definition of the prefetcher `name`. `standard` creates one with default settings, of which `settings` replace values.
  public init<Standard: Prefetcher>(
    _ name: String, _ summary: String, _ standard: @autoclosure @escaping @Sendable () -> Standard, settings: [Setting<Standard>] = []
  ) {
    (self.name, self.summary) = (name, summary)
    let usual = standard()
    let parameters = settings.map { $0.parameter(usual) }
    self.settings = parameters
    make = { value in
      var prefetcher = standard()
      for (setting, parameter) in zip(settings, parameters) {
        if let value = value(parameter) { setting.set(&prefetcher, value) }
      }
      return prefetcher
    }
  }

  /// Creates the definition of a prefetcher that is not made from its settings alone; `make` is never called.
  package init(_ name: String, _ summary: String, settings: [Parameter]) {
    (self.name, self.summary, self.settings) = (name, summary, settings)
    make = { _ in preconditionFailure("\(name) is made by its own reader") }
  }

  /// The built-in prefetchers, in the order of lists.
  package static let standard: [PrefetcherDefinition] = [
    .noPrefetch, .itemsAhead, .costBudget, .iFunnyProduction, .iFunnyFive, .adaptive, .clairvoyant,
    // UIKit, lists of two articles, Texture, image libraries for iOS.
    .uikitOne, .uikitScreens, .infinite, .threshold, .dynamicThreshold, .lazyTarget, .textureFull, .textureMinimum, .textureArticle,
    .operationQueue, .nuke, .kingfisher, .sdWebImage, .igListKit,
    // Lists of Android and React Native, short videos, the web.
    .glide, .recyclerView, .composeWindow, .paging3, .reactNative, .flashList, .legendList, .basicPrefetcher, .media3, .media3Compose,
    .media3Playlist, .byteDance, .shortVideoRounds, .tikTok2022, .rateTiers, .afterPlayback, .chromium, .guess, .eagerLinks,
  ]
}
