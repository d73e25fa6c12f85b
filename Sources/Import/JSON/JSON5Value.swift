// A parsed JSON5 document whose every value knows where it stands.

import Analysis

/// A JSON5 value and its place.
package struct JSON5Value: Hashable, Sendable {
  /// What a value can be.
  package enum Kind: Hashable, Sendable {
    case null
    case boolean(Bool)
    /// A number as it was written, such as `1`, `.5`, `1e3`, `0x10` or `Infinity`; `ExactDecimal` reads it.
    case number(String)
    case string(String)
    case array([JSON5Value])
    /// The members in the order of the file; no key comes twice.
    case object([JSON5Member])
  }

  package var kind: Kind
  package var location: SourceLocation

  package init(kind: Kind, location: SourceLocation) { (self.kind, self.location) = (kind, location) }

  /// The members of an object; nil if it is none.
  package var members: [JSON5Member]? {
    if case .object(let members) = kind { members } else { nil }
  }

  /// The elements of an array; nil if it is none.
  package var elements: [JSON5Value]? {
    if case .array(let elements) = kind { elements } else { nil }
  }

  /// The text of a string; nil if it is none.
  package var text: String? {
    if case .string(let text) = kind { text } else { nil }
  }

  /// The value under `key` of an object. O(members).
  package subscript(key: String) -> JSON5Value? {
    members?.first { $0.key == key }?.value
  }

  /// What the value is, for a message: "a string", "an object".
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

/// One `key: value` of an object.
package struct JSON5Member: Hashable, Sendable {
  /// The key, unescaped.
  package var key: String
  package var keyLocation: SourceLocation
  package var value: JSON5Value

  package init(key: String, keyLocation: SourceLocation, value: JSON5Value) {
    (self.key, self.keyLocation, self.value) = (key, keyLocation, value)
  }
}

// MARK: Text: canonical for hashes and columns, quoted for messages

extension JSON5Value {
  /// The value as it stands in an axis column: strings as written, numbers canonical (`1e3` is 1000, `0.50` is 0.5),
  /// lists and objects as compact JSON. O(size).
  package var canonicalText: String {
    if case .string(let text) = kind { return text }
    return canonicalJSON
  }

  /// The value as a name for people: `Wi-Fi` of `"Wi-Fi"`, `mobile 4G` of `{ mobile: "4G" }`, `3G, transport fluid` of
  /// `{ profile: "3G", transport: "fluid" }`. O(size).
  package var nameText: String {
    guard case .object(let members) = kind else { return canonicalText }
    let isNaming = ["profile", "kind", "file"]
    return members.map { isNaming.contains($0.key) ? $0.value.nameText : "\($0.key) \($0.value.nameText)" }.joined(separator: ", ")
  }

  /// The value as compact JSON with canonical numbers; equal values have equal text, but for the order of keys. O(size).
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

  /// A number's one spelling: exact where 18 digits hold it, otherwise that of the nearest Double.
  private static func canonicalNumber(_ text: String) -> String {
    if let exact = try? ExactDecimal(json5: text) { return exact.description }
    let number = Double(text) ?? .nan
    if number.isNaN { return "NaN" }
    return number.isFinite ? "\(number)" : number < 0 ? "-Infinity" : "Infinity"
  }
}

/// The text in quotes for a message: shortened, and with every character escaped that moves a cursor or turns the direction of writing.
package func quoted(_ text: String) -> String { quoted(text, limit: 60) }

/// The first `limit` characters of the text in quotes for a message.
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

/// The text's first characters, with an ellipsis where there are more than `limit`. O(limit).
package func shortened(_ text: String, to limit: Int) -> String {
  let scalars = text.unicodeScalars
  let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex)
  guard let end, end < scalars.endIndex else { return text }
  return String(scalars[..<end]) + "…"
}

/// The text as a JSON string, with control characters escaped, so that it stays on its line.
package func jsonString(_ text: String) -> String { JSONText.quoted(text) }
