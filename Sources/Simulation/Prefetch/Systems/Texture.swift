// Texture (AsyncDisplayKit): ranges around the screen, measured in screens, that depend on the state of the app.

/// Texture's ranges: items to display soon, then items to load; both are larger in the direction of the movement.
/// The ranges are minimal until the first scroll, then full. After a memory warning and in the background only visible items load.
/// Source: ASRangeController, ASAbstractLayoutController at be0b74b4.
struct TextureWindow: PrefetchWindow {
  struct Ranges {
    /// The items that are rendered ahead; they have a higher priority.
    var display: ScreenWindow
    /// The items that are loaded ahead.
    var preload: ScreenWindow

    static let full = Ranges(display: ScreenWindow(leading: 1, trailing: 0.5), preload: ScreenWindow(leading: 2.5, trailing: 1.5))
    static let minimum = Ranges(display: ScreenWindow(leading: 0.25, trailing: 0.25), preload: ScreenWindow(leading: 0.5, trailing: 0.25))
    /// The ranges printed in the article: load 2 screens ahead and 1 behind, render 1 on either side. No release had them.
    static let article2111 = Ranges(display: ScreenWindow(leading: 1, trailing: 1), preload: ScreenWindow(leading: 2, trailing: 1))
  }

  var scrolling: Ranges
  var still = Ranges.minimum
  var hasScrolled = false

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let ranges = ranges(view) else { return }
    ranges.display.fetch(view, amount: amount, priority: 10, into: &plan)
    ranges.preload.fetch(view, amount: amount, priority: 100, into: &plan)
  }

  /// Returns the ranges of the current mode; nil if only visible items load.
  private mutating func ranges(_ view: borrowing FeedView) -> Ranges? {
    if view.appState == .background {
      hasScrolled = false
      return nil
    }
    if view.trigger.contains(.stateChange), view.memoryWarning == view.now { return nil }
    // The first item is visible before the user has scrolled.
    if view.activeSince > .start, !view.trigger.contains(.stateChange) { hasScrolled = true }
    return hasScrolled ? scrolling : still
  }
}

extension PrefetcherDefinition {
  /// Declares Texture with given ranges: 10 downloads at a time (PINRemoteImage), cancelled and kept when an item leaves the range.
  /// It requests the next page 2 screens before the end. A video's node loads only its header: here, its prefix.
  private static func texture(_ name: String, _ ranges: TextureWindow.Ranges, _ summary: String) -> PrefetcherDefinition {
    PrefetcherDefinition(
      name, summary,
      PrefetchSystem(
        window: TextureWindow(scrolling: ranges), amount: .ready, trigger: [.standard, .scrollTick], concurrency: 10, cancelRule: .keep,
        keepsPartial: true, pageTrigger: .remainingScreens(2), pageLatch: .inFlight),
      settings: [
        screens("preloadAhead", \.window.scrolling.preload.leading, "loaded ahead after the first scroll"),
        screens("preloadBehind", \.window.scrolling.preload.trailing, "loaded behind after the first scroll"),
        screens("displayAhead", \.window.scrolling.display.leading, "rendered ahead after the first scroll"),
        screens("displayBehind", \.window.scrolling.display.trailing, "rendered behind after the first scroll"),
        screens("minimumPreloadAhead", \.window.still.preload.leading, "loaded ahead before the first scroll"),
        screens("minimumPreloadBehind", \.window.still.preload.trailing, "loaded behind before the first scroll"),
        screens("minimumDisplayAhead", \.window.still.display.leading, "rendered ahead before the first scroll"),
        screens("minimumDisplayBehind", \.window.still.display.trailing, "rendered behind before the first scroll"),
        Setting(.number("batchScreens", default: 2, in: 0...100, "Screens before the end at which the next page is requested.")) {
          $0.pageTrigger = .remainingScreens($1)
        }.ifGiven(),
        .concurrency(or: "10"),
      ])
  }

  private static func screens(
    _ key: String, _ path: Setting<PrefetchSystem<TextureWindow>>.Path<Double>, _ words: String
  ) -> Setting<PrefetchSystem<TextureWindow>> {
    .number(key, path, in: 0...100, "Screens \(words).").ifGiven()
  }

  static let textureFull = texture("texture-full", .full, "Texture's ranges while scrolling: 2.5 screens loaded ahead, 1.5 behind.")
  static let textureMinimum = texture(
    "texture-minimum", .minimum, "Texture's ranges before the first scroll: half a screen ahead, a quarter behind.")
  static let textureArticle = texture(
    "texture-article-2111", .article2111, "Texture's ranges as an article has them: 2, 1, 1 and 1 screens.")
}
