// Parses guards of the command line, with the units of sweep files.

import Analysis
import Import

extension GateGuard {
  /// The default floor of a margin, in per cent of loaders per 1000 items.
  package static let defaultFloor = 1.0

  /// An error in the text of a guard.
  package struct Malformed: Error, Hashable, Sendable {
    /// The problem, as a phrase after the option.
    package let problem: String
    /// The remedy, as an imperative.
    package let remedy: String
  }

  /// Parses `"loadersPer1000 +2%"`: a metric, + (limits a rise) or - (limits a fall), and per cent or an amount such as 50ms or 1MB.
  /// `"bytesReceived <= 70MB"` bounds the candidate's mean. Without a sign it limits the metric's bad side. `floor` applies to loaders per 1000 items with a margin above 0 %.
  /// - Throws: `Malformed` if the text is no guard.
  package init(reading text: String, floor: Double = GateGuard.defaultFloor) throws(Malformed) {
    if text.contains("<=") || text.contains(">=") {
      self.init(try Constraint(reading: text))
      return
    }
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard let name = words.first, words.count > 1 else {
      throw Malformed(problem: "is \(Self.shown(text))", remedy: "write a metric and a margin, such as \"bytesReceived +5%\"")
    }
    guard let metric = Metric(rawValue: String(name)) else {
      let nearest = NearestName.suggestion(for: String(name), among: Metric.allCases.map(\.rawValue))
      throw Malformed(
        problem: "names \(Self.shown(String(name))), which is no metric",
        remedy: (nearest.map { "did you mean \"\($0)\"? " } ?? "") + "`prefetch-sweep list metrics` shows them all")
    }
    var amount = words.dropFirst().joined(separator: " ")
    let side: Side
    switch (amount.first, metric.direction) {
    case ("+", _): side = .rise
    case ("-", _), ("−", _): side = .fall
    case (_, .lowerIsBetter): side = .rise
    case (_, .higherIsBetter): side = .fall
    case (_, .neutral):
      throw Malformed(
        problem: "does not say which side of \(metric.rawValue) is bad",
        remedy: "write a sign before the margin: + if it may not rise, - if it may not fall")
    }
    if let first = amount.first, "+-−".contains(first) { amount.removeFirst() }
    amount = trimmingSpaces(amount)
    let margin = try Self.margin(amount, of: metric)
    var written: String?
    // Only a quantity with a unit has several spellings.
    if case .absolute = margin, let quantity = try? Quantity(amount) { written = quantity.description }
    let takesFloor = GateGuard(metric, side, by: margin).takesFloor
    self.init(metric, side, by: margin, floor: takesFloor ? floor : 0, writtenMargin: written)
  }

  /// True if a floor applies: loaders per 1000 items with a margin above 0 %.
  package var takesFloor: Bool {
    guard metric == .loadersPer1000, case .percent(let value) = margin else { return false }
    return value > 0
  }

  /// Parses a margin: per cent, a number in the metric's unit, or a quantity with a fitting unit.
  /// - Throws: `Malformed` if the text is no margin of the metric.
  static func margin(_ text: String, of metric: Metric) throws(Malformed) -> Margin {
    // Text without a number, or with a second sign.
    guard let first = text.first, first == "." || first.isNumber else { throw malformed(text, of: metric) }
    if let number = try? ExactDecimal(json5: text) { return .absolute(number.double) }
    let dimension = text.hasSuffix("%") ? .percent : metric.unit == "ms" ? .duration : metric.unit == "bytes" ? Dimension.size : nil
    guard let dimension else { throw malformed(text, of: metric) }
    do throws(ValueProblem) {
      let quantity = try Quantity(String(text.prefix(200)), dimension: dimension)
      if dimension == .percent { return .percent(quantity.number.double) }
      return .absolute(Double(try quantity.baseValue()) / (dimension == .duration ? 1e6 : 1))
    } catch { throw Malformed(problem: error.problem, remedy: error.remedy) }
  }

  private static func malformed(_ text: String, of metric: Metric) -> Malformed {
    let example = ["ms": "50ms", "bytes": "1MB"][metric.unit] ?? "3 (\(metric.unit))"
    return Malformed(
      problem: "has the margin \(shown(text)) of \(metric.rawValue)",
      remedy: "write per cent of the baseline such as 2%, or an amount such as \(example)")
  }

  private static func shown(_ text: String) -> String { quoted(String(text.prefix(200))) }
}
