// How the numbers of reports are shown: limits of their digits, and their units.

import Analysis

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
  ///
  /// It has at least the decimals of the differences beside it: those of `comparisons`, or of the point's own.
  static func mean(_ point: PointSummary, confidence: Double, beside comparisons: [PointComparison]? = nil) -> String {
    let least = (comparisons ?? [point.comparison].compactMap { $0 }).map(\.shownDecimals).max() ?? -15
    return Precision.text(
      point.headlineMean, point.headlineInterval(confidence: confidence), limit: Digits.loaders, atLeast: least)
  }
}

extension PointComparison {
  /// The difference with the digits that are supported; empty where there is none.
  var differenceText: String {
    guard let difference else { return "" }
    if verdict.ground != .deterministic, differenceInterval == nil, equalPairs == nil {
      return Precision.signedEstimate(difference, limit: Digits.difference)
    }
    return Precision.signed(difference, differenceInterval, limit: Digits.difference)
  }

  /// The per cent with the digits that are supported, without the sign `%`; empty where there is none.
  var percentText: String {
    guard let percent else { return "" }
    return percentInterval == nil && verdict.ground != .deterministic
      ? Precision.signedEstimate(percent, limit: Digits.percent) : Precision.signed(percent, percentInterval, limit: Digits.percent)
  }

  /// The decimals that the difference is written with; below 0 for tens and hundreds.
  var shownDecimals: Int {
    if let differenceInterval { return Precision.decimals(halfWidth: differenceInterval.halfWidth, limit: Digits.difference) }
    let text = differenceText
    guard !text.isEmpty else { return -15 }
    return text.firstIndex(of: ".").map { text.distance(from: $0, to: text.endIndex) - 1 } ?? 0
  }
}

/// What a run costs, in the reader's unit.
enum CostText {
  /// The mean cost of a run, such as MB (10⁶ bytes) received, with the digits that its interval supports; empty where no run has one.
  static func mean(_ point: PointSummary, confidence: Double) -> String {
    let (cost, scale) = (point.schema.cost, point.schema.words.costScale)
    let interval = point.costInterval(confidence: confidence)?.scaled(by: scale)
    return Precision.text(point.mean(cost).map { $0 * scale }, interval, limit: Digits.megabytes)
  }
}

/// Counts of things in sentences.
enum CountText {
  /// `1 point`, `2 points`.
  static func text(_ count: Int, _ one: String, _ many: String? = nil) -> String { "\(count) \(count == 1 ? one : many ?? one + "s")" }
}
