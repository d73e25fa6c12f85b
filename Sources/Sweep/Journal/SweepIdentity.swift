// What a journal's runs belong to, and what has changed since: a grid may grow and shrink, a scenario may not change unseen.

import Analysis
import Import

/// What decides the rows of a sweep besides a point's place in its grid.
struct SweepIdentity: Codable, Hashable, Sendable {
  private var values: [String: String]
  /// Hashes of the files that points name, by path.
  private var files: [String: String]
  /// Hashes of the parts of what makes the runs, by key of the backend; none for the emulator.
  private var backend: [String: String]
  /// The scenario as written, as compact JSON.
  private var scenario: String
  private var paths: [String]
  /// The program's build. Another build is no change by itself: rows tell.
  var build: String?

  /// The identity of a sweep that a build of the program runs. O(scenario).
  init(_ sweep: ResolvedSweep, build: String? = nil) {
    values = [
      "the version of the journal": "\(RecordCoding.version)",
      "the version of the program's model": sweep.backend.dependsOnModel ? Program.modelVersion : "any",
      "the number of metrics in a row": "\(RunRow.noMetrics.count)", "the seed": "\(sweep.seed)",
      "what makes the runs": sweep.backend.isEmulated ? "the emulator" : "backend.\(sweep.backend.name)",
    ]
    files = Dictionary(sweep.grid.decoder.files.hashes.map { ($0.path, $0.hash) }) { first, _ in first }
    backend = Dictionary((sweep.backend.identity ?? []).map { ($0.key, $0.hash) }) { first, _ in first }
    scenario = sweep.grid.base.canonicalJSON
    paths = sweep.grid.paths
    self.build = build
  }

  init?(json bytes: [UInt8]) {
    guard let identity = try? JSONDecoder().decode(SweepIdentity.self, from: Data(bytes)) else { return nil }
    self = identity
  }

  /// The hash of all of it, for telling shards of different sweeps apart.
  var hash: String { ContentHash.of(sortedJSON(isIndented: false)) }

  /// What has changed since `old`, a phrase each; nothing where the same point of both gives the same rows.
  ///
  /// Scenarios are compared at one combination of axis values: what the grid is made of may change, what it stands on may not.
  func changes(since old: SweepIdentity, in sweep: ResolvedSweep) -> [String] {
    /// The keys of values that are not as they were; a key that is new, or gone, is no change.
    func changed(_ before: [String: String], _ now: [String: String]) -> [String] {
      now.keys.sorted().filter { before[$0] != nil && before[$0] != now[$0] }
    }
    let values = changed(old.values, values).map { "\($0) was \(old.values[$0] ?? "") and is \(self.values[$0] ?? "")" }
    let parts = changed(old.backend, backend).map { "backend.\($0) has changed" }
    let contents = changed(old.files, files).map { "\($0) has other contents" }
    return values + parts + contents + scenarioChanges(since: old, in: sweep)
  }

  private func scenarioChanges(since old: SweepIdentity, in sweep: ResolvedSweep) -> [String] {
    guard scenario != old.scenario else { return [] }
    let unreadable = ["the scenario was another"]
    guard let before = JSON5Parser.parse(Array(old.scenario.utf8), file: "journal", into: DiagnosticSink()) else { return unreadable }
    let grid = sweep.grid
    // A path that was swept and now stands in the scenario is no change of the scenario.
    var settings = old.paths.filter { !paths.contains($0) }.compactMap { path in grid.base.lookup(path).map { (path, $0) } }
    settings += zip(grid.paths, grid.values(0)).map { ($0, $1) }
    do throws(InvalidInput) {
      let now = try sweep.decoded(0)
      let (old, new) = (try Grid.overlay(settings, on: before), try grid.scenario(0))
      guard let then = grid.decoder.decode(old, into: DiagnosticSink()) else { return unreadable }
      if then.point == now.point { return [] }
      let written = Self.differences(old, new, at: "")
      return written.isEmpty ? Self.differences(then.lines, now.lines) : written
    } catch { return unreadable }
  }

  /// `path: a → b` for each value of two scenarios that differs as it is written.
  private static func differences(_ old: JSON5Value?, _ new: JSON5Value?, at path: String) -> [String] {
    if let before = old?.members, let now = new?.members {
      let keys = now.map(\.key) + before.map(\.key).filter { key in !now.contains { $0.key == key } }
      return keys.flatMap { differences(old?[$0], new?[$0], at: path.isEmpty ? $0 : "\(path).\($0)") }
    }
    func text(_ value: JSON5Value?) -> String { value.map { shortened($0.canonicalText, to: 80) } ?? "not set" }
    return old?.canonicalText == new?.canonicalText ? [] : ["\(path): \(text(old)) → \(text(new))"]
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
