// A parsed JSON5 document. Every value has its location.

package struct JSON5Value: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number as written, such as `1`, `.5`, `1e3`, `0x10` or `Infinity`; `ExactDecimal` parses it.
    case number(String)
    case string(String)
    case array([JSON5Value])
    /// The members in file order; keys are unique.
    case object([JSON5Member])
  }

  package var kind: Kind
  package var location: SourceLocation

  package init(kind: Kind, location: SourceLocation) { (self.kind, self.location) = (kind, location) }

  package var members: [JSON5Member]? { if case .object(let members) = kind { members } else { nil } }
  package var elements: [JSON5Value]? { if case .array(let elements) = kind { elements } else { nil } }
  package var text: String? { if case .string(let text) = kind { text } else { nil } }

  /// The value under `key` of an object. O(members).
  package subscript(key: String) -> JSON5Value? { members?.first { $0.key == key }?.value }

  /// A phrase for messages: "a string", "an object".
  package var found: String {
    switch kind {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let text): "the number \(text)"
    case .string(let text): text.unicodeScalars.count <= 40 ? "the string \(quoted(text))" : "a string"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

/// One `key: value` pair of an object.
package struct JSON5Member: Hashable, Sendable {
  /// The key, without quotes and escapes.
  package var key: String
  package var keyLocation: SourceLocation
  package var value: JSON5Value

  package init(key: String, keyLocation: SourceLocation, value: JSON5Value) {
    (self.key, self.keyLocation, self.value) = (key, keyLocation, value)
  }
}

// MARK: Text: canonical for hashes and columns, quoted for messages

extension JSON5Value {
  /// The value as axis columns show it: strings as written, numbers canonical (`1e3` is 1000), the rest as compact JSON. O(size).
  package var canonicalText: String {
    if case .string(let text) = kind { return text }
    return canonicalJSON
  }

  /// The value as a name for people: `Wi-Fi`, `mobile 4G` for `{ mobile: "4G" }`, `3G, transport fluid` for an object of two keys. O(size).
  package var nameText: String {
    guard case .object(let members) = kind else { return canonicalText }
    let isNaming = ["profile", "kind", "file"]
    return members.map { isNaming.contains($0.key) ? $0.value.nameText : "\($0.key) \($0.value.nameText)" }.joined(separator: ", ")
  }

  /// The value as compact JSON with canonical numbers. Equal values have equal text, except for the order of keys. O(size).
  package var canonicalJSON: String {
    switch kind {
    case .null: "null"
    case .boolean(let flag): flag ? "true" : "false"
    case .number(let text): Self.canonicalNumber(text)
    case .string(let text): jsonString(text)
    case .array(let elements): "[" + elements.map(\.canonicalJSON).joined(separator: ",") + "]"
    case .object(let members):
      "{" + members.map { "\(jsonString($0.key)):\($0.value.canonicalJSON)" }.joined(separator: ",") + "}"
    }
  }

  /// Returns a number's canonical spelling: exact up to 18 digits, otherwise that of the nearest Double.
  private static func canonicalNumber(_ text: String) -> String {
    if let exact = try? ExactDecimal(json5: text) { return exact.description }
    let number = Double(text) ?? .nan
    if number.isNaN { return "NaN" }
    // A number below every Double is 0.
    return number.isFinite ? number == 0 ? "0" : "\(number)" : number < 0 ? "-Infinity" : "Infinity"
  }
}

/// Returns the text in quotes for a message: shortened, with control and direction characters escaped.
package func quoted(_ text: String) -> String { quoted(text, limit: 60) }

/// Returns the first `limit` characters of the text in quotes for a message.
package func quoted(_ text: String, limit: Int) -> String {
  var result = ""
  for scalar in jsonString(shortened(text, to: limit)).unicodeScalars {
    if scalar.properties.generalCategory == .format {
      result += "\\u{\(String(scalar.value, radix: 16))}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// Returns the text's first `limit` characters, with an ellipsis if there are more. O(limit).
package func shortened(_ text: String, to limit: Int) -> String {
  let scalars = text.unicodeScalars
  let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
  guard let end, end < scalars.endIndex else { return text }
  return String(scalars[..<end]) + "…"
}

/// Returns the text as a JSON string on one line, with control characters escaped.
package func jsonString(_ text: String) -> String { JSONText.quoted(text) }
