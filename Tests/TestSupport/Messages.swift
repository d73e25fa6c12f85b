// Messages and values as text, for the tests of readers.

import Base

/// The messages that `body` reports, one a line.
package func messages(_ body: (DiagnosticSink) -> Void) -> String {
  let sink = DiagnosticSink()
  body(sink)
  return sink.sorted.map(\.description).joined(separator: "\n")
}

/// The messages of parsing a text called "f".
package func syntaxMessages(_ text: String) -> String {
  messages { sink in _ = JSON5Parser.parse(text, file: "f", into: sink) }
}

/// The value of a text that has no mistake.
package func parsed(_ text: String, file: String = "f") throws -> JSON5Value {
  let sink = DiagnosticSink()
  let value = JSON5Parser.parse(text, file: file, into: sink)
  try sink.throwIfAny()
  return value ?? JSON5Value(kind: .null, location: SourceLocation(file: "missing"))
}

/// Returns the problem of a value as "problem; remedy"; empty if there is none.
package func complaint(_ body: () throws(ValueProblem) -> Void) -> String {
  do {
    try body()
    return ""
  } catch {
    return "\(error.problem); \(error.remedy)"
  }
}
