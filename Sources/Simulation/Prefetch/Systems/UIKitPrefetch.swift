// What UICollectionView's own prefetching asks for, as far as it was observed from outside.

extension PrefetchSystem where Window == ItemWindow {
  /// UICollectionView's prefetching: so many items ahead, whole.
  ///
  /// Apple does not say how far it reaches. One item after the active one is what the original team saw, with one item a screen; there,
  /// the call that cancels a prefetch never came. The documentation says that it comes when an item has left the window: then
  /// `cancels` is true.
  package static func uikit(ahead: Int = 1, cancels: Bool = true) -> Self {
    var system = Self(window: ItemWindow(ahead: ahead))
    system.memory = cancels ? .none : .untilDone
    system.cancelRule = .keep
    return system
  }
}

extension PrefetchSystem where Window == ScreenWindow {
  /// The same, three quarters of a screen ahead: 24 items where 32 are visible, as the author of Nuke observed it.
  package static func uikit(screens: Double, cancels: Bool = true) -> Self {
    var system = Self(window: ScreenWindow(ScreenRange(leading: screens, trailing: 0)))
    system.memory = cancels ? .none : .untilDone
    system.cancelRule = .keep
    return system
  }
}

/// When a list cancels a prefetch.
private enum WindowCancel: String, CaseIterable {
  /// When its item has left the window.
  case leftWindow
  /// Never.
  case never

  static let parameter = Parameter.choice(
    "cancel", default: WindowCancel.leftWindow, "Cancels a prefetch when its item has left the window, or never.")
}

extension PrefetcherDefinition {
  static let uikitOne = PrefetcherDefinition(
    "uikit-1", "UICollectionView as observed: one item ahead, whole (observational).", settings: [.ahead(1), WindowCancel.parameter]
  ) { PrefetchSystem.uikit(ahead: $0.integer("ahead"), cancels: $0.choice("cancel") == WindowCancel.leftWindow) }

  static let uikitScreens = PrefetcherDefinition(
    "uikit-0.75screen", "UICollectionView as observed: three quarters of a screen ahead (observational).",
    settings: [.number("screens", default: 0.75, in: 0...100, "Screens ahead that are prefetched."), WindowCancel.parameter]
  ) { PrefetchSystem.uikit(screens: $0.number("screens"), cancels: $0.choice("cancel") == WindowCancel.leftWindow) }
}
