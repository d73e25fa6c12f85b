// The parts of axis values that are objects, of which points are named.

import Analysis
import Base

extension SweepDescription {
  /// Returns the parts of the objects among values, by their texts; nil for none.
  package static func objects(among values: some Sequence<JSON5Value>) -> [String: [ValuePart]]? {
    let objects = values.filter { if case .object = $0.kind { true } else { false } }
    return objects.isEmpty ? nil : Dictionary(objects.map { ($0.canonicalText, $0.parts()) }, uniquingKeysWith: { first, _ in first })
  }

  /// Sets the objects of a sweep.json of version 1.0.0, which has their JSON as text.
  mutating func addObjects() {
    guard objects == nil else { return }
    let texts = axes.flatMap(\.values) + baseline.axisValues + (strata?.members.flatMap(\.baseline.axisValues) ?? [])
    objects = Self.objects(
      among: texts.lazy.filter { $0.hasPrefix("{") }.compactMap { text in
        let sink = DiagnosticSink()
        return JSON5Parser.parse(text, file: "sweep.json", into: sink).flatMap { sink.isEmpty ? $0 : nil }
      })
  }
}

extension JSON5Value {
  /// Returns the values in an object by their paths; a list is one value.
  fileprivate func parts(at path: [String] = []) -> [SweepDescription.ValuePart] {
    if case .object(let members) = kind { return members.flatMap { $0.value.parts(at: path + [Self.line($0.key)]) } }
    return [SweepDescription.ValuePart(path: path, text: partText)]
  }

  /// The value in one line without quotes.
  private var partText: String {
    switch kind {
    case .string(let text): return Self.line(text)
    case .array:
      return canonicalJSON.reduce(into: "") { text, character in
        if character != "\"" { text.append(character) }
        if character == "," || character == ":" { text.append(" ") }
      }
    default: return canonicalText
    }
  }

  /// Returns a text with a space for each control character and line separator.
  private static func line(_ text: String) -> String {
    let scalars = text.unicodeScalars.map { scalar -> Unicode.Scalar in
      switch scalar.properties.generalCategory {
      case .control, .lineSeparator, .paragraphSeparator: " "
      default: scalar
      }
    }
    return String(String.UnicodeScalarView(scalars))
  }
}
