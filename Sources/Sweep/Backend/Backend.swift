// What makes the runs of a sweep: the emulator, a program that drives a device, or a real client in real time.

import Analysis
import Import

/// One sweep file, one set of tables, three ways to run it.
package enum Backend: Sendable {
  case emulated
  case command(CommandBackend)
  /// Our own client on a real network.
  case live(LiveBackend)

  /// Whether the simulation makes the runs.
  package var isEmulated: Bool { if case .emulated = self { true } else { false } }
  package var name: String { parts.name }
  package var location: SourceLocation { parts.location }
  /// What the head of a report says of it; nil for the emulator.
  package var summary: String? { parts.summary }
  /// What a folder's runs belong to besides the scenario: a hash for each key of the backend that decides rows; nil for the emulator.
  package var identity: [(key: String, hash: String)]? { parts.identity }

  private var parts: (name: String, location: SourceLocation, summary: String?, identity: [(key: String, hash: String)]?) {
    switch self {
    case .emulated: ("emulated", SourceLocation(file: ""), nil, nil)
    case .command(let command): ("command", command.location, command.summary, command.identity)
    case .live(let live): ("live", live.location, live.summary, [("live", ContentHash.of(lines: [live.identity]))])
    }
  }

  /// A problem with the key that asks for it.
  func refusal(_ problem: String, _ remedy: String) -> InvalidInput {
    InvalidInput(diagnostics: [Diagnostic(location: location, key: "backend", problem: problem, remedy: remedy)])
  }

  /// Whether rows depend on the version of our own model.
  var dependsOnModel: Bool { if case .command = self { false } else { true } }

  /// The lines that a point's id is made of, from the scenario's own; `tree` is the scenario as written.
  func pointLines(_ scenario: [String], tree: JSON5Value, decoded: [String]) -> [String] {
    let model = ["model=\(Program.modelVersion)"]
    switch self {
    case .emulated: return model + scenario
    case .command(let command): return command.pointLines(ScenarioText(tree: tree, lines: decoded))
    case .live(let live): return model + [live.identity] + scenario
    }
  }
}

extension Backend {
  /// Reads `backend: "emulated"`, `"live"`, `{ live: { … } }` or `{ command: [ … ], … }`; without the key, the emulator.
  /// Relative paths start from `folder`; empty for the working folder.
  package init(from reader: inout ObjectReader, folder: String, schema: RunSchema) {
    self = .emulated
    guard let value = reader.value("backend"), value.kind != .null else { return }
    if value.text == "command" {
      reader.report("backend", problem: "names no program", remedy: "write { command: [\"…\"], metrics: { loadersPer1000: \"…\" } }")
      return
    }
    guard value.members != nil else {
      if reader.choice("backend", of: ["emulated", "live"]) == "live" { self = .live(LiveBackend(at: value.location)) }
      return
    }
    guard var part = reader.object("backend") else { return }
    guard part.has("live") else {
      self = .command(CommandBackend(from: part, folder: folder, schema: schema))
      return
    }
    if let live = part.object("live") { self = .live(LiveBackend(from: live)) }
    part.finish()
  }
}

/// What the program calls itself, the version of its model, and which build of it runs.
package enum Program {
  package static let name = "prefetch-sweep"
  package static let liveName = "prefetch-sweep-live"
  /// The version of the program, by semantic versioning (semver.org).
  package static let version = "1.0.0"
  /// The version of its model: raised whenever the same scenario and seed may give another row. Part of every point's id.
  package static let modelVersion = "2"

  /// A hash of the file that runs, 16 hexadecimal digits; "unknown" where that cannot be read. It tells builds apart whose authors
  /// forgot to raise the version of the model, a prefetcher of a package outside of this one among them. It is in journals and in the
  /// labels of shards, never in results: those do not depend on who built the program.
  package static let build = hash ?? "unknown"

  private static var hash: String? {
    #if DEBUG
      // Without optimization a hash takes longer than a test's sweep; a file that was built anew is another file.
      return Platform.executablePath.flatMap(SystemFile.version)
    #else
      return Platform.executablePath.flatMap(ContentHash.quick)
    #endif
  }
}
