// What a candidate may not do: let one metric rise, or fall, by more than a margin.

/// A metric and how far it may move to the bad side.
public struct GateGuard: Hashable, Sendable {
  /// The side that is bad.
  public enum Side: String, Hashable, Sendable {
    /// It may not rise by more than the margin.
    case rise
    /// It may not fall by more than the margin.
    case fall
  }

  /// What is guarded.
  public let metric: Metric
  /// The bad side.
  public let side: Side
  /// How far it may go there.
  public let margin: Margin

  /// A guard.
  public init(_ metric: Metric, _ side: Side, by margin: Margin) {
    self.metric = metric
    self.side = side
    self.margin = margin
  }

  /// Why a text is no guard.
  public struct Malformed: Error, Hashable, Sendable {
    /// What is wrong with it.
    public let problem: String
    /// What to do.
    public let remedy: String
  }

  /// Reads `"loadersPer1000 +2%"`: a metric, then `+` (may not rise by more) or `-` (may not fall by more), then per cent of the
  /// baseline or an amount in the metric's unit. Without a sign it is the side that is bad for the metric.
  public init(_ text: String) throws(Malformed) {
    let words = text.split(separator: " ", omittingEmptySubsequences: true)
    guard let name = words.first, words.count > 1 else {
      throw Malformed(problem: "is \"\(text)\"", remedy: "write a metric and a margin, such as \"bytesReceived +5%\"")
    }
    guard let metric = Metric(rawValue: String(name)) else {
      throw Malformed(problem: "names \"\(name)\", which is no metric", remedy: "`prefetch-sweep list metrics` shows them all")
    }
    var amount = words.dropFirst().joined(separator: " ")
    let side: Side
    switch amount.first {
    case "+": side = .rise
    case "-", "−": side = .fall
    default:
      guard let bad = GateGuard.badSide(of: metric) else {
        throw Malformed(
          problem: "does not say which side of \(metric.rawValue) is bad", remedy: "write \"\(metric.rawValue) +\(amount)\" or -\(amount)")
      }
      side = bad
    }
    if let first = amount.first, "+-−".contains(first) { amount.removeFirst() }
    guard amount.first(where: { $0 != " " })?.isNumber ?? false, let margin = Margin(amount) else {
      throw Malformed(
        problem: "has the margin \"\(amount)\"",
        remedy: "write per cent of the baseline such as 2%, or an amount such as 3 (\(metric.unit))")
    }
    self.init(metric, side, by: margin)
  }

  /// The side that is bad for a metric by itself; nil where neither is.
  public static func badSide(of metric: Metric) -> Side? {
    switch metric.direction {
    case .lowerIsBetter: .rise
    case .higherIsBetter: .fall
    case .neutral: nil
    }
  }

  /// As the user would write it, e.g. `loadersPer1000 +2%`.
  public var text: String { "\(metric.rawValue) \(limitText)" }

  /// The margin with the sign of the bad side, e.g. `+2%`.
  public var limitText: String {
    let sign = side == .rise ? "+" : "-"
    switch margin {
    case .absolute(let value): return sign + DecimalText.exact(value)
    case .percent(let value): return sign + DecimalText.exact(value) + "%"
    }
  }

  /// The margin in the metric's unit, on a baseline of this mean.
  func limit(baselineMean: Double) -> Double {
    switch margin {
    case .absolute(let value): value
    case .percent(let value): value / 100 * baselineMean
    }
  }

  /// How far a pair is beyond the margin, in the metric's unit: positive on the bad side. Its mean is above zero if and only if the
  /// mean moves by more than the margin, so that a margin in per cent needs no ratio, and no guard against a baseline of zero
  /// (Fieller's 1954 device).
  func excess(baseline: Double, candidate: Double) -> Double {
    let sign: Double = side == .rise ? 1 : -1
    switch margin {
    case .absolute(let value): return sign * (candidate - baseline) - value
    case .percent(let value): return sign * (candidate - baseline) - value / 100 * baseline
    }
  }
}
