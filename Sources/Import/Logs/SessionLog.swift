// Session logs: how long a user stayed at each item, as any app may have written it down.

/// Turns rows under a header into a recording for `user.recording`: the columns `item`, from 0, and `dwellMs`.
struct SessionLog {
  /// What the columns are called; nil for the usual names.
  package var itemColumn: String?
  package var dwellColumn: String?
  /// Milliseconds in the unit of the dwell; nil for what its name says.
  package var dwellUnitMs: Int64?

  private static let dwellNames: [(name: String, unitMs: Int64)] = [
    ("dwellMs", 1), ("dwell_ms", 1), ("dwell", 1), ("dwellSeconds", 1000), ("dwell_s", 1000),
  ]
  private static let dayMs: Int64 = 86_400_000

  private var cells: [Range<Int>] = []
  private var columnCount = 0
  private var item: Int?
  private var dwell = -1
  private var unitMs: Int64 = 1
  /// Stays handed on.
  private(set) var count = 0

  package init(itemColumn: String?, dwellColumn: String?, dwellUnitMs: Int64?) {
    self.itemColumn = itemColumn
    self.dwellColumn = dwellColumn
    self.dwellUnitMs = dwellUnitMs
  }

  /// Takes a line; false for the header and blank lines.
  package mutating func take(_ line: UnsafeRawBufferPointer, _ output: ImportOutput) throws -> Bool {
    if line.isEmpty { return false }
    LineFields.cells(of: line, into: &cells)
    if columnCount == 0 {
      try readHeader(line)
      output.literal("item,dwellMs\n")
      return false
    }
    guard cells.count == columnCount else {
      throw LineProblem("has \(cells.count) cells, the header \(columnCount)", remedy: "write a cell for each column")
    }
    // Without a column of items, each row is the next one.
    var number = Int64(count)
    if let item {
      guard let given = LineFields.number(line, cells[item]), given < 1_000_000_000 else {
        throw LineProblem("has the item \(LineFields.shown(line, cells[item]))", remedy: "write a whole number, counted from 0")
      }
      number = given
    }
    guard let stay = LineFields.number(line, cells[dwell], places: 6), stay > 0, stay / 1_000_000 <= Self.dayMs / unitMs else {
      throw LineProblem("has the dwell \(LineFields.shown(line, cells[dwell]))", remedy: "write more than 0 and at most a day")
    }
    output.append(number)
    output.literal(",")
    output.append(stay * unitMs, places: 6)
    output.literal("\n")
    try output.flushIfFull()
    count += 1
    return true
  }

  private mutating func readHeader(_ line: UnsafeRawBufferPointer) throws(LineProblem) {
    let names = cells.map { LineFields.text(line, $0) }
    let known = dwellColumn.map { [(name: $0, unitMs: Int64(1))] } ?? Self.dwellNames
    guard let found = known.first(where: { names.contains($0.name) }), let place = names.firstIndex(of: found.name) else {
      throw LineProblem(
        "has no column \(known.map { quoted($0.name) }.joined(separator: " or "))",
        remedy: "name it with --dwell-column; the columns are "
          + names.prefix(20).joined(separator: ", "))
    }
    item = names.firstIndex(of: itemColumn ?? "item")
    if let itemColumn, item == nil {
      throw LineProblem("has no column \(quoted(itemColumn))", remedy: "leave out --item-column, or correct it")
    }
    (dwell, unitMs, columnCount) = (place, dwellUnitMs ?? found.unitMs, cells.count)
  }
}
