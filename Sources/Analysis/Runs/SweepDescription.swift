// sweep.json: the resolved sweep as the reports need it, so that they can be made again without the simulator.
// The Sweep library fills it; how it is written and read is in SweepDescription+JSON.swift.

/// A resolved sweep: what was asked, of what, against which baseline.
package struct SweepDescription: Codable, Hashable, Sendable {
  /// The version of this form that this program writes.
  package static let currentFormatVersion = 2

  package var formatVersion: Int
  /// What made the runs.
  package var program: Program
  /// What made the runs, `command` or `live`; nil for the emulator.
  package var backend: String?
  /// The kind of scenario; nil for a feed.
  package var scenario: String?
  package var name: String
  /// The question in one sentence.
  package var question: String
  /// What holds for all points, in the order of the report's head: network, user, feed, downloads, prefetcher.
  package var head: [HeadLine]
  /// The name of the transport under the transfers, e.g. `packet`.
  package var transport: String
  /// The swept parameters, in the order of the table's columns.
  package var axes: [Axis]
  /// The number of points, the baseline included.
  package var pointCount: Int
  /// What all points are compared with; of a sweep with strata, the first stratum's.
  package var baseline: Baseline
  /// The parts within which points are compared; nil where all are compared with each other.
  package var strata: Strata?
  package var repeats: Int
  package var seed: UInt64
  /// Whether the scenario has no randomness at all and was therefore run once.
  package var deterministic: Bool
  /// The confidence of the intervals, e.g. 0.95.
  package var confidence: Double
  /// What difference does not matter, as the sweep file says it: `"2%"` of the baseline, or loaders per 1000; nil for none.
  package var margin: String?
  /// How a point's precision ended its repetitions; nil where all points have all of them.
  package var sequential: Sequential?
  /// How the better points were found with fewer runs; nil where all points have all repetitions.
  package var search: Search?
  /// How the best points were run again on fresh seeds, whose rows are in `confirmation.csv`; nil where they were not.
  package var confirm: Confirm?
  /// What the reader must know; printed as footnotes.
  package var warnings: [String]
  /// The command that runs one row again, with `{point}`, `{repetition}` and `{seed}` in place of the row's own.
  package var reproduceCommand: String
  /// The command that draws one row's run beside the baseline's, with the same places to fill; nil where no run can be drawn, and in files
  /// of programs that did not write it.
  package var explainCommand: String?

  package init(
    program: Program, name: String, question: String, head: [HeadLine], transport: String, axes: [Axis], pointCount: Int,
    baseline: Baseline, strata: Strata? = nil, repeats: Int, seed: UInt64, deterministic: Bool = false, confidence: Double = 0.95,
    margin: String? = nil,
    sequential: Sequential? = nil, search: Search? = nil, confirm: Confirm? = nil, warnings: [String] = [], reproduceCommand: String,
    explainCommand: String? = nil, scenario: String? = nil, backend: String? = nil
  ) {
    formatVersion = SweepDescription.currentFormatVersion
    (self.program, self.backend, self.scenario, self.name, self.question) = (program, backend, scenario, name, question)
    (self.head, self.transport, self.axes, self.pointCount, self.baseline) = (head, transport, axes, pointCount, baseline)
    (self.strata, self.repeats, self.seed, self.deterministic, self.confidence) = (strata, repeats, seed, deterministic, confidence)
    (self.margin, self.sequential, self.search, self.confirm, self.warnings) = (margin, sequential, search, confirm, warnings)
    (self.reproduceCommand, self.explainCommand) = (reproduceCommand, explainCommand)
  }

  /// What its runs measure.
  package var schema: RunSchema { scenario.flatMap(RunSchema.named) ?? .feed }

  /// The program and the version of its model; two programs with the same model version give the same runs.
  package struct Program: Codable, Hashable, Sendable, CustomStringConvertible {
    package var name: String
    /// The program's version; nil in results of programs before 1.0.0.
    package var version: String?
    package var modelVersion: String

    package init(name: String, version: String? = nil, modelVersion: String) {
      (self.name, self.version, self.modelVersion) = (name, version, modelVersion)
    }

    package var description: String { "\(name)\(version.map { " \($0)" } ?? ""), model \(modelVersion)" }
  }

  /// A confirmation on fresh seeds.
  package struct Confirm: Codable, Hashable, Sendable {
    /// Fresh repetitions of each point, which follow those of the sweep.
    package var repeats: Int
    /// How many of the best points, the baseline not counted.
    package var best: Int

    package init(repeats: Int, best: Int) { (self.repeats, self.best) = (repeats, best) }
  }

  /// One line of the report's head.
  package struct HeadLine: Codable, Hashable, Sendable {
    /// Such as `network`.
    package var label: String
    /// Such as `3G: 780 kbps down, 330 kbps up, 100 ms each way`.
    package var text: String

    package init(label: String, text: String) { (self.label, self.text) = (label, text) }
  }

  /// A swept parameter.
  package struct Axis: Codable, Hashable, Sendable {
    /// Its dotted path, e.g. `prefetcher.maxCost`.
    package var path: String
    /// Its values in order, as text.
    package var values: [String]
    /// Values to try beyond its ends that the key takes, the nearest first; nil where they are not known.
    package var valuesBelow: [String]?, valuesAbove: [String]?
    /// The points beyond its ends that the sweep refuses; nil for none.
    package var exclusions: [Exclusion]?
    /// The values in the sweep file; nil where the command line does not replace them.
    package var fileValues: [String]?

    package init(path: String, values: [String], valuesBelow: [String]? = nil, valuesAbove: [String]? = nil) {
      (self.path, self.values, self.valuesBelow, self.valuesAbove) = (path, values, valuesBelow, valuesAbove)
    }
  }

  /// A value beyond an axis that `where` or the scenario refuses beside some values of other axes.
  package struct Exclusion: Codable, Hashable, Sendable {
    /// The value beyond the axis.
    package var value: String
    /// The other axes that matter.
    package var paths: [String]
    /// Their combinations of values, in the order of `paths`.
    package var combinations: [[String]]

    package init(value: String, paths: [String], combinations: [[String]]) {
      (self.value, self.paths, self.combinations) = (value, paths, combinations)
    }
  }

  /// The point that all others are compared with.
  package struct Baseline: Codable, Hashable, Sendable {
    /// Its id in `runs.csv`.
    package var point: String
    /// Its values of the axes, in their order.
    package var axisValues: [String]
    /// Its settings in words, e.g. `costBudget, maxCost 6, imageCost 1, videoCost 2`.
    package var settings: String
    /// Whether it is one of the grid's points, or was added to them.
    package var inGrid: Bool
    /// True if the sweep file names no baseline and the first point stands for it; nil in files of programs that did not write it.
    package var isImplied: Bool?

    package init(point: String, axisValues: [String], settings: String, inGrid: Bool, isImplied: Bool? = nil) {
      (self.point, self.axisValues, self.settings, self.inGrid, self.isImplied) = (point, axisValues, settings, inGrid, isImplied)
    }
  }
}

extension SweepDescription {
  /// A point ended once its difference to the baseline was known well enough.
  package struct Sequential: Codable, Hashable, Sendable {
    /// The half width of its interval that was enough: `"1%"` of the baseline, or loaders per 1000.
    package var until: String
    /// The numbers of repetitions after which it was looked; the last is the most.
    package var looks: [Int]

    package init(until: String, looks: [Int]) { (self.until, self.looks) = (until, looks) }
  }

  /// The better points were found round by round.
  package struct Search: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
      /// After each round the better half goes on.
      case halving
      /// After each block, a repetition of all that are still in the race, those that can no longer win leave it.
      case racing
    }

    /// An earlier sweep, most often an emulated one, by whose ranking it was decided who starts.
    package struct Prior: Codable, Hashable, Sendable {
      /// Its folder of results, as the sweep file names it.
      package var results: String
      /// How many of its best points start, of each stratum; the baseline always does.
      package var best: Int

      package init(results: String, best: Int) { (self.results, self.best) = (results, best) }
    }

    package var kind: Kind
    /// The repetitions after each round; the last is what the finalists have.
    package var rounds: [Int]
    /// The device time that the runs may take, e.g. `8h`; nil for any.
    package var until: String?
    /// What decided who starts; nil where all do.
    package var prior: Prior?

    package init(kind: Kind, rounds: [Int], until: String? = nil, prior: Prior? = nil) {
      (self.kind, self.rounds, self.until, self.prior) = (kind, rounds, until, prior)
    }
  }

  /// The confidence of an interval at one look, so that it holds at all looks with `confidence`: a reader who looks L times and stops when
  /// it suits him errs up to L times as often (Bonferroni over the looks; Armitage, McPherson & Rowe 1969, doi:10.2307/2343787).
  package var lookConfidence: Double {
    MultipleTests.simultaneousConfidence(confidence, count: sequential?.looks.count ?? 1)
  }
}

extension SweepDescription {
  /// The parts of a sweep within which points are compared.
  package struct Strata: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
      /// The values of axes; each counts the same.
      case axes
      /// The values of axes that choose the model, the transport: nothing is ranked, averaged or weighed over them.
      case models
      /// The users that there are, by their shares: the field, beside the scenario's own stratum, the lab.
      case population
    }

    package var kind: Kind
    /// The axes whose values tell the strata apart.
    package var paths: [String]
    /// The strata in the order of their rows.
    package var members: [Stratum]

    package init(kind: Kind, paths: [String], members: [Stratum]) { (self.kind, self.paths, self.members) = (kind, paths, members) }
  }

  /// True if each stratum has its own race, finalists and confirmation; those of a population have common ones.
  package var hasSeparateStrata: Bool { strata.map { $0.kind != .population } ?? false }

  /// One of them.
  package struct Stratum: Codable, Hashable, Sendable {
    package var name: String
    /// Its values of `paths`.
    package var values: [String]
    /// Its share of the whole, 0 … 1; all shares add up to 1.
    package var weight: Double
    /// Whether it is the scenario's own.
    package var isLab: Bool
    /// What its points are compared with.
    package var baseline: Baseline

    package init(name: String, values: [String], weight: Double, isLab: Bool = false, baseline: Baseline) {
      (self.name, self.values, self.weight, self.isLab, self.baseline) = (name, values, weight, isLab, baseline)
    }
  }
}
