// What a kind of scenario measures: the columns of its runs.csv, what its points are judged by, and the words for that.

/// The columns and the words of one kind of scenario. Tables, verdicts and reports know a kind by this alone.
package struct RunSchema: Hashable, Sendable {
  /// Its name, as `scenario.kind` has it in sweep files.
  package let kind: String
  /// Its columns in `runs.csv`, in order.
  package let metrics: [Metric]
  /// The last of the columns that every `runs.csv` of it has; columns after it may be absent from a file written by an older version.
  package let lastFixed: Metric
  /// What points are compared by; less is better.
  package let headline: Metric
  /// What tells points apart that are level by the headline; less is better.
  package let cost: Metric
  /// How the headline is called.
  package let words: Words

  /// The phrases in which reports speak of a headline and of a cost.
  package struct Words: Hashable, Sendable {
    /// The headline with its unit, as after a number: `loaders per 1000`.
    package let headline: String
    /// The same after the number 1: `loader per 1000`.
    package let headlineOfOne: String
    /// The same for a narrow column.
    package let headlineShort: String
    /// What is counted, in the plural: `loaders`.
    package let counted: String
    /// The cost, as after "fewer" or "less": `fewer bytes received`.
    package let lessCost: String
    /// The cost's column, and the same for a narrow one: `MB received`, `MB`.
    package let cost: String, costShort: String
    /// How much of the metric's unit one of the column's is.
    package let costScale: Double
    /// What the column of costs shows, in a sentence.
    package let costMeaning: String

    /// A number as it is written, with the headline's unit.
    package func counted(_ number: String) -> String { "\(number) \(["1", "+1", "-1"].contains(number) ? headlineOfOne : headline)" }
  }

  /// A scrolling feed.
  package static let feed = RunSchema(
    kind: "feed", metrics: Array(Metric.allCases.prefix { $0 != .missing8h }), lastFixed: .radioActiveMs, headline: .loadersPer1000,
    cost: .bytesReceived,
    words: Words(
      headline: "loaders per 1000", headlineOfOne: "loader per 1000", headlineShort: "per 1000", counted: "loaders",
      lessCost: "fewer bytes received", cost: "MB received",
      costShort: "MB", costScale: 1e-6, costMeaning: "MB received is a run's payload in millions of bytes."))

  /// Downloads that go on while the phone sleeps.
  package static let backgroundDownload = RunSchema(
    kind: "backgroundDownload",
    metrics: Metric.allCases.filter { $0.index >= Metric.missing8h.index }
      + [.newConnections, .bytesReceived, .bytesDead, .radioActiveMs],
    lastFixed: .radioActiveMs, headline: .missing8h, cost: .energyJ,
    words: Words(
      headline: "resources missing after 8 h", headlineOfOne: "resource missing after 8 h", headlineShort: "missing",
      counted: "missing resources", lessCost: "less energy",
      cost: "energy, kJ", costShort: "kJ", costScale: 1e-3,
      costMeaning: "Energy is a proxy, in thousands of joules, for comparing strategies and nothing else."))

  package static let all = [feed, backgroundDownload]

  /// The kind of a name; nil if there is none.
  package static func named(_ kind: String) -> RunSchema? { all.first { $0.kind == kind } }

  /// The kind whose columns begin with a name; nil if none does.
  package static func beginning(with column: String) -> RunSchema? { all.first { $0.metrics.first?.rawValue == column } }
}
