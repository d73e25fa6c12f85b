// One condition of `where`: a path, an operator, and a path or a literal.

/// A condition on a point.
struct WhereExpression: Hashable, Sendable {
  /// As it was written.
  let text: String
  /// The paths it names, the left one first.
  var paths: [String] { [] }
  /// Reads a condition.
  static func parse(_ text: String) throws(ValueProblem) -> WhereExpression { WhereExpression(text: text) }
  /// Whether it holds; `resolve` gives the value at a path, nil where there is none.
  func evaluate(resolve: (String) -> JSON5Value?) throws(ValueProblem) -> Bool { true }
}
