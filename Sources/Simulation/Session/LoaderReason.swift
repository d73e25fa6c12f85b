// Reasons of loaders, judged from the link alone.

/// The reason of a loader: the first case that holds, in this order; `evicted` comes before `unrequested`.
package enum LoaderReason: Int, Hashable, Sendable, CaseIterable {
  /// Its page had not arrived.
  case unlisted
  /// Too large for the link: alone on it from time 0, the item would be late.
  case impossible
  /// It was not requested before its activation.
  case unrequested
  /// A transfer of it had been cancelled before.
  case cancelled
  /// Requested too late: alone on the link and the decoders since its request, the item would be late.
  case late
  /// Requested in time, but other items used the link, its connection, the decoders or the players.
  case starved
  /// Stored before its activation, and evicted since.
  case evicted
}

/// Judges each loader as if its item were alone on a fluid link with the network's latency.
struct LoaderJudge {
  private let capacity: LinkCapacity
  private let cursor: RateCursor
  private let latency: Int64?
  private let decodeTimes: DecodeTimes
  /// The arrival of the first byte of a request at time 0, and the link's capacity by then.
  private let firstByte: Int64, capacityBeforeFirstByte: Int128

  init(_ network: NetworkConfiguration, _ decodeTimes: DecodeTimes) {
    self.decodeTimes = decodeTimes
    capacity = LinkCapacity(network.down, offset: network.offset)
    cursor = RateCursor(network.down, offset: network.offset)
    latency = network.fluidLatency
    firstByte = latency ?? cursor.latencyEnd(from: 0)
    capacityBeforeFirstByte = capacity.nanobits(by: firstByte)
  }

  /// Returns the reason of a loader; `due` is the raw capacity of the link by `deadline`, its activation less its decode time.
  func reason(_ visit: VisitRecord, volume: Int64, deadline: Int64, due: Int128) -> LoaderReason {
    if !visit.isListed { return .unlisted }
    if firstByte >= deadline || due - capacityBeforeFirstByte < Int128(volume) { return .impossible }
    if visit.wasEvicted { return .evicted }
    if visit.requestedAt < 0 { return .unrequested }
    if visit.wasCancelled { return .cancelled }
    let begin = latency.map { visit.requestedAt + $0 } ?? cursor.latencyEnd(from: visit.requestedAt)
    return begin >= deadline || due - capacity.nanobits(by: begin) < Int128(volume) ? .late : .starved
  }

  /// Returns the instant at which an item would be ready, alone on the link and the decoders since its request.
  func readyAlone(_ item: Item, since requested: Int64) -> Instant {
    var alone = cursor
    alone.skip(to: latency.map { requested + $0 } ?? cursor.latencyEnd(from: requested))
    return Instant(nanoseconds: alone.end(of: Volume.bytes(item.readyBytes).nanobits).instant + decodeTimes.nanoseconds(of: item))
  }
}
