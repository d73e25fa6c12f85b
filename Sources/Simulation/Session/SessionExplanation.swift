// The trace of one run: its requests, its events, and the evidence for the reason of each loader.

package struct LoaderEvidence: Hashable, Sendable {
  package let item: Int
  package let kind: ItemKind
  /// The instant at which it became active without being ready.
  package let activated: Instant
  /// The time for which it was active and not ready.
  package let wait: Interval
  /// True if it became ready while it was active.
  package let isShown: Bool
  package let reason: LoaderReason
  /// The first request for its first bytes; nil if that was not before its activation.
  package let requested: Instant?
  /// The arrival of the first of them; nil if none arrived before its activation.
  package let firstByte: Instant?
  /// The cancel of its last transfer before its activation; nil if none was cancelled.
  package let cancelled: Instant?
  /// The instant at which it would be ready, alone on the link since its request, or since its activation if it was not requested.
  package let readyAlone: Instant
}

package struct SessionExplanation: Sendable {
  package let metrics: SessionMetrics
  package let items: ContiguousArray<Item>
  package let hosts: FeedHosts
  package let http: HTTPConfiguration
  package let events: [TimedEvent]
  package let requests: [RequestRecord]
  package let loaders: [LoaderEvidence]
  /// The bytes that the client had read at each event, in ascending order of time.
  package let reads: [ReadBytes]
  package let end: Instant
  private let capacity: LinkCapacity
  private let outages: [TimeSpan]

  init(_ record: borrowing Recorder) {
    let network = record.run.network
    metrics = SessionMetrics(record)
    items = record.items
    (hosts, http) = (record.hosts, network.http)
    let log = record.log ?? EventLog()
    (events, requests, reads) = (log.events, log.requests, log.reads)
    end = Instant(nanoseconds: record.end)
    capacity = LinkCapacity(network.down, offset: network.offset)
    // The fluid link has no outages besides those in its rates.
    outages = network.transport == .fluid ? [] : network.outages
    loaders = SessionExplanation.evidence(record, log.requests)
  }

  /// Returns the bytes that the link could have carried to the client by an instant, headers included. O(log periods + outages).
  package func offeredBytes(by instant: Instant) -> Int64 {
    var nanobits = capacity.nanobits(by: instant.nanoseconds)
    for outage in outages where outage.start.nanoseconds < instant.nanoseconds {
      let end = min(outage.end.nanoseconds, instant.nanoseconds)
      nanobits -= capacity.nanobits(by: end) - capacity.nanobits(by: outage.start.nanoseconds)
    }
    return Int64(clamping: nanobits / Int128(Volume.nanobitsPerByte))
  }

  private static func evidence(_ record: borrowing Recorder, _ requests: [RequestRecord]) -> [LoaderEvidence] {
    let network = record.run.network
    let judge = LoaderJudge(network, record.run.decodeTimes)
    let capacity = LinkCapacity(network.down, offset: network.offset)
    // The requests for each item's ready bytes, in order.
    var ofItem = [[RequestRecord]](repeating: [], count: record.items.count)
    for request in requests where request.part == .ready { ofItem[request.item].append(request) }
    var evidence: [LoaderEvidence] = []
    for index in 0..<record.visits.count where record.visits[index].isLoader {
      let visit = record.visits[index]
      let activated = Instant(nanoseconds: visit.activation)
      let item = record.items[visit.item]
      let deadline = visit.activation - record.run.decodeTimes.nanoseconds(of: item)
      let own = ofItem[visit.item].filter { $0.requested < activated }
      let left = index + 1 < record.visits.count ? record.visits[index + 1].activation : record.end
      evidence.append(
        LoaderEvidence(
          item: visit.item, kind: item.kind, activated: activated, wait: Interval(nanoseconds: visit.wait),
          isShown: visit.activation + visit.wait < left,
          reason: judge.reason(
            visit, volume: Volume.bytes(item.readyBytes).nanobits, deadline: deadline, due: capacity.nanobits(by: max(0, deadline))),
          requested: visit.requestedAt < 0 ? nil : Instant(nanoseconds: visit.requestedAt),
          firstByte: own.compactMap(\.firstByte).filter { $0 <= activated }.min(),
          cancelled: own.filter { $0.end == .cancelled && $0.ended <= activated }.map(\.ended).max(),
          readyAlone: judge.readyAlone(item, since: visit.requestedAt < 0 ? visit.activation : visit.requestedAt)))
    }
    return evidence
  }
}
