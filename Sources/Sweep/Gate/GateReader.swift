// Reads the input of a gate: the strata of the sweep and the settings of both sides in each of them.

import Analysis
import Base
import Simulation

struct GateReader {
  let sweep: ResolvedSweep
  private let request: GateScenarios.Request
  /// The strata and their baselines; nil and one baseline for the scenario alone.
  private let strata: SweepStrata?
  private let baselines: [ResolvedSweep.Baseline]
  /// Settings for both sides. `environment` is applied below their own, so each side keeps its protocol; `shipped` above them.
  private let environment: [(String, JSON5Value)], shipped: [(String, JSON5Value)]
  /// The `--scenario` setting that replaced strata of the file, and their paths; nil if all strata are left.
  private let replaced: (setting: String, paths: String)?

  /// Reads the sweep file.
  /// - Throws: `InvalidInput` with all problems of the sweep.
  init(_ request: GateScenarios.Request, prefetchers: PrefetcherCatalogue) throws(InvalidInput) {
    self.request = request
    let settings = JSON5Value.settings(fromCommandLine: request.common, option: "--scenario")
    sweep = try Self.sweep(request, settings, prefetchers)
    (strata, baselines) = try sweep.comparedStrata()
    let (grid, paths) = (sweep.grid, strata?.paths ?? [])
    replaced = Self.replaced(request, strata, prefetchers)
    // Settings that narrowed the strata are part of them.
    let common = settings.filter { setting in !paths.contains { $0.isPath(in: setting.0) } }.map { path, value in
      (path, grid.dimensions.first { $0.paths == [path] && $0.count == 1 }?.values[0][0] ?? value)
    }
    environment = common.filter { !ScenarioSchema.isShipped($0.0) }
    shipped = common.filter { ScenarioSchema.isShipped($0.0) }
  }

  /// Reads the sweep with the common settings of network, user and feed, which narrow its strata as `run` does.
  /// - Throws: `InvalidInput` if the sweep file or a setting is malformed.
  private static func sweep(
    _ request: GateScenarios.Request, _ common: [(String, JSON5Value)], _ prefetchers: PrefetcherCatalogue
  ) throws(InvalidInput) -> ResolvedSweep {
    var overrides = SweepOverrides()
    let ofUsers = zip(request.common, common).filter { SweepStrata.isEnvironment($0.1.0) }.map(\.0)
    overrides.settings = ofUsers.map { SweepOverrides.Setting(path: $0.path, value: $0.value) }
    if request.isEmulated { overrides.settings.append(SweepOverrides.Setting(path: "backend", value: "emulated")) }
    do { return try ResolvedSweep(path: request.sweep, overrides: overrides, prefetchers: prefetchers) } catch {
      // A problem of the sweep without the settings is reported first.
      _ = try ResolvedSweep(path: request.sweep, prefetchers: prefetchers)
      let diagnostics = error.diagnostics.map { diagnostic in
        var diagnostic = diagnostic
        if diagnostic.location.file == "--set" { diagnostic.location.file = "--scenario" }
        return diagnostic
      }
      throw InvalidInput(diagnostics: diagnostics, count: error.count)
    }
  }

  /// Returns the first common setting that left fewer strata than the file has, and the paths of the strata.
  private static func replaced(
    _ request: GateScenarios.Request, _ strata: SweepStrata?, _ prefetchers: PrefetcherCatalogue
  ) -> (setting: String, paths: String)? {
    guard !request.common.isEmpty, let file = try? ResolvedSweep(path: request.sweep, prefetchers: prefetchers),
      let all = try? file.comparedStrata().0, all.members.count > strata?.members.count ?? 1
    else { return nil }
    let setting = request.common.first { setting in all.paths.contains { $0.overlaps(setting.path) } }
    return setting.map { ("--scenario \($0.path)=\($0.value)", all.paths.joined(separator: ", ")) }
  }

  /// Returns both sides in the strata to run, whether each stratum is judged, and the name of the weighted whole if it is judged.
  /// - Throws: `InvalidInput` with all problems of both sides.
  func read() throws(InvalidInput) -> (members: [GateScenarios.Member], areMembersJudged: Bool, whole: String?) {
    let sink = DiagnosticSink()
    let chosen = chosen(sink)
    let baseline = request.baseline.map { settings(in: $0, option: "--baseline", sink) }
    let candidate = request.candidate.map { settings(in: $0, option: "--candidate", sink) }
    let named = JSON5Value.settings(fromCommandLine: request.settings)
    let set = reader(key: "", sink).checked(named.map { JSON5Member(key: $0.0, keyLocation: $0.1.location, value: $0.1) })
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
      if sink.isEmpty { checkEnvironment(member, sink) }
      members.append(member)
    }
    let tested = (candidate.flatMap(\.self) ?? []).map { ($0.0, $0.1.location) } + set.map { ($0.0, $0.1.location) }
    if case .command(let command) = sweep.backend {
      for (path, location) in tested + (baseline.flatMap(\.self) ?? []).map({ ($0.0, $0.1.location) }) {
        command.checkReached(path, location, "is set", sink)
      }
    } else if sink.isEmpty {
      checkIgnored(members, tested, sink)
    }
    guard sink.isEmpty else { throw Self.distinct(sink) }
    return (members, chosen.areJudged, chosen.whole)
  }

  /// Returns warnings: settings without effect, and swept networks, users and feeds that the gate does not judge.
  func warnings(_ members: [GateScenarios.Member]) -> [String] {
    let ignored = members.flatMap { $0.baseline.description.ignored + $0.candidate.description.ignored }.distinct
    let unused = SweepStrata.environmentDimensions(of: sweep.grid).filter { strata?.dimensions.contains($0) != true }
    let paths = unused.flatMap { sweep.grid.dimensions[$0].paths }.joined(separator: ", ")
    let note = "The sweep's values of \(paths) are not judged: its strata leave them out, and both sides have the scenario's own."
    let lost = replaced.map { "The file's strata over \($0.paths) were not judged: \($0.setting) replaced them." }
    let measured = strata?.measured.isEmpty == false ? [Self.allWorlds] : []
    return IgnoredSetting.warnings(ignored) + (unused.isEmpty ? [] : [note]) + [lost].compactMap(\.self) + measured
  }

  private static let allWorlds = "The bounds of uncertain.measured are left aside: the gate is about all worlds."

  // MARK: Strata

  private var whole: String? { strata?.kind.wholeName }

  var names: [String] { (strata?.members.map(\.name) ?? []) + [whole].compactMap { $0 } }

  /// Returns the indices of the strata to run, whether each is judged, and the whole's name if it is judged.
  private func chosen(_ sink: DiagnosticSink) -> (members: [Int], areJudged: Bool, whole: String?) {
    func report(_ problem: String, remedy: String) { sink.report(at: SourceLocation(file: "--stratum"), problem: problem, remedy: remedy) }
    // A setting need not win in every world.
    guard let name = request.stratum else { return (strata.map { Array($0.members.indices) } ?? [0], strata?.kind != .worlds, whole) }
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
    switch names.count(where: { $0 == name }) {
    case 0:
      report(
        "is \(quoted(name)), which is no stratum of \(sweep.path)", remedy: NearestName.remedy(for: name, among: names, what: "strata"))
    case 1: break
    default: report("is the name \(quoted(name)) of two strata of \(sweep.path)", remedy: "give each its own name there")
    }
    if let index = strata.members.firstIndex(where: { $0.name == name }) { return ([index], true, nil) }
    return (strata.members.indices.filter { strata.members[$0].weight > 0 }, false, whole)
  }

  // MARK: Settings

  private func settings(in file: String, option: String, _ sink: DiagnosticSink) -> [(String, JSON5Value)]? {
    let input = sink.value(at: SourceLocation(whole: file), key: "") { () throws(ValueProblem) in
      try InputFile(path: file, remedy: "check the path after \(option)")
    }
    return input.flatMap { reader(key: String(option.dropFirst(2)), sink).read($0) }
  }

  /// Returns a reader that refuses settings which both sides must share: network, user and feed.
  private func reader(key: String, _ sink: DiagnosticSink) -> BaselineSettings {
    var reader = BaselineSettings(files: InputFiles(folder: ""), sink: sink, key: key)
    let paths = strata?.paths ?? []
    reader.refusal = { path in
      if !ScenarioSchema.isShipped(path) {
        return ValueProblem(
          "cannot be set by a \(key == "baseline" ? key : "candidate"): both sides must have the same network, user and feed",
          remedy: "set it for both with --scenario \(path)=VALUE; a team ships prefetcher.*, downloads.*, strategy.*, feed.pages, "
            + "feed.hosts, network.http, network.tls, network.earlyData, network.priorities, network.congestion, and sizes and times of its "
            + "requests and servers")
      }
      guard let own = paths.first(where: { $0.isPath(in: path) }) else { return nil }
      return ValueProblem("sets \(own), which tells the strata of the sweep apart", remedy: "take it out, or name another --sweep")
    }
    return reader
  }

  /// Returns the sweep's scenario in a stratum with settings applied; nil after a report.
  private func tree(_ settings: [(String, JSON5Value)], in member: SweepStrata.Member?, _ sink: DiagnosticSink) -> JSON5Value? {
    let grid = sweep.grid
    guard let member, let strata else { return overlay(environment + settings, on: grid.base, sink) }
    let reaching = Grid.nestedSettings(grid.settings, over: strata.dimensions.map { grid.dimensions[$0] }).map { ($0.path, $0.value) }
    return overlay(strata.settings(of: member, in: grid) + reaching + environment + settings, on: grid.base, sink)
  }

  /// Returns the sweep's own baseline of a stratum, with its shipped settings applied over the common network.
  private func ownBaseline(_ index: Int, _ sink: DiagnosticSink) -> JSON5Value? {
    let paths = strata?.paths ?? []
    let settings = (sweep.baselineSettings ?? []).filter { ScenarioSchema.isShipped($0.0) }
    let own = settings.filter { path, _ in !paths.contains { $0.isPath(in: path) } }
    return overlay(environment + own, on: baselines[index].scenario, sink)
  }

  private func overlay(_ settings: [(String, JSON5Value)], on tree: JSON5Value, _ sink: DiagnosticSink) -> JSON5Value? {
    do throws(InvalidInput) { return try Grid.overlay(settings, on: tree) } catch {
      sink.report(error)
      return nil
    }
  }

  /// Reports a difference between the sides that no team ships, such as a network set by the sweep's baseline.
  private func checkEnvironment(_ member: GateScenarios.Member, _ sink: DiagnosticSink) {
    let (first, second) = (member.baseline.identity, member.candidate.identity)
    let differing = first.filter { !second.contains($0) } + second.filter { !first.contains($0) }
    let paths = differing.map { String($0.prefix { $0 != "=" }) }.filter { !ScenarioSchema.isShipped($0) }
    guard let path = paths.first else { return }
    sink.report(
      at: SourceLocation(file: sweep.path), key: path, problem: "is not the same for both sides, because the sweep's baseline sets it",
      remedy: "set it for both with --scenario \(path)=VALUE, or name the baseline's own settings with --baseline FILE")
  }

  /// Reports settings under test that have no effect in any stratum: those that the model leaves out, and all if no other has one.
  private func checkIgnored(_ members: [GateScenarios.Member], _ settings: [(String, SourceLocation)], _ sink: DiagnosticSink) {
    var without: [(path: String, ignored: IgnoredSetting)] = []
    var effective: Set<String> = []
    for member in members {
      let (first, second) = (Set(member.baseline.identity), Set(member.candidate.identity))
      let ignored = member.candidate.description.ignored + member.baseline.description.ignored
      for path in member.candidate.paths(differing: first) + member.baseline.paths(differing: second) {
        if let setting = ignored.first(where: { $0.key == path }) {
          if !without.contains(where: { $0.path == path }) { without.append((path, setting)) }
        } else {
          effective.insert(path)
        }
      }
    }
    for (path, ignored) in without where !effective.contains(path) {
      let isModel = ignored.transport != NetworkConfiguration.TransportKind.packet.rawValue
      guard isModel || effective.isEmpty else { continue }
      let location = settings.last { $0.0.overlaps(path) }?.1 ?? SourceLocation(file: sweep.path)
      sink.report(
        at: location, key: path,
        problem: "has no effect on either side: the \(ignored.transport) transport ignores it\(ignored.path.dropFirst(path.count))",
        remedy: isModel ? "add --scenario network.transport=packet, or take it out" : "take it out")
    }
  }

  /// Returns the problems without duplicates: strata and sides share most of them.
  private static func distinct(_ sink: DiagnosticSink) -> InvalidInput {
    let problems = sink.sorted.distinct
    return InvalidInput(diagnostics: problems, count: problems.count + sink.count - sink.sorted.count)
  }
}

extension DecodedScenario {
  /// Returns the paths of this scenario's identity whose lines are not in another's.
  fileprivate func paths(differing other: Set<String>) -> [String] {
    identity.filter { !other.contains($0) }.map { String($0.prefix { $0 != "=" }) }
  }
}

extension ResolvedSweep {
  /// Returns the strata of a comparison and the baseline of each. If the sweep has none because only network, user or
  /// feed are swept, each of their values is a stratum, unless the file says `strata: []`.
  /// - Throws: `InvalidInput` if there are too many strata, or a baseline is malformed.
  fileprivate func comparedStrata() throws(InvalidInput) -> (SweepStrata?, [Baseline]) {
    let sink = DiagnosticSink()
    let environment = SweepStrata.environmentDimensions(of: grid)
    guard strata == nil, !namesStrata, let first = environment.first,
      let strata = SweepStrata.splitting(grid, by: environment, at: grid.dimensions[first].location, sink: sink)
    else {
      try sink.throwIfAny()
      return (strata, baselines)
    }
    return (strata, try grid.baselines(baselineSettings, strata: strata))
  }
}
