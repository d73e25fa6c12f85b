// Session logs: how long a user stayed at each item, as any app may have written it down.

/// Turns rows under a header into a recording for `user.recording`: the columns `item`, from 0, and `dwellMs`.
struct SessionLog: LineLog {
  static let noun = "stays"
  private static let dwellNames: [(name: String, unitMs: Int64)] = [
    ("dwellMs", 1), ("dwell_ms", 1), ("dwell", 1), ("dwellSeconds", 1000), ("dwell_s", 1000),
  ]
  private static let dayMs: Int64 = 86_400_000

  private let job: ImportJob
  private let output: ImportOutput
  private var rows = HeadedRows()
  private var columns: (item: Int?, dwell: Int, unitMs: Int64) = (nil, -1, 1)
  private(set) var rowCount = 0
  let isEmpty = false

  /// A log whose columns are named by an import's options.
  init(_ job: ImportJob, output: ImportOutput) {
    self.job = job
    self.output = output
  }

  /// - Throws: `LineProblem` if the line is malformed, and what writing throws.
  mutating func take(_ line: TextLine) throws -> Bool {
    var found: (item: Int?, dwell: Int, unitMs: Int64)?
    let isRow = try rows.take(line) { [job] in found = try Self.columns($0.map(line.text), job) }
    if let found {
      columns = found
      output.literal("item,dwellMs\n")
    }
    guard isRow else { return false }
    // Without a column of items, each row is the next one.
    var number = Int64(rowCount)
    if let item = columns.item {
      guard let given = line.number(rows.cells[item]), given < 1_000_000_000 else {
        throw LineProblem("has the item \(line.shown(rows.cells[item]))", remedy: "write a whole number, counted from 0")
      }
      number = given
    }
    let dwell = rows.cells[columns.dwell]
    guard let stay = line.number(dwell, places: 6), stay > 0, stay / 1_000_000 <= Self.dayMs / columns.unitMs else {
      throw LineProblem("has the dwell \(line.shown(dwell))", remedy: "write more than 0 and at most a day")
    }
    output.append(number)
    output.literal(",")
    output.append(stay * columns.unitMs, places: 6)
    output.literal("\n")
    try output.flushIfFull()
    rowCount += 1
    return true
  }

  func finish() {}

  /// - Throws: `LineProblem` if a column is missing.
  private static func columns(_ names: [String], _ job: ImportJob) throws(LineProblem) -> (item: Int?, dwell: Int, unitMs: Int64) {
    let known = job.dwellColumn.map { [(name: $0, unitMs: Int64(1))] } ?? dwellNames
    guard let found = known.first(where: { names.contains($0.name) }), let dwell = names.firstIndex(of: found.name) else {
      throw LineProblem(
        "has no column \(known.map { quoted($0.name) }.joined(separator: " or "))",
        remedy: "name it with --dwell-column; the columns are \(names.prefix(20).joined(separator: ", "))")
    }
    let item = names.firstIndex(of: job.itemColumn ?? "item")
    if let column = job.itemColumn, item == nil {
      throw LineProblem("has no column \(quoted(column))", remedy: "leave out --item-column, or correct it")
    }
    return (item, dwell, job.dwellUnitMs ?? found.unitMs)
  }
}
