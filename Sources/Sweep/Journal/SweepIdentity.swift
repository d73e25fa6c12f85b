// The identity of a journal's runs and its changes: a grid may grow and shrink, but a changed scenario is detected.

import Analysis
import Base

/// The values that decide the rows of a sweep besides a point's axis values.
struct SweepIdentity: Codable, Hashable, Sendable {
  private var journalVersion = RecordCoding.version
  /// The version of the model; nil if no row depends on it.
  private var modelVersion: String?
  private var valueCount = Metric.fixedCount + 1
  private var metrics: [String]
  private var seed: UInt64
  private var executor: String
  /// The hashes of the files that points name, by path.
  private var files: [String: String]
  /// The hashes of the backend's parts, by key; none for the emulator.
  private var backend: [String: String]
  /// The scenario as written, as compact JSON.
  private var scenario: String
  private var paths: [String]
  /// The program's build. Another build is no change by itself; the replay check decides.
  var build: String?

  /// Creates the identity of a sweep under a build of the program. O(scenario).
  init(_ sweep: ResolvedSweep, build: String? = nil) {
    // A command's rows do not depend on the model.
    modelVersion = sweep.backend.firstLines == nil ? nil : Program.modelVersion
    (metrics, seed, executor) = (sweep.metrics, sweep.seed, sweep.backend.name)
    files = Dictionary(sweep.grid.decoder.files.hashes.map { ($0.path, $0.hash) }) { first, _ in first }
    backend = Dictionary((sweep.backend.identity ?? []).map { ($0.key, $0.hash) }) { first, _ in first }
    scenario = sweep.grid.base.canonicalJSON
    paths = sweep.grid.paths
    self.build = build
  }

  func hasMetrics(of sweep: ResolvedSweep) -> Bool { Set(sweep.metrics).isSubset(of: metrics) }

  /// A hash of the identity, which distinguishes shards of different sweeps.
  var hash: String { ContentHash.of(sortedJSON(isIndented: false)) }

  /// Returns the changes since `old`, a phrase each; none if common points give the same rows.
  /// Scenarios are compared at one combination of axis values, so changed axes are no change.
  func changes(since old: SweepIdentity, in sweep: ResolvedSweep) -> [String] {
    /// Returns the keys whose values changed; new and removed keys do not count.
    func changed(_ before: [String: String], _ now: [String: String]) -> [String] {
      now.keys.sorted().filter { before[$0] != nil && before[$0] != now[$0] }
    }
    let values = zip(old.values, values).filter { $0 != $1 }.map { "\($1.name) was \($0.value) and is \($1.value)" }
    let parts = changed(old.backend, backend).map { "backend.\($0) has changed" }
    let contents = changed(old.files, files).map { "\($0) has other contents" }
    return values + parts + contents + scenarioChanges(since: old, in: sweep)
  }

  /// The values that are equal in all runs of a journal, with their names in messages.
  private var values: [(name: String, value: String)] {
    [
      ("the number of metrics in a row", "\(valueCount)\(metrics.isEmpty ? "" : ", with \(metrics.joined(separator: ", "))")"),
      ("the seed", "\(seed)"), ("the version of the journal", "\(journalVersion)"),
      ("the version of the program's model", modelVersion ?? "any"),
      ("what makes the runs", executor == Backend.emulated.name ? "the emulator" : "backend.\(executor)"),
    ]
  }

  private func scenarioChanges(since old: SweepIdentity, in sweep: ResolvedSweep) -> [String] {
    guard scenario != old.scenario else { return [] }
    let unreadable = ["the scenario was another"]
    guard let before = JSON5Parser.parse(Array(old.scenario.utf8), file: "journal", into: DiagnosticSink()) else { return unreadable }
    let grid = sweep.grid
    // A path that moved from an axis to the scenario is no change.
    var settings = old.paths.filter { !paths.contains($0) }.compactMap { path in grid.base.lookup(path).map { (path, $0) } }
    settings += zip(grid.paths, grid.values(0)).map { ($0, $1) }
    do throws(InvalidInput) {
      let now = try sweep.decoded(0)
      let (old, new) = (try Grid.overlay(settings, on: before), try grid.scenario(0))
      guard let then = grid.decoder.decode(old, into: DiagnosticSink()) else { return unreadable }
      if then.point == now.point { return [] }
      let written = Self.differences(old, new, at: "")
      return written.isEmpty ? Self.differences(then.settings, now.settings) : written
    } catch { return unreadable }
  }

  /// Returns `path: a → b` for each written value that differs between two scenarios.
  private static func differences(_ old: JSON5Value?, _ new: JSON5Value?, at path: String) -> [String] {
    if let before = old?.members, let now = new?.members {
      let keys = now.map(\.key) + before.map(\.key).filter { key in !now.contains { $0.key == key } }
      return keys.flatMap { differences(old?[$0], new?[$0], at: path.isEmpty ? $0 : "\(path).\($0)") }
    }
    func text(_ value: JSON5Value?) -> String { value.map { shortened($0.canonicalText, to: 80) } ?? "not set" }
    return old?.canonicalText == new?.canonicalText ? [] : ["\(path): \(text(old)) → \(text(new))"]
  }

  private static func differences(_ old: [CanonicalSetting], _ new: [CanonicalSetting]) -> [String] {
    func value(_ path: String, in settings: [CanonicalSetting]) -> String { settings.first { $0.path == path }?.value ?? "not set" }
    let changes = (new + old).map(\.path).distinct.compactMap { path -> String? in
      let (then, now) = (value(path, in: old), value(path, in: new))
      return then == now ? nil : "\(path) was \(then) and is \(now)"
    }
    return changes.isEmpty ? ["the order of the scenario's parts has changed"] : changes
  }
}
