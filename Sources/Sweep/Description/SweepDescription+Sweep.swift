// The description of a sweep for reports: the head of every table.

import Analysis
import Base
import Simulation

extension SweepDescription {
  /// Describes the sweep of a runner. Its source has `overrides` and the words that call the program, by default this package's.
  /// - Throws: `InvalidInput` if a point cannot be decoded.
  package init(_ runner: SweepRunner, overrides: SweepOverrides, program: String? = nil) throws(InvalidInput) {
    let sweep = runner.sweep
    let baseline = try sweep.decoded(sweep.pointIndex(ofBaseline: 0))
    let paths = sweep.grid.paths
    let transports = sweep.backend.isEmulated ? Self.transports(of: sweep, baseline: baseline) : ["a real network"]
    let schema = type(of: baseline.scenario).schema
    let headline = schema.judged(by: sweep.objective).words.headline
    let least = sweep.objective?.minimize.map { "has the lowest \($0)" }
    let chosen = paths.filter { sweep.strata?.paths.contains($0) != true }
    let swept = chosen.isEmpty ? "these settings" : chosen.joined(separator: ", ")
    self.init(
      program: Program(name: Sweep.Program.name, version: Sweep.Program.version, modelVersion: Sweep.Program.modelVersion),
      name: sweep.name,
      question: sweep.question ?? "Which setting of \(swept) "
        + "\(least ?? "shows the fewest \(headline)\(headline == RunSchema.feed.words.headline ? " items" : "")")?",
      head: (sweep.backend.summary.map { [HeadLine(label: "runs by", text: $0)] } ?? []) + Self.head(of: baseline.description, sweep),
      transport: transports.joined(separator: ", "),
      axes: sweep.grid.dimensions.indices.flatMap { Self.axes(ofDimension: $0, of: sweep) },
      pointCount: sweep.pointCount,
      baseline: try Self.baseline(0, of: sweep), strata: try Self.strata(of: sweep), repeats: runner.repeats, seed: sweep.seed,
      deterministic: runner.isDeterministic,
      margin: sweep.margin, objective: sweep.objective,
      warnings: sweep.warnings + Self.cautions(sweep, transports, schema),
      source: SweepSource(
        file: sweep.standardInput == nil ? sweep.canonicalPath : ResolvedSweep.keptInputName, overrides: overrides,
        program: program ?? sweep.backend.product),
      scenario: schema == .feed ? nil : schema.kind, backend: sweep.backend.isEmulated ? nil : sweep.backend.name)
    metrics = sweep.metrics.isEmpty ? nil : sweep.metrics
    objects = Self.objects(among: sweep.valuesOfAxes)
    let kind = ScenarioText.value(at: "prefetcher.kind", in: try sweep.scenario(0))?.text
    isOracle = !paths.contains(where: Self.choosesPrefetcher) && kind.map(Self.oracles(of: sweep).contains) == true ? true : nil
    // Without randomness there is one repetition, so no confirmation and no rounds.
    if runner.isDeterministic { return }
    confirm = sweep.confirm
    switch sweep.plan.kind {
    case .complete: break
    case .sequential(let until): sequential = Sequential(until: until, looks: sweep.plan.rounds)
    case .halving: search = Search(kind: .halving, rounds: sweep.plan.rounds)
    case .racing(let settings): search = settings.description(of: sweep)
    }
  }

  /// Returns the axes of a dimension. A single numeric axis has the accepted values beyond its ends.
  private static func axes(ofDimension index: Int, of sweep: ResolvedSweep) -> [Axis] {
    let dimension = sweep.grid.dimensions[index]
    let oracles = oracles(of: sweep)
    return zip(dimension.paths, dimension.values).map { path, values in
      let texts = values.map(\.canonicalText)
      if choosesPrefetcher(path) {
        var axis = Axis(path: path, values: texts)
        let own = values.filter { value in oracles.contains(value.text ?? value["kind"]?.text ?? "") }.map(\.canonicalText)
        axis.oracles = own.isEmpty ? nil : own
        return axis
      }
      guard dimension.paths.count == 1, sweep.strata?.dimensions.contains(index) != true, let numeric = NumericAxis(texts) else {
        return Axis(path: path, values: texts)
      }
      var axis = AxisNeighbours(grid: sweep.grid, index: index, axis: numeric).extended(Axis(path: path, values: texts))
      axis.fileValues = sweep.fileValues[path]
      return axis
    }
  }

  private static func choosesPrefetcher(_ path: String) -> Bool { path == "prefetcher" || path == "prefetcher.kind" }

  /// Returns the kinds of prefetchers that know the future.
  private static func oracles(of sweep: ResolvedSweep) -> [String] {
    sweep.grid.decoder.prefetchers.definitions.filter(\.isOracle).map(\.name)
  }

  /// - Throws: `InvalidInput` if a point cannot be decoded.
  private static func baseline(_ index: Int, of sweep: ResolvedSweep) throws(InvalidInput) -> Baseline {
    let decoded = try sweep.decoded(sweep.pointIndex(ofBaseline: index))
    let baseline = sweep.baselines[index]
    return Baseline(
      point: decoded.point, axisValues: baseline.axisValues, settings: decoded.description.prefetcher, inGrid: baseline.index != nil,
      isImplied: sweep.baselineSettings == nil ? true : nil)
  }

  /// - Throws: `InvalidInput` if a point cannot be decoded.
  private static func strata(of sweep: ResolvedSweep) throws(InvalidInput) -> Strata? {
    guard let strata = sweep.strata else { return nil }
    var members: [Stratum] = []
    for (index, member) in strata.members.enumerated() {
      let (values, own) = (strata.settings(of: member, in: sweep.grid).map(\.1.canonicalText), try baseline(index, of: sweep))
      members.append(Stratum(name: member.name, values: values, weight: member.weight, isLab: member.isLab, baseline: own))
    }
    var described = Strata(
      kind: strata.kind, paths: strata.paths, members: members, measured: strata.measured.isEmpty ? nil : strata.measured)
    described.markPrincipalModel()
    return described
  }

  /// Returns cautions about the results: a transport other than packet, or an executor that was not verified.
  private static func cautions(_ sweep: ResolvedSweep, _ transports: [String], _ schema: RunSchema) -> [String] {
    guard sweep.backend.isEmulated else {
      return ["Not emulated: network, user, feed and downloads are the sweep file's; nothing here verified that the runs had them."]
    }
    let packet = NetworkConfiguration.TransportKind.packet.rawValue
    guard schema == .feed, transports != [packet] else { return [] }
    if transports.contains(packet) {
      let others = transports.filter { $0 != packet }
      return [
        "Only packet is validated; \(others.joined(separator: " and ")) \(others.count == 1 ? "is" : "are") for comparison: "
          + "read packet's \(sweep.strata?.kind == .models ? "table" : "rows")."
      ]
    }
    return [
      "Simulated on a transport other than packet (\(transports.joined(separator: ", "))). Compared with a real client, fluid shows too few loaders and "
        + "ranks settings wrongly; repeat the sweep with --set network.transport=packet before you decide."
    ]
  }

  private static func head(of description: ScenarioDescription, _ sweep: ResolvedSweep) -> [HeadLine] {
    let strata = sweep.strata?.paths ?? []
    return description.parts.map { part in
      let (label, text) = (part.label, part.text)
      let varying = sweep.grid.paths.filter { $0.isPath(in: label) }
      if varying.isEmpty { return HeadLine(label: label, text: text) }
      let paths = varying.joined(separator: ", ")
      let words =
        switch varying.allSatisfy(strata.contains) ? sweep.strata?.kind : nil {
        case .population: "\(text) in the scenario itself; each group of the population has its own \(paths)"
        case .worlds: "unknown: \(paths); in the first world: \(text)"
        case .models: "models by \(paths); the first: \(text)"
        case .axes: "strata by \(paths); the first: \(text)"
        case nil: "varies by \(paths); baseline: \(text)"
        }
      return HeadLine(label: label, text: words)
    }
  }

  /// Returns the transports of all points, the baseline's first. An axis sets them by path or inside whole networks.
  private static func transports(of sweep: ResolvedSweep, baseline: DecodedScenario) -> [String] {
    let grid = sweep.grid
    var names = [baseline.scenario.network.transport.rawValue]
    for (index, dimension) in grid.dimensions.enumerated()
    where dimension.paths.contains(where: { $0 == "network" || $0 == "network.transport" }) {
      var coordinates = [Int](repeating: 0, count: grid.dimensions.count)
      for coordinate in 0..<dimension.count {
        coordinates[index] = coordinate
        guard let tree = try? grid.tree(coordinates), let point = grid.decoder.decode(tree, into: DiagnosticSink()) else { continue }
        names.append(point.scenario.network.transport.rawValue)
      }
    }
    return names.distinct
  }

  /// Returns the description of results in a folder, whose source names the copy of a sweep from standard input there.
  package func located(in folder: String) -> SweepDescription {
    var copy = self
    if source?.file == ResolvedSweep.keptInputName { copy.source?.file = SystemFile.canonical("\(folder)/\(ResolvedSweep.keptInputName)") }
    return copy
  }
}
