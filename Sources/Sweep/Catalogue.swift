// What a sweep file may name, as rows of text for whoever lists it.

import Import
import Simulation

/// The prefetchers and networks there are.
package enum Catalogue {
  /// Kind and summary of each prefetcher.
  package static func prefetchers(_ catalogue: PrefetcherCatalogue = .standard) -> [[String]] {
    catalogue.definitions.map { [$0.name, $0.summary] }
  }

  /// Name and traits of each strategy of downloads in the background.
  package static var strategies: [[String]] {
    DownloadStrategy.all.map { [$0.name, $0.phrase.split(separator: ", ").dropFirst().joined(separator: ", ")] }
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
