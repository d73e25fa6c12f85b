// Why each loader was shown (design §5).

/// The first of these that holds is the reason of a loader.
package enum LoaderReason: Int, Hashable, Sendable, CaseIterable {
  /// Its page had not come.
  case unlisted
  /// Alone from time 0 on the raw link it would be late.
  case impossible
  /// It was not asked for before its activation.
  case unrequested
  /// A transfer of it had been cut before.
  case cancelled
  /// Alone on the link since its request it would be late.
  case late
  /// Else: others had the link, or its connection.
  case starved
}

/// Judges loaders on the fluid link with its latency, each as if it were alone there.
struct LoaderJudge {
  private let capacity: LinkCapacity
  private let cursor: RateCursor
  private let latency: Int64?
  /// When a request at time 0 has spent its latency, and the capacity by then.
  private let firstByte: Int64
  private let capacityBeforeFirstByte: Int128

  init(_ network: NetworkConfiguration) {
    capacity = LinkCapacity(network.down, offset: network.offset)
    cursor = RateCursor(network.down, offset: network.offset)
    latency = network.fluidLatency
    firstByte = latency ?? cursor.latencyEnd(from: 0)
    capacityBeforeFirstByte = capacity.nanobits(by: firstByte)
  }

  /// The reason of a loader whose ready bytes are `volume` nanobits; `due` is the link's raw capacity by its activation.
  func reason(_ visit: VisitRecord, volume: Int64, due: Int128) -> LoaderReason {
    if !visit.isListed { return .unlisted }
    if firstByte >= visit.activation || due - capacityBeforeFirstByte < Int128(volume) { return .impossible }
    if visit.requestedAt < 0 { return .unrequested }
    if visit.wasCancelled { return .cancelled }
    let begin = latency.map { visit.requestedAt + $0 } ?? cursor.latencyEnd(from: visit.requestedAt)
    return begin >= visit.activation || due - capacity.nanobits(by: begin) < Int128(volume) ? .late : .starved
  }

  /// When an item of `volume` nanobits would have been ready, had it been alone on the link since it was asked for.
  func readyAlone(volume: Int64, since asked: Int64) -> Instant {
    var alone = cursor
    alone.skip(to: latency.map { asked + $0 } ?? cursor.latencyEnd(from: asked))
    return Instant(nanoseconds: alone.end(of: volume).instant)
  }
}
