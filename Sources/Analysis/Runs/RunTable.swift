// One row a run: the narrow waist between the simulator and the reports (design §3). The CSV form is in RunTable+CSV.swift.

/// What one run measured.
public struct RunRow: Hashable, Sendable {
  /// The point's id: 16 hexadecimal digits, a hash of the resolved scenario.
  public var point: String
  /// The repetition, from 1.
  public var repetition: Int
  /// The repetition's seed; with the point it is enough to run the row alone.
  public var seed: UInt64
  /// The values of the table's axes, as written in the sweep file.
  public var axisValues: [String]
  /// One value a metric in the order of `Metric.allCases`; nil where it does not apply (an empty cell).
  public var metrics: [Double?]

  /// A row; `metrics` has one place for each of `Metric.allCases`.
  public init(point: String, repetition: Int, seed: UInt64, axisValues: [String], metrics: [Double?]) {
    precondition(metrics.count == Metric.allCases.count, "a row has one place for each metric")
    self.point = point
    self.repetition = repetition
    self.seed = seed
    self.axisValues = axisValues
    self.metrics = metrics
  }

  /// The value of one metric; nil for an empty cell.
  public subscript(metric: Metric) -> Double? {
    get { metrics[metric.index] }
    set { metrics[metric.index] = newValue }
  }

  /// The metrics of a row that has none yet: every place empty.
  public static let noMetrics = [Double?](repeating: nil, count: Metric.allCases.count)
}

/// The rows of a sweep in order: by point in the grid's order, then by repetition.
public struct RunTable: Hashable, Sendable {
  /// The file of the rows on fresh seeds, which have the form of `runs.csv`.
  public static let confirmationName = "confirmation.csv"

  /// The swept parameters by their dotted paths, in the columns' order.
  public var axes: [String]
  /// The rows in order.
  public var rows: [RunRow]
  /// What the rows measure.
  public var schema: RunSchema

  /// A table of the given axes.
  public init(axes: [String], rows: [RunRow] = [], schema: RunSchema = .feed) {
    self.axes = axes
    self.schema = schema
    self.rows = rows
  }
}
