// How the numbers of reports are shown: limits of their digits, and their units.

/// The most decimals that a number is shown with, where its interval would support more.
enum Digits {
  static let loaders = 1
  static let difference = 2
  static let percent = 1
  static let megabytes = 2
  static let headroom = 1
}

/// Confidences in words.
enum ConfidenceText {
  /// `95 %`.
  static func percent(_ confidence: Double) -> String { "\(DecimalText.trimmed(confidence * 100, decimals: 2)) %" }
}

/// Bytes in the reader's unit.
enum MegabyteText {
  /// The mean payload received a run, in MB (10⁶ bytes), with the digits that its interval supports.
  static func received(_ point: PointSummary, confidence: Double) -> String {
    let interval = point.interval(.bytesReceived, confidence: confidence)?.scaled(by: 1e-6)
    return Precision.text(point.mean(.bytesReceived).map { $0 / 1e6 }, interval, limit: Digits.megabytes)
  }
}
