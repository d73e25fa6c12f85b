// Where a gate's result goes: standard output in one form, files in others, and the summary page of a CI service.

import Analysis
import Import
import Rendering

/// The forms that were asked for.
struct CheckOutputs {
  /// A form of the result.
  enum Form: String, CaseIterable {
    case text, json, junit, markdown, bench

    func render(_ result: GateResult) -> String {
      switch self {
      case .text: GateText.text(result)
      case .json: GateJSON.text(result)
      case .junit: JUnit.text(result)
      case .markdown: GateMarkdown.text(result)
      case .bench: BenchmarkText.text(result)
      }
    }
  }

  /// The forms that have a file option of their own name.
  private static let fileForms: [Form] = [.json, .junit, .markdown, .bench]
  static let options: [Option] = [.value("--format")] + fileForms.map { .values("--\($0.rawValue)") }

  private let printed: Form?
  private let files: [(form: Form, path: String)]

  /// - Throws: `UsageProblem` if a format is unknown.
  init(_ arguments: Arguments) throws(UsageProblem) {
    let format = arguments.value("--format")
    printed = format.flatMap(Form.init)
    if let format, printed == nil {
      throw UsageProblem(description: "--format: is \"\(shown(format))\"; write \(Form.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var files: [(form: Form, path: String)] = []
    for form in Self.fileForms {
      files += arguments.values("--\(form.rawValue)").map { (form, $0) }
    }
    self.files = files
  }

  /// The destinations of all files, checked before anything runs.
  /// - Throws: `Refusal` if nothing can be written at a path.
  func prepared(inputs: [String]) throws(Refusal) -> OutputTargets {
    try OutputTargets(files.map { ("--\($0.form.rawValue)", $0.path) }, inputs: inputs)
  }

  /// The contents of the files, in the order of their destinations.
  func texts(_ result: GateResult) -> [String] { files.map { $0.form.render(result) } }

  /// Prints the result and appends it to the summary page, if there is one; false if standard output takes no more.
  func show(_ result: GateResult, isQuiet: Bool) -> Bool {
    appendSummary(result)
    let form = printed ?? (isQuiet ? nil : .text)
    switch form {
    case nil: return true
    case .text: return writeAll(GateText.text(result, width: Terminal.width, isColored: Terminal.isColored), to: STDOUT_FILENO)
    case let form?: return writeAll(form.render(result), to: STDOUT_FILENO)
    }
  }

  private func appendSummary(_ result: GateResult) {
    guard let path = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty else { return }
    // Other steps write there too, so that it is added to and not replaced.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0, writeAll(GateMarkdown.text(result) + "\n", to: descriptor), close(descriptor) == 0 else {
      printError("\(shown(path)): GITHUB_STEP_SUMMARY cannot be written; the verdict stands all the same")
      return
    }
  }
}
