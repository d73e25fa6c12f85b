// The option tables. Parsing, help, completions and the man page all read them.

import Base

package struct Option: Sendable {
  /// The option as it is typed, such as `--seed`.
  let name: String
  /// The placeholder of its value, such as `PATH=VALUE` or `table|json`; nil for a flag.
  let value: String?
  let mayRepeat: Bool
  /// The help text; empty for options of programs without help.
  let text: String
  /// The form of the file that it writes; nil if it writes no single file.
  var form: OutputForm?

  package static func flag(_ name: String, _ text: String = "") -> Option { Option(name: name, value: nil, mayRepeat: true, text: text) }
  package static func value(_ name: String, _ value: String = "VALUE", _ text: String = "") -> Option {
    Option(name: name, value: value, mayRepeat: false, text: text)
  }
  static func values(_ name: String, _ value: String, _ text: String) -> Option {
    Option(name: name, value: value, mayRepeat: true, text: text)
  }

  static func output(_ name: String, _ form: OutputForm, mayRepeat: Bool = false, _ text: String) -> Option {
    Option(name: name, value: "FILE", mayRepeat: mayRepeat, text: text, form: form)
  }

  /// The option with its placeholder, as help lists it.
  var label: String { value.map { "\(name) \($0)" } ?? name }

  // Options of several commands.

  static let set = values(
    "--set", "PATH=VALUE", "Sets a value of the scenario, such as user.dwell=2s, or narrows an axis to a value or a range. May repeat.")
  static let jobs = value("--jobs", "N", "Number of threads. Default: one per core. The results do not depend on it.")
  static let quiet = flag("--quiet", "Prints no progress and no closing lines.")
}

/// The documentation of a command, which help, completions and the man page print.
struct CommandHelp {
  /// A titled list of options and of other terms.
  struct Group {
    var title = ""
    var terms: [(term: String, text: String)] = []
    var options: [Option] = []

    /// The lines of the group: its terms, then its options.
    var rows: [(term: String, text: String)] { terms + options.map { ($0.label, $0.text) } }
  }

  /// The words after the command's name in its usage line.
  var synopsis: String
  /// The placeholder of the command's own words, such as `SWEEP` or `bash|zsh|fish`; empty if it takes none.
  var operand = ""
  /// Paragraphs before the options.
  var text: [String]
  var groups: [Group] = []
  /// Paragraphs after the options.
  var notes: [String] = []

  var options: [Option] { groups.flatMap(\.options) }
}

extension [CommandHelp.Group] {
  /// Returns a group of options without a title.
  static func options(_ options: [Option]) -> Self { [CommandHelp.Group(options: options)] }
}
