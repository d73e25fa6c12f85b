// Where an app stands among the others on the phone.

/// Whether the user sees the app.
package enum AppState: Hashable, Sendable {
  /// It is on screen.
  case foreground
  /// Another app is.
  case background
}
