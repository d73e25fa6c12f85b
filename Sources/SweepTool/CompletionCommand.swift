// `completion`: shell scripts that complete the command line. They ask the program for the completions of a word.

import Analysis
import Base
import Sweep

struct CompletionCommand: Command {
  static let name = "completion"
  static let summary = "Prints a completion script for a shell."
  static let help = CommandHelp(
    synopsis: "bash|zsh|fish", operand: "bash|zsh|fish",
    text: [
      "Prints a script that completes commands, options, files and names in a shell.",
      "The script runs “completion words -- WORD …”, which prints the completions of the last word.",
    ],
    groups: [
      CommandHelp.Group(
        title: "installation",
        terms: [
          ("bash", "In ~/.bashrc: source <(\(Program.name) completion bash)"),
          ("zsh", "In a folder of $fpath: \(Program.name) completion zsh > _\(Program.name)"),
          ("fish", "\(Program.name) completion fish > ~/.config/fish/completions/\(Program.name).fish"),
        ])
    ])

  private let arguments: Arguments

  init(_ arguments: Arguments) { self.arguments = arguments }

  /// - Throws: `UsageProblem` unless one known shell is named.
  func run() throws -> ExitStatus {
    if arguments.words.first == "words" { return printData(completions(Array(arguments.words.dropFirst()))) ? .good : .failed }
    let shell = try arguments.onlyWord("shell")
    guard let script = Self.scripts.first(where: { $0.key == shell })?.value else {
      let remedy = NearestName.remedy(for: shell, among: Self.scripts.map(\.key), what: "shells")
      throw UsageProblem("\(shown(shell)): unknown shell; \(remedy)")
    }
    return printData(String(decoding: script, as: UTF8.self)) ? .good : .failed
  }

  /// Returns the completions of the last of the words after the program's name: a line each, with a tab before an explanation.
  /// The line `-f` stands for files, `-d` for folders: what `compgen` of bash calls them.
  private func completions(_ words: [String]) -> String {
    guard let current = words.last else { return "" }
    var lines: [(text: String, explanation: String)] = []
    if words.count == 1 {
      lines = Tool.commands.map { ($0.name, $0.summary) } + [("--version", "Prints the version."), ("--help", "Lists the commands.")]
    } else if let command = Tool.commands.first(where: { $0.name == words[0] }) {
      let (options, previous) = (command.help.options, words.dropLast().last)
      if let placeholder = options.first(where: { $0.name == previous })?.value {
        lines = values(of: placeholder).map { ($0, "") }
      } else if current.hasPrefix("-") {
        lines = options.map { ($0.name, $0.brief) } + [("--help", "Explains the command")]
      } else {
        lines = values(of: command.help.operand).map { ($0, "") }
      }
    }
    return lines.filter { $0.text.hasPrefix(current) || ["-f", "-d"].contains($0.text) }
      .map { "\($0.text)\($0.explanation.isEmpty ? "" : "\t\($0.explanation)")\n" }.joined()
  }

  /// Returns the values that can stand in place of a placeholder.
  private func values(of placeholder: String) -> [String] {
    let first = placeholder.split(separator: " ").first.map(String.init) ?? ""
    switch first {
    case _ where placeholder.contains("|"): return placeholder.split(separator: "|").map(String.init)
    case "FILE", "SWEEP": return ["-f"]
    case "FOLDER": return ["-d"]
    case "PROFILE": return Catalogue.networks.map { $0[0] }
    case "METRIC": return Metric.allCases.map(\.rawValue)
    case "WHICH": return ["baseline"]
    case _ where first.contains("="):
      let start = first.hasPrefix("PATH") ? "" : String(first.prefix { $0 != "=" }.dropLast("KEY".count))
      // A key of several prefetchers is listed for each, with its name in brackets.
      let paths = Catalogue.parameters(arguments.prefetchers).map { String($0[0].prefix { $0 != " " }) }
      return paths.filter { $0.hasPrefix(start) }.distinct.map { $0 + "=" }
    default: return []
    }
  }

  /// The script of each shell, in the folder `Completions`. That of bash is for 3.2, which macOS has, and later.
  private static let scripts: KeyValuePairs = [
    "bash": PackageResources.prefetch_sweep_bash, "zsh": PackageResources.prefetch_sweep_zsh,
    "fish": PackageResources.prefetch_sweep_fish,
  ]
}

extension Option {
  /// The first sentence of the help text, without its full stop.
  fileprivate var brief: String {
    let end = text.firstRange(of: ". ")?.lowerBound ?? text.endIndex
    return text[..<end].hasSuffix(".") ? String(text[..<end].dropLast()) : String(text[..<end])
  }
}
