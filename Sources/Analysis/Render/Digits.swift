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

/// Shares of a whole.
enum ShareText {
  /// A share, 0 … 1, in whole per cent; what is there but rounds to nothing is said to be there.
  static func percent(_ share: Double) -> String {
    let text = DecimalText.fixed(share * 100, decimals: 0)
    return text == "0" && share > 0 ? "< 1 %" : "\(text) %"
  }
}

/// What points are compared by, in the headline's unit.
enum HeadlineText {
  /// The mean over a point's runs, such as loaders per 1000, with the digits that its interval supports; empty where no run has it.
  static func mean(_ point: PointSummary, confidence: Double) -> String {
    Precision.text(point.headlineMean, point.interval(point.schema.headline, confidence: confidence), limit: Digits.loaders)
  }
}

/// What a run costs, in the reader's unit.
enum CostText {
  /// The mean cost of a run, such as MB (10⁶ bytes) received, with the digits that its interval supports; empty where no run has one.
  static func mean(_ point: PointSummary, confidence: Double) -> String {
    let (cost, scale) = (point.schema.cost, point.schema.words.costScale)
    let interval = point.interval(cost, confidence: confidence)?.scaled(by: scale)
    return Precision.text(point.mean(cost).map { $0 * scale }, interval, limit: Digits.megabytes)
  }
}

/// Counts of things in sentences.
enum CountText {
  /// `1 point`, `2 points`.
  static func text(_ count: Int, _ one: String, _ many: String? = nil) -> String { "\(count) \(count == 1 ? one : many ?? one + "s")" }
}
