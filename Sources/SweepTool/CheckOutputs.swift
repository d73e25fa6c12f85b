// Where a gate's result goes: standard output in one form, files in others, and the summary page of a CI service.

import Analysis
import Sweep

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

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

  init(_ arguments: Arguments) throws(UsageProblem) {
    let format = arguments.value("--format")
    printed = format.flatMap(Form.init)
    if let format, printed == nil {
      throw UsageProblem(description: "--format: is \"\(format)\"; write \(Form.allCases.map(\.rawValue).joined(separator: ", "))")
    }
    var files: [(form: Form, path: String)] = []
    for form in Self.fileForms {
      for path in arguments.values("--\(form.rawValue)") {
        guard !path.isEmpty, !path.hasSuffix("/") else {
          throw UsageProblem(description: "--\(form.rawValue): is \"\(path)\"; name a file")
        }
        if let other = files.first(where: { $0.path == path }) {
          throw UsageProblem(description: "--\(form.rawValue): \(path) is the file of --\(other.form.rawValue) too; name another")
        }
        files.append((form, path))
      }
    }
    self.files = files
  }

  /// Files on their way, whose folders are there.
  struct Files {
    fileprivate var files: [(form: Form, path: String, name: String, folder: ResultsFolder)] = []

    /// Writes all of them under hidden names, then moves each to its place, whole.
    func publish(_ result: GateResult) throws(UsageProblem) {
      do throws(OutputProblem) {
        for file in files { try file.folder.add(file.name, file.form.render(result).utf8) }
        for file in files { try file.folder.publish() }
      } catch {
        discard()
        throw CheckOutputs.problem(error, files.first { error.path.hasSuffix($0.name) }?.form)
      }
    }

    /// Takes away what was not published.
    func discard() { files.forEach { $0.folder.discard() } }
  }

  /// Makes the folders of all files, so that a path that cannot be written is found before anything runs.
  func prepared() throws(UsageProblem) -> Files {
    var files = Files()
    for (form, path) in self.files {
      let parts = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
      let folder = parts.count == 1 ? "." : parts.count == 2 && parts[0].isEmpty ? "/" : parts.dropLast().joined(separator: "/")
      do throws(OutputProblem) {
        files.files.append((form, path, parts[parts.count - 1], try ResultsFolder(path: folder)))
      } catch {
        files.discard()
        throw Self.problem(error, form)
      }
    }
    return files
  }

  private static func problem(_ problem: OutputProblem, _ form: Form?) -> UsageProblem {
    UsageProblem(description: "\(form.map { "--\($0.rawValue): " } ?? "")\(problem.path): \(problem.problem); name another file")
  }

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
      printError("\(path): GITHUB_STEP_SUMMARY cannot be written; the verdict stands all the same")
      return
    }
  }
}
