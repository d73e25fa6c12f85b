// Lazy loading: the rows on the screen where the scroll comes to rest, the one at its lower edge included.

extension PrefetchSystem where Window == TargetWindow {
  /// When the finger leaves the screen, the rows at the movement's end are loaded and nothing in between. Its pages are addressed by
  /// offset, so that none is loaded that nobody sees (the article on preloading; it says that few servers offer this).
  package static func lazyTarget() -> Self {
    var system = Self(window: TargetWindow())
    system.trigger = [.standard, .dragEnd]
    system.cancelRule = .keep
    system.pageTrigger = .offsetAddressed
    return system
  }
}

extension PrefetcherDefinition {
  static let lazyTarget = PrefetcherDefinition(
    "lazy-target", "The rows on the screen where the scroll comes to rest, the one at its lower edge included."
  ) { _ in PrefetchSystem.lazyTarget() }
}
