// Reads sizes and durations that may be drawn: a plain quantity, or an object that names a distribution; and flings at random.

import Base
import Simulation

extension ObjectReader {
  /// Reads a distribution within limits: "25KB", or { distribution: "lognormal", median: "25KB", sigma: 0.5 }.
  package mutating func distribution(
    _ key: String, _ dimension: Dimension, default fallback: Distribution? = nil, in limits: ClosedRange<Int64>
  ) -> Distribution {
    guard let value = value(key) else {
      if let fallback { record(key, fallback.canonical) } else { reportMissing(key, example: dimension.example) }
      return fallback ?? .constant(limits.lowerBound)
    }
    guard value.members != nil else { return .constant(quantity(key, dimension, in: limits)) }
    // The parts add no canonical lines: equal distributions have one line, explicit or default.
    var part = ObjectReader(value, path: path(of: key), context: DecodingContext(sink: context.sink))
    if !part.has("distribution") {
      let kind =
        part.has("median") || part.has("sigma")
        ? "lognormal" : part.has("mean") ? "exponential" : part.has("values") ? "quantiles" : part.has("value") ? "constant" : "uniform"
      part.reportMissing("distribution", example: quoted(kind) + (kind == "lognormal" && !part.has("sigma") ? ", sigma: 0.6" : ""))
      part.finish(knowing: ["distribution", "value", "median", "sigma", "mean", "min", "max", "values", "at"])
      return .constant(limits.lowerBound)
    }
    let problems = context.sink.count
    let distribution = part.distribution(dimension, in: limits)
    // The keys of an unknown distribution cannot be validated.
    if context.sink.count == problems || !context.sink.hasProblem(at: part.path(of: "distribution")) { part.finish() }
    record(key, distribution.canonical)
    return distribution
  }

  private mutating func distribution(_ dimension: Dimension, in limits: ClosedRange<Int64>) -> Distribution {
    let problems = context.sink.count
    let kind = choice("distribution", of: ["constant", "uniform", "lognormal", "exponential", "quantiles"])
    guard context.sink.count == problems else { return .constant(limits.lowerBound) }
    if kind == "constant" { return .constant(quantity("value", dimension, in: limits)) }
    if kind == "quantiles" {
      return quantiles(limits, example: dimension.example) { element throws(ValueProblem) in
        try ScalarValue.quantity(element, dimension, in: limits)
      }
    }
    let center = kind == "uniform" ? 0 : quantity(kind == "lognormal" ? "median" : "mean", dimension, in: limits)
    let sigma = kind == "lognormal" ? number("sigma", in: 0...5) : 0
    var low = quantity("min", dimension, default: kind == "uniform" ? nil : limits.lowerBound, in: limits)
    let high = quantity("max", dimension, default: kind == "uniform" ? nil : limits.upperBound, in: limits)
    if low > high {
      report("max", beside: ["min"], problem: "is less than min", remedy: "write min ≤ max")
      low = high
    }
    return switch kind {
    case "uniform": .uniform(low, high)
    case "lognormal": .lognormal(median: center, sigma: sigma, minimum: low, maximum: high)
    default: .exponential(mean: center, minimum: low, maximum: high)
    }
  }

  /// Reads 2 to 1000 `values` in increasing order and their probabilities `at`, by default in equal steps from 0 to 1.
  package mutating func quantiles(
    _ limits: ClosedRange<Int64>, example: String, _ parse: (JSON5Value) throws(ValueProblem) -> Int64
  ) -> Distribution {
    let problems = context.sink.count
    let values = scalars("values", parse)
    let given = has("at") ? scalars("at") { value throws(ValueProblem) in try ScalarValue.number(value, in: 0...1) } : nil
    guard context.sink.count == problems else { return .constant(limits.lowerBound) }
    let at = given ?? values.indices.map { Double($0) / Double(max(1, values.count - 1)) }
    if !(2...1000).contains(values.count) || zip(values, values.dropFirst()).contains(where: >) {
      report("values", problem: "are not 2 to 1000 values in increasing order", remedy: "write such as [\(example), …]")
    } else if at.count != values.count || at.first != 0 || at.last != 1 || zip(at, at.dropFirst()).contains(where: >=) {
      report(
        "at", problem: "does not rise from 0 to 1 with a probability for each of \(values.count) values",
        remedy: "write such as [0, 0.5, 1], or leave it out for equal steps")
    } else {
      return .quantiles(values, at: at)
    }
    return .constant(limits.lowerBound)
  }
}

extension Distribution {
  /// A canonical text in base units, the same for equal distributions.
  var canonical: String {
    switch self {
    case .constant(let value): "\(value)"
    case .uniform(let low, let high): "uniform \(low) \(high)"
    case .lognormal(let median, let sigma, let low, let high): "lognormal \(median) \(sigma) \(low) \(high)"
    case .exponential(let mean, let low, let high): "exponential \(mean) \(low) \(high)"
    case .quantiles(let values, let at): "quantiles " + zip(values, at).map { "\($0)@\($1)" }.joined(separator: " ")
    }
  }

  func described(_ dimension: Dimension) -> String {
    func text(_ value: Int64) -> String { Quantity.described(value, dimension) }
    return switch self {
    case .constant(let value): text(value)
    case .uniform(let low, let high): "\(text(low)) to \(text(high))"
    case .lognormal(let median, let sigma, _, _): "median \(text(median)) (lognormal, sigma \(sigma))"
    case .exponential(let mean, _, _): "mean \(text(mean)) (exponential)"
    case .quantiles(let values, _): "\(text(values[0])) to \(text(values[values.count - 1])) (\(values.count) quantiles)"
    }
  }

  var maximum: Int64 {
    switch self {
    case .constant(let value): value
    case .uniform(_, let high), .lognormal(_, _, _, let high), .exponential(_, _, let high): high
    case .quantiles(let values, _): values[values.count - 1]
    }
  }
}

extension Flings {
  private static let range = 2...Int64(10_000)

  /// Reads flings under a key, or those of a preset; nil for none and after a report.
  static func read(_ key: String, _ reader: inout ObjectReader, default fallback: Flings?) -> Flings? {
    guard let value = reader.value(key) else {
      if let fallback { reader.record(key, fallback.canonical) }
      return fallback
    }
    if value.text == "none" { return nil }
    let sink = reader.context.sink
    let problems = sink.count
    // The parts add no canonical lines.
    var part = ObjectReader(
      value, path: reader.path(of: key), example: "{ probability: 0.1, items: 5 }", context: DecodingContext(sink: sink))
    if part.isBroken { return nil }
    let probability = part.share("probability")
    let items: Distribution
    if let value = part.value("items"), value.members != nil {
      var law = ObjectReader(value, path: part.path(of: "items"), context: part.context)
      items = law.quantiles(range, example: "2") { element throws(ValueProblem) in try ScalarValue.integer(element, in: range) }
      law.finish()
    } else {
      items = .constant(Int64(part.integer("items", in: Int(range.lowerBound)...Int(range.upperBound))))
    }
    part.finish()
    guard sink.count == problems, probability > 0 else { return nil }
    let flings = Flings(probability: probability, items: items)
    reader.record(key, flings.canonical)
    return flings
  }

  private var canonical: String { "\(probability) \(items.canonical)" }
}
