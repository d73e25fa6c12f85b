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

/// What a run costs, in the reader's unit.
enum CostText {
  /// The mean cost of a run, such as MB (10⁶ bytes) received, with the digits that its interval supports.
  static func mean(_ point: PointSummary, _ schema: RunSchema, confidence: Double) -> String {
    let interval = point.interval(schema.cost, confidence: confidence)?.scaled(by: schema.words.costScale)
    return Precision.text(point.mean(schema.cost).map { $0 * schema.words.costScale }, interval, limit: Digits.megabytes)
  }
}
