// The feed of a scenario: a generator's description, or a file.

import Import
import Simulation

extension ScenarioDecoder {
  /// The feed, how many items it has, its pages and its hosts; nil after a report.
  func decodeFeed(
    _ reader: inout ObjectReader, _ description: inout ScenarioDescription
  ) -> (Scenario.FeedSource?, Int?, PageSettings?, FeedHosts) {
    guard var part = part("feed", of: &reader) else { return (nil, nil, nil, FeedHosts()) }
    defer { part.finish() }
    let (feed, count) = decodeItems(&part, &description)
    return (feed, count, decodePages(&part, &description), decodeHosts(&part, &description))
  }

  private func decodeItems(_ part: inout ObjectReader, _ description: inout ScenarioDescription) -> (Scenario.FeedSource?, Int?) {
    if part.has("file") { return decodeFeedFile(&part, &description) }
    let count = part.integer("items", default: 1000, in: 1...Self.itemLimit)
    let mix = decodeMix(&part)
    var sizes: [FeedGenerator.Sizes] = []
    for kind in ItemKind.allCases { sizes.append(decodeSizes(of: kind, &part)) }
    let total = mix.reduce(0, +)
    let kinds = zip(ItemKind.allCases, mix).filter { $1 > 0 }.map { kind, weight in
      "\(percent(weight / total)) \(kind.name) of \(sizes[Int(kind.rawValue)].bytes.described(.size))"
    }
    let prefix =
      mix[Int(ItemKind.video.rawValue)] > 0
      ? "; a video starts with \(Quantity.described(sizes[Int(ItemKind.video.rawValue)].prefixBytes, .size))" : ""
    description.feed = "\(count) items: \(kinds.joined(separator: ", "))\(prefix)"
    return (.generated(FeedGenerator(count: count, mix: mix, sizes: sizes)), count)
  }

  private func decodeFeedFile(_ part: inout ObjectReader, _ description: inout ScenarioDescription) -> (Scenario.FeedSource?, Int?) {
    let location = part.location(of: "file")
    guard let path = part.optionalText("file") else { return (nil, nil) }
    do {
      let feed = try files.feed(path)
      part.record("file.contents", feed.hash)
      guard let items = feed.items else {
        part.context.sink.report(feed.problems)
        return (nil, nil)
      }
      description.feed = "\(items.count) items of \(path)"
      return (.fixed(items), items.count)
    } catch {
      part.context.sink.report(error, at: location, key: part.path(of: "file"))
      return (nil, nil)
    }
  }

  /// The weight of each kind; four images to a video unless said.
  private func decodeMix(_ part: inout ObjectReader) -> [Double] {
    guard part.has("mix") else {
      let weights = [0.8, 0.2, 0, 0]
      for (kind, weight) in zip(ItemKind.allCases, weights) { part.record("mix.\(kind.name)", ScalarValue.plain(weight)) }
      return weights
    }
    guard var mix = part.object("mix") else { return [1, 0, 0, 0] }
    var weights: [Double] = []
    for kind in ItemKind.allCases { weights.append(mix.number(kind.name, default: 0, in: 0...1e9)) }
    mix.finish()
    if !(weights.reduce(0, +) > 0), part.context.sink.isEmpty {
      part.report("mix", problem: "has no kind with a weight above 0", remedy: "write such as { image: 0.8, video: 0.2 }")
      return [1, 0, 0, 0]
    }
    return weights
  }

  private func decodeSizes(of kind: ItemKind, _ part: inout ObjectReader) -> FeedGenerator.Sizes {
    var sizes = FeedGenerator.defaultSizes(of: kind)
    var reader = part.objectOrEmpty(kind.name)
    sizes.bytes = reader.distribution("bytes", .size, default: sizes.bytes, in: 1...Volume.limitBytes)
    if kind == .video {
      sizes.prefixBytes = reader.size("prefix", default: sizes.prefixBytes, in: 1...Volume.limitBytes)
      sizes.bitsPerSecond = reader.rate("bitRate", default: sizes.bitsPerSecond, in: 1000...1_000_000_000)
    }
    sizes.height = decodeHeight(&reader)
    reader.finish()
    return sizes
  }

  private func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
