// The kinds of scenarios: their columns in runs.csv, the metrics that judge points, and their words in reports.

/// The columns and words of one kind of scenario. Tables, verdicts and reports depend on the kind through this type only.
package struct RunSchema: Hashable, Sendable {
  /// The kind's name, the value of `scenario.kind` in sweep files.
  package let kind: String
  /// The metric columns in `runs.csv`, in order.
  package private(set) var metrics: [Metric]
  /// The metrics whose columns follow in sweeps that name them, in order, and those that are named.
  package let offered: [Metric]
  package private(set) var further: [Metric] = []
  /// The metric by which points are compared; less is better.
  package private(set) var headline: Metric
  /// The metric that breaks ties of the headline; less is better.
  package private(set) var cost: Metric
  package private(set) var words: Words
  /// The metrics of constraints, of which each run's value is kept; each once.
  package private(set) var constrained: [Metric] = []

  /// The metrics by which points are judged: headline, cost and those of constraints, each once.
  var judged: [Metric] { [headline, cost].filter { !constrained.contains($0) } + constrained }

  /// True if reports say what each loader spared costs in bytes.
  package var pricesLoaders: Bool { further.contains(.bytesPerHour) }
  /// The metrics of which each run's value is kept besides headline and cost: those of constraints first.
  var kept: [Metric] { constrained + (pricesLoaders ? [.loaders, .bytesReceived].filter { !constrained.contains($0) } : []) }

  /// The words for a headline and a cost in reports.
  package struct Words: Hashable, Sendable {
    /// The headline with its unit, as after a number, e.g. `loaders per 1000`.
    package let headline: String
    /// The headline after the number 1, e.g. `loader per 1000`.
    package let headlineOfOne: String
    /// The headline for a narrow column.
    package let headlineShort: String
    package let meaning: String
    /// The counted things in the plural, e.g. `loaders`.
    package let counted: String
    /// The cost with its comparative, e.g. `fewer bytes received`.
    package let lessCost: String
    /// The heading of the cost's column, e.g. `MB received`, and a short one.
    package let cost: String, costShort: String
    /// The factor from the metric's unit to the column's.
    package let costScale: Double
    /// The explanation of the cost's column, in a sentence.
    package let costMeaning: String

    /// Returns a number as text followed by the headline's unit.
    package func counted(_ number: String) -> String { "\(number) \(["1", "+1", "-1"].contains(number) ? headlineOfOne : headline)" }
  }

  package static let feed = RunSchema(
    kind: "feed", metrics: Array(Metric.allCases.prefix { $0 != .missing8h }),
    offered: [.energyJ] + Metric.allCases.filter(\.isFurther), headline: .loadersPer1000, cost: .bytesReceived,
    words: Words(
      headline: "loaders per 1000", headlineOfOne: "loader per 1000", headlineShort: "per 1000",
      meaning: "A loader is an item that is not ready when it becomes active; they are counted per 1000 items viewed.", counted: "loaders",
      lessCost: "fewer bytes received", cost: "MB received", costShort: "MB", costScale: 1e-6,
      costMeaning: "MB received is a run's payload in millions of bytes."))

  /// Downloads that go on while the app is suspended or not running.
  package static let backgroundDownload = RunSchema(
    kind: "backgroundDownload",
    metrics: Metric.allCases.filter { $0.index >= Metric.missing8h.index && !$0.isFurther }
      + [.newConnections, .bytesReceived, .bytesDead, .radioActiveMs],
    offered: [], headline: .missing8h, cost: .energyJ,
    words: Words(
      headline: "resources missing after 8 h", headlineOfOne: "resource missing after 8 h", headlineShort: "missing",
      meaning: "A missing resource has not arrived 8 h after the start.", counted: "missing resources", lessCost: "less energy",
      cost: "energy, kJ", costShort: "kJ", costScale: 1e-3,
      costMeaning: "Energy is a proxy, in thousands of joules, for comparing strategies and nothing else."))

  package static let all = [feed, backgroundDownload]

  /// All metrics that a sweep of this kind may name.
  package var nameable: [Metric] { metrics + offered.filter { !further.contains($0) } }
  package var title: String { kind + (further.isEmpty ? "" : " with \(further.map(\.rawValue).joined(separator: ", "))") }

  /// Returns the schema with the columns of the further metrics among some names.
  package func naming(_ names: some Sequence<String>) -> RunSchema {
    let named = Set(names)
    var schema = self
    schema.further = offered.filter { further.contains($0) || named.contains($0.rawValue) }
    schema.metrics = metrics.prefix(metrics.count - further.count) + schema.further
    return schema
  }

  /// Returns the schema with an objective's headline, and the metrics of its constraints.
  package func judged(by objective: Objective?) -> RunSchema {
    guard let objective else { return self }
    var schema = naming(objective.metrics)
    for constraint in objective.subjectTo {
      guard let metric = Metric(rawValue: constraint.metric), !schema.constrained.contains(metric) else { continue }
      schema.constrained.append(metric)
    }
    guard let metric = objective.minimize.flatMap(Metric.init), metric != headline else { return schema }
    schema.headline = metric
    // The metric that is minimized costs nothing more; ties are broken by the kind's own headline.
    if metric == cost { schema.cost = headline }
    schema.words = Words(minimizing: metric, of: self, hasOtherCost: metric == cost)
    return schema
  }

  package static func named(_ kind: String) -> RunSchema? { all.first { $0.kind == kind } }

  /// Returns the schema whose metric columns begin with a name; nil if there is none.
  package static func beginning(with column: String) -> RunSchema? { all.first { $0.metrics.first?.rawValue == column } }
}

extension RunSchema.Words {
  /// Creates the words of a headline that an objective names, from its definition.
  init(minimizing metric: Metric, of schema: RunSchema, hasOtherCost: Bool) {
    let own = schema.words
    let name = metric.inWords
    self.init(
      headline: name, headlineOfOne: name, headlineShort: metric.rawValue, meaning: "\(metric.rawValue): \(metric.meaning)",
      counted: name, lessCost: hasOtherCost ? "fewer \(own.counted)" : own.lessCost, cost: hasOtherCost ? own.headline : own.cost,
      costShort: hasOtherCost ? own.headlineShort : own.costShort, costScale: hasOtherCost ? 1 : own.costScale,
      costMeaning: hasOtherCost ? own.meaning : own.costMeaning)
  }
}
