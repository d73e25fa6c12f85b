// Reasons of loaders, judged from the link alone.

/// The reason of a loader: the first case that holds, in this order.
package enum LoaderReason: Int, Hashable, Sendable, CaseIterable {
  /// Its page had not arrived.
  case unlisted
  /// Too large for the link: alone on it from time 0, the item would be late.
  case impossible
  /// It was not requested before its activation.
  case unrequested
  /// A transfer of it had been cancelled before.
  case cancelled
  /// Requested too late: alone on the link since its request, the item would be late.
  case late
  /// Requested in time, but other transfers used the link or its connection.
  case starved
}

/// Judges each loader as if its item were alone on a fluid link with the network's latency.
struct LoaderJudge {
  private let capacity: LinkCapacity
  private let cursor: RateCursor
  private let latency: Int64?
  /// The arrival of the first byte of a request at time 0, and the link's capacity by then.
  private let firstByte: Int64
  private let capacityBeforeFirstByte: Int128

  init(_ network: NetworkConfiguration) {
    capacity = LinkCapacity(network.down, offset: network.offset)
    cursor = RateCursor(network.down, offset: network.offset)
    latency = network.fluidLatency
    firstByte = latency ?? cursor.latencyEnd(from: 0)
    capacityBeforeFirstByte = capacity.nanobits(by: firstByte)
  }

  /// Returns the reason of a loader with `volume` ready nanobits; `due` is the raw capacity of the link by its activation.
  func reason(_ visit: VisitRecord, volume: Int64, due: Int128) -> LoaderReason {
    if !visit.isListed { return .unlisted }
    if firstByte >= visit.activation || due - capacityBeforeFirstByte < Int128(volume) { return .impossible }
    if visit.requestedAt < 0 { return .unrequested }
    if visit.wasCancelled { return .cancelled }
    let begin = latency.map { visit.requestedAt + $0 } ?? cursor.latencyEnd(from: visit.requestedAt)
    return begin >= visit.activation || due - capacity.nanobits(by: begin) < Int128(volume) ? .late : .starved
  }

  /// Returns the instant at which an item of `volume` nanobits would be ready, alone on the link since its request.
  func readyAlone(volume: Int64, since requested: Int64) -> Instant {
    var alone = cursor
    alone.skip(to: latency.map { requested + $0 } ?? cursor.latencyEnd(from: requested))
    return Instant(nanoseconds: alone.end(of: volume).instant)
  }
}
