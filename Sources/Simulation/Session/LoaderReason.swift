// Why each loader was shown (design §5).

/// The first of these that holds is the reason of a loader.
public enum LoaderReason: Int, Hashable, Sendable, CaseIterable {
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

  init(_ network: NetworkConfiguration) {
    capacity = LinkCapacity(network.down, offset: network.offset)
    cursor = RateCursor(network.down, offset: network.offset)
    let latencies = network.down.periods.compactMap(\.latency)
    if latencies.count < network.down.periods.count {
      latency = (network.delayDown + network.delayUp).nanoseconds
    } else {
      latency = latencies.allSatisfy { $0 == latencies[0] } ? latencies[0].nanoseconds : nil
    }
  }

  /// The reason of a loader whose ready bytes are `volume` nanobits.
  func reason(_ visit: VisitRecord, volume: Int64, isListed: Bool) -> LoaderReason {
    if !isListed { return .unlisted }
    if isLate(volume, from: 0, due: visit.activation) { return .impossible }
    if visit.requestedAt < 0 { return .unrequested }
    if visit.wasCut { return .cancelled }
    return isLate(volume, from: visit.requestedAt, due: visit.activation) ? .late : .starved
  }

  /// The raw capacity by an instant, for the bound.
  func capacity(by instant: Int64) -> Int128 { capacity.nanobits(by: instant) }

  private func isLate(_ volume: Int64, from start: Int64, due: Int64) -> Bool {
    let begin = latency.map { start + $0 } ?? cursor.latencyEnd(from: start)
    return begin >= due || capacity.nanobits(by: due) - capacity.nanobits(by: begin) < Int128(volume)
  }
}
