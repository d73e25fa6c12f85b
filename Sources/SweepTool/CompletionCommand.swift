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
      throw UsageProblem(description: "\(shown(shell)): unknown shell; \(remedy)")
    }
    return printData(script) ? .good : .failed
  }

  // MARK: Completions

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
      var seen: Set<String> = []
      // A key of several prefetchers is listed for each, with its name in brackets.
      let paths = Catalogue.parameters(arguments.prefetchers).map { String($0[0].prefix { $0 != " " }) }
      return paths.filter { $0.hasPrefix(start) && seen.insert($0).inserted }.map { $0 + "=" }
    default: return []
    }
  }

  // MARK: Scripts

  /// The script of each shell. That of bash is for 3.2, which macOS has, and later.
  private static let scripts: KeyValuePairs = [
    "bash": """
    # Completion of \(Program.name) for bash: source <(\(Program.name) completion bash)
    _prefetch_sweep() {
      local IFS=$'\\n' current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} line
      COMPREPLY=()
      # Bash takes = for a word of its own. A value after PATH= may be a file.
      if [ "$current" = = ]; then
        current=
        set -- -f
      elif [ "$previous" = = ]; then
        set -- -f
      else
        set -- $("${COMP_WORDS[0]}" completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
      fi
      case ${1-} in
        -f | -d)
          COMPREPLY=($(compgen "$1" -- "$current"))
          compopt -o filenames 2>/dev/null
          return
          ;;
        *=) compopt -o nospace 2>/dev/null ;;
      esac
      for line in "$@"; do COMPREPLY+=("$(printf %q "${line%%$'\\t'*}")"); done
    }
    complete -F _prefetch_sweep \(Program.name) \(Program.liveName)

    """,
    "zsh": """
    #compdef \(Program.name) \(Program.liveName)
    # Completion of \(Program.name) for zsh; it belongs into a folder of $fpath.
    _prefetch_sweep() {
      local -a lines=("${(@f)$("$words[1]" completion words -- "${(@)words[2,CURRENT]}")}")
      case $lines[1] in
        -f) _files ;;
        -d) _files -/ ;;
        ?*)
          local -a names=("${(@)lines%%$'\\t'*}") shown=("${(@)lines/$'\\t'/  -- }")
          if [[ $names[1] == *= ]]; then compadd -S '' -- $names; else compadd -l -d shown -- $names; fi
          ;;
      esac
    }
    if [ "$funcstack[1]" = "_\(Program.name)" ]; then
      _prefetch_sweep "$@"
    else
      compdef _prefetch_sweep \(Program.name) \(Program.liveName)
    fi

    """,
    "fish": """
    # Completion of \(Program.name) for fish; it belongs into ~/.config/fish/completions.
    function __prefetch_sweep
      set -l words (commandline -opc) (commandline -ct | string unescape)
      test (count $words) -gt 1; or set -a words ''
      for line in ($words[1] completion words -- $words[2..-1])
        switch $line
          case -f
            __fish_complete_path $words[-1]
          case -d
            __fish_complete_directories $words[-1]
          case '*'
            echo $line
        end
      end
    end
    complete -c \(Program.name) -f -a '(__prefetch_sweep)'
    complete -c \(Program.liveName) -w \(Program.name)

    """,
  ]
}

extension Option {
  /// The first sentence of the help text, without its full stop.
  fileprivate var brief: String {
    let end = text.firstRange(of: ". ")?.lowerBound ?? text.endIndex
    return text[..<end].hasSuffix(".") ? String(text[..<end].dropLast()) : String(text[..<end])
  }
}
