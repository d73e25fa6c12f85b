// The two scenarios that a gate compares: settings laid over the scenario of a sweep, once for each side.

import Analysis
import Simulation

/// A baseline and a candidate, ready to run. The axes of the sweep are not used: the gate runs its scenario alone.
public struct GateScenarios: Sendable {
  /// What is compared, as the command line says it.
  public struct Request: Sendable {
    /// The sweep file whose scenario runs.
    public var sweep: String
    /// A file of settings; nil for the sweep's own baseline.
    public var baseline: String?
    /// A file of settings; nil for the baseline with `settings`.
    public var candidate: String?
    /// What the candidate sets over its file, or over the baseline.
    public var settings: [(path: String, value: String)] = []
    /// What is set for both sides, over everything else.
    public var common: [(path: String, value: String)] = []
    /// What all randomness comes from; nil for a number made from the sweep's.
    public var seed: UInt64?

    /// A request for the scenario of a sweep file.
    public init(sweep: String) { self.sweep = sweep }
  }

  /// The sweep.
  public let sweep: SweepFile
  /// What all randomness comes from.
  public let seed: UInt64
  /// What the reader must know.
  public let warnings: [String]
  let baseline: DecodedScenario
  let candidate: DecodedScenario
  private let sources: (baseline: String, candidate: String)

  /// Reads the sweep and the settings.
  ///
  /// - Throws: `InvalidInput` with all problems found.
  public init(_ request: Request, prefetchers: PrefetcherCatalogue = .standard) throws(InvalidInput) {
    let sweep = try SweepFile(path: request.sweep, prefetchers: prefetchers)
    try sweep.checkEmulated(for: "check")
    let sink = DiagnosticSink()
    let common = JSON5Value.settings(fromCommandLine: request.common)
    let baselineTree = Self.tree(of: request.baseline, "--baseline", else: sweep.baseline.scenario, [], common, sweep, sink)
    let candidateTree = Self.tree(
      of: request.candidate, "--candidate", else: baselineTree ?? sweep.baseline.scenario,
      JSON5Value.settings(fromCommandLine: request.settings), common, sweep,
      sink)
    let decoded = [baselineTree, candidateTree].map { tree in tree.flatMap { sweep.grid.decoder.decode($0, reportingTo: sink) } }
    // A mistake in what both sides share is found twice.
    guard sink.isEmpty, let baseline = decoded[0], let candidate = decoded[1] else {
      let problems = sink.sorted.enumerated().filter { index, problem in index == 0 || sink.sorted[index - 1] != problem }.map(\.element)
      throw InvalidInput(diagnostics: problems)
    }
    self.sweep = sweep
    self.baseline = baseline
    self.candidate = candidate
    seed = request.seed ?? Self.freshSeed(sweep.seed)
    let ignored = baseline.description.ignored
    warnings = IgnoredSetting.warnings(ignored + candidate.description.ignored.filter { !ignored.contains($0) })
    let name = request.baseline ?? "the baseline of \(request.sweep)"
    let set = request.settings.map { "\($0.path)=\($0.value)" }.joined(separator: ", ")
    sources = (name, [request.candidate ?? name, set].filter { !$0.isEmpty }.joined(separator: " with "))
  }

  /// Whether no run has any randomness.
  public var isDeterministic: Bool { baseline.scenario.isDeterministic && candidate.scenario.isDeterministic }

  /// Whether both sides are the same scenario.
  public var isSame: Bool { baseline.point == candidate.point }

  /// The baseline and the candidate as a report names them.
  public var sides: (baseline: GateResult.Side, candidate: GateResult.Side) {
    func side(_ source: String, _ decoded: DecodedScenario) -> GateResult.Side {
      GateResult.Side(source: source, settings: decoded.description.prefetcher, point: decoded.point)
    }
    return (side(sources.baseline, baseline), side(sources.candidate, candidate))
  }

  /// The settings that the sides do not share, defaults included, in the order in which scenarios are read.
  public var changes: [GateResult.Change] {
    let (first, second) = (Self.settings(baseline), Self.settings(candidate))
    var changes: [GateResult.Change] = []
    for (path, value) in first {
      let other = second.first { $0.path == path }?.value
      if other != value { changes.append(GateResult.Change(path: path, baseline: value, candidate: other)) }
    }
    for (path, value) in second where !first.contains(where: { $0.path == path }) {
      changes.append(GateResult.Change(path: path, baseline: nil, candidate: value))
    }
    return changes
  }

  /// What holds for both sides, a line a part of the scenario; where they differ, both are said.
  public var head: [SweepDescription.HeadLine] {
    zip(baseline.description.parts, candidate.description.parts).filter { $0.0.label != "prefetcher" }.map { baseline, candidate in
      let (first, second) = (baseline.text, candidate.text)
      return SweepDescription.HeadLine(label: baseline.label, text: first == second ? first : "baseline: \(first); candidate: \(second)")
    }
  }

  /// What one run of the baseline measures, in the order of `Metric.allCases`; for calibration, which makes millions of them.
  package func baselineRun(seed: UInt64) throws -> [Double?] { try baseline.scenario.metrics(seed: seed) }

  /// What one run of the candidate measures.
  package func candidateRun(seed: UInt64) throws -> [Double?] { try candidate.scenario.metrics(seed: seed) }

  // MARK: Reading

  /// A seed that no repetition of the sweep has met: who picks a candidate by a sweep must not judge it by the same runs. It keeps
  /// within what a sweep file can say.
  private static func freshSeed(_ seed: UInt64) -> UInt64 {
    UInt64(ContentHash.of(lines: ["gate", "\(seed)"]).prefix(7), radix: 16) ?? seed &+ 1
  }

  /// A side's scenario; nil after a report.
  private static func tree(
    of file: String?, _ option: String, else other: JSON5Value, _ settings: [(String, JSON5Value)], _ common: [(String, JSON5Value)],
    _ sweep: SweepFile, _ sink: DiagnosticSink
  ) -> JSON5Value? {
    var base = other
    var laid: [(String, JSON5Value)] = []
    if let file {
      let reader = BaselineSettings(files: InputFiles(folder: ""), sink: sink, key: String(option.dropFirst(2)))
      do throws(ValueProblem) {
        guard let read = reader.read(try InputFile(path: file)) else { return nil }
        (base, laid) = (sweep.grid.base, read)
      } catch {
        sink.report(at: SourceLocation(file: file), problem: error.problem, remedy: "check the path after \(option)")
        return nil
      }
    }
    do throws(InvalidInput) { return try Grid.overlay(laid + settings + common, on: base) } catch {
      sink.report(error)
      return nil
    }
  }

  private static func settings(_ decoded: DecodedScenario) -> [(path: String, value: String)] {
    decoded.lines.compactMap { line in
      line.firstIndex(of: "=").map { (String(line[..<$0]), String(line[line.index(after: $0)...])) }
    }
  }
}
