// A number of a report: its value, the digits that are supported, and its interval, until a format renders it.

import Analysis

package struct ShownNumber: CustomStringConvertible, Sendable {
  var value: Double?
  var interval: ConfidenceInterval?
  /// The decimals of the value and of the interval's ends.
  let decimals: Int
  /// True for changes: positive numbers have a sign too.
  let isSigned: Bool
  /// The unit with the space before it, e.g. ` %`; empty for that of the column.
  let unit: String
  /// A remark in the interval's place, e.g. `(5 equal pairs)`.
  var remark = ""
  /// The name of the number, shown before it if other numbers of the column are something else.
  var label = ""

  package init(_ value: Double?, _ interval: ConfidenceInterval? = nil, decimals: Int, isSigned: Bool = false, unit: String = "") {
    (self.value, self.interval, self.decimals, self.isSigned, self.unit) = (value, interval, decimals, isSigned, unit)
  }

  /// Creates the change of a value, e.g. `-2.1 [-2.9, -1.3]`.
  static func change(_ value: Double?, _ interval: ConfidenceInterval?, _ decimals: Int, unit: String = "") -> ShownNumber {
    ShownNumber(value, interval, decimals: decimals, isSigned: true, unit: unit)
  }

  /// The number without its interval and remark.
  var plain: ShownNumber {
    var number = self
    (number.interval, number.remark) = (nil, "")
    return number
  }

  /// The value, its unit and the interval's ends in brackets, or the remark; empty if there is no value.
  package var description: String { [valueText, ends, remark].filter { !$0.isEmpty }.joined(separator: " ") }

  var isEmpty: Bool { value == nil }

  private var valueText: String { value.map { label + text($0) + unit } ?? "" }

  private var ends: String { interval.map { "[\(text($0.low)), \(text($0.high))]" } ?? "" }

  private func text(_ number: Double) -> String { isSigned ? Precision.signed(number, decimals) : Precision.fixed(number, decimals) }
}

extension RunSchema.Words {
  /// Returns a number followed by the headline's unit.
  func counted(_ number: ShownNumber) -> String { counted(number.description) }
}
