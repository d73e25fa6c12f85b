// Where a column of our tables comes from in what a program says.

import Analysis
import Import

/// One metric's place in a result.
package struct MetricSource: Sendable, CustomStringConvertible {
  /// How the number is found.
  package enum Place: Hashable, Sendable {
    /// By its name: the dotted path in a JSON object, or what stands before `=` or `:` in a line.
    case name(String)
    /// By a regular expression; its first capture is the number, or the whole match where it has none.
    case pattern(String)
    /// It is always the same.
    case constant(Double)
  }

  /// The column.
  package let metric: Metric
  /// How it is found.
  package let place: Place
  /// What the number is multiplied with to be in the column's unit.
  package let scale: Double
  /// Whether a result may lack it; the cell is then empty.
  let isOptional: Bool

  /// One line that tells it from others.
  package var description: String {
    let text =
      switch place {
      case .name(let name): "name \(jsonString(name))"
      case .pattern(let pattern): "pattern \(jsonString(pattern))"
      case .constant(let value): "\(value)"
      }
    return "metric=\(metric.rawValue) \(text) times \(scale)\(isOptional ? " or none" : "")"
  }
}
