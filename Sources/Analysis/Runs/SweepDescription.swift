// sweep.json: the resolved sweep as reports need it, so that they can be made again without the simulator.
// The Sweep library fills, writes and reads it.

import Base

/// A resolved sweep: its question, its points and the baseline they are compared with.
package struct SweepDescription: Codable, Hashable, Sendable {
  package static let currentFormatVersion = 2

  package var formatVersion = Self.currentFormatVersion
  package var program: Program
  /// The executor that made the runs, `command` or `live`; nil for the emulator.
  package var backend: String?
  /// The kind of scenario; nil for a feed.
  package var scenario: String?
  package var name: String
  package var question: String
  /// The parts of the scenario that all points share, in the report's order: network, user, feed, downloads, prefetcher.
  package var head: [HeadLine]
  /// The name of the transport, e.g. `packet`.
  package var transport: String
  /// The swept parameters, in the order of the table's columns.
  package var axes: [Axis]
  /// The number of points, the baseline included.
  package var pointCount: Int
  /// The point that all others are compared with; of a sweep with strata, that of the first stratum.
  package var baseline: Baseline
  /// The strata within which points are compared; nil if all points are compared with each other.
  package var strata: Strata?
  package var repeats: Int
  package var seed: UInt64
  /// True if the scenario has no randomness and was therefore run once.
  package var deterministic: Bool
  /// The confidence of the intervals, e.g. 0.95.
  package var confidence = 0.95
  /// The largest difference that does not matter, as in the sweep file: `"2%"` of the baseline, or loaders per 1000; nil for none.
  package var margin: String?
  /// The metric to minimize and the constraints of the winner; nil for the headline without constraints.
  package var objective: Objective?
  /// The further metrics of its runs, by the names of their columns; nil for none.
  package var metrics: [String]?
  /// The parts of the axis values that are objects, by their texts; nil for none.
  package var objects: [String: [ValuePart]]?
  /// The precision at which a point stops; nil if all points have all repetitions.
  package var sequential: Sequential?
  /// The search for the better points with fewer runs; nil if all points have all repetitions.
  package var search: Search?
  /// The confirmation of the best points, whose rows are in `confirmation.csv`; nil if there is none.
  package var confirm: Confirm?
  /// Warnings, printed as footnotes.
  package var warnings: [String]
  /// True if the prefetcher of all points knows the future, so that none can win; nil if not, and if an axis chooses the prefetcher.
  package var isOracle: Bool?
  /// The sweep file and the settings of the command line; nil if they are unknown.
  package var source: SweepSource?

  package init(
    program: Program, name: String, question: String, head: [HeadLine], transport: String, axes: [Axis], pointCount: Int,
    baseline: Baseline, strata: Strata? = nil, repeats: Int, seed: UInt64, deterministic: Bool = false, margin: String? = nil,
    objective: Objective? = nil, warnings: [String] = [], source: SweepSource? = nil, scenario: String? = nil, backend: String? = nil
  ) {
    (self.program, self.backend, self.scenario, self.name, self.question) = (program, backend, scenario, name, question)
    (self.head, self.transport, self.axes, self.pointCount, self.baseline) = (head, transport, axes, pointCount, baseline)
    (self.strata, self.repeats, self.seed, self.deterministic, self.margin) = (strata, repeats, seed, deterministic, margin)
    (self.objective, self.warnings, self.source) = (objective, warnings, source)
  }

  /// The description without its sentences, source and marks, which another program may choose anew for the same runs.
  package var withoutWords: SweepDescription {
    var copy = self
    (copy.question, copy.head, copy.warnings, copy.baseline.settings) = ("", [], [], "")
    (copy.source, copy.isOracle) = (nil, nil)
    for index in copy.axes.indices { copy.axes[index].oracles = nil }
    for index in copy.strata?.members.indices ?? 0..<0 { copy.strata?.members[index].baseline.settings = "" }
    return copy
  }

  package var schema: RunSchema { (scenario.flatMap(RunSchema.named) ?? .feed).naming(metrics ?? []).judged(by: objective) }

  /// The program and the version of its model; programs with equal model versions give equal runs.
  package struct Program: Codable, Hashable, Sendable, CustomStringConvertible {
    package var name: String, version: String, modelVersion: String

    package init(name: String, version: String, modelVersion: String) {
      (self.name, self.version, self.modelVersion) = (name, version, modelVersion)
    }

    package var description: String { SafeText.bounded("\(name) \(version), model \(modelVersion)") }
  }

  package struct Confirm: Codable, Hashable, Sendable {
    /// The new repetitions of each point, numbered after those of the sweep.
    package var repeats: Int
    /// The number of best points, without the baseline.
    package var best: Int

    package init(repeats: Int, best: Int) { (self.repeats, self.best) = (repeats, best) }
  }

  package struct HeadLine: Codable, Hashable, Sendable {
    /// The name of the part, e.g. `network`.
    package var label: String
    /// The part in words, e.g. `3G: 780 kbps down, 330 kbps up, 100 ms each way`.
    package var text: String

    package init(label: String, text: String) { (self.label, self.text) = (label, text) }
  }

  /// A value within an axis value that is an object.
  package struct ValuePart: Codable, Hashable, Sendable {
    /// The keys that lead to it.
    package var path: [String]
    package var text: String

    package init(path: [String], text: String) { (self.path, self.text) = (path, text) }
  }

  package struct Axis: Codable, Hashable, Sendable {
    /// The dotted path, e.g. `prefetcher.maxCost`.
    package var path: String
    /// The values in order, as text.
    package var values: [String]
    /// The valid values beyond the axis' ends, nearest first; nil if they are unknown.
    package var valuesBelow: [String]?, valuesAbove: [String]?
    /// The points beyond the axis' ends that the sweep refuses; nil for none.
    package var exclusions: [Exclusion]?
    /// The values that choose a prefetcher which knows the future; nil for none.
    package var oracles: [String]?
    /// The values in the sweep file; nil unless the command line replaces them.
    package var fileValues: [String]?

    package init(path: String, values: [String]) { (self.path, self.values) = (path, values) }
  }

  /// A value beyond an axis that is refused beside some values of other axes, by `where` or by the scenario.
  package struct Exclusion: Codable, Hashable, Sendable {
    package var value: String
    /// The paths of the other axes concerned.
    package var paths: [String]
    /// The refused combinations of their values, in the order of `paths`.
    package var combinations: [[String]]

    package init(value: String, paths: [String], combinations: [[String]]) {
      (self.value, self.paths, self.combinations) = (value, paths, combinations)
    }
  }

  package struct Baseline: Codable, Hashable, Sendable {
    /// The point's id in `runs.csv`.
    package var point: String
    /// The point's axis values, in the order of the axes.
    package var axisValues: [String]
    /// The point's settings in words, e.g. `costBudget, maxCost 6, imageCost 1, videoCost 2`.
    package var settings: String
    /// True if it is one of the grid's points, false if it was added to them.
    package var inGrid: Bool
    /// True if the sweep file names no baseline, so that the first point is it; nil if it names one.
    package var isImplied: Bool?

    package init(point: String, axisValues: [String], settings: String, inGrid: Bool, isImplied: Bool? = nil) {
      (self.point, self.axisValues, self.settings, self.inGrid, self.isImplied) = (point, axisValues, settings, inGrid, isImplied)
    }
  }

  package struct Sequential: Codable, Hashable, Sendable {
    /// The half width of the interval that suffices: `"1%"` of the baseline, or loaders per 1000.
    package var until: String
    /// The numbers of repetitions at which the precision is checked; the last is the maximum.
    package var looks: [Int]

    package init(until: String, looks: [Int]) { (self.until, self.looks) = (until, looks) }
  }

  /// A search for the better points, round by round.
  package struct Search: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
      /// Successive halving: after each round the better half goes on.
      case halving
      /// A race: after each repetition of all racers, points that cannot win any more leave.
      case racing
    }

    /// An earlier sweep, most often an emulated one, whose ranking decides which points start.
    package struct Prior: Codable, Hashable, Sendable {
      /// The folder of the earlier sweep's results, as the sweep file names it.
      package var results: String
      /// The number of its best points that start, per stratum; the baseline always starts.
      package var best: Int

      package init(results: String, best: Int) { (self.results, self.best) = (results, best) }
    }

    package var kind: Kind
    /// The repetitions after each round; the last is that of the finalists.
    package var rounds: [Int]
    /// The device time that the runs may take, e.g. `8h`; nil for no limit.
    package var until: String?
    /// The earlier sweep that decides which points start; nil if all do.
    package var prior: Prior?

    package init(kind: Kind, rounds: [Int], until: String? = nil, prior: Prior? = nil) {
      (self.kind, self.rounds, self.until, self.prior) = (kind, rounds, until, prior)
    }

    /// Returns the rounds of successive halving up to `repeats` repetitions; the first has 2, and all cost about the same.
    package static func halvingRounds(_ repeats: Int) -> [Int] {
      var rounds = [repeats]
      while rounds[0] > 3 { rounds.insert((rounds[0] + 1) / 2, at: 0) }
      if rounds[0] == 3 { rounds.insert(2, at: 0) }
      return rounds
    }

    /// Returns the number of runs of successive halving over points that include the baseline; each round keeps 2, or `best`.
    package static func halvingRuns(points: Int, repeats: Int, atLeast best: Int = 1) -> Int {
      var (runs, done, others) = (0, 0, points - 1)
      for round in halvingRounds(repeats) {
        runs += (others + 1) * (round - done)
        (done, others) = (round, min(others, max(2, best, (others + 1) / 2)))
      }
      return runs
    }
  }

  /// The confidence of an interval at one look, such that it holds at all looks with `confidence`.
  // A reader who looks L times and stops at will errs up to L times as often (Bonferroni over the looks; Armitage, McPherson & Rowe
  // 1969, doi:10.2307/2343787).
  package var lookConfidence: Double { MultipleTests.simultaneousConfidence(confidence, count: sequential?.looks.count ?? 1) }

  package struct Strata: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
      /// The values of axes; all count equally.
      case axes
      /// The values of axes that choose the model (the transport); nothing is ranked, averaged or weighted over them.
      case models
      /// Groups of users with their shares, beside the scenario's own stratum.
      case population
      /// Worlds of equal weight: each has a plausible value of everything that nobody knows.
      case worlds

      /// True if the weighted whole decides, so that all strata share one race and one confirmation.
      package var isOneWhole: Bool { self == .population || self == .worlds }

      package var wholeName: String {
        switch self {
        case .axes, .models: "all"
        case .population: "population"
        case .worlds: "all worlds"
        }
      }
    }

    package var kind: Kind
    /// The axes whose values distinguish the strata.
    package var paths: [String]
    /// The strata in the order of their rows.
    package var members: [Stratum]
    /// Of worlds, the bounds that the baseline's means keep in those that count; nil if all count.
    package var measured: [Constraint]?

    package init(kind: Kind, paths: [String], members: [Stratum], measured: [Constraint]? = nil) {
      (self.kind, self.paths, self.members, self.measured) = (kind, paths, members, measured)
    }
  }

  package var baselines: [Baseline] { strata?.members.map(\.baseline) ?? [baseline] }
  package var addedBaselines: Set<String> { Set(baselines.filter { !$0.inGrid }.map(\.point)) }

  /// True if each stratum has its own race, finalists and confirmation; those of a population, and worlds, share theirs.
  package var hasSeparateStrata: Bool { strata.map { !$0.kind.isOneWhole } ?? false }

  package struct Stratum: Codable, Hashable, Sendable {
    /// The name of the scenario's own stratum, unless a member of the population is equal to it.
    package static let ownName = "scenario"

    package var name: String
    /// The values of the axes in `paths`.
    package var values: [String]
    /// The stratum's share of the whole, 0 … 1; all shares add up to 1.
    package var weight: Double
    /// True if it is the scenario's own stratum. The name is that of the key in sweep.json.
    package var isLab: Bool
    package var baseline: Baseline
    /// True of models for the one with which the others are compared, which stands for all where one must; nil for the others.
    package var isPrincipal: Bool?

    package init(name: String, values: [String], weight: Double, isLab: Bool = false, baseline: Baseline) {
      (self.name, self.values, self.weight, self.isLab, self.baseline) = (name, values, weight, isLab, baseline)
    }
  }
}
