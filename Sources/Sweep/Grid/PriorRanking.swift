// The ranking of an earlier sweep over the same axes: most often the emulator's, before the device's hours are spent.

import Analysis
import Import

/// Who was ahead in a folder of results. It decides who starts in a race, and nothing else: none of its numbers enters a table.
package struct PriorRanking: Sendable {
  /// A point by its settings, whatever the order of the axes.
  package struct Key: Hashable {
    /// Its values of the axes that make the strata within which points are ranked.
    package var stratum: [String]
    /// Its values of the others.
    package var settings: [String]
  }

  /// The folder as the sweep file names it.
  package let results: String
  /// How many of the best start, of each stratum; nil where the file does not say.
  package let best: Int?
  private let location: SourceLocation
  private let axes: [String]
  /// The axes that make the strata; those of a population are no part of a key, since the field ranks settings and not users.
  private let strata: (paths: [String], isPopulation: Bool)
  /// A point's place among the best of its stratum, from 0.
  private let places: [Key: Int]

  private static let remedy = "name a folder that `prefetch-sweep run` wrote for the same axes"

  /// Reads the folder's sweep.json and runs.csv; what is wrong with them is reported, and then there is no ranking.
  package init?(results: String, best: Int?, at location: SourceLocation, files: InputFiles, sink: DiagnosticSink) {
    guard let (summary, sweep) = Self.read(results, at: location, files: files, sink: sink) else { return nil }
    self.results = results
    self.best = best
    self.location = location
    axes = sweep.axes.map(\.path)
    strata = (sweep.strata?.paths ?? [], sweep.strata?.kind == .population)
    let parts = strata.isPopulation ? [summary] : summary.strata?.members.map(\.summary) ?? [summary]
    var places: [Key: Int] = [:]
    for part in parts {
      for (place, point) in part.best.enumerated() {
        let key =
          strata.isPopulation
          ? Self.key(part.axes, point.axisValues, strata.paths, true) : Self.key(axes, point.runs.axisValues, strata.paths, false)
        // The baseline may stand there twice, in the grid and beside it.
        if places[key] == nil { places[key] = place }
      }
    }
    self.places = places
  }

  private static func read(
    _ results: String, at location: SourceLocation, files: InputFiles, sink: DiagnosticSink
  ) -> (SweepSummary, SweepDescription)? {
    do {
      let (description, runs) = (try file("sweep.json", of: results, files), try file("runs.csv", of: results, files))
      let sweep = try SweepDescription(json: description.bytes, file: description.name)
      return (try RunColumns(RunReader(name: runs.name, bytes: runs.bytes)).summary(sweep: sweep), sweep)
    } catch let problem as ValueProblem {
      sink.report(problem, at: location, key: "prior")
    } catch let found as InvalidInput {
      sink.report(found)
    } catch {
      sink.report(at: location, key: "prior", problem: "names \(quoted(results)), whose files do not fit: \(error)", remedy: remedy)
    }
    return nil
  }

  /// - Throws: `ValueProblem` if the file cannot be read.
  private static func file(_ name: String, of results: String, _ files: InputFiles) throws(ValueProblem) -> InputFile {
    try InputFile(path: files.resolved("\(results)/\(name)"))
  }

  /// Reports a ranking that says nothing of a grid's points.
  package func check(_ grid: Grid, strata wanted: SweepStrata?, sink: DiagnosticSink) {
    func report(_ problem: String) { sink.report(at: location, key: "prior", problem: problem, remedy: Self.remedy) }
    if axes.sorted() != grid.paths.sorted() {
      report("has the axes \(axes.joined(separator: ", ")), this sweep \(grid.paths.joined(separator: ", "))")
    } else if strata.paths.sorted() != (wanted?.paths ?? []).sorted() || strata.isPopulation != (wanted?.kind == .population) {
      report("compares points within other strata than this sweep, so that their places say nothing here")
    } else if !(0..<grid.count).contains(where: { place(of: key(grid.paths, grid.values($0).map(\.canonicalText))) != nil }) {
      report("has none of this sweep's points")
    }
  }

  /// The key of a point by all its axes and their values.
  package func key(_ paths: [String], _ values: [String]) -> Key { Self.key(paths, values, strata.paths, strata.isPopulation) }

  private static func key(_ paths: [String], _ values: [String], _ strata: [String], _ isPopulation: Bool) -> Key {
    let sorted = zip(paths, values).sorted { $0.0 < $1.0 }
    return Key(
      stratum: isPopulation ? [] : sorted.filter { strata.contains($0.0) }.map(\.1),
      settings: sorted.filter { !strata.contains($0.0) }.map(\.1))
  }

  /// A point's place among the best of its stratum, from 0; nil for what the ranking does not have.
  package func place(of key: Key) -> Int? { places[key] }
}
