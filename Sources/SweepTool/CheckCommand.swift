// `check`: compares candidate settings with the production settings and reports the result in the exit status.

import Analysis
import Base
import Rendering
import Sweep

struct CheckCommand: Command {
  static let name = "check"
  static let summary = "Compares candidate settings with the production settings, for CI."
  /// The default sweep, whose scenario and strata run.
  static let usualSweep = "Sweeps/featured-3g.json5"
  static let usualMargin = "2%"
  static let help = CommandHelp(
    synopsis: "--candidate FILE | --set PATH=VALUE … [options]",
    text: [
      "Compares candidate settings with the production settings (the baseline) on the same seeds and says if the candidate is worse: in "
        + "each stratum of the sweep, or in each group of its population and in the scenario itself, and in their weighted whole.",
      "It looks several times, each time at twice as many pairs, with intervals that hold at all looks. It fails as soon as one guard is "
        + "broken in one stratum, and passes once all guards hold in all strata. At most 2.5 % of candidates that are exactly at their "
        + "margins fail; at most 2.5 % of candidates that are beyond a margin pass. That holds for differences no more skewed than a "
        + "lognormal distribution with σ = 1, and for outcomes that occur in at least 1 session of 10; with large falls in 2 % of sessions up to "
        + "13 % fail.",
      "A sweep with a backend runs on its devices, in blocks of production, candidate, candidate, production, mirrored at random; one block of "
        + "13 has production on both sides. If these differ, or devices drift or disagree, the instrument is unfit, and there is no verdict. A "
        + "stopped check continues when the same command runs again.",
    ],
    groups: .options(
      [
        .value(
          "--candidate", "FILE",
          "Settings to check, such as { \"prefetcher.maxCost\": 8 }. They may set what an app ships: prefetcher.*, "
            + "downloads.*, strategy.*, feed.pages, feed.hosts, network.http, network.tls, network.earlyData and the other settings of "
            + "connections and servers."),
        .values("--set", "PATH=VALUE", "Changes a value of the candidate or, without --candidate, of the baseline. May repeat."),
        .value("--baseline", "FILE", "The production settings. Default: the sweep's baseline."),
        .value("--sweep", "FILE", "The sweep whose scenario and strata run; its other axes do not. Default: \(usualSweep)."),
        .value("--stratum", "NAME", "Checks one stratum, by the name that `run` shows, or the whole: all, or population."),
        .values("--scenario", "PATH=VALUE", "A value for both sides, such as user.dwell=2s. May repeat."),
        .value(
          "--margin", "M",
          "Short for --guard \"loadersPer1000 +M\", or of the metric that the sweep minimizes. Default if there is no guard: the sweep's "
            + "margin, or \(usualMargin)."),
        .values(
          "--guard", "METRIC ±M",
          "The metric may not rise (+) or fall (-) by more than M: per cent of the baseline, or an amount, such as "
            + "+5%, +50ms, +1MB or +3. METRIC <= B or METRIC >= B bounds the candidate's own mean, such as \"bytesReceived <= 70MB\", and "
            + "replaces such a bound of the sweep's objective. May repeat."),
        .value(
          "--floor", "N",
          "The least amount that a margin of loadersPer1000 in per cent stands for, in loaders per 1000 items. Default: "
            + "√(1 + s²) / 5, with s the noise of the baseline's sessions, about their standard deviation, but at most 1."),
        .value(
          "--repeats", "N",
          "The most pairs. Default: \(GateRule.usualLimit). On devices, the most blocks of 4 runs. Default: \(GateRule.usualBlocks)."),
        .value("--confidence", "C", "The confidence of all intervals together. Default: 95%. Each error rate is half of the rest."),
        .value("--seed", "N", "The seed of all randomness. Default: one that no repetition of the sweep has."), .jobs,
        .value(
          "--waivers", "FILE",
          "Accepted regressions: [\(GateWaiver.example)]. The guard has the waiver's margin in that stratum "
            + "up to that day; the report names all, and those that have expired."),
        .value("--date", "DAY", "The day that waivers are compared with, such as 2027-01-31. Default: today in UTC."),
        .value(
          "--time-limit", "TIME",
          "Ends after this time, such as 60s, with the verdict of the last complete look: mostly inconclusive. On devices, the same command "
            + "goes on."),
        .value(
          "--cache", "FOLDER",
          "Keeps the baseline's runs by the hash of their scenario and of the program, so that the next check runs the "
            + "candidate alone. On devices, keeps blocks of production alone, by which later checks judge the devices, too."),
        .value("--output", "FOLDER", "On devices, the folder that keeps whole blocks. Default: Results/NAME-check, by the sweep's name."),
        .flag("--fresh", "On devices, begins anew. Without it, a check without a verdict continues."),
        .flag("--allow-programs", "Lets the policies of kind \"command\" in sweep and candidate start their programs."),
        .flag("--strict", "Makes an inconclusive check fail with status 4."),
        .value("--format", CheckOutputs.Form.allCases.map(\.rawValue).joined(separator: "|"), "What is printed. Default: text."),
      ] + CheckOutputs.files + [
        HistoryTarget.option, HistoryTarget.commitOption,
        .flag("--quiet", "Prints no progress, and no result unless --format is given."),
      ]),
    notes: [
      "If GITHUB_STEP_SUMMARY is set, the Markdown is appended to that file.",
      "Exit status: 0 not worse (or inconclusive without --strict), 1 runs failed, 2 usage or invalid input, 3 regression, 4 inconclusive or, on devices, an unfit instrument. "
        + "`swift run` keeps the status; `make` turns every failure into 2, and a SwiftPM plugin into 1.",
    ])

  private let request: GateScenarios.Request
  private let arguments: Arguments
  private let limit: Int?
  private let confidence: Double
  private let floor: Double?
  private let jobs: Int
  private let outputs: CheckOutputs
  /// The time after which the check ends, in seconds.
  private let timeLimit: Double?
  /// The day of the check, `YYYY-MM-DD`.
  private let date: String

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    if arguments.words.count == 2, !arguments.has("--sweep"), !arguments.has("--candidate") {
      let (sweep, candidate) = (shown(arguments.words[0]), shown(arguments.words[1]))
      throw UsageProblem("\(sweep): takes no words; write --sweep \(sweep) --candidate \(candidate)")
    }
    if let word = arguments.words.first {
      throw UsageProblem("\(shown(word)): takes no words; write --candidate \(shown(word)) if it is the candidate")
    }
    self.arguments = arguments
    var request = GateScenarios.Request(sweep: arguments.value("--sweep") ?? Self.usualSweep)
    request.baseline = arguments.value("--baseline")
    request.candidate = arguments.value("--candidate")
    request.settings = try RunCommand.settings(arguments, "--set", mayRepeat: false)
    request.common = try RunCommand.settings(arguments, "--scenario", mayRepeat: false)
    request.stratum = arguments.value("--stratum")
    request.seed = try arguments.integer("--seed", in: 0...Int.max).map(UInt64.init)
    guard request.candidate != nil || !request.settings.isEmpty else {
      throw UsageProblem("no candidate was named; write --candidate FILE or --set PATH=VALUE")
    }
    self.request = request
    limit = try arguments.integer("--repeats", in: 2...ResolvedSweep.repeatsLimit)
    confidence =
      try arguments.value("--confidence", "per cent from 80% to 99.99%, such as 95%") { text in
        if case .percent(let value)? = Margin(text), value >= 80, value <= 99.99 { value / 100 } else { nil }
      } ?? 0.95
    floor = try arguments.value("--floor", "loaders per 1000 items as a number from 0, such as 0.5") { text in
      if case .absolute(let value)? = Margin(text) { value } else { nil }
    }
    jobs = try arguments.jobs()
    outputs = try CheckOutputs(arguments)
    timeLimit = try arguments.value("--time-limit", "a time above 0, such as 60s") { text in
      (try? Quantity(text, dimension: .duration).baseValue()).flatMap { $0 > 0 ? Double($0) / 1e9 : nil }
    }
    date =
      try arguments.value("--date", "a day as YYYY-MM-DD, such as 2027-01-31") { GateWaiver.isDay($0) ? $0 : nil }
      ?? String(Date.now.formatted(.iso8601).prefix(10))
    _ = try guards(of: nil)
    guard arguments.has("--sweep") || SystemFile.exists(Self.usualSweep) else {
      throw UsageProblem(
        "--sweep: is missing, and there is no \(Self.usualSweep); name a sweep; init --template gate writes one to begin with")
    }
  }

  /// - Throws: `InvalidInput` if a scenario is malformed, `UsageProblem` if a guard does not fit, `Refusal` if nothing can be written.
  func run() throws -> ExitStatus {
    let scenarios = try GateScenarios(request, prefetchers: arguments.prefetchers)
    if scenarios.startsPrograms, scenarios.sweep.backend.isEmulated, !arguments.has("--allow-programs") {
      throw Refusal("a policy of kind \"command\" would start a program; if you trust sweep and candidate, add --allow-programs")
    }
    let guards = try guards(of: scenarios)
    if !scenarios.sweep.backend.isEmulated { return try onDevices(scenarios, guards) }
    for option in ["--output", "--fresh"] where arguments.has(option) {
      throw UsageProblem("\(option): is for devices, and \(scenarios.sweep.path) runs in the emulator; take it out")
    }
    return try emulated(scenarios, guards)
  }

  /// - Throws: as `run`.
  private func emulated(_ scenarios: GateScenarios, _ guards: [GateGuard]) throws -> ExitStatus {
    let limit = limit ?? GateRule.usualLimit
    let rule = GateRule(guards: guards, comparisons: guards.count * scenarios.judgedCount, limit: limit, confidence: confidence)
    let decidesAlone = scenarios.isDeterministic || scenarios.isExact && guards.allSatisfy { $0.bound == nil }
    guard limit >= rule.fewestPairs || decidesAlone else {
      throw UsageProblem(
        "--repeats: is \(limit), but a verdict on \(Words.count(rule.comparisons, "comparison")) needs at least "
          + "\(rule.fewestPairs) pairs; write --repeats \(rule.fewestPairs) or more")
    }
    let waivers = try waivers(guards, scenarios)
    let cache = arguments.value("--cache").map { GateCache(folder: $0, points: scenarios.members.map(\.baseline.point)) }
    let history = try HistoryTarget(arguments)
    let files = try outputs.prepared()
    Interruption.install()
    let result: GateResult
    do {
      result = try runs(
        GateRunner(
          scenarios, rule: rule, jobs: jobs, isStrict: arguments.has("--strict"), waivers: waivers, cache: cache, runsAll: history != nil))
    } catch .cancelled {
      throw Interrupted.withoutOutput
    } catch .noValue(let metric, let stratum) {
      let scope = stratum.map { "the stratum \(SafeText.line($0))" } ?? "this scenario"
      throw UsageProblem("--guard: \(metric.rawValue) has no value in \(scope); guard another metric")
    }
    try files.publish(outputs.texts(result))
    do throws(OutputProblem) { try cache?.add(result) } catch { printError("--cache: \(error); the verdict stands all the same") }
    return try close(result, history)
  }

  /// Runs the check in blocks on the devices of the sweep.
  /// - Throws: as `run`.
  private func onDevices(_ scenarios: GateScenarios, _ guards: [GateGuard]) throws -> ExitStatus {
    let (sweep, limit) = (scenarios.sweep, limit ?? GateRule.usualBlocks)
    let rule = GateRule(guards: guards, comparisons: guards.count * scenarios.judgedCount, blocks: limit, confidence: confidence)
    guard limit >= rule.fewestBlocks else {
      throw UsageProblem(
        "--repeats: is \(limit), but a verdict on \(Words.count(rule.comparisons, "comparison")) needs at least "
          + "\(rule.fewestBlocks) blocks; write --repeats \(rule.fewestBlocks) or more")
    }
    if let metric = scenarios.unmeasured(guards).first {
      throw UsageProblem(
        "--guard: \(metric.rawValue) is not measured by the backend of \(sweep.path); add it to backend.metrics, or guard another")
    }
    let waivers = try waivers(guards, scenarios)
    let executor = try sweep.backend.executor(for: sweep, live: arguments.live)
    let nulls = arguments.value("--cache").map { NullBlocks(folder: $0, scenarios) }
    let history = try HistoryTarget(arguments)
    let files = try outputs.prepared()
    Interruption.install()
    let path = arguments.value("--output") ?? ResultsFolder.path(ofSweep: "\(sweep.name)-check")
    return try ResultsFolder.with(path, fault: arguments.fault) { folder in
      let journal = try BlockJournal(folder: folder, scenarios, rule: rule, limit: limit, isFresh: arguments.has("--fresh"))
      let runner = BlockRunner(
        scenarios, rule: rule, limit: limit, executor: executor, journal: journal, nulls: nulls, isStrict: arguments.has("--strict"),
        waivers: waivers)
      var line = StatusLine(isShown: Terminal.showsStatus && !arguments.has("--quiet"))
      let end = try runner.run(
        timeLimit: timeLimit, report: { line.show("\($0) of at most \(limit) blocks") }, isCancelled: { Interruption.signal != 0 })
      line.clear()
      switch end {
      case .stopped(let blocks):
        let count = Words.count(blocks, "whole block")
        throw Interrupted(
          message: "stopped: \(count) \(blocks == 1 ? "is" : "are") kept in \(path); the same command, without --fresh, goes on")
      case .result(var result):
        predict(&result, guards)
        try files.publish(outputs.texts(result))
        try journal.end(result)
        return try close(result, history)
      }
    }
  }

  /// The longest time of a prediction, in seconds.
  private static let predictionLimit = 60.0

  /// Adds the emulator's predictions to the result of devices, or a note without them.
  private func predict(_ result: inout GateResult, _ guards: [GateGuard]) {
    guard result.outcome != .failed, result.blocks?.isComplete == true else { return }
    var request = request
    request.isEmulated = true
    do {
      let scenarios = try GateScenarios(request, prefetchers: arguments.prefetchers)
      if scenarios.startsPrograms, !arguments.has("--allow-programs") { return }
      let comparisons = guards.count * scenarios.judgedCount
      let fewest = GateRule(guards: guards, comparisons: comparisons, confidence: confidence).fewestPairs
      let rule = GateRule(guards: guards, comparisons: comparisons, limit: fewest, confidence: confidence)
      let runner = GateRunner(scenarios, rule: rule, jobs: jobs, isStrict: false, runsAll: true)
      let end = min(timeLimit ?? Self.predictionLimit, Self.predictionLimit)
      result.add(predictionsOf: try runner.run(timeLimit: end, isCancelled: { Interruption.signal != 0 }))
    } catch GateRunner.Stop.cancelled {
      result.warnings.append("The emulator's prediction was stopped.")
    } catch {
      let reason = (error as? InvalidInput)?.diagnostics.first?.description ?? "it does not measure what is guarded"
      result.warnings.append("The emulator predicts nothing: \(reason).")
    }
  }

  /// Adds the result to the history and prints it.
  /// - Throws: as `HistoryTarget.add`.
  private func close(_ result: GateResult, _ history: HistoryTarget?) throws -> ExitStatus {
    // A check that goes on has no result yet.
    if result.blocks?.isComplete ?? true { try history?.add(result) }
    let isPrinted = outputs.show(result, isQuiet: arguments.has("--quiet"))
    for failure in result.failures.prefix(5) { printError(SafeText.line(failure)) }
    let status = ExitStatus(result)
    return status == .good && !isPrinted ? .failed : status
  }

  /// - Throws: `GateRunner.Stop` if the user ends it, or a run fails.
  private func runs(_ runner: GateRunner) throws(GateRunner.Stop) -> GateResult {
    var line = StatusLine(isShown: Terminal.showsStatus && !arguments.has("--quiet"))
    defer { line.clear() }
    let count = runner.scenarios.judgedCount
    let scope = count > 1 ? " in each stratum" : ""
    return try runner.run(
      timeLimit: timeLimit, report: { line.show("\($0) pairs\(scope), at most \(runner.rule.limit)") },
      isCancelled: { Interruption.signal != 0 })
  }

  /// - Throws: `InvalidInput` with all problems of the file, `UsageProblem` if it cannot be read.
  private func waivers(_ guards: [GateGuard], _ scenarios: GateScenarios) throws -> [GateWaiver] {
    guard let path = arguments.value("--waivers") else { return [] }
    let file: InputFile
    do throws(ValueProblem) { file = try InputFile(path: path, remedy: "check the path after --waivers") } catch {
      throw UsageProblem("--waivers: \(error.problem); \(error.remedy)")
    }
    return try GateWaiver.read(file, guards: guards, strata: scenarios.strataNames, today: date)
  }

  /// Returns the guards of the command line, by default the sweep's margin of its headline, and the constraints of its objective. Before
  /// the sweep is read (nil), a margin need only be one of some metric, and is left out.
  /// - Throws: `Refusal` with all problems if a guard is malformed.
  private func guards(of scenarios: GateScenarios?) throws -> [GateGuard] {
    var texts = arguments.values("--guard").map { ("--guard", $0) }
    let bounds = (scenarios?.sweep.objective?.subjectTo ?? []).map { GateGuard($0) }
    var guards: [GateGuard] = []
    // The sweep's own margin is in its headline's unit already.
    if !arguments.has("--margin"), texts.isEmpty, let scenarios,
      case .absolute(let amount)? = scenarios.sweep.margin.flatMap({ Margin($0) })
    {
      guards = [GateGuard(scenarios.headline, ofSweep: amount)]
      guards[0].isOfObjective = !bounds.isEmpty
    } else if let margin = arguments.value("--margin") ?? (texts.isEmpty ? scenarios?.sweep.margin ?? Self.usualMargin : nil) {
      func text(_ metric: Metric) -> String { "\(metric.rawValue) +\(margin)" }
      let isOfSome = [Metric.loadersPer1000, .bytesReceived, .waitMsMean].contains { (try? GateGuard(reading: text($0))) != nil }
      if scenarios != nil || !isOfSome { texts.insert(("--margin", text(scenarios?.headline ?? .loadersPer1000)), at: 0) }
    }
    var problems: [String] = []
    for (option, text) in texts {
      do throws(ValueProblem) {
        var guarded = try GateGuard(reading: text, floor: floor)
        guarded.isOfObjective = option == "--margin" && !bounds.isEmpty
        let isBound = guarded.bound != nil
        guard !guards.contains(where: { ($0.metric, $0.side, $0.bound != nil) == (guarded.metric, guarded.side, isBound) }) else {
          problems.append("\(option): guards \(guarded.metric.rawValue) a second time; keep one of the two")
          continue
        }
        guards.append(guarded)
      } catch { problems.append("\(option): \(error.problem); \(error.remedy)") }
    }
    if floor != nil, scenarios != nil, problems.isEmpty, !guards.contains(where: \.takesFloor) {
      problems.append("--floor: is of no guard; add a margin of loadersPer1000 in per cent, such as --margin 2%")
    }
    if !problems.isEmpty { throw Refusal(problems.joined(separator: "\n")) }
    // A bound of the command line replaces the sweep's.
    return guards + bounds.filter { bound in !guards.contains { $0.bound != nil && ($0.metric, $0.side) == (bound.metric, bound.side) } }
  }
}

/// The requested forms of the result: one printed, any number of them written to files.
struct CheckOutputs {
  enum Form: String, CaseIterable {
    case text, json, junit, markdown, bench

    func render(_ result: GateResult) -> String {
      switch self {
      case .text: GateText.text(result)
      case .json: GateJSON.text(result, exitStatus: ExitStatus(result).rawValue)
      case .junit: JUnit.text(result)
      case .markdown: GateMarkdown.text(result)
      case .bench: BenchmarkText.text(result)
      }
    }
  }

  /// The forms with a file option, named after the form.
  private static let fileForms: [(form: Form, output: OutputForm, title: String)] = [
    (.json, .gateJSON, "JSON"), (.junit, .jUnit, "JUnit XML"), (.markdown, .gateMarkdown, "Markdown"),
    (.bench, .benchmark, "Go benchmark lines, for `benchstat -col settings FILE`,"),
  ]
  static let files: [Option] = fileForms.map { form, output, title in
    .output("--\(form.rawValue)", output, mayRepeat: true, "Also writes \(title) to FILE. May repeat.")
  }

  private let printed: Form?
  private let files: [(form: Form, path: String, output: OutputForm)]

  /// - Throws: `UsageProblem` if a format is unknown.
  init(_ arguments: Arguments) throws(UsageProblem) {
    printed = try arguments.choice("--format", of: Form.self)
    files = Self.fileForms.flatMap { form, output, _ in arguments.values("--\(form.rawValue)").map { (form, $0, output) } }
  }

  /// Opens the destinations of all files before anything runs.
  /// - Throws: `Refusal` if nothing can be written at a path.
  func prepared() throws(Refusal) -> OutputTargets { try OutputTargets(files.map { ("--\($0.form.rawValue)", $0.path, $0.output) }) }

  /// Returns the contents of the files, in the order of their destinations.
  func texts(_ result: GateResult) -> [String] { files.map { $0.form.render(result) } }

  /// Prints the result and appends it to GitHub's summary page, if there is one. False if the output is closed.
  func show(_ result: GateResult, isQuiet: Bool) -> Bool {
    appendSummary(result)
    guard let form = printed ?? (isQuiet ? nil : Form.text) else { return true }
    guard form == .text else { return writeAll(form.render(result), to: STDOUT_FILENO) }
    return writeAll(GateText.text(result, width: Terminal.width, isColored: Terminal.isColored), to: STDOUT_FILENO)
  }

  private func appendSummary(_ result: GateResult) {
    guard let path = ProcessInfo.processInfo.environment["GITHUB_STEP_SUMMARY"], !path.isEmpty else { return }
    if let input = InputFile.input(at: path) {
      return printError("\(shown(path)): GITHUB_STEP_SUMMARY is \(shown(input)), which this command reads; the verdict stands all the same")
    }
    // Other steps of the job write to this file too.
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0, writeAll(GateMarkdown.text(result) + "\n", to: descriptor), close(descriptor) == 0 else {
      printError("\(shown(path)): GITHUB_STEP_SUMMARY cannot be written; the verdict stands all the same")
      return
    }
  }
}
