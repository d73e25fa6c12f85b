// Reads the objective: the metric to minimize, and the constraints of the winner.

import Analysis
import Base

extension SweepFileReader {
  /// Reads `objective: { minimize: "loadersPer1000", subjectTo: ["bytesReceived <= 70MB"] }`; nil without the key. `measured` are the
  /// metrics of the backend's runs; nil for all.
  func readObjective(_ reader: inout ObjectReader, _ schema: RunSchema, measured: [Metric]?) -> Objective? {
    guard let value = reader.value("objective"), value.kind != .null else { return nil }
    let example = "\"\(Constraint.example)\""
    var part = reader.objectOrEmpty("objective", example: "{ subjectTo: [\(example)] }")
    if value.members?.isEmpty == true {
      reader.report("objective", problem: "is empty", remedy: "write { subjectTo: [\(example)] }, or take it out")
    }
    let minimized = part.value("minimize").flatMap { value in
      value.kind == .null
        ? nil
        : part.result(of: "minimize") { () throws(ValueProblem) in
          let metric = try Objective.minimized(try ScalarValue.text(value), schema)
          try metric.check(isAmong: measured)
          return metric.rawValue
        }
    }
    let constraints = part.has("subjectTo") ? readConstraints("subjectTo", of: &part, schema, measured: measured) : []
    part.finish()
    return Objective(minimize: minimized, subjectTo: constraints)
  }

  func readConstraints(_ key: String, of part: inout ObjectReader, _ schema: RunSchema, measured: [Metric]?) -> [Constraint] {
    let example = "\"\(Constraint.example)\""
    guard let bounds = part.value(key) else { return [] }
    guard let texts = bounds.elements else {
      part.report(key, problem: "is \(bounds.found), not a list", remedy: "write [\(example)]")
      return []
    }
    if texts.isEmpty { part.report(key, problem: "is empty", remedy: "write a bound such as \(example) into it, or take it out") }
    guard texts.count <= Objective.constraintLimit else {
      part.report(key, problem: "has \(texts.count) constraints, more than \(Objective.constraintLimit)", remedy: "keep those that decide")
      return []
    }
    var constraints: [Constraint] = []
    part.elements(key) { value, _ throws(ValueProblem) in
      guard let text = value.text else { throw ValueProblem("is \(value.found), not a text", remedy: "write \(example)") }
      let constraint = try Constraint(reading: text, among: schema.nameable)
      try constraint.check(beside: constraints)
      constraints.append(constraint)
      try Metric(rawValue: constraint.metric)?.check(isAmong: measured)
    }
    return constraints
  }

  /// Reads `metrics: ["stallRatio", "energyJ"]`. Returns the names of the further metrics there, in `named` and of the backend.
  func readMetrics(_ reader: inout ObjectReader, _ schema: RunSchema, named others: [String], measured: [Metric]?) -> [String] {
    var listed: [String] = []
    reader.elements("metrics") { value, _ throws(ValueProblem) in
      let name = try ScalarValue.text(value)
      guard let metric = Metric(rawValue: name), schema.nameable.contains(metric) else {
        let remedy = Metric.remedy(for: name, among: schema.offered)
        throw ValueProblem("is \(quoted(name)), which is no metric of this scenario", remedy: remedy)
      }
      if !schema.offered.contains(metric) { throw ValueProblem("is \(quoted(name)), a column of every sweep", remedy: "take it out") }
      if listed.contains(name) { throw ValueProblem("is \(quoted(name)), which is listed twice", remedy: "keep one of the two") }
      try metric.check(isAmong: measured)
      listed.append(name)
    }
    let named = listed + others + (measured ?? []).map(\.rawValue)
    return schema.naming(named).further.map(\.rawValue)
  }
}

extension Metric {
  /// Checks that a backend measures the metric; all do if `measured` is nil.
  /// - Throws: `ValueProblem` if it does not.
  fileprivate func check(isAmong measured: [Metric]?) throws(ValueProblem) {
    guard let measured, !measured.contains(self) else { return }
    throw ValueProblem(
      "needs \(rawValue), which the backend does not measure", remedy: "name its source in backend.metrics, or take it out")
  }
}

extension Objective {
  static let constraintLimit = 10

  /// Returns the metric of a name, if it can be minimized.
  /// - Throws: `ValueProblem` if it cannot.
  fileprivate static func minimized(_ name: String, _ schema: RunSchema) throws(ValueProblem) -> Metric {
    guard let metric = Metric(rawValue: name), schema.nameable.contains(metric) else {
      let remedy = Metric.remedy(for: name, among: schema.nameable)
      throw ValueProblem("is \(quoted(name)), which is no metric of this scenario", remedy: remedy)
    }
    if metric.direction == .lowerIsBetter { return metric }
    throw ValueProblem("is \(quoted(name)), of which less is not better", remedy: "minimize a metric such as \(schema.headline.rawValue)")
  }

  /// Returns the first problem for which a sweep file would be refused; nil for none.
  func problem(_ schema: RunSchema) -> ValueProblem? {
    do throws(ValueProblem) {
      if let minimize { _ = try Self.minimized(minimize, schema) }
      if subjectTo.count > Self.constraintLimit {
        throw ValueProblem("has more than \(Self.constraintLimit) constraints", remedy: "run the sweep again")
      }
      for (index, constraint) in subjectTo.enumerated() {
        guard try Constraint(reading: constraint.text, among: schema.nameable) == constraint else {
          throw ValueProblem("has another constraint than its text, \(quoted(constraint.text))", remedy: "run the sweep again")
        }
        try constraint.check(beside: subjectTo.prefix(index))
      }
      return nil
    } catch { return error }
  }
}

extension Constraint {
  static let example = "bytesReceived <= 70MB"

  /// Checks a constraint beside the ones before it.
  /// - Throws: `ValueProblem` if it repeats or contradicts one of them.
  fileprivate func check(beside others: some Sequence<Constraint>) throws(ValueProblem) {
    for other in others where other.metric == metric {
      if other.isUpper == isUpper { throw ValueProblem("bounds \(metric) a second time", remedy: "keep one of the two") }
      if isUpper ? bound < other.bound : other.bound < bound {
        throw ValueProblem("contradicts \(quoted(other.text))", remedy: "write a lower bound below the upper one")
      }
    }
  }

  /// Parses `"bytesReceived <= 70MB"`: a metric, `<=` or `>=`, and an amount in the metric's unit.
  /// - Throws: `ValueProblem` if the text is no constraint on one of the metrics.
  package init(reading text: String, among metrics: [Metric] = Metric.allCases) throws(ValueProblem) {
    let shown = quoted(text)
    guard let sign = ["<=", ">="].first(where: text.contains), let range = text.firstRange(of: sign) else {
      throw ValueProblem("is \(shown), not a constraint", remedy: "write \"\(Self.example)\", with <= or >=")
    }
    let (name, amount) = (trimmingSpaces(text[..<range.lowerBound]), trimmingSpaces(text[range.upperBound...]))
    guard let metric = Metric(rawValue: name), metrics.contains(metric) else {
      let remedy = Metric.remedy(for: name, among: metrics)
      throw ValueProblem("names \(quoted(name)), which is no metric of this scenario", remedy: remedy)
    }
    if (try? ExactDecimal(json5: amount)) != nil { _ = try GateGuard.margin(amount, of: metric, isBound: true) }
    guard case .absolute(let bound)? = try? GateGuard.margin(amount, of: metric, isBound: true) else {
      throw ValueProblem(
        "has the bound \(quoted(amount)) of \(metric.rawValue), in \(metric.unit)",
        remedy: "write an amount such as \(metric.unit.examples.bound)")
    }
    let isUpper = sign == "<="
    if isUpper ? bound >= metric.limit : bound <= 0 {
      throw ValueProblem("is \(shown), which every run keeps", remedy: "write a bound that a run can break, or take it out")
    }
    self.init(metric, isUpper: isUpper, bound: bound, text: "\(metric.rawValue) \(sign) \(amount)")
  }
}
