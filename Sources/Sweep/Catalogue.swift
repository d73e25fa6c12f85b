// Rows of text for `list` and `help sweep-file`: loops over the schema.

import Import
import Simulation

/// The keys, prefetchers and networks there are.
package enum Catalogue {
  /// Key, kind, default, range, transports and meaning of every key of a scenario; a key of several prefetchers stands there for each.
  package static func parameters(_ catalogue: PrefetcherCatalogue = .standard) -> [[String]] {
    var sections: [ScenarioSchema.Section] = []
    for section in ScenarioKind.allCases.flatMap({ ScenarioSchema.sections(of: $0) })
    where !sections.contains(where: { $0.path == section.path }) {
      sections.append(section)
    }
    let rows = sections.flatMap { section in section.parameters.map { row($0, named: section.path(of: $0)) } }
    return rows
      + catalogue.definitions.flatMap { definition in
        definition.settings.map { row($0, named: "prefetcher.\($0.key) (\(definition.name))") }
      }
  }

  /// Name, kind, default, range and meaning of every setting of a prefetcher.
  package static func settings(_ catalogue: PrefetcherCatalogue = .standard) -> [[String]] {
    catalogue.definitions.flatMap { definition in
      definition.settings.map { parameter in
        [definition.name, parameter.key, parameter.kindText, parameter.defaultText, parameter.rangeText, parameter.documentation]
      }
    }
  }

  /// Key and meaning of what stands in a sweep file beside its scenario.
  package static var sweepKeys: [[String]] { Overlay.keys.map { [$0.key, $0.documentation] } }

  private static func row(_ parameter: Parameter, named path: String) -> [String] {
    let all = NetworkConfiguration.TransportKind.allCases
    let transports = parameter.transports.count == all.count ? "all" : parameter.transports.map(\.rawValue).joined(separator: ", ")
    return [path, parameter.kindText, parameter.defaultText, parameter.rangeText, transports, parameter.documentation]
  }

  /// Kind and summary of each prefetcher.
  package static func prefetchers(_ catalogue: PrefetcherCatalogue = .standard) -> [[String]] {
    catalogue.definitions.map { [$0.name, $0.summary] }
  }

  /// Name and traits of each strategy of downloads in the background.
  package static var strategies: [[String]] {
    DownloadStrategy.all.map { [$0.name, $0.text.split(separator: ", ").dropFirst().joined(separator: ", ")] }
  }

  /// Name, rates, delays, loss, time to find a name, radio tail and source of each network profile.
  package static var networks: [[String]] {
    NetworkProfile.all.map { profile in
      [
        profile.name, Quantity.described(profile.down, .rate), Quantity.described(profile.up, .rate),
        Quantity.described(profile.delayDown, .duration), Quantity.described(profile.delayUp, .duration),
        profile.loss == 0 ? "0" : "\(profile.loss * 100) %",
        profile.dnsTime == 0 ? "0" : Quantity.described(profile.dnsTime, .duration),
        profile.radioTail == 0 ? "0" : Quantity.described(profile.radioTail, .duration), profile.source,
      ]
    }
  }

  /// What there is besides profiles, and what is left out.
  package static var networkNotes: [String] {
    let kinds = MobileRates.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    let radios = Radio.all.filter { $0.promotion > 0 }.map { radio in
      "\(radio.name) (\(Quantity.described(radio.promotion, .duration)) to come up, \(Quantity.described(radio.tail, .duration)) of tail)"
    }
    return [
      "Rates of a phone on the move, drawn for each repetition: { mobile: \(kinds) }. A file of rates: { trace: \"bus.json\" }.",
      "No profile lets the radio fall asleep; radio: \"3G\" or \"LTE\" does: \(radios.joined(separator: ", ")).",
      "Apple's \"100% Loss\" is left out: nothing ever arrives, so every item is a loader whatever the settings.",
    ]
  }
}

extension Parameter {
  /// The kind and its unit.
  fileprivate var kindText: String {
    switch kind {
    case .integer: "whole number"
    case .number: "number"
    case .probability: "probability"
    case .share: "share"
    case .boolean: "true or false"
    case .text: "text"
    case .choice, .version: "name"
    case .duration: "duration"
    case .rate: "rate"
    case .size: "size"
    case .durations: "duration or distribution"
    case .sizes: "size or distribution"
    case .other: "other"
    }
  }

  /// The values that are allowed.
  fileprivate var rangeText: String {
    switch kind {
    case .integer(let range): Self.text(range) { $0 == .max ? "any" : "\($0)" }
    case .number(let range): Self.text(range, ScalarValue.plain)
    case .probability: "0 to less than 1"
    case .share: "0 to 1"
    case .boolean: "true, false"
    case .text: "any"
    case .choice(let names), .version(let names): names.joined(separator: ", ")
    case .duration(let range), .durations(let range): Self.text(range) { Quantity.described($0, .duration) }
    case .rate(let range): Self.text(range) { Quantity.described($0, .rate) }
    case .size(let range), .sizes(let range): Self.text(range) { Quantity.described($0, .size) }
    case .other(let form): form
    }
  }

  /// The default as a sweep file would spell it.
  fileprivate var defaultText: String {
    switch fallback {
    case .required: return "required"
    case .words(let words): return words
    case .value(.text(let name)): return name
    case .value(.boolean(let flag)): return "\(flag)"
    case .value(.number(let number)): return ScalarValue.plain(number)
    case .value(.integer(let value)):
      switch kind {
      case .duration: return Quantity.described(value, .duration)
      case .rate: return Quantity.described(value, .rate)
      case .size: return Quantity.described(value, .size)
      default: return "\(value)"
      }
    case .value(.distribution(let distribution)):
      if case .durations = kind { return distribution.described(.duration) }
      return distribution.described(.size)
    }
  }

  private static func text<Bound>(_ range: ClosedRange<Bound>, _ described: (Bound) -> String) -> String {
    "\(described(range.lowerBound)) to \(described(range.upperBound))"
  }
}
