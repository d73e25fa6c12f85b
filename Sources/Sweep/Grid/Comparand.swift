// A value as `where` compares it: numbers and quantities by worth, text only for equality.

import Import

/// One side of a comparison.
package struct Comparand {
  private enum Worth {
    case number(ExactDecimal)
    case quantity(Dimension, ExactDecimal)
    case text
    case boolean(Bool)
    case null
    case other
  }

  private let worth: Worth
  private let value: JSON5Value
  private let path: String?

  /// A value, and the path that it was found at if it is no literal.
  /// - Throws: `ValueProblem` if the value is an object, a list or a malformed quantity.
  package init(_ kind: JSON5Value.Kind, named path: String?) throws(ValueProblem) {
    self.path = path
    value = JSON5Value(kind: kind, location: SourceLocation(file: ""))
    switch kind {
    case .null: worth = .null
    case .boolean(let flag): worth = .boolean(flag)
    case .array, .object: worth = .other
    case .number(let text):
      guard let number = try? ExactDecimal(json5: text) else {
        throw ValueProblem("cannot compare \(text)", remedy: "write a finite number of at most 18 digits")
      }
      worth = .number(number)
    case .string(let text):
      if let quantity = try? Quantity(text) {
        let exact = quantity.dimension == .percent ? try quantity.fraction() : ExactDecimal(try quantity.baseValue())
        worth = .quantity(quantity.dimension, exact)
      } else {
        worth = .text
      }
    }
  }

  /// Whether `left` stands in the relation to `right`. A bare number counts bytes beside a size, and is a fraction
  /// beside a percentage; beside a duration or a rate it is refused.
  /// - Throws: `ValueProblem` if the two cannot be compared.
  package static func holds(
    _ left: Comparand, _ comparison: WhereExpression.Comparison, _ right: Comparand, text: String
  ) throws(ValueProblem) -> Bool {
    switch (left.worth, right.worth) {
    case (.number(let one), .number(let other)): return holds(one, comparison, other)
    case (.quantity(let first, let one), .quantity(let second, let other)) where first == second:
      return holds(one, comparison, other)
    case (.number(let one), .quantity(.size, let other)), (.number(let one), .quantity(.percent, let other)):
      return holds(one, comparison, other)
    case (.quantity(.size, let one), .number(let other)), (.quantity(.percent, let one), .number(let other)):
      return holds(one, comparison, other)
    case (.null, _), (_, .null):
      return try equal(left.value.kind == right.value.kind, comparison, "null", text: text)
    case (.boolean(let one), .boolean(let other)):
      return try equal(one == other, comparison, "true and false", text: text)
    case (.text, .text), (.text, .quantity), (.quantity, .text):
      return try equal(left.value.text == right.value.text, comparison, "text", text: text)
    default:
      throw ValueProblem(
        "\(quoted(text)) compares \(left.described) with \(right.described)",
        remedy: "compare values of one type; give both a unit or neither")
    }
  }

  private var described: String {
    switch worth {
    case .quantity(let dimension, _): "\(dimension.described) (\(shortened(path ?? value.canonicalJSON, to: 60)))"
    case .number: "a number (\(shortened(path ?? value.canonicalJSON, to: 60)))"
    case .text: "text (\(shortened(path ?? value.canonicalJSON, to: 60)))"
    default: path.map { "\(value.found) (\($0))" } ?? value.found
    }
  }

  /// - Throws: `ValueProblem` if the comparison is no equality.
  private static func equal(
    _ isEqual: Bool, _ comparison: WhereExpression.Comparison, _ what: String, text: String
  ) throws(ValueProblem) -> Bool {
    switch comparison {
    case .equal: return isEqual
    case .unequal: return !isEqual
    default: throw ValueProblem("\(quoted(text)) asks for the order of \(what)", remedy: "use == or !=")
    }
  }

  private static func holds(_ left: ExactDecimal, _ comparison: WhereExpression.Comparison, _ right: ExactDecimal) -> Bool {
    switch comparison {
    case .equal: left == right
    case .unequal: left != right
    case .atMost: left <= right
    case .atLeast: left >= right
    case .less: left < right
    case .greater: left > right
    }
  }
}
