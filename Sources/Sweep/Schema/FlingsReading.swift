// Reads flings at random: { probability: 0.1, items: 5 }.

import Base
import Simulation

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
