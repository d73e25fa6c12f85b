// sweep.json: the resolved sweep as the reports need it, so that they can be made again without the simulator.
// The Sweep library fills it; how it is written and read is in SweepDescription+JSON.swift.

/// A resolved sweep: what was asked, of what, against which baseline.
package struct SweepDescription: Codable, Hashable, Sendable {
  /// The version of this form that this program writes.
  package static let currentFormatVersion = 2

  /// The version of this form.
  package var formatVersion: Int
  /// What made the runs.
  package var program: Program
  /// What made the runs, `command` or `live`; nil for the emulator.
  package var backend: String?
  /// The kind of scenario; nil for a feed.
  package var scenario: String?
  /// The sweep's name, the report's title.
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
  /// Repetitions of each point.
  package var repeats: Int
  /// The sweep's seed.
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

  /// A description with every part given.
  package init(
    program: Program, name: String, question: String, head: [HeadLine], transport: String, axes: [Axis], pointCount: Int,
    baseline: Baseline, strata: Strata? = nil, repeats: Int, seed: UInt64, deterministic: Bool = false, confidence: Double = 0.95,
    margin: String? = nil,
    sequential: Sequential? = nil, search: Search? = nil, confirm: Confirm? = nil, warnings: [String] = [], reproduceCommand: String,
    explainCommand: String? = nil, scenario: String? = nil, backend: String? = nil
  ) {
    self.scenario = scenario
    self.backend = backend
    formatVersion = SweepDescription.currentFormatVersion
    self.program = program
    self.name = name
    self.question = question
    self.head = head
    self.transport = transport
    self.axes = axes
    self.pointCount = pointCount
    self.baseline = baseline
    self.strata = strata
    self.repeats = repeats
    self.seed = seed
    self.deterministic = deterministic
    self.confidence = confidence
    self.margin = margin
    self.sequential = sequential
    self.search = search
    self.confirm = confirm
    self.warnings = warnings
    self.reproduceCommand = reproduceCommand
    self.explainCommand = explainCommand
  }

  /// What its runs measure.
  package var schema: RunSchema { scenario.flatMap(RunSchema.named) ?? .feed }

  /// The program and the version of its model; two programs with the same model version give the same runs.
  package struct Program: Codable, Hashable, Sendable {
    /// The program's name.
    package var name: String
    /// The version of its model.
    package var modelVersion: String

    /// A program's name and model version.
    package init(name: String, modelVersion: String) {
      self.name = name
      self.modelVersion = modelVersion
    }
  }

  /// A confirmation on fresh seeds.
  package struct Confirm: Codable, Hashable, Sendable {
    /// Fresh repetitions of each point, which follow those of the sweep.
    package var repeats: Int
    /// How many of the best points, the baseline not counted.
    package var best: Int

    /// A confirmation.
    package init(repeats: Int, best: Int) {
      self.repeats = repeats
      self.best = best
    }
  }

  /// One line of the report's head.
  package struct HeadLine: Codable, Hashable, Sendable {
    /// What the line is about, e.g. `network`.
    package var label: String
    /// What holds, e.g. `3G: 780 kbps down, 330 kbps up, 100 ms each way`.
    package var text: String

    /// A line of the head.
    package init(label: String, text: String) {
      self.label = label
      self.text = text
    }
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

    /// An axis and its values.
    package init(path: String, values: [String], valuesBelow: [String]? = nil, valuesAbove: [String]? = nil) {
      self.path = path
      self.values = values
      self.valuesBelow = valuesBelow
      self.valuesAbove = valuesAbove
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

    /// An exclusion.
    package init(value: String, paths: [String], combinations: [[String]]) {
      self.value = value
      self.paths = paths
      self.combinations = combinations
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

    /// A baseline.
    package init(point: String, axisValues: [String], settings: String, inGrid: Bool, isImplied: Bool? = nil) {
      self.point = point
      self.axisValues = axisValues
      self.settings = settings
      self.inGrid = inGrid
      self.isImplied = isImplied
    }
  }
}
