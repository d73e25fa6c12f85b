// A word of a command with placeholders, such as "MAX_PREFETCH_COST={prefetcher.maxCost}".

import Base

/// Text in which `{name}` stands for a value; `{{` and `}}` are literal braces.
package struct CommandTemplate: Hashable, Sendable {
  private enum Part: Hashable, Sendable {
    case text(String)
    case name(String)
  }

  /// The names that describe the run instead of the scenario.
  static let runNames = ["point", "repetition", "seed", "device"]

  private var parts: [Part] = []
  let location: SourceLocation
  /// The key of the text in the sweep file.
  let key: String

  /// Splits a text at its placeholders.
  /// - Throws: `ValueProblem` if a brace has no partner, or the text contains the character 0.
  package init(_ text: String, at location: SourceLocation, key: String) throws(ValueProblem) {
    self.location = location
    self.key = key
    let remedy = "write {prefetcher.maxCost}, and {{ or }} for a brace"
    var rest = text.unicodeScalars[...]
    var plain = ""
    while let scalar = rest.popFirst() {
      switch scalar {
      case "\0": throw ValueProblem("has a character 0, which no program can be given", remedy: "take it out")
      case "{" where rest.first == "{", "}" where rest.first == "}":
        plain.unicodeScalars.append(scalar)
        rest.removeFirst()
      case "}": throw ValueProblem("has a closing brace alone", remedy: remedy)
      case "{":
        guard let end = rest.firstIndex(of: "}"), end > rest.startIndex, !rest[..<end].contains("{") else {
          throw ValueProblem("has an opening brace that no name and no closing brace follow", remedy: remedy)
        }
        if !plain.isEmpty { parts.append(.text(plain)) }
        plain = ""
        parts.append(.name(String(rest[..<end])))
        rest = rest[rest.index(after: end)...]
      default: plain.unicodeScalars.append(scalar)
      }
    }
    if !plain.isEmpty || parts.isEmpty { parts.append(.text(plain)) }
  }

  package var names: [String] { parts.compactMap { if case .name(let name) = $0 { name } else { nil } } }

  /// Returns the text with values in place of names. A name without a value stays as written.
  package func filled(_ value: (String) -> String?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .name(let name): value(name) ?? "{\(name)}"
      }
    }.joined()
  }
}
