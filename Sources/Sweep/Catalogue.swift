// The rows of `list`, `help sweep-file` and the manual, generated from the schema.

import Base
import Simulation

package enum Catalogue {
  /// The key, kind, default, range, transports and meaning of every key of a scenario. A key of several prefetchers has a row for each.
  package static func parameters(_ catalogue: PrefetcherCatalogue = .standard) -> [[String]] {
    var sections: [ScenarioSchema.Section] = []
    for section in ScenarioSchema.sections where !sections.contains(where: { $0.path == section.path }) { sections.append(section) }
    return sections.flatMap { section in section.parameters.map { row($0, named: section.path(of: $0)) } }
      + catalogue.definitions.flatMap { definition in
        definition.settings.map { row($0, named: "prefetcher.\($0.key) (\(definition.name))") }
      }
  }

  private static func row(_ parameter: Parameter, named path: String) -> [String] {
    let all = NetworkConfiguration.TransportKind.allCases
    let transports = parameter.transports.count == all.count ? "all" : parameter.transports.map(\.rawValue).joined(separator: ", ")
    let (kind, range) = parameter.texts
    return [path, kind, parameter.defaultText, range, transports, parameter.documentation]
  }

  /// The key and meaning of every key of a sweep file outside its scenario.
  package static var sweepKeys: [[String]] { Overlay.keys.map { [$0.key, $0.documentation] } }

  package static func prefetchers(_ catalogue: PrefetcherCatalogue = .standard) -> [[String]] {
    catalogue.definitions.map { [$0.name, $0.summary] }
  }

  /// The name and properties of each strategy of background downloads.
  package static var strategies: [[String]] { DownloadStrategy.all.map { [$0.name, $0.traits.dropFirst().joined(separator: ", ")] } }

  /// The name, rates, delays, loss, DNS time, radio tail and source of each network profile.
  package static var networks: [[String]] {
    NetworkProfile.all.map { profile in
      [
        profile.name, Quantity.described(profile.down, .rate), Quantity.described(profile.up, .rate), profile.delayDown.described,
        profile.delayUp.described, profile.loss == 0 ? "0" : "\(profile.loss * 100) %",
        profile.dnsTime == .zero ? "0" : profile.dnsTime.described, profile.radioTail == .zero ? "0" : profile.radioTail.described,
        profile.source,
      ]
    }
  }

  package static var networkNotes: [String] {
    let kinds = MobileRates.Kind.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    let radios = Radio.all.filter { $0.promotion > .zero }.map { radio in
      "\(radio.name) (\(radio.promotion.described) to come up, \(radio.tail.described) of tail)"
    }
    return [
      "Rates of a phone on the move, or of a busy Wi-Fi, drawn for each repetition: { mobile: \(kinds) }. A file of rates: { trace: \"bus.json\" }.",
      "No profile lets the radio fall asleep; radio does, by its names: \(radios.joined(separator: ", ")).",
      "Apple's \"100% Loss\" is left out: nothing ever arrives, so every item is a loader whatever the settings.",
    ]
  }
}

extension Parameter {
  /// The kind with its unit, and the range of allowed values.
  fileprivate var texts: (kind: String, range: String) {
    func text<Bound>(_ range: ClosedRange<Bound>, _ described: (Bound) -> String) -> String {
      "\(described(range.lowerBound)) to \(described(range.upperBound))"
    }
    return switch kind {
    case .integer(let range): ("whole number", text(range) { $0 == .max ? "any" : "\($0)" })
    case .number(let range): ("number", text(range, DecimalText.plain))
    case .probability: ("probability", "0 to less than 1")
    case .share: ("share", "0 to 1")
    case .boolean: ("true or false", "true, false")
    case .text: ("text", "any")
    case .choice(let names), .version(let names): ("name", names.joined(separator: ", "))
    case .duration(let range): ("duration", text(range) { Quantity.described($0, .duration) })
    case .rate(let range): ("rate", text(range) { Quantity.described($0, .rate) })
    case .size(let range): ("size", text(range) { Quantity.described($0, .size) })
    case .durations(let range): ("duration or distribution", text(range) { Quantity.described($0, .duration) })
    case .sizes(let range): ("size or distribution", text(range) { Quantity.described($0, .size) })
    case .other(let form): ("other", form)
    }
  }

  fileprivate var defaultText: String {
    switch (fallback, kind) {
    case (.required, _): "required"
    case (.words(let words), _): words
    case (.value(.text(let name)), _): name
    case (.value(.boolean(let flag)), _): "\(flag)"
    case (.value(.number(let number)), _): DecimalText.plain(number)
    case (.value(.integer(let value)), .duration): Quantity.described(value, .duration)
    case (.value(.integer(let value)), .rate): Quantity.described(value, .rate)
    case (.value(.integer(let value)), .size): Quantity.described(value, .size)
    case (.value(.integer(let value)), _): "\(value)"
    case (.value(.distribution(let distribution)), .durations): distribution.described(.duration)
    case (.value(.distribution(let distribution)), _): distribution.described(.size)
    }
  }
}
