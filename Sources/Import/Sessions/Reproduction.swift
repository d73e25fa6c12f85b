// The agreement of a replay with the recorded session.

import Analysis
import Base
import Simulation

/// The requests of a replay beside those of the recording.
package struct Reproduction: Sendable {
  /// Two requests for the same part of an item: indices in the recording and in the replay.
  let pairs: [(recorded: Int, replayed: Int)]
  package let recorded: Int, replayed: Int
  /// The payload read, in bytes.
  package let recordedBytes: Int64, replayedBytes: Int64
  package let recordedCancels: Int, replayedCancels: Int
  /// Kendall's τ of the order of the requests that both have; nil below two of them.
  package let order: Double?
  /// The median difference of their starts, in nanoseconds.
  package let startDifference: Double
  /// The distance of the replay: 0 if it makes the same requests at the same times.
  package let distance: Double

  package var matched: Int { pairs.count }

  /// The most requests of which the order is compared, which costs their square.
  private static let comparedLimit = 2000

  /// Compares the requests; a start that is off by `unit` nanoseconds or more counts as wholly wrong. Unmatched requests of the
  /// replay after `end` do not count.
  init(_ session: RecordedSession, _ all: [RequestRecord], unit: Int64, end: Int64 = .max) {
    let replay = Array(all.prefix { $0.requested.nanoseconds <= end })
    let items = session.items
    // Parts of an item that are requested at once are one request: an app may ask for both with one range.
    let recorded = Self.joined(
      session.requests.map {
        One(isPage: $0.isPage, number: $0.number, start: $0.start, offset: $0.offset, bytes: $0.bytes, isCancelled: $0.isCancelled)
      })
    // Proxies log complete requests: without a cancel in the archive, the replay's cancelled requests have no counterpart.
    let hasCancels = session.requests.contains(where: \.isCancelled)
    let shown = replay.indices.filter { hasCancels || replay[$0].end == .finished }
    let unlogged = hasCancels ? 0 : replay.count { $0.end == .cancelled }
    let played = Self.joined(
      shown.map { replay[$0] }.map {
        One(
          isPage: $0.part == .page, number: $0.item, start: $0.requested.nanoseconds, offset: $0.offset, bytes: $0.received,
          isCancelled: $0.end != .finished)
      })
    struct Part: Hashable {
      let isPage: Bool
      let number: Int, time: Int
    }
    var times: [Part: Int] = [:]
    func part(_ request: One) -> Part {
      let all = Part(isPage: request.isPage, number: request.number, time: -1)
      times[all, default: 0] += 1
      return Part(isPage: request.isPage, number: request.number, time: times[all, default: 0])
    }
    var known: [Part: Int] = [:]
    for (index, request) in played.enumerated() { known[part(request.one)] = index }
    times = [:]
    let both = recorded.indices.compactMap { index in known[part(recorded[index].one)].map { (index, $0) } }
    pairs = both.map { (recorded[$0.0].index, shown[played[$0.1].index]) }
    (self.recorded, replayed) = (recorded.count, played.count)
    recordedBytes = recorded.reduce(0) { $0 + $1.one.bytes }
    replayedBytes = played.reduce(0) { $0 + $1.one.bytes }
    recordedCancels = recorded.count { $0.one.isCancelled }
    replayedCancels = played.count { $0.one.isCancelled } + unlogged
    let compared = both.prefix(Self.comparedLimit)
    order = RankCorrelation.kendall(compared.map { Double($0.0) }, compared.map { Double($0.1) }).value
    let differences = both.map { abs(Double(recorded[$0.0].one.start - played[$0.1].one.start)) }
    startDifference = differences.median
    func mean(_ values: [Double]) -> Double { values.isEmpty ? 1 : values.reduce(0, +) / Double(values.count) }
    // Archives have whole milliseconds.
    let late = mean(differences.map { min(1, max(0, $0 - 1.1e6) / Double(max(1, unit))) })
    let amounts = mean(
      both.map { pair in
        let (one, other) = (recorded[pair.0].one, played[pair.1].one)
        let whole = one.isPage ? max(one.bytes, other.bytes) : items[min(one.number, items.count - 1)].bytes
        return min(1, Double(abs(one.bytes - other.bytes)) / Double(max(1, whole)))
      })
    let cancels =
      mean(both.map { recorded[$0.0].one.isCancelled == played[$0.1].one.isCancelled ? 0 : 1 })
      + Double(unlogged) / Double(max(1, recorded.count))
    let unmatched = 1 - Double(2 * both.count) / Double(max(1, recorded.count + played.count))
    distance = 2 * unmatched + (1 - (order ?? 1)) / 2 + late + amounts + cancels
  }

  /// A request of either side.
  private struct One {
    let isPage: Bool
    let number: Int
    let start: Int64, offset: Int64
    var bytes: Int64
    var isCancelled: Bool
  }

  /// Returns the requests, those for parts of one item that start together as one with the index of the first.
  private static func joined(_ requests: [One]) -> [(index: Int, one: One)] {
    var joined: [(index: Int, one: One)] = []
    for (index, request) in requests.enumerated() {
      let near = joined.suffix(8).lastIndex {
        $0.one.number == request.number && !$0.one.isPage && !request.isPage && $0.one.offset != request.offset
          && request.start - $0.one.start <= 1_000_000
      }
      guard let near else {
        joined.append((index, request))
        continue
      }
      joined[near].one.bytes += request.bytes
      joined[near].one.isCancelled = joined[near].one.isCancelled || request.isCancelled
    }
    return joined
  }
}
