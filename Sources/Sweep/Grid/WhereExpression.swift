// One condition of `where`: a path, an operator, and a path or a literal.

import Import

/// A condition on a point, such as `prefetcher.videoCost >= prefetcher.imageCost`.
///
/// A word with a dot is a path; one without is a path on the left and a string on the right (`prefetcher.kind ==
/// costBudget`). Anything else that is text stands in quotes.
package struct WhereExpression: Hashable, Sendable {
  /// How the two sides are compared.
  package enum Comparison: String, CaseIterable, Sendable {
    case equal = "=="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"
  }

  /// A side.
  enum Operand: Hashable, Sendable {
    case path(String)
    case literal(JSON5Value.Kind)
  }

  /// As it was written.
  package let text: String
  let left: Operand
  package let comparison: Comparison
  let right: Operand

  /// The paths it names, the left one first.
  package var paths: [String] {
    [left, right].compactMap { if case .path(let path) = $0 { path } else { nil } }
  }

  /// Reads a condition.
  /// - Throws: `ValueProblem` if the text is no condition.
  package static func parse(_ text: String) throws(ValueProblem) -> WhereExpression {
    let example = "write \"path >= value\", such as \"prefetcher.videoCost >= 2\""
    let scalars = Array(text.unicodeScalars)
    var quote: Unicode.Scalar?
    var start = 0
    while start < scalars.count {
      let scalar = scalars[start]
      if let open = quote {
        if scalar == "\\" { start += 1 } else if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if "=!<>&|~".unicodeScalars.contains(scalar) {
        break
      }
      start += 1
    }
    guard start < scalars.count else { throw ValueProblem("\(quoted(text)) has no comparison", remedy: example) }
    var end = start
    while end < scalars.count, "=!<>&|~".unicodeScalars.contains(scalars[end]) { end += 1 }
    let symbol = string(scalars[start..<end])
    guard let comparison = Comparison(rawValue: symbol) else {
      let meant = ["=": "==", "===": "==", "=>": ">=", "=<": "<=", "<>": "!=", "!==": "!="][symbol]
      let all = Comparison.allCases.map(\.rawValue).joined(separator: ", ")
      let remedy = symbol == "&&" || symbol == "||" ? "write one comparison a string; all must hold" : "use one of \(all)"
      throw ValueProblem("\(quoted(text)) compares with \(symbol)", remedy: meant.map { "did you mean \($0)?" } ?? remedy)
    }
    let left = try operand(trimmingSpaces(string(scalars[..<start])), isLeft: true, of: text)
    let right = try operand(trimmingSpaces(string(scalars[end...])), isLeft: false, of: text)
    let expression = WhereExpression(text: text, left: left, comparison: comparison, right: right)
    if expression.paths.isEmpty { throw ValueProblem("\(quoted(text)) names no path", remedy: example) }
    return expression
  }

  /// Whether it holds; `resolve` gives the value at a path, nil where there is none.
  /// - Throws: `ValueProblem` if a path is unknown, or its value cannot be compared.
  func evaluate(resolve: (String) -> JSON5Value?) throws(ValueProblem) -> Bool {
    try Comparand.holds(
      Comparand(kind(of: left, resolve), named: name(of: left)), comparison,
      Comparand(kind(of: right, resolve), named: name(of: right)), text: text)
  }

  /// - Throws: `ValueProblem` if there is no value at the path.
  private func kind(of operand: Operand, _ resolve: (String) -> JSON5Value?) throws(ValueProblem) -> JSON5Value.Kind {
    switch operand {
    case .literal(let kind): return kind
    case .path(let path):
      if let value = resolve(path) { return value.kind }
      throw ValueProblem(
        "\(quoted(text)) names \(quoted(path)), which has no value", remedy: "name a path of the scenario; put text in quotes")
    }
  }

  private func name(of operand: Operand) -> String? {
    if case .path(let path) = operand { path } else { nil }
  }

  private static func string(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
    var text = String.UnicodeScalarView()
    text.append(contentsOf: scalars)
    return String(text)
  }

  /// - Throws: `ValueProblem` if the text is neither a path nor a value.
  private static func operand(_ text: String, isLeft: Bool, of expression: String) throws(ValueProblem) -> Operand {
    guard let first = text.unicodeScalars.first else {
      throw ValueProblem("\(quoted(expression)) lacks its \(isLeft ? "left" : "right") side", remedy: "write a path or a value there")
    }
    if "\"'+-.0123456789".unicodeScalars.contains(first) || ["true", "false", "null"].contains(text) {
      let sink = DiagnosticSink()
      if let value = JSON5Parser.parse(text, file: "", into: sink) { return .literal(value.kind) }
      do { _ = try Quantity(text) } catch {
        throw ValueProblem("\(quoted(expression)) has \(quoted(text)), which is no value: it \(error.problem)", remedy: error.remedy)
      }
      return .literal(.string(text))
    }
    let isWord = text.unicodeScalars.allSatisfy {
      $0.properties.isAlphabetic || ("0"..."9").contains($0) || "._-$".unicodeScalars.contains($0)
    }
    let isPath = text.contains(".")
    guard isWord, !isPath || !text.split(separator: ".", omittingEmptySubsequences: false).contains("") else {
      throw ValueProblem("\(quoted(expression)) has \(quoted(text)), which is no path", remedy: "write a path, or put text in quotes")
    }
    return isPath || isLeft ? .path(text) : .literal(.string(text))
  }
}
