// `init`: writes a commented sweep to begin with.

import Base
import Sweep

struct InitCommand: Command {
  static let name = "init"
  static let summary = "Writes a commented sweep file to begin with."
  static let help = CommandHelp(
    synopsis: "[FILE] [--template NAME]", operand: "FILE",
    text: [
      "Writes a sweep with comments to FILE (default: the template's name with .json5; - prints it). A file that exists is never overwritten."
    ],
    groups: [
      CommandHelp.Group(options: [
        .value("--template", SweepTemplate.all.map(\.name).joined(separator: "|"), "The template. Default: feed.")
      ]),
      CommandHelp.Group(title: "templates", terms: SweepTemplate.all.map { ($0.name, $0.summary) }),
    ])

  private let template: SweepTemplate
  private let path: String

  /// - Throws: `UsageProblem` if the template is unknown, or more than one file is named.
  init(_ arguments: Arguments) throws {
    template = try arguments.choice("--template", SweepTemplate.all.map { ($0.name, $0) }) ?? SweepTemplate.all[0]
    path = arguments.words.isEmpty ? "\(template.name).json5" : try arguments.onlyWord("file")
  }

  /// - Throws: `Refusal` if the file exists or cannot be written.
  func run() throws -> ExitStatus {
    if path == "-" { return printData(template.text) ? .good : .failed }
    guard let file = SystemFile(path: path, flags: O_WRONLY | O_CREAT | O_EXCL) else {
      let name = shown(path)
      if errno == EEXIST { throw Refusal("\(name): exists already; name another file, or remove it first") }
      throw Refusal("\(name): cannot be written: \(SystemFile.message); name another file, or make room or rights there")
    }
    let isWritten = writeAll(template.text, to: file.descriptor)
    guard file.close(), isWritten else {
      let reason = SystemFile.message
      unlink(path)
      throw Refusal("\(shown(path)): cannot be written: \(reason); name another file")
    }
    let lines = ["\(path): written. Next:"] + template.next(path).map { "  \(Program.name) \($0)" }
    return printLine(lines.joined(separator: "\n")) ? .good : .failed
  }
}

/// A commented sweep for a common question. All run unchanged except `device` and `android`, which need a UI test of the app.
struct SweepTemplate {
  let name: String, summary: String
  /// The contents of the file, one of the folder `Templates`.
  private let bytes: [UInt8]

  static let all = [
    ("feed", "How far ahead should a feed prefetch? One network, one axis.", PackageResources.feed_json5),
    ("networks", "Which setting is best on each of several networks?", PackageResources.networks_json5),
    ("gate", "The production settings and the users that `check` compares a candidate on.", PackageResources.gate_json5),
    ("device", "Runs on iPhones: xcodebuild and a UI test make each run.", PackageResources.device_json5),
    ("android", "Runs on Android phones: adb and an instrumented test make each run.", PackageResources.android_json5),
    ("background", "Downloads in the background while the app is suspended.", PackageResources.background_json5),
  ].map { SweepTemplate(name: $0, summary: $1, bytes: $2) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The commands to run next, without the program's name.
  func next(_ path: String) -> [String] {
    let file = ShellText.quoted(path)
    return switch name {
    case "gate": ["check --sweep \(file) --set prefetcher.ahead=4"]
    case "device", "android":
      ["run \(file) --list", "run \(file) --set backend=emulated --output Results/\(name)-emulated", "run \(file)"]
    default: ["run \(file)"]
    }
  }
}
