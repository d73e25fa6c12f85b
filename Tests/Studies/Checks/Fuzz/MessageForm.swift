// The form of messages: every refusal of a file is `file:line:column: key: problem; remedy` on one harmless line.

import Analysis
import Base
import Simulation
import Sweep

enum MessageForm {
  private static let lengthLimit = 1000

  /// Returns the reason why an error's message is not in the form; nil if it is.
  static func problem(of error: any Error, in input: InputFile) -> String? {
    switch error {
    case let invalid as InvalidInput:
      if invalid.diagnostics.isEmpty { return "message: a refusal without a reason" }
      return invalid.diagnostics.lazy.compactMap { problem(of: $0, in: input) }.first ?? problem(ofText: invalid.description)
    case is Refusal, is OutputProblem, is ReportError, is RunStop, is ResultReader.ResultProblem:
      // As the tool prints it.
      return problem(ofText: SafeText.lines("\(error)"))
    default: return "message: \(SafeText.line("\(error)").prefix(300))"
    }
  }

  private static func problem(of diagnostic: Diagnostic, in input: InputFile) -> String? {
    func found(_ problem: String) -> String { "message: \(problem): \(diagnostic.description.prefix(300))" }
    if diagnostic.problem.isEmpty || diagnostic.remedy.isEmpty { return found("no problem or no remedy") }
    let location = diagnostic.location
    guard location.file == input.name, location.line > 0 else { return location.file.isEmpty ? found("no file") : nil }
    let lines = input.bytes.lazy.filter { $0 == 0x0A || $0 == 0x0D }.count + 1
    return location.line <= lines && location.column > 0 && location.column <= input.bytes.count + 1
      ? nil : found("a location outside of it")
  }

  private static func problem(ofText text: String) -> String? {
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.isEmpty || line.unicodeScalars.count > lengthLimit { return "message: a line of \(line.unicodeScalars.count) characters" }
      if SafeText.line(String(line)) != line {
        return "message: a line with control characters: \(SafeText.line(String(line)).prefix(200))"
      }
    }
    return nil
  }
}
