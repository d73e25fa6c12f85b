// What a prefetcher must say of itself to be named in a sweep: the seam for prefetchers from outside of this package.

import Import
import Simulation

/// A prefetcher by name, and how its settings are read.
package struct PrefetcherDefinition: Sendable {
  /// The `kind` in a sweep file.
  package let name: String
  /// What it does, in a sentence.
  package let summary: String
  package let make: @Sendable (_ settings: inout PrefetcherSettings) -> any Prefetcher

  /// A prefetcher that a sweep names `name`. `make` reads its settings, each with its limits and default; whatever a sweep sets besides
  /// is reported, and so is what is out of its limits: then `make` gets a stand-in within them and its result is not used.
  package init(_ name: String, _ summary: String, make: @escaping @Sendable (_ settings: inout PrefetcherSettings) -> any Prefetcher) {
    self.name = name
    self.summary = summary
    self.make = make
  }
}

/// The settings of a prefetcher as a sweep file gives them. Every setting can be an axis.
package struct PrefetcherSettings {
  package var reader: ObjectReader

  /// A whole number; required where there is no default.
  package mutating func integer(_ key: String, default fallback: Int? = nil, in limits: ClosedRange<Int> = 0...1_000_000) -> Int {
    reader.integer(key, default: fallback, in: limits)
  }

  /// A whole number; nil if it is not given.
  package mutating func optionalInteger(_ key: String, in limits: ClosedRange<Int> = 0...1_000_000) -> Int? {
    reader.optionalInteger(key, in: limits)
  }

  /// A number.
  package mutating func number(_ key: String, default fallback: Double? = nil, in limits: ClosedRange<Double> = 0...1e6) -> Double {
    reader.number(key, default: fallback, in: limits)
  }

  /// A share from 0 to 1, written as a number or as "70%".
  package mutating func share(_ key: String, default fallback: Double? = nil) -> Double { reader.share(key, default: fallback) }

  /// true or false.
  package mutating func boolean(_ key: String, default fallback: Bool? = nil) -> Bool { reader.boolean(key, default: fallback) }

  /// A duration, written such as "50ms".
  package mutating func duration(_ key: String, default fallback: Interval? = nil, in limits: ClosedRange<Interval>? = nil) -> Interval {
    let limits = limits.map { $0.lowerBound.nanoseconds...$0.upperBound.nanoseconds } ?? 0...86_400_000_000_000
    return Interval(nanoseconds: reader.duration(key, default: fallback?.nanoseconds, in: limits))
  }

  /// An amount of bytes, written such as "800KB".
  package mutating func size(_ key: String, default fallback: Int64? = nil, in limits: ClosedRange<Int64> = 0...Volume.limitBytes) -> Int64
  {
    reader.size(key, default: fallback, in: limits)
  }

  /// One of the cases of an enumeration, by its raw value.
  package mutating func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ key: String, default fallback: Choice? = nil
  ) -> Choice {
    reader.choice(key, default: fallback)
  }
}

/// The prefetchers that sweeps can name.
package struct PrefetcherCatalogue: Sendable {
  /// All of them, in the order of `list`.
  package let definitions: [PrefetcherDefinition]

  /// Those that the program comes with.
  package static let standard = PrefetcherCatalogue(definitions: StandardPrefetchers.definitions)

  private init(definitions: [PrefetcherDefinition]) { self.definitions = definitions }

  /// Those that the program comes with, and more.
  ///
  /// - Throws: `InvalidInput` if a name is taken twice, or is no name.
  package init(adding more: [PrefetcherDefinition]) throws(InvalidInput) {
    var all = Self.standard.definitions
    for definition in more {
      let isTaken = all.contains { $0.name == definition.name }
      if isTaken || definition.name.isEmpty {
        throw InvalidInput(diagnostics: [
          Diagnostic(
            location: SourceLocation(file: Program.name), key: "prefetchers",
            problem: isTaken ? "two of them are named \"\(definition.name)\"" : "one of them has no name",
            remedy: "give your prefetcher a name of its own")
        ])
      }
      all.append(definition)
    }
    definitions = all
  }
}

extension ScenarioDecoder {
  /// The prefetcher; nil after a report.
  func decodePrefetcher(_ reader: inout ObjectReader, _ description: inout ScenarioDescription) -> (any Prefetcher)? {
    guard let part = part("prefetcher", of: &reader, required: true) else { return nil }
    var settings = PrefetcherSettings(reader: part)
    let problems = part.context.sink.count
    let name = settings.reader.choice("kind", of: prefetchers.definitions.map(\.name))
    // Without a known kind its settings cannot be judged.
    guard part.context.sink.count == problems, let definition = prefetchers.definitions.first(where: { $0.name == name }) else {
      return nil
    }
    let firstLine = part.context.lines.count
    let prefetcher = definition.make(&settings)
    settings.reader.finish()
    let words = part.context.lines[firstLine...].map { line in
      line.replacingPrefix("\(part.path).").replacingFirst("=", with: " ")
    }
    description.prefetcher = ([name] + words).joined(separator: ", ")
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
