// One condition of `where`: comparisons of a path with a path or a literal. Quantities compare in base units, text only for equality.

import Base

/// A condition on a point, such as `prefetcher.videoCost >= prefetcher.imageCost`. Of comparisons joined by `||` one must hold.
/// A word with a dot is a path. A word without one is a path on the left and a string on the right. Other text needs quotes.
struct WhereExpression: Sendable {
  private enum Operator: String, CaseIterable {
    case equal = "=="
    case unequal = "!="
    case atMost = "<="
    case atLeast = ">="
    case less = "<"
    case greater = ">"
  }

  private enum Operand {
    case path(String)
    case literal(JSON5Value.Kind)
  }

  private struct Comparison {
    let left: Operand
    let symbol: Operator
    let right: Operand

    var paths: [String] { [left, right].compactMap { if case .path(let path) = $0 { path } else { nil } } }
  }

  private let text: String
  private let comparisons: [Comparison]
  let location: SourceLocation

  var paths: [String] { comparisons.flatMap(\.paths) }

  func uses(_ dimension: Grid.Dimension) -> Bool { paths.contains(where: dimension.affects) }

  // MARK: Reading

  /// Parses a condition.
  /// - Throws: `ValueProblem` if the text is no condition.
  static func parse(_ text: String, at location: SourceLocation = SourceLocation(file: "")) throws(ValueProblem) -> WhereExpression {
    var comparisons: [Comparison] = []
    var start = text.startIndex
    for separator in operators(text[...]) where text[separator] == "||" {
      comparisons.append(try comparison(text[start..<separator.lowerBound], of: text))
      start = separator.upperBound
    }
    comparisons.append(try comparison(text[start...], of: text))
    return WhereExpression(text: text, comparisons: comparisons, location: location)
  }

  /// Parses one comparison of a condition.
  /// - Throws: `ValueProblem` if the text is no comparison.
  private static func comparison(_ text: Substring, of whole: String) throws(ValueProblem) -> Comparison {
    let example = "write \"path >= value\", such as \"prefetcher.videoCost >= 2\""
    let found = operators(text)
    guard let operation = found.first else {
      let shown = text.count == whole.count ? quoted(whole) : "\(quoted(whole)) has \(quoted(trimmingSpaces(text))), which"
      throw ValueProblem("\(shown) has no comparison", remedy: example)
    }
    let word = String(text[found.first { Operator(rawValue: String(text[$0])) == nil } ?? operation])
    guard let symbol = Operator(rawValue: word) else {
      let meant = ["=": "==", "===": "==", "=>": ">=", "=<": "<=", "<>": "!=", "!==": "!=", "|": "||"][word]
      let all = Operator.allCases.map(\.rawValue).joined(separator: ", ")
      let remedy = word == "&&" ? "write one comparison a string; all must hold" : "use one of \(all)"
      throw ValueProblem("\(quoted(whole)) compares with \(word)", remedy: meant.map { "did you mean \($0)?" } ?? remedy)
    }
    if found.count > 1 {
      throw ValueProblem("\(quoted(whole)) has several comparisons", remedy: "write one comparison a string; all must hold")
    }
    let left = try operand(text[..<operation.lowerBound], isLeft: true, of: whole)
    let comparison = Comparison(left: left, symbol: symbol, right: try operand(text[operation.upperBound...], isLeft: false, of: whole))
    if comparison.paths.isEmpty { throw ValueProblem("\(quoted(whole)) names no path", remedy: example) }
    return comparison
  }

  /// Returns the operators outside of quotes. A regular expression would take 200 bytes per character.
  private static func operators(_ text: Substring) -> [Range<String.Index>] {
    let symbols = "=!<>&|~".unicodeScalars
    var (quote, isEscaped): (Unicode.Scalar?, Bool) = (nil, false)
    var found: [Range<String.Index>] = []
    let scalars = text.unicodeScalars
    for (index, scalar) in zip(scalars.indices, scalars) {
      if isEscaped {
        isEscaped = false
      } else if let open = quote {
        if scalar == "\\" { isEscaped = true } else if scalar == open { quote = nil }
      } else if scalar == "\"" || scalar == "'" {
        quote = scalar
      } else if symbols.contains(scalar), index >= found.last?.upperBound ?? index {
        found.append(index..<(scalars[index...].firstIndex { !symbols.contains($0) } ?? scalars.endIndex))
      }
    }
    return found
  }

  /// - Throws: `ValueProblem` if the text is neither a path nor a value.
  private static func operand(_ text: Substring, isLeft: Bool, of expression: String) throws(ValueProblem) -> Operand {
    let text = trimmingSpaces(text)
    guard let first = text.unicodeScalars.first else {
      throw ValueProblem("\(quoted(expression)) lacks its \(isLeft ? "left" : "right") side", remedy: "write a path or a value there")
    }
    if "\"'+-.0123456789".unicodeScalars.contains(first) || ["true", "false", "null"].contains(text) {
      if let value = JSON5Parser.parse(text, file: "", into: DiagnosticSink()) { return .literal(value.kind) }
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

  // MARK: Evaluation

  private enum Comparand {
    /// A number, or a quantity in base units.
    case number(Dimension?, ExactDecimal)
    case text, boolean, null, other
  }

  /// True if a comparison holds; later ones are not evaluated. `resolve` returns the value at a path, or nil.
  /// - Throws: `ValueProblem` if a path has no value, or the values cannot be compared.
  func evaluate(resolve: (String) -> JSON5Value?) throws(ValueProblem) -> Bool {
    for comparison in comparisons where try evaluate(comparison, resolve) { return true }
    return false
  }

  /// - Throws: `ValueProblem` if a path has no value, or the values cannot be compared.
  private func evaluate(_ comparison: Comparison, _ resolve: (String) -> JSON5Value?) throws(ValueProblem) -> Bool {
    let (left, right) = (comparison.left, comparison.right)
    let values = (try value(of: left, resolve), try value(of: right, resolve))
    // A name such as an HTTP version may be written as a number on one side.
    let (one, other) = (Self.likened(values.0, to: values.1), Self.likened(values.1, to: values.0))
    let unordered: String
    switch (try Self.worth(of: one), try Self.worth(of: other)) {
    case (.number(let first, let one), .number(let second, let other)) where Self.areComparable(first, second):
      switch comparison.symbol {
      case .equal: return one == other
      case .unequal: return one != other
      case .atMost: return one <= other
      case .atLeast: return one >= other
      case .less: return one < other
      case .greater: return one > other
      }
    case (.null, _), (_, .null): unordered = "null"
    case (.boolean, .boolean): unordered = "true and false"
    case (.text, .text), (.text, .number(.some, _)), (.number(.some, _), .text): unordered = "text"
    default:
      throw ValueProblem(
        "\(quoted(text)) compares \(try described(one, left)) with \(try described(other, right))",
        remedy: "compare values of one type; give both a unit or neither")
    }
    if comparison.symbol == .equal { return one == other }
    if comparison.symbol == .unequal { return one != other }
    throw ValueProblem("\(quoted(text)) asks for the order of \(unordered)", remedy: "use == or !=")
  }

  /// Returns a number for text that spells one, if the other side is a number.
  private static func likened(_ kind: JSON5Value.Kind, to other: JSON5Value.Kind) -> JSON5Value.Kind {
    guard case .string(let text) = kind, case .number = other, (try? ExactDecimal(json5: text)) != nil else { return kind }
    return .number(text)
  }

  /// True if two numbers compare. A bare number may be bytes beside a size, or a fraction beside a percentage.
  private static func areComparable(_ one: Dimension?, _ other: Dimension?) -> Bool {
    one == other || one == nil && (other == .size || other == .percent) || other == nil && (one == .size || one == .percent)
  }

  /// - Throws: `ValueProblem` if there is no value at the path.
  private func value(of operand: Operand, _ resolve: (String) -> JSON5Value?) throws(ValueProblem) -> JSON5Value.Kind {
    switch operand {
    case .literal(let kind): return kind
    case .path(let path):
      if let value = resolve(path) { return value.kind }
      throw ValueProblem(
        "\(quoted(text)) names \(quoted(path)), which has no value", remedy: "name a path of the scenario; put text in quotes")
    }
  }

  /// - Throws: `ValueProblem` if the value is a number or a quantity with too many digits.
  private static func worth(of kind: JSON5Value.Kind) throws(ValueProblem) -> Comparand {
    switch kind {
    case .null: return .null
    case .boolean: return .boolean
    case .array, .object: return .other
    case .number(let text):
      guard let number = try? ExactDecimal(json5: text) else {
        throw ValueProblem("cannot compare \(text)", remedy: "write a finite number of at most 18 digits")
      }
      return .number(nil, number)
    case .string(let text):
      guard let quantity = try? Quantity(text) else { return .text }
      let isShare = quantity.dimension == .percent
      return .number(quantity.dimension, isShare ? try quantity.fraction() : ExactDecimal(try quantity.baseValue()))
    }
  }

  /// Returns a side for a message: its type with its path or value.
  /// - Throws: any error of `worth`.
  private func described(_ kind: JSON5Value.Kind, _ operand: Operand) throws(ValueProblem) -> String {
    let value = JSON5Value(kind: kind, location: location)
    var path: String?
    if case .path(let named) = operand { path = named }
    let type: String
    switch try Self.worth(of: kind) {
    case .number(let dimension, _): type = dimension?.described ?? "a number"
    case .text: type = "text"
    default: return path.map { "\(value.found) (\($0))" } ?? value.found
    }
    return "\(type) (\(shortened(path ?? value.canonicalJSON, to: 60)))"
  }
}
