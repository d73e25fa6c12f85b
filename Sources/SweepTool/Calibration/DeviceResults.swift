// The results of a device: what its runs measured, point by point, and which sweep they are of.

import Analysis
import Import
import Sweep

/// Runs that were made on a device, or anywhere else than in this emulator.
package struct DeviceResults {
  struct Point {
    let axisValues: [String]
    /// The metrics stand in the order of `Metric.allCases`.
    var runs: [(repetition: Int, metrics: [Double?])] = []

    func values(_ metric: Metric) -> [Double] { runs.compactMap { $0.metrics[metric.index] } }
  }

  /// The file or folder, as the user named it, and the folder that the runs are in.
  let path: String, folder: String
  /// The sweep file and what was said over it, by the folder's sweep.json; nil for a bare runs.csv.
  let sweep: RepeatCommand?
  let axes: [String]
  /// The points in the order in which they first come.
  private(set) var points: [Point] = []

  /// Reads a folder of results, or a runs.csv.
  ///
  /// - Throws: `InvalidInput` where a file is malformed, `Refusal` where the runs are not a feed's.
  package init(path: String) throws {
    let isFolder = SystemFile.isFolder(path)
    let runs = isFolder ? "\(path)/runs.csv" : path
    self.path = path
    folder = isFolder ? path : path.lastIndex(of: "/").map { String(path[..<$0]) } ?? "."
    if isFolder {
      let file = "\(path)/sweep.json"
      sweep = RepeatCommand(try SweepDescription(json: try Self.contents(file), file: file).reproduceCommand)
    } else {
      sweep = nil
    }
    let reader = RunReader(name: runs, bytes: try Self.contents(runs))
    var places: [[String]: Int] = [:]
    while let row = try reader.row() {
      let place = places[row.axisValues] ?? points.count
      if place == points.count {
        places[row.axisValues] = place
        points.append(Point(axisValues: row.axisValues))
      }
      points[place].runs.append((row.repetition, row.metrics))
    }
    guard reader.schema == .feed else {
      throw Refusal("\(runs): has the runs of a \(reader.schema.kind); only a feed's can be held against the emulator")
    }
    guard !points.isEmpty else { throw Refusal("\(runs): has no runs, so there is nothing to hold the emulator against") }
    axes = reader.axes
  }

  /// - Throws: `InvalidInput` if the file cannot be read.
  private static func contents(_ path: String) throws(InvalidInput) -> [UInt8] {
    if let bytes = try? SystemFile.contents(path) { return bytes }
    throw InvalidInput(diagnostics: [
      Diagnostic(
        location: SourceLocation(whole: path), key: "", problem: "cannot be read",
        remedy: "name a folder of results with runs.csv and sweep.json, or a runs.csv")
    ])
  }
}
