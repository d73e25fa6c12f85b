// Helpers for tests of readers: messages and values as text.

@testable import Import

/// Returns the messages that `body` reports, one on each line.
func messages(_ body: (DiagnosticSink) -> Void) -> String {
  let sink = DiagnosticSink()
  body(sink)
  return sink.sorted.map(\.description).joined(separator: "\n")
}

/// Returns the messages of parsing a text named "f".
func syntaxMessages(_ text: String) -> String {
  messages { sink in _ = JSON5Parser.parse(text, file: "f", into: sink) }
}

/// Returns the value of a text without mistakes.
func parsed(_ text: String, file: String = "f") throws -> JSON5Value {
  let sink = DiagnosticSink()
  let value = JSON5Parser.parse(text, file: file, into: sink)
  try sink.throwIfAny()
  return value ?? JSON5Value(kind: .null, location: SourceLocation(file: "missing"))
}

/// Returns the problem of a value as "problem; remedy"; empty if there is none.
func complaint(_ body: () throws(ValueProblem) -> Void) -> String {
  do {
    try body()
    return ""
  } catch {
    return "\(error.problem); \(error.remedy)"
  }
}
