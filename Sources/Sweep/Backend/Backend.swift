// The backend of a sweep: the emulator, a program that drives a device, or a real client in real time.

import Analysis
import Base

/// The executor kind of a sweep. Sweep file and tables are the same for all three.
package enum Backend: Sendable {
  case emulated
  case command(CommandBackend)
  /// The live client of this package on a real network.
  case live(LiveBackend)

  /// True if the simulation produces the runs.
  package var isEmulated: Bool { if case .emulated = self { true } else { false } }
  package var name: String { parts.name }
  package var location: SourceLocation { parts.location }
  /// The backend's line in a report's head; nil for the emulator.
  package var summary: String? { parts.summary }
  /// A hash for each backend key that decides rows, part of the journal's identity; nil for the emulator.
  package var identity: [(key: String, hash: String)]? { parts.identity }

  private var parts: (name: String, location: SourceLocation, summary: String?, identity: [(key: String, hash: String)]?) {
    switch self {
    case .emulated: ("emulated", SourceLocation(file: ""), nil, nil)
    case .command(let command): ("command", command.location, command.summary, command.identity)
    case .live(let live): ("live", live.location, live.summary, [("live", ContentHash.of(lines: [live.identity]))])
    }
  }

  func refusal(_ problem: String, _ remedy: String) -> InvalidInput {
    InvalidInput(at: location, key: "backend", problem: problem, remedy: remedy)
  }

  /// The metrics of the runs; nil for all.
  var measured: [Metric]? {
    guard case .command(let command) = self else { return nil }
    let named = command.metrics.map(\.metric)
    return named.contains(.loaders) && named.contains(.viewed) ? named + [.loadersPer1000] : named
  }

  /// The names of the devices, and the number of failures in a row after which one gets no more runs.
  var lanes: (names: [String], giveUpAfter: Int) {
    guard case .command(let command) = self else { return (["the client"], 5) }
    return (command.devices.isEmpty ? ["the device"] : command.devices, command.giveUpAfter)
  }

  /// The lines that a point's id hashes before the scenario's own; nil for a command, whose ids hash what its program receives.
  var firstLines: [String]? {
    let model = "model=\(Program.modelVersion)"
    switch self {
    case .emulated: return [model]
    case .command: return nil
    case .live(let live): return [model, live.identity]
    }
  }

  /// Returns a point's id as a number, from the scenario's lines or its values as written.
  func pointNumber(_ scenario: [String], _ text: ScenarioText) -> UInt64 {
    var hash = ContentHash()
    let lines = if case .command(let command) = self { command.pointLines(text) } else { (firstLines ?? []) + scenario }
    for line in lines { hash.update(line: line) }
    return hash.highHalf
  }

  /// Returns the values of a scenario that a command's program receives, by path; none for other backends.
  func values(of text: ScenarioText) -> [String: String] {
    guard case .command(let command) = self else { return [:] }
    return Dictionary(command.paths.compactMap { path in text.value(at: path).map { (path, $0) } }) { first, _ in first }
  }
}

extension Backend {
  /// Reads `backend: "emulated"`, `"live"`, `{ live: { … } }` or `{ command: [ … ], … }`; the emulator is the default.
  /// Relative paths start from `folder`; an empty one is the working folder.
  package init(from reader: inout ObjectReader, folder: String, schema: RunSchema) {
    self = .emulated
    guard let value = reader.value("backend"), value.kind != .null else { return }
    if value.text == "command" {
      reader.report("backend", problem: "names no program", remedy: "write { command: [\"…\"], metrics: { loadersPer1000: \"…\" } }")
    } else if value.members == nil {
      if reader.choice("backend", of: ["emulated", "live"]) == "live" { self = .live(LiveBackend(at: value.location)) }
    } else if var part = reader.object("backend") {
      if !part.has("live") {
        self = .command(CommandBackend(from: part, folder: folder, schema: schema))
      } else {
        if let live = part.object("live") { self = .live(LiveBackend(from: live)) }
        part.finish()
      }
    }
  }
}

/// The program's name, model version and build.
package enum Program {
  package static let name = "prefetch-sweep"
  package static let liveName = "prefetch-sweep-live"
  /// The version of the program, by semantic versioning (semver.org).
  package static let version = "2.0.0"
  /// The version of the model, part of every point's id. It rises when the same scenario and seed may give another row.
  package static let modelVersion = "4"

  /// A hash of the running executable, 16 hexadecimal digits, or "unknown". Journals and shard labels hold it; results do not.
  /// It detects builds that change rows without a new model version, such as an edited external prefetcher.
  package static let build = hash ?? "unknown"

  private static var hash: String? {
    #if DEBUG
      // Without optimization a hash takes longer than a test's sweep; the file's version also tells builds apart.
      return Platform.executablePath.flatMap(SystemFile.version)
    #else
      // To read the whole program would take most of the time of `--version`.
      return Platform.executablePath.flatMap { ContentHash.byLinker(ofProgram: $0) ?? ContentHash.quick(ofFile: $0) }
    #endif
  }
}
