// Reads what a gate compares: the strata of the sweep, and the settings of both sides laid over each of them.

import Import

/// Reads the scenarios of a gate.
struct GateReader {
  let sweep: ResolvedSweep
  private let request: GateScenarios.Request
  /// The strata that two settings are compared in, and the baseline of each; one baseline and no strata for the scenario alone.
  private let strata: SweepStrata?
  private let baselines: [ResolvedSweep.Baseline]
  /// Settings for both sides: of the world, laid under their own, so that a network for both leaves each its protocol; and of what a team
  /// ships, laid over their own.
  private let world: [(String, JSON5Value)], shipped: [(String, JSON5Value)]
  /// The setting of `--scenario` that replaced strata of the file, and their paths; nil if it has all of its strata.
  private let replaced: (setting: String, paths: String)?

  /// Reads the sweep.
  ///
  /// - Throws: `InvalidInput` with all problems of the sweep.
  init(_ request: GateScenarios.Request, prefetchers: PrefetcherCatalogue) throws(InvalidInput) {
    self.request = request
    let settings = JSON5Value.settings(fromCommandLine: request.common, option: "--scenario")
    sweep = try Self.sweep(request, settings, prefetchers)
    try sweep.checkEmulated(for: "check")
    (strata, baselines) = try sweep.comparedStrata()
    let (grid, paths) = (sweep.grid, strata?.paths ?? [])
    replaced = Self.replaced(request, strata, prefetchers)
    // A setting that narrowed the strata is in them.
    let common = settings.filter { setting in !paths.contains { $0 == setting.0 || $0.hasPrefix(setting.0 + ".") } }.map { path, value in
      (path, grid.dimensions.first { $0.paths == [path] && $0.count == 1 }?.values[0][0] ?? value)
    }
    world = common.filter { !SweepStrata.isShipped($0.0) }
    shipped = common.filter { SweepStrata.isShipped($0.0) }
  }

  /// The sweep with what is set of the world for both sides, so that its strata are narrowed as `run` narrows them.
  /// - Throws: `InvalidInput` if the sweep file or a setting is malformed.
  private static func sweep(
    _ request: GateScenarios.Request, _ common: [(String, JSON5Value)], _ prefetchers: PrefetcherCatalogue
  ) throws(InvalidInput) -> ResolvedSweep {
    var overrides = ResolvedSweep.Overrides()
    overrides.settings = zip(request.common, common).filter { SweepStrata.isOfTheWorld($0.1.0) }.map(\.0)
    do { return try ResolvedSweep(path: request.sweep, overrides: overrides, prefetchers: prefetchers) } catch {
      // Of a sweep that the gate refuses in any case, this is the problem.
      let plain = try ResolvedSweep(path: request.sweep, prefetchers: prefetchers)
      try plain.checkEmulated(for: "check")
      // A profile below an axis of whole networks makes all of them the same.
      let axes = plain.grid.dimensions.flatMap(\.paths)
      if let (path, value) = request.common.first(where: { $0.path == "network.profile" }), axes.contains("network") {
        let problem = Diagnostic(
          location: SourceLocation(file: "--scenario"), key: path, problem: "lies below network, an axis of whole networks",
          remedy: "write --scenario network=\(value)")
        throw InvalidInput(diagnostics: [problem])
      }
      let diagnostics = error.diagnostics.map { diagnostic in
        var diagnostic = diagnostic
        if diagnostic.location.file == "--set" { diagnostic.location.file = "--scenario" }
        return diagnostic
      }
      throw InvalidInput(diagnostics: diagnostics, count: error.count)
    }
  }

  /// The first setting for both sides that left fewer strata than the file has, and the paths of these.
  private static func replaced(
    _ request: GateScenarios.Request, _ strata: SweepStrata?, _ prefetchers: PrefetcherCatalogue
  ) -> (setting: String, paths: String)? {
    guard !request.common.isEmpty, let file = try? ResolvedSweep(path: request.sweep, prefetchers: prefetchers),
      let all = try? file.comparedStrata().0, all.members.count > strata?.members.count ?? 1
    else { return nil }
    let setting = request.common.first { setting in
      all.paths.contains { $0 == setting.path || setting.path.hasPrefix($0 + ".") || $0.hasPrefix(setting.path + ".") }
    }
    return setting.map { ("--scenario \($0.path)=\($0.value)", all.paths.joined(separator: ", ")) }
  }

  /// The two sides in all strata that run, whether each is judged by itself, and the name of the whole if it is judged.
  ///
  /// - Throws: `InvalidInput` with all problems of both sides.
  func read() throws(InvalidInput) -> (members: [GateScenarios.Member], areMembersJudged: Bool, whole: String?) {
    let sink = DiagnosticSink()
    let chosen = chosen(sink)
    let baseline = request.baseline.map { settings(in: $0, option: "--baseline", sink) }
    let candidate = request.candidate.map { settings(in: $0, option: "--candidate", sink) }
    let named = JSON5Value.settings(fromCommandLine: request.settings).map {
      JSON5Member(key: $0.0, keyLocation: $0.1.location, value: $0.1)
    }
    let set = reader(key: "", sink).checked(named)
    var members: [GateScenarios.Member] = []
    for index in sink.isEmpty || chosen.members.isEmpty ? chosen.members : [chosen.members[0]] {
      let stratum = strata?.members[index]
      let own = baseline.map { tree($0 ?? [], in: stratum, sink) } ?? ownBaseline(index, sink)
      let other = candidate.map { tree($0 ?? [], in: stratum, sink) } ?? own
      let sides = [(own, []), (other, set)].map { tree, settings in
        tree.flatMap { overlay(settings + shipped, on: $0, sink) }.flatMap { sweep.grid.decoder.decode($0, reportingTo: sink) }
      }
      guard let first = sides[0], let second = sides[1] else { continue }
      let member = GateScenarios.Member(name: stratum?.name, weight: stratum?.weight ?? 1, baseline: first, candidate: second)
      if sink.isEmpty { checkWorld(member, sink) }
      members.append(member)
    }
    guard sink.isEmpty else { throw Self.distinct(sink) }
    return (members, chosen.areJudged, chosen.whole)
  }

  /// Warnings: settings without effect, and parts of the world that the sweep has and the gate does not judge.
  func warnings(_ members: [GateScenarios.Member]) -> [String] {
    var ignored: [IgnoredSetting] = []
    for setting in members.flatMap({ $0.baseline.description.ignored + $0.candidate.description.ignored })
    where !ignored.contains(setting) { ignored.append(setting) }
    let unused = SweepStrata.worldDimensions(of: sweep.grid).filter { strata?.dimensions.contains($0) != true }
    let paths = unused.flatMap { sweep.grid.dimensions[$0].paths }.joined(separator: ", ")
    let note = "The sweep's values of \(paths) are not judged: its strata leave them out, and both sides have the scenario's own."
    let lost = replaced.map { "The file's strata over \($0.paths) were not judged: \($0.setting) replaced them." }
    return IgnoredSetting.warnings(ignored) + (unused.isEmpty ? [] : [note]) + [lost].compactMap { $0 }
  }

  // MARK: Strata

  /// The strata that run, by their indices, if each is judged, and the whole's name if it is.
  private func chosen(_ sink: DiagnosticSink) -> (members: [Int], areJudged: Bool, whole: String?) {
    func report(_ problem: String, remedy: String) {
      sink.report(at: SourceLocation(file: "--stratum"), problem: problem, remedy: remedy)
    }
    let whole = strata.map { $0.kind == .population ? "field" : "all" }
    guard let name = request.stratum else { return (strata.map { Array($0.members.indices) } ?? [0], true, whole) }
    guard let strata, let whole else {
      if let replaced {
        report(
          "is \(quoted(name)), but \(shortened(replaced.setting, to: 200)) removed the axis \(replaced.paths)",
          remedy: "leave one of the two out")
      } else {
        report("is \(quoted(name)), but \(sweep.path) has no strata", remedy: "leave --stratum out, or name another --sweep")
      }
      return ([0], true, nil)
    }
    let names = strata.members.map(\.name) + [whole]
    switch names.count(where: { $0 == name }) {
    case 0:
      report(
        "is \(quoted(name)), which is no stratum of \(sweep.path)", remedy: NearestName.remedy(for: name, among: names, what: "strata"))
    case 1: break
    default: report("is the name \(quoted(name)) of two strata of \(sweep.path)", remedy: "give each a name of its own there")
    }
    if let index = strata.members.firstIndex(where: { $0.name == name }) { return ([index], true, nil) }
    return (strata.members.indices.filter { strata.members[$0].weight > 0 }, false, whole)
  }

  // MARK: Settings

  /// The settings in a file; nil after a report.
  private func settings(in file: String, option: String, _ sink: DiagnosticSink) -> [(String, JSON5Value)]? {
    do throws(ValueProblem) {
      return reader(key: String(option.dropFirst(2)), sink).read(try InputFile(path: file))
    } catch {
      sink.report(at: SourceLocation(whole: file), problem: error.problem, remedy: "check the path after \(option)")
      return nil
    }
  }

  /// A reader of what a team ships: both sides must meet the same network, user and feed.
  private func reader(key: String, _ sink: DiagnosticSink) -> BaselineSettings {
    var reader = BaselineSettings(files: InputFiles(folder: ""), sink: sink, key: key)
    let paths = strata?.paths ?? []
    reader.refusal = { path in
      if !SweepStrata.isShipped(path) {
        return ValueProblem(
          "cannot be set by a candidate: both sides must have the same network, user and feed",
          remedy: "set it for both with --scenario \(path)=VALUE; a team ships prefetcher.*, downloads.*, strategy.*, feed.pages, "
            + "feed.hosts, network.http, network.tls, and sizes and times of its requests and servers")
      }
      guard let own = paths.first(where: { $0 == path || $0.hasPrefix(path + ".") }) else { return nil }
      return ValueProblem("sets \(own), which tells the strata of the sweep apart", remedy: "take it out, or name another --sweep")
    }
    return reader
  }

  /// The sweep's scenario in a stratum, with settings laid over it; nil after a report.
  private func tree(_ settings: [(String, JSON5Value)], in member: SweepStrata.Member?, _ sink: DiagnosticSink) -> JSON5Value? {
    let grid = sweep.grid
    guard let member, let strata else { return overlay(world + settings, on: grid.base, sink) }
    let reaching = Grid.laid(grid.settings, over: strata.dimensions.map { grid.dimensions[$0] }).map { ($0.path, $0.value) }
    return overlay(strata.settings(of: member, in: grid) + reaching + world + settings, on: grid.base, sink)
  }

  /// The sweep's own baseline of a stratum; what it ships stays its own in a world that is set for both.
  private func ownBaseline(_ index: Int, _ sink: DiagnosticSink) -> JSON5Value? {
    let paths = strata?.paths ?? []
    let own = (sweep.baselineSettings ?? []).filter { setting in
      SweepStrata.isShipped(setting.0) && !paths.contains { $0 == setting.0 || $0.hasPrefix(setting.0 + ".") }
    }
    return overlay(world + own, on: baselines[index].scenario, sink)
  }

  private func overlay(_ settings: [(String, JSON5Value)], on tree: JSON5Value, _ sink: DiagnosticSink) -> JSON5Value? {
    do throws(InvalidInput) { return try Grid.overlay(settings, on: tree) } catch {
      sink.report(error)
      return nil
    }
  }

  /// Reports what the sides do not share though no team ships it, as where the sweep's own baseline names a network.
  private func checkWorld(_ member: GateScenarios.Member, _ sink: DiagnosticSink) {
    let (first, second) = (member.baseline.identity, member.candidate.identity)
    let differing = first.filter { !second.contains($0) } + second.filter { !first.contains($0) }
    let paths = differing.map { String($0.prefix { $0 != "=" }) }.filter { !SweepStrata.isShipped($0) }
    guard let path = paths.first else { return }
    sink.report(
      at: SourceLocation(file: sweep.path), key: path, problem: "is not the same for both sides, because the sweep's baseline sets it",
      remedy: "set it for both with --scenario \(path)=VALUE, or name the baseline's own settings with --baseline FILE")
  }

  /// The problems, each once: strata and sides share most of them.
  private static func distinct(_ sink: DiagnosticSink) -> InvalidInput {
    var problems: [Diagnostic] = []
    for problem in sink.sorted where !problems.contains(problem) { problems.append(problem) }
    return InvalidInput(diagnostics: problems, count: problems.count + sink.count - sink.sorted.count)
  }
}

extension ResolvedSweep {
  /// The strata in which two settings are compared, and the baseline of each. They are the sweep's own; where its question is about the
  /// world alone, so that it has none, each value of the world is one all the same, unless the file says `strata: []`.
  /// - Throws: `InvalidInput` if what was reported forbids it.
  fileprivate func comparedStrata() throws(InvalidInput) -> (SweepStrata?, [Baseline]) {
    let sink = DiagnosticSink()
    let world = SweepStrata.worldDimensions(of: grid)
    guard strata == nil, !namesStrata, let first = world.first,
      let strata = SweepStrata.splitting(grid, by: world, at: grid.dimensions[first].location, sink: sink)
    else {
      try sink.throwIfAny()
      return (strata, baselines)
    }
    return (strata, try grid.baselines(baselineSettings, strata: strata))
  }
}
