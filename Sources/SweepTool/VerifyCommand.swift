// `verify`: runs rows of existing results again and prints every value that differs.

import Analysis
import Base
import Rendering
import Simulation
import Sweep

struct VerifyCommand: Command {
  static let name = "verify"
  static let summary = "Runs rows of existing results again and prints what differs."
  static let help = CommandHelp(
    synopsis: "FOLDER [options]", operand: "FOLDER",
    text: [
      "Reads runs.csv and sweep.json of a folder of results, and confirmation.csv if there is one. Checks the point, seed and axis values "
        + "of every row, runs a sample of the rows again, and prints each value that differs. It also names the points that lack rows. Nothing "
        + "is written.",
      "The exit status is 0 if all are the same, and 3 if any differs or is missing. Rows that a device or a live client made cannot be repeated and are "
        + "refused with status 2.",
    ],
    groups: .options([
      .value("--sample", "SHARE", "The share of rows to run again, such as 1% or 0.1; at least 1 row. Default: 100%."),
      .value("--seed", "N", "The seed that chooses the sample. Default: 1."),
      .value("--sweep", "FILE", "The sweep file, if it is not where the folder's sweep.json says."), .jobs, .quiet,
    ]))

  private let arguments: Arguments
  private let path: String
  private let share: Double
  private let seed: UInt64
  private let jobs: Int

  /// - Throws: `UsageProblem` if an argument is wrong.
  init(_ arguments: Arguments) throws {
    self.arguments = arguments
    path = try arguments.onlyWord("folder of results")
    share = try arguments.value("--sample", "a share of the rows above 0, such as 1% or 0.1", Self.share) ?? 1
    seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 1)
    jobs = try arguments.jobs()
  }

  private static func share(_ text: String) -> Double? {
    let share = text.hasSuffix("%") ? Double(text.dropLast()).map { $0 / 100 } : Double(text)
    return share.flatMap { $0 > 0 && $0 <= 1 ? $0 : nil }
  }

  /// - Throws: `Refusal` or `InvalidInput` if the results cannot be read or repeated.
  func run() throws -> ExitStatus {
    let description = try ReportCommand.description(path)
    if let backend = description.backend {
      throw Refusal("\(path): its runs were made by backend.\(backend) and cannot be repeated; only emulated runs can")
    }
    guard description.program.modelVersion == Program.modelVersion else {
      throw Refusal(
        "\(path): was made by \(description.program), and this is \(Program.versionText); use the program that made the results")
    }
    let runner = try SweepRunner(try sweep(of: description), jobs: jobs)
    Interruption.install()
    var replay = try RowReplay(runner, share: share, seed: seed)
    var plans = [("runs.csv", RowPlan(runsOf: description))]
    if let confirm = description.confirm {
      plans.append((RunWriter.confirmationName, RowPlan(confirm, of: description, try ReportCommand.results(path).summary)))
    }
    for (file, plan) in plans {
      replay.begin(plan)
      let reader = try RunReader(path: "\(path)/\(file)", sweep: description)
      reader.isExact = true
      while let row = try reader.row() {
        replay.receive(row, of: file)
        if Interruption.signal != 0 { return Interruption.status }
      }
      try failures { replay.receive(failed: $0) }
      replay.finish(file, shardRows: file == "runs.csv" ? ShardLabel.rowCount(of: path) : nil)
      if Interruption.signal != 0 { return Interruption.status }
    }
    return close(replay) ? replay.isSame ? .good : .regression : .failed
  }

  /// Calls `receive` with the cells of each failed run, whose row is not missing.
  /// - Throws: `OutputProblem` if the list of failures cannot be read.
  private func failures(_ receive: ([String]) -> Void) throws {
    let file = "\(path)/\(FailureTable.fileName)"
    guard SystemFile.exists(file) else { return }
    var reader = CSVRecordReader()
    reader.read(try SystemFile.contents(file)) { record in receive(record.cells.indices.map(record.text)) }
  }

  /// Returns the sweep of the results, from --sweep or from where the description says.
  /// - Throws: `Refusal` or `InvalidInput` if there is no such file, or it is another sweep.
  private func sweep(of description: SweepDescription) throws -> ResolvedSweep {
    let source = description.located(in: path).source
    guard let named = arguments.value("--sweep") ?? source?.file else {
      throw Refusal("\(path)/sweep.json: does not name the sweep file; name it with --sweep")
    }
    guard SystemFile.exists(named) else {
      throw Refusal("\(path): is of the sweep file \(shown(named)), which is not here; name it with --sweep, or start in its folder")
    }
    var overrides = source?.overrides ?? SweepOverrides()
    overrides.seed = description.seed
    let sweep = try ResolvedSweep(path: named, overrides: overrides, prefetchers: arguments.prefetchers)
    let baseline = try sweep.id(sweep.pointIndex(ofBaseline: 0), PointDecoder(sweep.grid))
    let isSame =
      sweep.grid.paths == description.axes.map(\.path) && sweep.pointCount == description.pointCount
      && PointID.text(baseline) == description.baseline.point
    guard isSame else {
      throw Refusal(
        "\(path): is not of the sweep in \(shown(named)), whose axes, number of points or baseline are others; name its own with --sweep")
    }
    return sweep
  }

  /// Prints the differences and the closing line. False if the output is closed.
  private func close(_ replay: RowReplay) -> Bool {
    for line in replay.lines where !printLine("\(path)/\(line)") { return false }
    if replay.differenceCount > replay.lines.count { printLine("… and \(replay.differenceCount - replay.lines.count) more values") }
    if arguments.has("--quiet") { return true }
    let runs = "\(Words.count(replay.replayed, "row")) of \(replay.count)"
    let missing = replay.missing == 0 ? "" : "; \(Words.count(replay.missing, "row is", "rows are")) missing"
    let same = replay.differing.isEmpty ? "all are the same" : Words.count(replay.differing.count, "row differs", "rows differ")
    return printLine("\(runs) run again: \(same)\(missing)")
  }
}

/// The rows that a table has of each point. Of a search or of `until` it has those of whole rounds, and of a race any first ones.
private struct RowPlan {
  let repetitions: ClosedRange<Int>
  /// The possible numbers of rows of a point, ascending.
  private let counts: [Int]
  /// The points that have rows, by id; nil for all.
  private let ids: Set<String>?

  init(runsOf sweep: SweepDescription) {
    let repeats = sweep.deterministic ? 1 : sweep.repeats
    let rounds = sweep.sequential?.looks ?? (sweep.search?.kind == .racing ? Array(1...repeats) : sweep.search?.rounds) ?? [repeats]
    (repetitions, ids) = (1...repeats, nil)
    counts = (sweep.search?.prior == nil ? [] : [0]) + rounds
  }

  init(_ confirm: SweepDescription.Confirm, of sweep: SweepDescription, _ summary: SweepSummary) {
    repetitions = sweep.repeats + 1...sweep.repeats + confirm.repeats
    (counts, ids) = ([confirm.repeats], Set(summary.finalists(confirm.best)))
  }

  /// Returns the number of rows of a point whose last repetition is `last`, counted from the table's first.
  func count(of id: String, last: Int) -> Int { ids?.contains(id) == false ? 0 : counts.first { $0 >= last } ?? last }
}

/// Runs a sample of rows again and collects what differs.
private struct RowReplay {
  /// The number of rows that are run again at a time.
  private static let batchSize = 4096
  /// The most differences that are kept as lines.
  private static let lineLimit = 20

  private let runner: SweepRunner
  /// The indices of the points by id; those of one scenario share an id.
  private var points: [UInt64: [Int]] = [:]
  private let share: Double
  private var draws: RandomStream
  private typealias Choice = (row: RunRow, number: Int, point: Int)
  private var batch: [Choice] = []
  private var last: Choice?
  private(set) var count = 0, replayed = 0
  /// The first differences, a line each, the number of all, and the numbers of the rows that have them.
  private(set) var lines: [String] = []
  private(set) var differenceCount = 0
  private(set) var differing: Set<Int> = []
  private(set) var missing = 0
  private var plan = RowPlan?.none
  /// The number of rows of each point in the present table, and its last repetition there.
  private var present: [(count: Int, last: Int)] = []
  private var rowsBefore = 0

  var isSame: Bool { differing.isEmpty && missing == 0 }

  /// - Throws: `InvalidInput` if a point is no valid scenario.
  init(_ runner: SweepRunner, share: Double, seed: UInt64) throws(InvalidInput) {
    (self.runner, self.share, draws) = (runner, share, RandomStream(runSeed: seed, name: "verify"))
    let decoder = PointDecoder(runner.sweep.grid)
    for index in 0..<runner.sweep.pointCount { points[try runner.sweep.id(index, decoder), default: []].append(index) }
  }

  mutating func begin(_ plan: RowPlan) {
    (self.plan, rowsBefore) = (plan, count)
    present = [(count: Int, last: Int)](repeating: (0, 0), count: runner.sweep.pointCount)
  }

  private mutating func note(_ point: Int, _ repetition: Int) {
    guard let plan, plan.repetitions.contains(repetition) else { return }
    present[point] = (present[point].count + 1, max(present[point].last, repetition - plan.repetitions.lowerBound + 1))
  }

  /// Notes a failed run by the cells of its line: point, repetition, seed, axis values.
  mutating func receive(failed cells: [String]) {
    let axes = Array(cells.dropFirst(3).dropLast())
    guard cells.count > 3, let repetition = Int(cells[1]) else { return }
    let known = UInt64(cells[0], radix: 16).flatMap { points[$0] } ?? Array(0..<runner.sweep.pointCount)
    if let point = known.first(where: { runner.sweep.axisValues($0).map(SafeText.line) == axes }) { note(point, repetition) }
  }

  /// Checks a row's key and adds it to the batch if it is in the sample.
  mutating func receive(_ row: RunRow, of file: String) {
    count += 1
    let isChosen = draws.unit() < share
    guard let known = UInt64(row.point, radix: 16).flatMap({ points[$0] }) else {
      return add("point", row.point, "no point of the sweep", row, count, file)
    }
    let point = known.first { runner.sweep.axisValues($0) == row.axisValues } ?? known[0]
    for (axis, (value, right)) in zip(row.axisValues, runner.sweep.axisValues(point)).enumerated() where value != right {
      add(runner.sweep.grid.paths[axis], value, right, row, count, file)
    }
    note(point, row.repetition)
    let seed = runner.sweep.seed(of: row.repetition)
    if row.seed != seed { add("seed", "\(row.seed)", "\(seed)", row, count, file) }
    last = (row, count, point)
    if isChosen { batch.append((row, count, point)) }
    if batch.count == Self.batchSize { run(file) }
  }

  /// Runs the rest of a file's sample, at least one row of all files, and names the points that lack rows; a shard's table has `shardRows`.
  mutating func finish(_ file: String, shardRows: Int?) {
    if replayed == 0, batch.isEmpty, let last { batch = [last] }
    run(file)
    guard let plan else { return }
    if let shardRows {
      missing += max(0, shardRows - (count - rowsBefore))
      return
    }
    let decoder = PointDecoder(runner.sweep.grid)
    for (point, (count, last)) in present.enumerated() {
      guard let id = try? PointID.text(runner.sweep.id(point, decoder)), case let planned = plan.count(of: id, last: last), count < planned
      else { continue }
      missing += planned - count
      if lines.count < Self.lineLimit { lines.append("\(file): point \(id) has \(count) of \(planned) rows") }
    }
  }

  private mutating func run(_ file: String) {
    let found = WorkerPool.map(batch.count, threads: runner.jobs) { [batch, runner] number -> RunOutcome? in
      let (row, _, point) = batch[number]
      let isCancelled = { @Sendable in Interruption.signal != 0 }
      guard let ready = try? runner.sweep.point(point, PointDecoder(runner.sweep.grid)) else { return .failure("it is no valid scenario") }
      return runner.outcome(of: ready, repetition: row.repetition, isCancelled: isCancelled)
    }
    for ((row, number, _), outcome) in zip(batch, found) {
      replayed += 1
      switch outcome {
      case .failure(let reason): add("row", "a result", "a failure, \(reason)", row, number, file)
      case .metrics(let again):
        for metric in runner.schema.metrics where row[metric] != again[metric] {
          add(metric.rawValue, row[metric].map(DecimalText.exact), again[metric].map(DecimalText.exact), row, number, file)
        }
        guard let digest = row.metrics.digest, digest != again.digest else { continue }
        add(RunWriter.digestColumn, RunWriter.text(ofDigest: digest), again.digest.map(RunWriter.text(ofDigest:)), row, number, file)
      }
    }
    batch.removeAll(keepingCapacity: true)
  }

  private mutating func add(_ column: String, _ value: String?, _ again: String?, _ row: RunRow, _ number: Int, _ file: String) {
    differing.insert(number)
    differenceCount += 1
    guard lines.count < Self.lineLimit else { return }
    lines.append(
      "\(file): point \(row.point), repetition \(row.repetition): \(column) is \(value ?? "empty"), and \(again ?? "empty") when run again")
  }
}
