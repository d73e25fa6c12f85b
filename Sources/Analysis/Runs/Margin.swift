// The difference that does not matter, as the user says it.

/// The largest difference that does not matter.
package enum Margin: Hashable, Sendable {
  /// In the metric's own unit, e.g. loaders per 1000 items.
  case absolute(Double)
  /// In per cent of the baseline's mean.
  case percent(Double)

  /// Reads `"2%"` or `"0.5"`; nil for anything else, for a negative number and for one above `Metric.valueLimit`.
  package init?(_ text: String) {
    let isPercent = text.hasSuffix("%")
    var digits = Substring(isPercent ? String(text.dropLast()) : text)
    while digits.hasSuffix(" ") { digits.removeLast() }
    while digits.hasPrefix(" ") { digits.removeFirst() }
    guard let value = RunReader.number(ArraySlice(digits.utf8)), (0...Metric.valueLimit).contains(value) else {
      return nil
    }
    self = isPercent ? .percent(value) : .absolute(value)
  }

  /// No margin: every difference matters, and nothing is ever called equivalent.
  package static let none = Margin.absolute(0)

  /// As the user would write it.
  package var text: String {
    switch self {
    case .absolute(let value): DecimalText.exact(value)
    case .percent(let value): "\(DecimalText.exact(value)) %"
    }
  }
}
