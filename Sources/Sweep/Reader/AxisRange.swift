enum AxisRange {
  static let countLimit = 100_000
  /// The values of a range as `.number` or `.string` kinds.
  static func expand(_ text: String) throws(ValueProblem) -> [JSON5Value.Kind] { [] }
}
