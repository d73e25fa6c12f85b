// The ranking of an earlier sweep over the same axes: most often the emulator's, before the device's hours are spent.

import Analysis
import Import

/// Who was ahead in a folder of results. It decides who starts in a race, and nothing else: none of its numbers enters a table.
struct PriorRanking: Sendable {
  /// A point by its settings, whatever the order of the axes.
  struct Key: Hashable {
    /// Its values of the axes that make the strata within which points are ranked; none of a population's, since the field ranks settings
    /// and not users.
    var stratum: [String]
    /// Its values of the others.
    var settings: [String]
  }

  /// The folder as the sweep file names it.
  let results: String
  /// How many of the best start, of each stratum; nil where the file does not say.
  let best: Int?
  private let location: SourceLocation
  private let axes: [String]
  private let strata: [String]
  private let isPopulation: Bool
  /// A point's place among the best of its stratum, from 0.
  private var ranks: [Key: Int] = [:]

  /// Reads the folder's sweep.json and runs.csv; what is wrong with them is reported, and then there is no ranking.
  init?(results: String, best: Int?, at location: SourceLocation, files: InputFiles, sink: DiagnosticSink) {
    guard let (summary, sweep) = Self.read(results, at: location, files: files, sink: sink) else { return nil }
    (self.results, self.best, self.location) = (results, best, location)
    axes = sweep.axes.map(\.path)
    (strata, isPopulation) = (sweep.strata?.paths ?? [], sweep.strata?.kind == .population)
    for part in isPopulation ? [summary] : summary.strata?.members.map(\.summary) ?? [summary] {
      for (rank, point) in part.best.enumerated() {
        let key = isPopulation ? key(part.axes, point.axisValues) : key(axes, point.runs.axisValues)
        // The baseline may stand there twice, in the grid and beside it.
        if ranks[key] == nil { ranks[key] = rank }
      }
    }
  }

  private static func read(
    _ results: String, at location: SourceLocation, files: InputFiles, sink: DiagnosticSink
  ) -> (SweepSummary, SweepDescription)? {
    do {
      let description = try InputFile(path: files.resolved("\(results)/sweep.json"))
      let runs = try InputFile(path: files.resolved("\(results)/runs.csv"))
      let sweep = try SweepDescription(json: description.bytes, file: description.name)
      return (try RunColumns(RunReader(name: runs.name, bytes: runs.bytes)).summary(sweep: sweep), sweep)
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
    sink.report(
      at: location, key: "prior", problem: problem, remedy: "name a folder that `prefetch-sweep run` wrote for the same axes")
  }

  /// Reports a ranking that says nothing of a grid's points.
  func check(_ grid: Grid, strata others: SweepStrata?, sink: DiagnosticSink) {
    if axes.sorted() != grid.paths.sorted() {
      let problem = "has the axes \(axes.joined(separator: ", ")), this sweep \(grid.paths.joined(separator: ", "))"
      Self.report(problem, at: location, sink)
    } else if strata.sorted() != (others?.paths ?? []).sorted() || isPopulation != (others?.kind == .population) {
      Self.report("compares points within other strata than this sweep, so that their places say nothing here", at: location, sink)
    } else if !(0..<grid.count).contains(where: { rank(of: key(grid.paths, grid.values($0).map(\.canonicalText))) != nil }) {
      Self.report("has none of this sweep's points", at: location, sink)
    }
  }

  /// The key of a point by all its axes and their values.
  func key(_ paths: [String], _ values: [String]) -> Key {
    let sorted = zip(paths, values).sorted { $0.0 < $1.0 }
    return Key(
      stratum: isPopulation ? [] : sorted.filter { strata.contains($0.0) }.map(\.1),
      settings: sorted.filter { !strata.contains($0.0) }.map(\.1))
  }

  /// A point's place among the best of its stratum, from 0; nil for what the ranking does not have.
  func rank(of key: Key) -> Int? { ranks[key] }
}
