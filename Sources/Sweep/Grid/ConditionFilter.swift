// Decides which combinations of a grid satisfy the conditions of `where`.

import Base

/// Evaluates conditions on combinations and reports a problem once, at its condition.
/// A condition depends on few axes, so its answers are remembered by the combination of their values.
struct ConditionFilter {
  /// The remembered answers of a condition, by the number of a combination of the axes that it depends on.
  private struct Memo {
    /// The difference in that number between neighbours of each dimension; 0 for a dimension that does not matter.
    var steps: [Int]
    /// Nil for an unknown answer; empty if there would be too many.
    var answers: [Bool?]
  }

  /// The most remembered answers of one condition, and of all.
  private static let (answerLimit, allAnswersLimit) = (1 << 20, 1 << 24)

  private let conditions: [WhereExpression]
  private let grid: Grid
  private let sink: DiagnosticSink
  private let base: ScenarioText
  private var memos: [Memo]

  init(_ conditions: [WhereExpression], on grid: Grid, sink: DiagnosticSink) {
    (self.conditions, self.grid, self.sink) = (conditions, grid, sink)
    let limit = min(Self.answerLimit, Self.allAnswersLimit / max(1, conditions.count))
    memos = conditions.map { condition in
      let (steps, count) = grid.dimensions.steps(affecting: condition.paths)
      return Memo(steps: steps, answers: [Bool?](repeating: nil, count: (0...limit).contains(count) ? count : 0))
    }
    base = ScenarioText(tree: grid.base, settings: grid.decoder.decode(grid.base, into: DiagnosticSink())?.settings ?? [])
  }

  /// True if all conditions hold at the coordinates, or one of them cannot be evaluated.
  mutating func holds(_ coordinates: [Int]) -> Bool {
    for index in conditions.indices where sink.isEmpty {
      let number = zip(memos[index].steps, coordinates).reduce(0) { $0 + $1.0 * $1.1 }
      let isKept = !memos[index].answers.isEmpty
      let answer = (isKept ? memos[index].answers[number] : nil) ?? evaluate(conditions[index], index, coordinates)
      if isKept { memos[index].answers[number] = answer }
      if !answer { return false }
    }
    return true
  }

  private func evaluate(_ condition: WhereExpression, _ index: Int, _ coordinates: [Int]) -> Bool {
    let holds = sink.value(at: condition.location, key: "where.\(index)") { () throws(ValueProblem) in
      try condition.evaluate { path in
        // Values below the path are left out, because they would turn its scalar into an object.
        let tree = (try? grid.tree(coordinates) { path.isPath(in: $0) }) ?? grid.base
        if let value = ScenarioText.value(at: path, in: tree) { return value }
        // A path below an axis of whole parts has the default of the part, not the base's value.
        let isReplaced = grid.dimensions.contains { $0.paths.contains { path.hasPrefix($0 + ".") } }
        if isReplaced, let decoded = grid.decoder.decode(tree, into: DiagnosticSink()) {
          return ScenarioText(tree: tree, settings: decoded.settings).value(at: path).map { JSON5Value.scalar(fromCommandLine: $0) }
        }
        if let value = ScenarioText.value(at: path, in: grid.base) { return value }
        return base.value(at: path).map { JSON5Value.scalar(fromCommandLine: $0) }
      }
    }
    return holds ?? true
  }
}
