// The prefetchers that a sweep can name. A new one is a file in Simulation/Prefetch and a line here.

import Simulation

/// A prefetcher by name, and how its settings are read.
struct PrefetcherEntry: Sendable {
  /// The `kind` in a sweep file.
  let name: String
  /// What it does, in a sentence.
  let summary: String
  /// Reads its settings.
  let decode: @Sendable (_ settings: inout ObjectReader) -> any Prefetcher
}

enum PrefetcherCatalogue {
  /// All of them, in the order of `list`.
  static let entries: [PrefetcherEntry] = [
    PrefetcherEntry(name: "none", summary: "Loads the active item and nothing else.") { _ in NoPrefetch() },
    PrefetcherEntry(name: "itemsAhead", summary: "The active item, then the next `ahead` items in order.") { settings in
      ItemsAhead(ahead: settings.integer("ahead", default: 3, in: 0...100_000), prefixOnly: settings.boolean("prefixOnly", default: true))
    },
    PrefetcherEntry(name: "costBudget", summary: "The active item, then what fits a budget of costs by kind.") { settings in
      CostBudget(
        maxCost: settings.number("maxCost", default: 5, in: 0...1e6),
        costs: [
          settings.number("imageCost", default: 1, in: 0...1e6), settings.number("videoCost", default: 2, in: 0...1e6),
          settings.number("webAppCost", default: 1, in: 0...1e6), settings.number("nativeAdCost", default: 1, in: 0...1e6),
        ], overflow: settings.choice("overflow", default: .stop), activeCounts: settings.boolean("activeCounts", default: false))
    },
  ]
}

extension ScenarioDecoder {
  /// The prefetcher; nil after a report.
  func decodePrefetcher(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> (any Prefetcher)? {
    guard var part = part("prefetcher", of: &reader, required: true) else { return nil }
    let problems = part.context.sink.count
    let name = part.choice("kind", of: PrefetcherCatalogue.entries.map(\.name))
    // Without a known kind its settings cannot be judged.
    guard part.context.sink.count == problems, let entry = PrefetcherCatalogue.entries.first(where: { $0.name == name }) else { return nil }
    let firstLine = part.context.lines.count
    let prefetcher = entry.decode(&part)
    part.finish()
    let settings = part.context.lines[firstLine...].map { line in
      line.replacingPrefix("\(part.path).").replacingFirst("=", with: " ")
    }
    description.prefetcher = ([name] + settings).joined(separator: ", ")
    return prefetcher
  }
}

extension String {
  fileprivate func replacingPrefix(_ prefix: String) -> String { hasPrefix(prefix) ? String(dropFirst(prefix.count)) : self }

  fileprivate func replacingFirst(_ character: Character, with text: String) -> String {
    guard let index = firstIndex(of: character) else { return self }
    return self[..<index] + text + self[self.index(after: index)...]
  }
}
