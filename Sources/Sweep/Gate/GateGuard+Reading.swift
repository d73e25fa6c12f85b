// Parses guards of the command line, with the units of sweep files, and the names of metrics.

import Analysis
import Base

extension GateGuard {
  /// Parses `"loadersPer1000 +2%"`, or `"bytesReceived <= 70MB"` on the candidate's mean. `floor` is that of loaders per 1000 items; if nil,
  /// it follows the baseline's noise. + limits a rise, - a fall, and no sign the metric's bad side, by per cent or an amount such as 50ms.
  /// - Throws: `ValueProblem` if the text is no guard.
  package init(reading text: String, floor: Double? = nil) throws(ValueProblem) {
    if text.contains("<=") || text.contains(">=") {
      self.init(try Constraint(reading: text))
      return
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard let name = words.first, words.count > 1 else {
      throw ValueProblem("is \(quoted(text))", remedy: "write a metric and a margin, such as \"bytesReceived +5%\"")
    }
    guard let metric = Metric(rawValue: String(name)) else {
      let remedy = Metric.remedy(for: String(name), among: Metric.allCases)
      throw ValueProblem("names \(quoted(String(name))), which is no metric", remedy: remedy)
    }
    var amount = words.dropFirst().joined(separator: " ")
    let side: Side
    switch (amount.first, metric.direction) {
    case ("+", _): side = .rise
    case ("-", _), ("−", _): side = .fall
    case (_, .lowerIsBetter): side = .rise
    case (_, .higherIsBetter): side = .fall
    case (_, .neutral):
      throw ValueProblem(
        "does not say which side of \(metric.rawValue) is bad",
        remedy: "write a sign before the margin: + if it may not rise, - if it may not fall")
    }
    if let first = amount.first, "+-−".contains(first) { amount.removeFirst() }
    amount = trimmingSpaces(amount)
    let margin = try Self.margin(amount, of: metric)
    var written: String?
    // Only an amount with a unit has several spellings.
    if case .absolute = margin, (try? ExactDecimal(json5: amount)) == nil { written = (try? Quantity(amount))?.description ?? amount }
    let takesFloor = GateGuard(metric, side, by: margin).takesFloor
    self.init(metric, side, by: margin, floor: takesFloor ? floor : 0, writtenMargin: written)
  }

  /// Creates the guard of a sweep's own margin, an amount in the metric's unit.
  package init(_ metric: Metric, ofSweep amount: Double) {
    let base = metric.dimension.map { Quantity.described(Int64(amount * ($0 == .duration ? 1e6 : $0 == .rate ? 1000 : 1)), $0) }
    let words = amount < 1 ? metric.units.last.map { "\(DecimalText.exact(amount)) \($0)" } : nil
    self.init(metric, .rise, by: .absolute(amount), writtenMargin: amount > 0 ? base ?? words : nil)
  }

  /// True if a floor applies: loaders per 1000 items with a margin above 0 %.
  package var takesFloor: Bool {
    guard metric == .loadersPer1000, case .percent(let value) = margin else { return false }
    return value > 0
  }

  /// Parses a margin: per cent, or an amount with its unit. Counts need none, unless the number may be meant as a share (not if `isBound`).
  /// - Throws: `ValueProblem` if the text is no margin of the metric.
  static func margin(_ text: String, of metric: Metric, isBound: Bool = false) throws(ValueProblem) -> Margin {
    // Text without a number, or with a second sign.
    guard let first = text.first, first == "." || first.isNumber else { throw malformed(text, of: metric) }
    if let number = try? ExactDecimal(json5: text) {
      let isShare = number > ExactDecimal(0) && number < ExactDecimal(1) && !isBound
      if number == ExactDecimal(0) || metric.dimension == nil && !isShare { return .absolute(number.double) }
      throw ValueProblem(
        "has the number \(quoted(text)) of \(metric.rawValue) without a unit", remedy: metric.remedy(forNumber: text, isBound))
    }
    for unit in metric.units where text.hasSuffix(unit) {
      if let number = try? ExactDecimal(json5: trimmingSpaces(text.dropLast(unit.count))) { return .absolute(number.double) }
    }
    guard let dimension = text.hasSuffix("%") ? .percent : metric.dimension else { throw malformed(text, of: metric) }
    let quantity = try Quantity(String(text.prefix(200)), dimension: dimension)
    if dimension == .percent { return .percent(quantity.number.double) }
    return .absolute(Double(try quantity.baseValue()) / (dimension == .duration ? 1e6 : dimension == .rate ? 1000 : 1))
  }

  private static func malformed(_ text: String, of metric: Metric) -> ValueProblem {
    let example = metric.unit.examples.amount ?? "3 (\(metric.unit))"
    return ValueProblem(
      "has the margin \(quoted(text)) of \(metric.rawValue)",
      remedy: "write per cent of the baseline such as 2%, or an amount such as \(example)")
  }
}

extension Metric {
  /// The dimension of quantities with units, such as 50ms; nil for plain numbers.
  var dimension: Dimension? {
    switch unit {
    case .ms: .duration
    case .kbps: .rate
    case .bytes, .bytesPerHour: .size
    default: nil
    }
  }

  /// The units of an amount that is no quantity of a dimension, longest first: "per 1000 items".
  fileprivate var units: [String] { dimension != nil ? [] : self == .loadersPer1000 ? [unit.rawValue, "per 1000"] : [unit.rawValue] }

  fileprivate func remedy(forNumber text: String, _ isBound: Bool) -> String {
    let (amount, number) = (units.last.map { "\(text) \($0)" }, try? ExactDecimal(json5: text))
    let units = dimension?.units.map(\.name).joined(separator: ", ") ?? ""
    let written = amount.map { "write \(quoted($0))" } ?? "write one of the units \(units) after it, such as \(unit.examples.amount ?? "")"
    let percent = number.flatMap { $0 < ExactDecimal(1) ? $0.multiplied(by: ExactDecimal(100)) : $0 }
    return written + (isBound ? "" : percent.map { ", or \(quoted("\($0)%")) for per cent" } ?? "")
  }

  static func remedy(for name: String, among metrics: [Metric]) -> String {
    NearestName.remedy(for: name, among: metrics.map(\.rawValue), list: "`prefetch-sweep list metrics` shows them all")
  }
}
