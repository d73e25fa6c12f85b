// JSON output for scripts, archives and traces; this program never reads it back.

/// A JSON value (RFC 8259) to be written. An object keeps the order of its members and omits those that are nil.
package enum JSONText: Sendable {
  case null
  case boolean(Bool)
  /// The digits of a number.
  case number(String)
  case string(String)
  case array([JSONText])
  case object([(String, JSONText?)])

  /// Returns the shortest number that reads back as the same value.
  package static func number(_ value: some FixedWidthInteger) -> JSONText { .number("\(value)") }
  package static func number(_ value: Double) -> JSONText { .number(DecimalText.plain(value)) }

  package static func strings(_ texts: [String]) -> JSONText { .array(texts.map(JSONText.string)) }

  /// The value in one line without spaces. O(size).
  package var compact: String {
    switch self {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let digits): digits
    case .string(let text): Self.quoted(text)
    case .array(let elements): "[\(elements.map(\.compact).joined(separator: ","))]"
    case .object(let members):
      "{\(members.compactMap { key, value in value.map { "\(Self.quoted(key)):\($0.compact)" } }.joined(separator: ","))}"
    }
  }

  /// The value over several lines with sorted keys, formatted as by Foundation's encoder. O(size).
  package var indented: String { indented(by: 0) }

  private func indented(by depth: Int) -> String {
    let lines: [String]
    let (open, close): (String, String)
    switch self {
    case .array(let elements):
      (open, close) = ("[", "]")
      lines = elements.map { $0.indented(by: depth + 1) }
    case .object(let members):
      (open, close) = ("{", "}")
      lines = members.sorted { $0.0 < $1.0 }.compactMap { key, value in value.map { "\(Self.quoted(key)) : \($0.indented(by: depth + 1))" }
      }
    default: return compact
    }
    let margin = String(repeating: "  ", count: depth)
    return "\(open)\n\(lines.map { "\(margin)  \($0)" }.joined(separator: ",\n"))\n\(margin)\(close)"
  }

  /// Returns a text as a JSON string, with control characters and line separators escaped, so that it stays on one line.
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += "\\r"
      case "\t": result += "\\t"
      case "\0"..."\u{1F}", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}

extension JSONText: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  package init(stringLiteral value: String) { self = .string(value) }
  package init(booleanLiteral value: Bool) { self = .boolean(value) }
  package init(integerLiteral value: Int) { self = .number(value) }
}

extension JSONText: ExpressibleByDictionaryLiteral, ExpressibleByArrayLiteral {
  package init(dictionaryLiteral members: (String, JSONText?)...) { self = .object(members) }
  package init(arrayLiteral elements: JSONText...) { self = .array(elements) }
}
