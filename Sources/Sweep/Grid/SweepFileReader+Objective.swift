// Reads the objective: the metric to minimize, and the constraints of the winner.

import Analysis
import Import

extension SweepFileReader {
  /// The most constraints of a sweep.
  static let constraintLimit = 10

  /// Reads `objective: { minimize: "loadersPer1000", subjectTo: ["bytesReceived <= 70MB"] }`; nil without the key.
  func readObjective(_ reader: inout ObjectReader, _ schema: RunSchema) -> Objective? {
    guard let value = reader.value("objective"), value.kind != .null else { return nil }
    var part = reader.objectOrEmpty("objective", example: "{ subjectTo: [\"bytesReceived <= 70MB\"] }")
    let minimized = part.optionalText("minimize")
    if let minimized, let problem = Self.problem(minimizing: minimized, schema) {
      part.report("minimize", problem: problem.0, remedy: problem.1)
    }
    let texts = part.array("subjectTo") ?? []
    part.finish()
    if texts.count > Self.constraintLimit {
      part.report(
        "subjectTo", problem: "has \(texts.count) constraints, more than \(Self.constraintLimit)", remedy: "keep those that decide")
      return nil
    }
    var constraints: [Constraint] = []
    for (index, value) in texts.enumerated() {
      let key = "\(part.path(of: "subjectTo")).\(index)"
      sink.value(at: value.location, key: key) { () throws(ValueProblem) in
        guard case .string(let text) = value.kind else {
          throw ValueProblem("is \(value.found), not a text", remedy: "write \"bytesReceived <= 70MB\"")
        }
        let constraint: Constraint
        do throws(GateGuard.Malformed) { constraint = try Constraint(reading: text, among: schema.metrics) } catch {
          throw ValueProblem(error.problem, remedy: error.remedy)
        }
        for other in constraints where other.metric == constraint.metric {
          if other.isUpper == constraint.isUpper {
            throw ValueProblem("bounds \(constraint.metric) a second time", remedy: "keep one of the two")
          }
          let (upper, lower) = constraint.isUpper ? (constraint, other) : (other, constraint)
          if upper.bound < lower.bound {
            throw ValueProblem("contradicts \(quoted(other.text))", remedy: "write a lower bound below the upper one")
          }
        }
        constraints.append(constraint)
      }
    }
    return Objective(minimize: minimized, subjectTo: constraints)
  }

  /// Returns the problem of a metric to minimize and its remedy; nil if there is none.
  private static func problem(minimizing name: String, _ schema: RunSchema) -> (String, String)? {
    guard let metric = Metric(rawValue: name), schema.metrics.contains(metric) else {
      let suggestion = NearestName.suggestion(for: name, among: schema.metrics.map(\.rawValue)).map { "did you mean \"\($0)\"? " } ?? ""
      return ("is \(quoted(name)), which is no metric of this scenario", suggestion + "`prefetch-sweep list metrics` shows them all")
    }
    if metric.direction == .lowerIsBetter { return nil }
    return ("is \(quoted(name)), of which less is not better", "minimize a metric such as \(schema.headline.rawValue)")
  }
}

extension Constraint {
  /// Parses `"bytesReceived <= 70MB"`: a metric, `<=` or `>=`, and an amount in the metric's unit.
  /// - Throws: `GateGuard.Malformed` if the text is no constraint on one of the metrics.
  package init(reading text: String, among metrics: [Metric] = Metric.allCases) throws(GateGuard.Malformed) {
    let shown = quoted(String(text.prefix(200)))
    guard let sign = ["<=", ">="].first(where: text.contains), let range = text.range(of: sign) else {
      throw GateGuard.Malformed(problem: "is \(shown), not a constraint", remedy: "write \"bytesReceived <= 70MB\", with <= or >=")
    }
    let (name, amount) = (trimmingSpaces(String(text[..<range.lowerBound])), trimmingSpaces(String(text[range.upperBound...])))
    guard let metric = Metric(rawValue: name), metrics.contains(metric) else {
      let nearest = NearestName.suggestion(for: name, among: metrics.map(\.rawValue))
      throw GateGuard.Malformed(
        problem: "names \(quoted(String(name.prefix(200)))), which is no metric of this scenario",
        remedy: (nearest.map { "did you mean \"\($0)\"? " } ?? "") + "`prefetch-sweep list metrics` shows them all")
    }
    let example = ["ms": "600s", "bytes": "70MB"][metric.unit] ?? "3"
    guard case .absolute(let bound)? = try? GateGuard.margin(amount, of: metric) else {
      throw GateGuard.Malformed(
        problem: "has the bound \(quoted(String(amount.prefix(200)))) of \(metric.rawValue), in \(metric.unit)",
        remedy: "write an amount such as \(example)")
    }
    let isUpper = sign == "<="
    if isUpper ? bound >= metric.limit : bound <= 0 {
      throw GateGuard.Malformed(problem: "is \(shown), which every run keeps", remedy: "write a bound that a run can break, or take it out")
    }
    self.init(metric, isUpper: isUpper, bound: bound, text: "\(metric.rawValue) \(sign) \(amount)")
  }
}
