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
