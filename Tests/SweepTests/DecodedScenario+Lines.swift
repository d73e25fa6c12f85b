// The lines of a decoded scenario, as ids hash them.

@testable import Sweep

extension DecodedScenario {
  /// Each setting as `path=value`.
  var lines: [String] { settings.map(\.line) }
}
