// Texture (AsyncDisplayKit): ranges around the screen in screens, whose reach depends on the state of the app.

/// Texture's ranges: what may be displayed soon, then what is only loaded; both reach further to the side that the user moves to.
///
/// A range mode decides how far. It is minimum until the first scroll, then full; visible-only after a memory warning and in the
/// background, minimum again on return (ASRangeController, ASAbstractLayoutController at be0b74b4).
package struct TextureWindow: PrefetchWindow {
  /// The reach of both ranges.
  package struct Ranges: Hashable, Sendable {
    /// What is drawn ahead of time: its priority is higher.
    package var display: ScreenRange
    /// What is loaded ahead of time.
    package var preload: ScreenRange

    package init(display: ScreenRange, preload: ScreenRange) {
      self.display = display
      self.preload = preload
    }

    /// Texture's mode Full.
    package static let full = Ranges(display: ScreenRange(leading: 1, trailing: 0.5), preload: ScreenRange(leading: 2.5, trailing: 1.5))
    /// Texture's mode Minimum.
    package static let minimum = Ranges(
      display: ScreenRange(leading: 0.25, trailing: 0.25), preload: ScreenRange(leading: 0.5, trailing: 0.25))
    /// What the article says: two screens loaded ahead, one drawn on either side, one loaded behind. No release had these.
    package static let article2111 = Ranges(
      display: ScreenRange(leading: 1, trailing: 1), preload: ScreenRange(leading: 2, trailing: 1))
  }

  /// The ranges while the user scrolls.
  package var scrolling: Ranges
  private var hasScrolled = false
  private var wasInBackground = false

  /// Ranges for while the user scrolls; before that, the minimum.
  package init(scrolling: Ranges) { self.scrolling = scrolling }

  /// Those to be displayed, then those to be loaded.
  package mutating func want(_ view: borrowing FeedView, amount: PrefetchAmount, into plan: inout Plan) {
    guard let ranges = ranges(view) else { return }
    add(ranges.display, view, amount, priority: 10, into: &plan)
    add(ranges.preload, view, amount, priority: 100, into: &plan)
  }

  private func add(
    _ range: ScreenRange, _ view: borrowing FeedView, _ amount: PrefetchAmount, priority: Int, into plan: inout Plan
  ) {
    let points = range.reach(screen: view.viewportHeight, isForward: view.direction > 0)
    want(view, points: points, amount: amount, priority: priority, into: &plan)
  }

  /// The ranges of the mode; nil where nothing but the visible is loaded.
  private mutating func ranges(_ view: borrowing FeedView) -> Ranges? {
    if view.appState == .background {
      wasInBackground = true
      return nil
    }
    if wasInBackground {
      wasInBackground = false
      hasScrolled = false
    }
    if view.occasion.contains(.stateChange), view.memoryWarning == view.now { return nil }
    // The first item is on screen before anybody has scrolled.
    if view.activeSince > .start, !view.occasion.contains(.stateChange) { hasScrolled = true }
    return hasScrolled ? scrolling : .minimum
  }
}

extension PrefetchSystem where Window == TextureWindow {
  /// Texture with ranges of the given reach: ten downloads at a time (PINRemoteImage), cut when an item leaves the range with what has
  /// come kept, the next page asked for two screens before the end. A video's node loads only its header: here, its prefix.
  package static func texture(_ ranges: TextureWindow.Ranges = .full) -> Self {
    Self(
      window: TextureWindow(scrolling: ranges), amount: .ready, trigger: [.standard, .scrollTick], concurrency: 10, cancelRule: .keep,
      keepsPartial: true, pageTrigger: .remainingScreens(2), pageLatch: .inFlight)
  }
}

extension PrefetcherDefinition {
  static let textureFull = PrefetcherDefinition(
    "texture-full", "Texture's ranges while scrolling: 2.5 screens loaded ahead, 1.5 behind."
  ) { _ in PrefetchSystem.texture(.full) }

  static let textureMinimum = PrefetcherDefinition(
    "texture-minimum", "Texture's ranges before the first scroll: half a screen ahead, a quarter behind."
  ) { _ in PrefetchSystem.texture(.minimum) }

  static let textureArticle = PrefetcherDefinition(
    "texture-article-2111", "Texture's ranges as an article has them: 2, 1, 1 and 1 screens."
  ) { _ in PrefetchSystem.texture(.article2111) }
}
