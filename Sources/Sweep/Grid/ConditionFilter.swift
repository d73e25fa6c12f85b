// Decides which combinations of a grid satisfy the conditions of `where`.

import Import

/// Evaluates conditions on combinations. Problems are reported once, at the condition.
///
/// A condition looks at few of the axes: it is evaluated once for each combination of their values, not of all.
package final class ConditionFilter {
  /// What is known of a condition, by the number of a combination of the axes that it looks at.
  private struct Known {
    /// What a step along each dimension adds to that number; 0 where the condition does not look.
    var steps: [Int]
    /// Nil where nothing is known yet; empty where there would be too many.
    var answers: [Bool?]
  }

  /// The most answers of a condition that are remembered, and of all together.
  private static let (answerLimit, allAnswersLimit) = (1 << 20, 1 << 24)

  private let conditions: [(WhereExpression, SourceLocation)]
  private let base: JSON5Value
  private let paths: [String]
  private let laid: [(path: String, value: JSON5Value)]
  private let sink: DiagnosticSink
  /// The base scenario with its defaults, as `path=value`.
  private let defaults: [String]
  private var hasFailed = false
  private let dimensions: [Grid.Dimension]
  private var known: [Known]

  /// Conditions on combinations of `dimensions` over `base`; `settings` are the command line's.
  package init(
    conditions: [(WhereExpression, SourceLocation)], base: JSON5Value, dimensions: [Grid.Dimension],
    settings: [(path: String, value: JSON5Value)], decoder: ScenarioDecoder, sink: DiagnosticSink
  ) {
    self.conditions = conditions
    self.base = base
    self.dimensions = dimensions
    paths = dimensions.flatMap(\.paths)
    let limit = min(Self.answerLimit, Self.allAnswersLimit / max(1, conditions.count))
    known = conditions.map { condition, _ in
      var count = 1
      let steps = dimensions.map { dimension in
        let isSeen = dimension.paths.contains { axis in
          condition.paths.contains { $0 == axis || $0.hasPrefix(axis + ".") || axis.hasPrefix($0 + ".") }
        }
        defer { if isSeen { count *= dimension.count } }
        return isSeen ? count : 0
      }
      return Known(steps: steps, answers: [Bool?](repeating: nil, count: count <= limit ? count : 0))
    }
    laid = Grid.laid(settings, over: dimensions)
    self.sink = sink
    defaults = decoder.decode(base, into: DiagnosticSink())?.lines ?? []
  }

  /// Whether all conditions hold for a combination.
  package func holds(_ combination: Int) -> Bool {
    for index in conditions.indices where !hasFailed {
      var number = 0
      var rest = combination
      for dimension in dimensions.indices.reversed() {
        number += rest % dimensions[dimension].count * known[index].steps[dimension]
        rest /= dimensions[dimension].count
      }
      let isRemembered = !known[index].answers.isEmpty
      let answer = (isRemembered ? known[index].answers[number] : nil) ?? evaluate(index, combination)
      if isRemembered { known[index].answers[number] = answer }
      if !answer { return false }
    }
    return true
  }

  private func evaluate(_ index: Int, _ combination: Int) -> Bool {
    let (condition, location) = conditions[index]
    let values = Grid.values(combination, dimensions)
    do throws(ValueProblem) {
      return try condition.evaluate(resolve: { resolve($0, values) })
    } catch {
      sink.report(error, at: location, key: "where.\(index)")
      hasFailed = true
      return true
    }
  }

  /// The value at a path: an axis', a part of one, the scenario's own, or its default.
  private func resolve(_ path: String, _ values: [JSON5Value]) -> JSON5Value? {
    if let setting = laid.last(where: { $0.path == path }) { return setting.value }
    for (axis, value) in zip(paths, values).reversed() {
      if axis == path { return value }
      if path.hasPrefix(axis + ".") {
        let whole = ScenarioText.expanding(axis, value) ?? value
        if let part = whole.lookup(String(path.dropFirst(axis.count + 1))) { return part }
      }
    }
    if let value = base.lookup(path) { return value }
    let first = path.split(separator: ".").first.map(String.init) ?? ""
    if let short = base[first], let whole = ScenarioText.expanding(first, short),
      let part = whole.lookup(String(path.dropFirst(first.count + 1)))
    {
      return part
    }
    guard let line = defaults.first(where: { $0.hasPrefix(path + "=") }) else { return nil }
    let text = String(line.dropFirst(path.count + 1))
    return JSON5Value.scalar(fromCommandLine: text)
  }
}
