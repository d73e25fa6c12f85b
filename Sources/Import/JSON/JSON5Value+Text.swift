// Values as text: canonical for hashes and columns, quoted for messages.

import Analysis

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
