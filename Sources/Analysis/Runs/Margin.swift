// Margins: the largest difference that does not matter.

import Base

package enum Margin: Hashable, Sendable {
  /// A difference in the metric's unit, e.g. loaders per 1000 items.
  case absolute(Double)
  /// A difference in per cent of the baseline's mean.
  case percent(Double)

  /// Parses `"2%"` or `"0.5"`; nil for other texts, negative numbers and numbers above `Metric.valueLimit`.
  package init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    var digits = isPercent ? text.dropLast() : text[...]
    while digits.hasSuffix(" ") { digits.removeLast() }
    while digits.hasPrefix(" ") { digits.removeFirst() }
    guard let value = DecimalText.number(ArraySlice(digits.utf8)), (0...Metric.valueLimit).contains(value) else { return nil }
    self = isPercent ? .percent(value) : .absolute(value)
  }

  /// A margin of zero: every difference matters, and no verdict is `equivalent`.
  package static let none = Margin.absolute(0)

  /// Returns the margin in the metric's unit for a baseline of this mean.
  func amount(ofMean mean: Double) -> Double {
    switch self {
    case .absolute(let value): value
    case .percent(let value): value / 100 * mean
    }
  }

  package var text: String {
    switch self {
    case .absolute(let value): DecimalText.exact(value)
    case .percent(let value): "\(DecimalText.exact(value)) %"
    }
  }
}
