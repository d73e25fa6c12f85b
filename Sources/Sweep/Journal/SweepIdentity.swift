// What a journal's runs belong to, and what has changed since: a grid may grow and shrink, a scenario may not change unseen.

import Analysis
import Import

/// What decides the rows of a sweep besides a point's place in its grid.
struct SweepIdentity: Codable, Hashable, Sendable {
  /// A file that the sweep names, and the hash of its contents.
  struct NamedFile: Codable, Hashable, Sendable {
    var path: String
    var hash: String
  }

  /// The version of the journal's records; nil for the first.
  var recordVersion: Int?
  /// The version of the program's model.
  var model: String
  /// How many metrics a row has.
  var metricCount: Int
  /// What all randomness comes from.
  var seed: UInt64
  /// The scenario as written, as compact JSON.
  var scenario: String
  /// The swept paths.
  var paths: [String]
  /// The files that points name, by path.
  var files: [NamedFile]
  /// A part of what makes the runs.
  struct Part: Codable, Hashable, Sendable {
    var key: String
    var hash: String
  }

  /// What makes the runs; nil for the emulator.
  var backend: [Part]?
  /// The program's build; nil in journals of programs that did not say. Another build is no change by itself: rows tell.
  var build: String?

  /// The identity of a sweep that a build of the program runs. O(scenario).
  init(_ sweep: SweepFile, build: String? = nil) {
    self.build = build
    recordVersion = RecordCoding.version
    model = sweep.backend.dependsOnModel ? Program.modelVersion : "any"
    metricCount = RunRow.noMetrics.count
    seed = sweep.seed
    scenario = sweep.grid.base.canonicalJSON
    paths = sweep.grid.paths
    backend = sweep.backend.identity?.map { Part(key: $0.key, hash: $0.hash) }
    files = sweep.grid.decoder.files.hashes.map { NamedFile(path: $0.path, hash: $0.hash) }
  }

  /// Reads what `json` wrote; nil if it is anything else.
  init?(json bytes: [UInt8]) {
    guard let identity = try? JSONDecoder().decode(SweepIdentity.self, from: Data(bytes)) else { return nil }
    self = identity
  }

  /// Sorted keys in one line.
  var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("text and numbers can always be encoded") }
    return [UInt8](data)
  }

  /// The hash of what the sweep decides of it, for telling shards of different sweeps apart.
  var hash: String {
    var identity = self
    (identity.build, identity.recordVersion) = (nil, nil)
    return ContentHash.of(identity.json)
  }

  /// What has changed since `old`, a phrase each; nothing where the same point of both gives the same rows.
  ///
  /// Scenarios are compared at one combination of axis values: what the grid is made of may change, what it stands on may not.
  func changes(since old: SweepIdentity, in sweep: SweepFile) -> [String] {
    var changes: [String] = []
    func note(_ what: String, _ before: String, _ now: String) {
      if before != now { changes.append("\(what) was \(before) and is \(now)") }
    }
    note("the version of the journal", "\(old.recordVersion ?? 1)", "\(RecordCoding.version)")
    note("the version of the program's model", old.model, model)
    note("the number of metrics in a row", "\(old.metricCount)", "\(metricCount)")
    note("what makes the runs", Self.name(old.backend), Self.name(backend))
    for part in old.backend ?? [] {
      if let now = backend?.first(where: { $0.key == part.key }), now != part { changes.append("backend.\(part.key) has changed") }
    }
    note("the seed", "\(old.seed)", "\(seed)")
    for file in files {
      if let before = old.files.first(where: { $0.path == file.path }), before.hash != file.hash {
        changes.append("\(file.path) has other contents")
      }
    }
    return changes + scenarioChanges(since: old, in: sweep)
  }

  /// A backend by its first key.
  private static func name(_ backend: [Part]?) -> String { backend?.first.map { "backend.\($0.key)" } ?? "the emulator" }

  private func scenarioChanges(since old: SweepIdentity, in sweep: SweepFile) -> [String] {
    guard scenario != old.scenario else { return [] }
    let unreadable = ["the scenario was another"]
    guard let before = JSON5Parser.parse(Array(old.scenario.utf8), file: "journal", into: DiagnosticSink()) else { return unreadable }
    let grid = sweep.grid
    // A path that was swept and now stands in the scenario is no change of the scenario.
    var settings = old.paths.filter { !paths.contains($0) }.compactMap { path in grid.base.lookup(path).map { (path, $0) } }
    settings += zip(grid.paths, grid.values(0)).map { ($0, $1) }
    do throws(InvalidInput) {
      let now = try sweep.decoded(0)
      guard let then = grid.decoder.decode(try Grid.overlay(settings, on: before), into: DiagnosticSink()) else { return unreadable }
      if then.point == now.point { return [] }
      return Self.differences(then.lines, now.lines)
    } catch { return unreadable }
  }

  /// `path was a and is b` for each line that differs.
  private static func differences(_ old: [String], _ new: [String]) -> [String] {
    func split(_ line: String) -> (path: Substring, value: Substring) {
      let equals = line.firstIndex(of: "=") ?? line.endIndex
      return (line[..<equals], line[equals...].dropFirst())
    }
    let (before, now) = (old.map(split), new.map(split))
    let gone = before.filter { line in !now.contains { $0.path == line.path } }
    let changes = (now + gone.map { ($0.path, "not set") }).compactMap { path, value -> String? in
      let then = before.first { $0.path == path }?.value ?? "not set"
      return then == value ? nil : "\(path) was \(then) and is \(value)"
    }
    return changes.isEmpty ? ["the order of the scenario's parts has changed"] : changes
  }
}
