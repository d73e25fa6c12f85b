// The ranking of an earlier sweep over the same axes, mostly an emulated one, that selects the starters of a race.

import Analysis
import Base

/// The order of the points in a results folder. It only decides which points start a race; its numbers enter no table.
struct PriorRanking: Sendable {
  /// The settings of a point, independent of the order of axes.
  struct Key: Hashable {
    /// The values of the axes that define the ranked strata; empty for a population, which has one ranking.
    var stratum: [String]
    var settings: [String]
  }

  /// The folder as written in the sweep file.
  let results: String
  /// The number of points of each stratum that start; nil for the default.
  let best: Int?
  private let location: SourceLocation
  private let axes: [String], strata: [String]
  private let isPopulation: Bool
  /// The rank of each point in its stratum, from 0.
  private(set) var ranks: [Key: Int] = [:]

  /// Reads the folder's sweep.json and runs.csv, and ranks its points by an objective; nil after a report.
  init?(results: String, best: Int?, objective: Objective?, at location: SourceLocation, files: InputFiles, sink: DiagnosticSink) {
    guard let (summary, sweep) = Self.read(results, objective, at: location, files: files, sink: sink) else { return nil }
    (self.results, self.best, self.location) = (results, best, location)
    axes = sweep.axes.map(\.path)
    (strata, isPopulation) = (sweep.strata?.paths ?? [], sweep.strata?.kind.isOneWhole == true)
    for part in isPopulation ? [summary] : summary.parts {
      for (rank, point) in part.best.enumerated() {
        let key = isPopulation ? key(part.axes, point.axisValues) : key(axes, point.runs.axisValues)
        // The baseline may be ranked twice: in the grid and as an extra point.
        if ranks[key] == nil { ranks[key] = rank }
      }
    }
  }

  private static func read(
    _ results: String, _ objective: Objective?, at location: SourceLocation, files: InputFiles, sink: DiagnosticSink
  ) -> (SweepSummary, SweepDescription)? {
    do {
      let description = try InputFile(path: files.resolved("\(results)/sweep.json"))
      let runs = try InputFile(path: files.resolved("\(results)/runs.csv"))
      var sweep = try SweepDescription(json: description.bytes, file: description.name)
      sweep.objective = objective
      return (try RunColumns(RunReader(name: runs.name, bytes: runs.bytes), objective: sweep.objective).summary(sweep: sweep), sweep)
    } catch let problem as ValueProblem {
      sink.report(problem, at: location, key: "prior")
    } catch let found as InvalidInput {
      sink.report(found)
    } catch {
      report("names \(quoted(results)), whose files do not fit: \(error)", at: location, sink)
    }
    return nil
  }

  private static func report(_ problem: String, at location: SourceLocation, _ sink: DiagnosticSink) {
    let remedy = "name a folder that `prefetch-sweep run` wrote for the same axes"
    sink.report(at: location, key: "prior", problem: problem, remedy: remedy)
  }

  /// Reports a ranking that does not fit a grid and its strata.
  func check(_ grid: Grid, strata others: SweepStrata?, sink: DiagnosticSink) {
    if axes.sorted() != grid.paths.sorted() {
      let problem = "has the axes \(axes.joined(separator: ", ")), this sweep \(grid.paths.joined(separator: ", "))"
      Self.report(problem, at: location, sink)
    } else if strata.sorted() != (others?.paths ?? []).sorted() || isPopulation != (others?.kind.isOneWhole == true) {
      Self.report("compares points within other strata than this sweep, so its ranks do not apply", at: location, sink)
    } else if !(0..<grid.count).contains(where: { ranks[key(grid.paths, grid.values($0).map(\.canonicalText))] != nil }) {
      Self.report("has none of this sweep's points", at: location, sink)
    }
  }

  func key(_ paths: [String], _ values: [String]) -> Key {
    let sorted = zip(paths, values).sorted { $0.0 < $1.0 }
    return Key(
      stratum: isPopulation ? [] : sorted.filter { strata.contains($0.0) }.map(\.1),
      settings: sorted.filter { !strata.contains($0.0) }.map(\.1))
  }
}
