// What must hold before a system prefetches anything.

/// A condition on everything but the active item.
package enum PrefetchGate: Hashable, Sendable {
  /// Nothing.
  case open
  /// The user sees the app.
  case foreground
  /// All of the active item is there.
  case activeComplete
  /// All of the active item is there, or the active video has more than so many seconds to play.
  case buffered(seconds: Double)

  /// Whether the condition holds now.
  func isOpen(_ view: borrowing FeedView) -> Bool {
    switch self {
    case .open: true
    case .foreground: view.appState == .foreground
    case .activeComplete: view.isComplete(view.activeItem)
    case .buffered(let seconds): view.isComplete(view.activeItem) || view.bufferedSeconds > seconds
    }
  }
}
