// Decides which combinations of a grid satisfy the conditions of `where`.

import Import

/// Evaluates conditions on combinations. Problems are reported once, at the condition.
///
/// A condition looks at few of the axes: it is evaluated once for each combination of their values, not of all.
struct ConditionFilter {
  /// What is known of a condition, by the number of a combination of the axes that it looks at.
  private struct Memo {
    /// What a step along each dimension adds to that number; 0 where the condition does not look.
    var steps: [Int]
    /// Nil where nothing is known yet; empty where there would be too many.
    var answers: [Bool?]
  }

  /// The most answers of a condition that are remembered, and of all together.
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
    base = ScenarioText(tree: grid.base, lines: grid.decoder.decode(grid.base, into: DiagnosticSink())?.lines ?? [])
  }

  /// True if all conditions hold at a place of each dimension, or one of them cannot be evaluated.
  mutating func holds(_ coordinates: [Int]) -> Bool {
    for index in conditions.indices where sink.isEmpty {
      let number = zip(memos[index].steps, coordinates).reduce(0) { $0 + $1.0 * $1.1 }
      if memos[index].answers.isEmpty {
        if !evaluate(conditions[index], index, coordinates) { return false }
        continue
      }
      let answer = memos[index].answers[number] ?? evaluate(conditions[index], index, coordinates)
      memos[index].answers[number] = answer
      if !answer { return false }
    }
    return true
  }

  private func evaluate(_ condition: WhereExpression, _ index: Int, _ coordinates: [Int]) -> Bool {
    let holds = sink.value(at: condition.location, key: "where.\(index)") { () throws(ValueProblem) in
      try condition.evaluate { path in
        // A value inside of what the path names does not turn it into an object.
        let tree = (try? grid.tree(coordinates) { path.isPath(in: $0) }) ?? grid.base
        if let value = ScenarioText.value(at: path, in: tree) ?? ScenarioText.value(at: path, in: grid.base) { return value }
        return base.value(at: path).map { JSON5Value.scalar(fromCommandLine: $0) }
      }
    }
    return holds ?? true
  }
}
