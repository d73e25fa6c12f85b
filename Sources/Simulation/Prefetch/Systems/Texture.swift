// Texture (AsyncDisplayKit): ranges around the screen in screens, whose reach depends on the state of the app.

/// Texture's ranges: what may be displayed soon, then what is only loaded; both reach further to the side that the user moves to.
///
/// A range mode decides how far. It is minimum until the first scroll, then full; visible-only after a memory warning and in the
/// background, minimum again on return (ASRangeController, ASAbstractLayoutController at be0b74b4).
struct TextureWindow: PrefetchWindow {
  struct Ranges {
    /// What is drawn ahead of time: its priority is higher.
    var display: ScreenWindow
    /// What is loaded ahead of time.
    var preload: ScreenWindow

    static let full = Ranges(display: ScreenWindow(leading: 1, trailing: 0.5), preload: ScreenWindow(leading: 2.5, trailing: 1.5))
    static let minimum = Ranges(display: ScreenWindow(leading: 0.25, trailing: 0.25), preload: ScreenWindow(leading: 0.5, trailing: 0.25))
    /// What the article says: two screens loaded ahead, one drawn on either side, one loaded behind. No release had these.
    static let article2111 = Ranges(display: ScreenWindow(leading: 1, trailing: 1), preload: ScreenWindow(leading: 2, trailing: 1))
  }

  /// The ranges while the user scrolls; before that, the minimum.
  var scrolling: Ranges
  var hasScrolled = false

  mutating func fetch(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let ranges = ranges(view) else { return }
    ranges.display.fetch(view, amount: amount, priority: 10, into: &plan)
    ranges.preload.fetch(view, amount: amount, priority: 100, into: &plan)
  }

  /// The ranges of the mode; nil where nothing but the visible is loaded.
  private mutating func ranges(_ view: borrowing FeedView) -> Ranges? {
    if view.appState == .background {
      hasScrolled = false
      return nil
    }
    if view.trigger.contains(.stateChange), view.memoryWarning == view.now { return nil }
    // The first item is on screen before anybody has scrolled.
    if view.activeSince > .start, !view.trigger.contains(.stateChange) { hasScrolled = true }
    return hasScrolled ? scrolling : .minimum
  }
}

extension PrefetcherDefinition {
  /// Texture with ranges of the given reach: ten downloads at a time (PINRemoteImage), cancelled when an item leaves the range with what has
  /// come kept, the next page asked for two screens before the end. A video's node loads only its header: here, its prefix.
  private static func texture(_ name: String, _ ranges: TextureWindow.Ranges, _ summary: String) -> PrefetcherDefinition {
    PrefetcherDefinition(name, summary) { _ in
      PrefetchSystem(
        window: TextureWindow(scrolling: ranges), amount: .ready, trigger: [.standard, .scrollTick], concurrency: 10, cancelRule: .keep,
        keepsPartial: true, pageTrigger: .remainingScreens(2), pageLatch: .inFlight)
    }
  }

  static let textureFull = texture("texture-full", .full, "Texture's ranges while scrolling: 2.5 screens loaded ahead, 1.5 behind.")
  static let textureMinimum = texture(
    "texture-minimum", .minimum, "Texture's ranges before the first scroll: half a screen ahead, a quarter behind.")
  static let textureArticle = texture(
    "texture-article-2111", .article2111, "Texture's ranges as an article has them: 2, 1, 1 and 1 screens.")
}
