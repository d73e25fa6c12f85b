// `completion`: shell scripts that complete the command line, generated from the option tables.

import Analysis
import Import
import Sweep

struct CompletionCommand: Command {
  static let name = "completion"
  static let summary = "Prints a completion script for a shell."
  static let help = CommandHelp(
    synopsis: "bash|zsh|fish", operand: "bash|zsh|fish",
    text: ["Prints a script that completes commands, options, files and names in a shell."],
    groups: [
      CommandHelp.Group(
        title: "installation",
        terms: [
          ("bash", "In ~/.bashrc: source <(\(Program.name) completion bash)"),
          ("zsh", "In a folder of $fpath: \(Program.name) completion zsh > _\(Program.name)"),
          ("fish", "\(Program.name) completion fish > ~/.config/fish/completions/\(Program.name).fish"),
        ])
    ])

  private let shell: String
  private let prefetchers: PrefetcherCatalogue

  /// - Throws: `UsageProblem` unless one shell is named.
  init(_ arguments: Arguments) throws {
    shell = try arguments.onlyWord("shell")
    prefetchers = arguments.prefetchers
  }

  /// - Throws: `UsageProblem` if the shell is unknown.
  func run() throws -> ExitStatus {
    let commands = Tool.commands.map { CompletedCommand($0, prefetchers) }
    switch shell {
    case "bash": return printData(Self.bash(commands)) ? .good : .failed
    case "zsh": return printData(Self.zsh(commands)) ? .good : .failed
    case "fish": return printData(Self.fish(commands)) ? .good : .failed
    default:
      throw UsageProblem(
        description: "\(shown(shell)): unknown shell; \(NearestName.remedy(for: shell, among: ["bash", "zsh", "fish"], what: "shells"))")
    }
  }
}

/// The values that a shell offers in place of a placeholder.
private enum Offer: Hashable {
  case nothing, files, folders
  case words([String])
  /// Keys that are followed by = and a value.
  case keys([String])

  init(_ placeholder: String, _ prefetchers: PrefetcherCatalogue) {
    let first = placeholder.split(separator: " ").first.map(String.init) ?? ""
    switch first {
    case _ where placeholder.contains("|"): self = .words(placeholder.split(separator: "|").map(String.init))
    case "FILE", "SWEEP": self = .files
    case "FOLDER": self = .folders
    case "PROFILE": self = .words(Catalogue.networks.map { $0[0] })
    case "METRIC": self = .words(Metric.allCases.map(\.rawValue))
    case "WHICH": self = .words(["baseline"])
    case _ where first.contains("="):
      let start = first.hasPrefix("PATH") ? "" : String(first.prefix { $0 != "=" }.dropLast("KEY".count))
      var seen: Set<String> = []
      // A key of several prefetchers is listed for each, with its name in brackets.
      let paths = Catalogue.parameters(prefetchers).map { String($0[0].prefix { $0 != " " }) }
      self = .keys(paths.filter { $0.hasPrefix(start) && seen.insert($0).inserted })
    default: self = .nothing
    }
  }
}

/// A command with the values that a shell offers for its options.
private struct CompletedCommand {
  var name: String
  var summary: String
  var operand: Offer
  var options: [(option: Option, offer: Offer)]

  init(_ command: any Command.Type, _ prefetchers: PrefetcherCatalogue) {
    (name, summary) = (command.name, command.summary)
    operand = Offer(command.help.operand, prefetchers)
    options = command.help.options.map { ($0, Offer($0.value ?? "", prefetchers)) }
  }
}

extension Option {
  /// The first sentence of the help text, without its full stop.
  fileprivate var brief: String {
    let end = text.firstRange(of: ". ")?.lowerBound ?? text.endIndex
    return text[..<end].hasSuffix(".") ? String(text[..<end].dropLast()) : String(text[..<end])
  }
}

// MARK: Scripts

extension CompletionCommand {
  /// Returns the script for bash 3.2, which macOS has, and later.
  private static func bash(_ commands: [CompletedCommand]) -> String {
    func action(_ offer: Offer) -> String {
      switch offer {
      case .nothing: ":"
      case .files: "_prefetch_sweep_paths -f"
      case .folders: "_prefetch_sweep_paths -d"
      case .words(let words): "_prefetch_sweep_words \(ShellText.quoted(words.joined(separator: "\n")))"
      case .keys(let keys): "_prefetch_sweep_words \(ShellText.quoted(keys.map { $0 + "=" }.joined(separator: "\n")))"
      }
    }
    var patterns: [(offer: Offer, options: [String])] = []
    for command in commands {
      for (option, offer) in command.options where option.value != nil {
        let pattern = "'\(command.name) \(option.name)'"
        if let index = patterns.firstIndex(where: { $0.offer == offer }) {
          patterns[index].options.append(pattern)
        } else {
          patterns.append((offer, [pattern]))
        }
      }
    }
    let values = patterns.map { "    \($0.options.joined(separator: "|"))) \(action($0.offer)); return ;;" }
    let words = commands.map { command in
      let options = (command.options.map(\.option.name) + ["--help"]).joined(separator: "\n")
      return "    \(command.name)) case $current in -*) \(action(.words([options]))) ;; *) \(action(command.operand)) ;; esac ;;"
    }
    return """
      # Completion of \(Program.name) for bash: source <(\(Program.name) completion bash)
      _prefetch_sweep_words() {
        local IFS=$'\\n' word
        for word in $1; do
          case $word in "$current"*) COMPREPLY+=("$(printf %q "$word")") ;; esac
        done
        case ${COMPREPLY[0]-} in *=) compopt -o nospace 2>/dev/null ;; esac
      }
      _prefetch_sweep_paths() {
        local IFS=$'\\n'
        COMPREPLY=($(compgen "$1" -- "$current"))
        compopt -o filenames 2>/dev/null
      }
      _prefetch_sweep() {
        local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]-}
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          \(action(.words(commands.map(\.name) + ["--version", "--help"])))
          return
        fi
        # A value after PATH= may be a file.
        if [ "$current" = = ]; then current=; _prefetch_sweep_paths -f; return; fi
        if [ "$previous" = = ]; then _prefetch_sweep_paths -f; return; fi
        case "$command $previous" in
      \(values.joined(separator: "\n"))
        esac
        case $command in
      \(words.joined(separator: "\n"))
        esac
      }
      complete -F _prefetch_sweep \(Program.name) \(Program.liveName)

      """
  }

  private static func zsh(_ commands: [CompletedCommand]) -> String {
    var lists: [Offer] = []
    func action(_ offer: Offer) -> String {
      switch offer {
      case .nothing: return " "
      case .files: return "_files"
      case .folders: return "_files -/"
      case .words, .keys:
        if !lists.contains(offer) { lists.append(offer) }
        return "_prefetch_sweep_\(lists.firstIndex(of: offer) ?? 0)"
      }
    }
    func escaped(_ text: String) -> String {
      text.replacing("\\", with: "\\\\").replacing("[", with: "\\[").replacing("]", with: "\\]").replacing(":", with: "\\:")
    }
    let cases = commands.map { command in
      var specs = command.options.map { option, offer in
        let value = option.value.map { ":\(escaped($0)):\(action(offer))" } ?? ""
        return ShellText.quoted("\(option.mayRepeat ? "*" : "")\(option.name)[\(escaped(option.brief))]\(value)")
      }
      specs.append("'--help[Explains the command]'")
      if command.operand != .nothing { specs.append(ShellText.quoted("*:word:\(action(command.operand))")) }
      return "    \(command.name)) _arguments \\\n      \(specs.joined(separator: " \\\n      ")) ;;"
    }
    let functions = lists.indices.map { index -> String in
      switch lists[index] {
      case .keys(let keys): "_prefetch_sweep_\(index)() { compadd -S = -- \(keys.map(ShellText.quoted).joined(separator: " ")) }"
      case .words(let words): "_prefetch_sweep_\(index)() { compadd -- \(words.map(ShellText.quoted).joined(separator: " ")) }"
      case .nothing, .files, .folders: ""
      }
    }
    return """
      #compdef \(Program.name) \(Program.liveName)
      # Completion of \(Program.name) for zsh; it belongs into a folder of $fpath.
      \(functions.joined(separator: "\n"))
      _prefetch_sweep() {
        if (( CURRENT == 2 )); then
          local -a commands=(
            \(commands.map { ShellText.quoted("\($0.name):\($0.summary)") }.joined(separator: "\n      "))
            '--version:Prints the version.' '--help:Lists the commands.'
          )
          _describe command commands
          return
        fi
        local command=$words[2]
        shift words
        (( CURRENT-- ))
        case $command in
      \(cases.joined(separator: "\n"))
        esac
      }
      if [ "$funcstack[1]" = "_\(Program.name)" ]; then
        _prefetch_sweep "$@"
      else
        compdef _prefetch_sweep \(Program.name) \(Program.liveName)
      fi

      """
  }

  private static func fish(_ commands: [CompletedCommand]) -> String {
    let complete = "complete -c \(Program.name)"
    /// Quotes a text for fish, which knows two escapes in single quotes.
    func quoted(_ text: String) -> String { "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'" }
    func action(_ offer: Offer) -> String {
      switch offer {
      case .nothing: "-x"
      case .files: "-r -F"
      case .folders: "-x -a '(__fish_complete_directories)'"
      case .words(let words): "-x -a \(quoted(words.map { $0.replacing(" ", with: "\\ ") }.joined(separator: " ")))"
      case .keys(let keys): "-x -a \(quoted(keys.map { $0 + "=" }.joined(separator: " ")))"
      }
    }
    let lines = commands.flatMap { command -> [String] in
      let here = "\(complete) -n '__prefetch_sweep_in \(command.name)'"
      let operand: String? =
        switch command.operand {
        case .nothing: nil
        case .files: "\(here) -F"
        default: "\(here) \(action(command.operand).dropFirst("-x ".count))"
        }
      return ["\(complete) -n '__prefetch_sweep_in' -a \(command.name) -d \(quoted(command.summary))"]
        + (operand.map { [$0] } ?? [])
        + command.options.map { option, offer in
          "\(here) -l \(option.name.dropFirst(2)) \(option.value == nil ? "" : action(offer) + " ")-d \(quoted(option.brief))"
        } + ["\(here) -l help -d 'Explains the command'"]
    }
    return """
      # Completion of \(Program.name) for fish; it belongs into ~/.config/fish/completions.
      function __prefetch_sweep_in
        set -l words (commandline -opc)
        if test (count $argv) -eq 0
          test (count $words) -eq 1
        else
          test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"
        end
      end
      \(complete) -f
      \(complete) -n '__prefetch_sweep_in' -l version -d 'Prints the version'
      \(complete) -n '__prefetch_sweep_in' -l help -d 'Lists the commands'
      \(lines.joined(separator: "\n"))
      complete -c \(Program.liveName) -w \(Program.name)

      """
  }
}
