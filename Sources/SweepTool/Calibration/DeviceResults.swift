// The results of a device: the measurements of its runs, by point, and their sweep.

import Analysis
import Base
import Sweep

/// Runs of a device, or of anything else than this emulator.
package struct DeviceResults {
  struct Point {
    let axisValues: [String]
    var runs: [(repetition: Int, metrics: RunMetrics)] = []

    func values(_ metric: Metric) -> [Double] { runs.compactMap { $0.metrics[metric] } }
  }

  /// The file or folder as the user named it, and the folder of the runs.
  let path: String, folder: String
  /// The sweep file and its overrides, from the folder's sweep.json; nil for a runs.csv alone.
  let sweep: SweepSource?
  let axes: [String]
  /// The points in order of their first run.
  private(set) var points: [Point] = []

  /// Reads a folder of results, or a runs.csv.
  /// - Throws: `InvalidInput` if a file is malformed, `Refusal` if the runs are not of a feed.
  package init(path: String) throws {
    let isFolder = SystemFile.isFolder(path)
    let runs = isFolder ? "\(path)/runs.csv" : path
    self.path = path
    folder = isFolder ? path : path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    let file = "\(path)/sweep.json"
    sweep = try isFolder ? SweepDescription(json: Self.contents(file), file: file).located(in: path).source : nil
    let reader = RunReader(name: runs, bytes: try Self.contents(runs))
    var indices: [[String]: Int] = [:]
    while let row = try reader.row() {
      let index = indices[row.axisValues] ?? points.count
      if index == points.count {
        indices[row.axisValues] = index
        points.append(Point(axisValues: row.axisValues))
      }
      points[index].runs.append((row.repetition, row.metrics))
    }
    guard reader.schema.kind == RunSchema.feed.kind else {
      throw Refusal("\(runs): has the runs of a \(reader.schema.kind); only runs of a feed can be compared with the emulator")
    }
    guard !points.isEmpty else { throw Refusal("\(runs): has no runs to compare the emulator with") }
    axes = reader.axes
  }

  /// Reads the blocks of a check on devices in a folder; `sweep` is the sweep of the check.
  /// - Throws: `Refusal` if the blocks are not of points of the sweep; what reading them throws.
  init(blocks folder: String, of sweep: ResolvedSweep) throws {
    (path, self.folder, self.sweep, axes) = (folder, folder, nil, sweep.grid.paths)
    for row in try BlockJournal.rows(in: folder, of: sweep) {
      let index = points.firstIndex { $0.axisValues == row.axisValues } ?? points.count
      if index == points.count { points.append(Point(axisValues: row.axisValues)) }
      points[index].runs.append((row.repetition, row.metrics))
    }
    guard !points.isEmpty else { throw Refusal("\(folder): has no whole block to compare the emulator with") }
  }

  /// - Throws: `InvalidInput` if the file cannot be read.
  private static func contents(_ path: String) throws(InvalidInput) -> [UInt8] {
    InputFile.noteInput(path)
    if let bytes = try? SystemFile.contents(path) { return bytes }
    throw InvalidInput(
      at: SourceLocation(whole: path), key: "", problem: "cannot be read",
      remedy: InputFile.remedy(for: path, otherwise: "name a folder of results with runs.csv and sweep.json, or a runs.csv"))
  }
}
