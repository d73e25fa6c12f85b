// The parts of the scenario that was decoded last: neighbours in a grid differ in one of them.

import Import
import Simulation

/// The last decoded part of each kind. One decoder's: its files and prefetchers belong to what a part means.
package final class PartMemory {
  /// A part as it was read, and what came of it.
  package struct Part<Result> {
    private var value: JSON5Value?
    private var also: Int?
    private var known: (result: Result, lines: ArraySlice<String>, identity: ArraySlice<String>, description: ScenarioDescription)?

    /// The part under a key: the last one's result if it was read from the same value, else what `decode` makes of it. `also` is what
    /// else decides the result. A part with problems is not remembered.
    mutating func recalled(
      _ key: String, of reader: inout ObjectReader, _ description: inout ScenarioDescription, also: Int? = nil,
      _ decode: (inout ObjectReader, inout ScenarioDescription) -> Result
    ) -> Result {
      let value = reader.value(key)
      let context = reader.context
      if let known, self.also == also, self.value == value {
        context.record(lines: known.lines, identity: known.identity)
        description.add(known.description)
        return known.result
      }
      let (lineCount, identityCount, problemCount) = (context.lines.count, context.identity.count, context.sink.count)
      var own = ScenarioDescription()
      let result = decode(&reader, &own)
      description.add(own)
      if context.sink.count == problemCount {
        (self.value, self.also) = (value, also)
        known = (result, context.lines[lineCount...], context.identity[identityCount...], own)
      }
      return result
    }
  }

  package var feed = Part<(Scenario.FeedSource?, Int?, PageSettings?, FeedHosts)>()
  package var network = Part<(NetworkConfiguration?, Bool)>()
  package var downloads = Part<DownloadSettings>()
  package var user = Part<(UserScript, Double?)>()
  package var prefetcher = Part<(any Prefetcher)?>()
}

extension ScenarioDescription {
  /// Takes over what another description says.
  fileprivate mutating func add(_ other: ScenarioDescription) {
    if !other.feed.isEmpty { feed = other.feed }
    if !other.network.isEmpty { network = other.network }
    if !other.downloads.isEmpty { downloads = other.downloads }
    if !other.user.isEmpty { user = other.user }
    if !other.prefetcher.isEmpty { prefetcher = other.prefetcher }
    ignored += other.ignored
    others += other.others
  }
}
