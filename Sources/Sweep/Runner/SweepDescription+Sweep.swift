// What the reports must know of a sweep, in words: the head of every table.

import Analysis
import Simulation

extension SweepDescription {
  /// Describes a sweep that a runner is to run. `overrides` stand in the command that repeats a row.
  public init(_ runner: SweepRunner, overrides: SweepFile.Overrides) throws(InvalidInput) {
    let sweep = runner.sweep
    let baselineIndex = sweep.baseline.index ?? sweep.grid.count
    let baseline = try sweep.decoded(baselineIndex)
    let paths = sweep.grid.paths
    let transport = Self.transports(of: sweep, baseline: baseline)
    let schema = type(of: baseline.scenario).schema
    let swept = paths.isEmpty ? "these settings" : paths.joined(separator: ", ")
    self.init(
      program: Program(name: Sweep.Program.name, modelVersion: Sweep.Program.modelVersion), name: sweep.name,
      question: sweep.question ?? "Which setting of \(swept) shows the fewest \(schema.words.headline)\(schema == .feed ? " items" : "")?",
      head: Self.head(of: baseline.description, paths: paths),
      transport: transport,
      axes: sweep.grid.dimensions.flatMap { dimension in
        zip(dimension.paths, dimension.values).map { Axis(path: $0, values: $1.map(\.canonicalText)) }
      },
      pointCount: sweep.pointCount,
      baseline: Baseline(
        point: baseline.point, axisValues: sweep.baseline.axisValues, settings: baseline.description.prefetcher,
        inGrid: sweep.baseline.index != nil), repeats: runner.repeats, seed: sweep.seed, deterministic: runner.isDeterministic,
      margin: sweep.margin, warnings: sweep.warnings + (schema == .feed ? Self.caution(transport) : []),
      reproduceCommand: Self.command(sweep, overrides), scenario: schema == .feed ? nil : schema.kind)
  }

  /// What a reader must know of a transport that is cheaper than the truth.
  private static func caution(_ transport: String) -> [String] {
    guard transport != NetworkConfiguration.TransportKind.packet.rawValue else { return [] }
    return [
      "Made on a transport other than packet (\(transport)). Held against a real client, the fluid one shows too few loaders and "
        + "ranks settings wrongly; repeat the sweep with --set network.transport=packet before you decide."
    ]
  }

  private static func head(of description: ScenarioDescription, paths: [String]) -> [HeadLine] {
    description.parts.map { part in
      let (label, text) = (part.label, part.text)
      let varying = paths.filter { $0 == label || $0.hasPrefix(label + ".") }
      if varying.isEmpty { return HeadLine(label: label, text: text) }
      return HeadLine(label: label, text: "varies by \(varying.joined(separator: ", ")); baseline: \(text)")
    }
  }

  private static func transports(of sweep: SweepFile, baseline: DecodedScenario) -> String {
    let path = "network.transport"
    for dimension in sweep.grid.dimensions {
      if let column = dimension.paths.firstIndex(of: path) { return dimension.values[column].map(\.canonicalText).joined(separator: ", ") }
    }
    return baseline.scenario.network.transport.rawValue
  }

  /// The command that shows one row again. The folder of the sweep file is left out unless it is `Sweeps`, so that results do
  /// not depend on from where they were made.
  private static func command(_ sweep: SweepFile, _ overrides: SweepFile.Overrides) -> String {
    let parts = sweep.path.split(separator: "/")
    let isInSweeps = parts.dropLast().last == "Sweeps"
    let file = (isInSweeps ? "Sweeps/" : "") + (parts.last.map(String.init) ?? sweep.path)
    var words = ["swift run -c release prefetch-sweep run", shellQuoted(file)]
    for setting in overrides.settings { words += ["--set", shellQuoted("\(setting.path)=\(setting.value)")] }
    if let seed = overrides.seed { words += ["--seed", "\(seed)"] }
    return (words + ["--point {point} --repetition {repetition}"]).joined(separator: " ")
  }

  private static func shellQuoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || "-_./=:,+".utf8.contains(byte)
    }
    if isPlain, !word.isEmpty { return word }
    return "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
  }
}
