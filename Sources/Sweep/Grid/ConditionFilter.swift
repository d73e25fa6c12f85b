// Decides which combinations of a grid satisfy the conditions of `where`.

/// Evaluates conditions on combinations. Problems are reported once, at the condition.
final class ConditionFilter {
  private let conditions: [(WhereExpression, SourceLocation)]
  private let base: JSON5Value
  private let paths: [String]
  private let laid: [(path: String, value: JSON5Value)]
  private let sink: DiagnosticSink
  /// The base scenario with its defaults, as `path=value`.
  private let defaults: [String]
  private var hasFailed = false

  /// Conditions on combinations of `dimensions` over `base`; `settings` are the command line's.
  init(
    conditions: [(WhereExpression, SourceLocation)], base: JSON5Value, dimensions: [Grid.Dimension],
    settings: [(path: String, value: JSON5Value)], decoder: ScenarioDecoder, sink: DiagnosticSink
  ) {
    self.conditions = conditions
    self.base = base
    paths = dimensions.flatMap(\.paths)
    laid = Grid.laid(settings, over: dimensions)
    self.sink = sink
    defaults = decoder.decode(base, into: DiagnosticSink())?.lines ?? []
  }

  /// Whether all conditions hold for a combination.
  func holds(_ values: [JSON5Value]) -> Bool {
    for (index, (condition, location)) in conditions.enumerated() where !hasFailed {
      do throws(ValueProblem) {
        if try !condition.evaluate(resolve: { resolve($0, values) }) { return false }
      } catch {
        sink.report(error, at: location, key: "where.\(index)")
        hasFailed = true
      }
    }
    return true
  }

  /// The value at a path: an axis', a part of one, the scenario's own, or its default.
  private func resolve(_ path: String, _ values: [JSON5Value]) -> JSON5Value? {
    if let setting = laid.last(where: { $0.path == path }) { return setting.value }
    for (axis, value) in zip(paths, values).reversed() {
      if axis == path { return value }
      if path.hasPrefix(axis + ".") {
        let whole = ScenarioDecoder.expanding(axis, value) ?? value
        if let part = whole.lookup(String(path.dropFirst(axis.count + 1))) { return part }
      }
    }
    if let value = base.lookup(path) { return value }
    let first = path.split(separator: ".").first.map(String.init) ?? ""
    if let short = base[first], let whole = ScenarioDecoder.expanding(first, short),
      let part = whole.lookup(String(path.dropFirst(first.count + 1)))
    {
      return part
    }
    guard let line = defaults.first(where: { $0.hasPrefix(path + "=") }) else { return nil }
    let text = String(line.dropFirst(path.count + 1))
    return JSON5Value.scalar(fromCommandLine: text)
  }
}
