// A parsed JSON5 document whose every value knows where it stands.

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

  /// What it is.
  package var kind: Kind
  /// Where it starts.
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
  /// Where the key starts.
  package var keyLocation: SourceLocation
  /// What it stands for.
  package var value: JSON5Value

  package init(key: String, keyLocation: SourceLocation, value: JSON5Value) {
    (self.key, self.keyLocation, self.value) = (key, keyLocation, value)
  }
}
