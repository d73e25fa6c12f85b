// Decodes the renditions of videos: their bit rates and the duration of a segment.

import Base
import Simulation

extension FeedPart {
  /// The fields of a video's renditions. They add no canonical lines while they are absent.
  static let renditions: [Field<FeedGenerator.Sizes>] = [
    Field(
      Parameter(
        "renditions", .other("a list of rates"),
        "The bit rates in which each video can be had, cut into segments; its length stays bytes divided by bitRate."
      ).optional("none"),
      Parameter("segment", .duration(Renditions.segmentRange), "The media time of a segment of a video with renditions.").optional("2s")
    ) { reader, sizes, _ in readRenditions(&reader, &sizes) }
  ]

  private static func readRenditions(_ reader: inout ObjectReader, _ sizes: inout FeedGenerator.Sizes) {
    let isGiven = reader.has("renditions")
    if !isGiven, reader.has("segment") {
      reader.report("segment", problem: "needs renditions", remedy: "add renditions: [\"500kbps\", \"1Mbps\"], or leave segment out")
    }
    guard isGiven else { return }
    // After a report a value stands in, so that the choice of a rendition is no further problem.
    sizes.renditions = Renditions(bitsPerSecond: [500_000], segment: .seconds(2))
    let problems = reader.context.sink.count
    let rates = reader.elements("renditions") { element throws(ValueProblem) in
      try ScalarValue.quantity(element, .rate, in: Renditions.rateRange)
    }
    let segment = reader.has("segment") ? reader.duration("segment", in: Renditions.segmentRange) : 2_000_000_000
    if reader.has("prefix") {
      reader.report("prefix", problem: "has no effect with renditions", remedy: "leave it out; a video starts with its first segment")
    }
    guard reader.context.sink.count == problems else { return }
    guard (1...Renditions.mostRates).contains(rates.count), zip(rates, rates.dropFirst()).allSatisfy(<) else {
      reader.report(
        "renditions", problem: "is no list of 1 to \(Renditions.mostRates) rates in increasing order",
        remedy: "write such as [\"500kbps\", \"1Mbps\", \"2Mbps\"]")
      return
    }
    reader.record("renditions", rates.map { "\($0)" }.joined(separator: " "))
    sizes.renditions = Renditions(bitsPerSecond: rates, segment: Interval(nanoseconds: segment))
  }

  /// Adds the renditions to the part's text.
  static func described(_ renditions: Renditions) -> String {
    let rates = renditions.bitsPerSecond.map { Quantity.described($0, .rate) }
    return
      "videos in \(rates.count) rendition\(rates.count == 1 ? "" : "s") of \(rates.joined(separator: ", ")), in segments of \(renditions.segment.described)"
  }
}
