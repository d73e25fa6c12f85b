// The metrics of a feed run: the values of one row.

/// The metrics of one run; times in milliseconds, amounts in bytes. `Metric` of `Analysis` explains those of its names.
package struct SessionMetrics: Hashable, Sendable {
  package var viewed = 0, loaders = 0
  /// Loaders by kind, in the order of `ItemKind`.
  package var loadersByKind = [Int](repeating: 0, count: ItemKind.allCases.count)
  /// Loaders by reason, in the order of `LoaderReason`; they add up to `loaders`.
  package var loadersByReason = [Int](repeating: 0, count: LoaderReason.allCases.count)
  /// The fewest loaders that any prefetcher could show: a lower bound; nil with `patience`.
  package var bound: Int?
  package var waitMsMean = 0.0
  package var waitMsP50 = 0.0, waitMsP90 = 0.0, waitMsP99 = 0.0, waitMsMax = 0.0
  package var stalls = 0
  package var stallMs = 0.0
  /// The media that videos with a bit rate played.
  package var playedMs = 0.0
  /// The mean bit rate of the renditions played, in kilobits a second; nil if none was played.
  package var playedKbps: Double?
  package var renditionSwitches = 0
  package var sessionMs = 0.0
  /// The quantiles 50, 90 and 99 % of the waits of videos; empty if they were not asked for, or no video was viewed.
  package var firstFrameMs: [Double] = []
  package var requests = 0, cancels = 0, overCancels = 0
  /// Connections opened; 0 on the fluid link.
  package var newConnections = 0
  /// Pages requested, and those of them requested again while in flight.
  package var pageRequests = 0, duplicatePageRequests = 0
  /// Payload that the client read: useful + cancelled + unseen + duplicate.
  package var bytesReceived: Int64 { bytesUseful + bytesCancelled + bytesUnseen + bytesDuplicate }
  package var bytesUseful: Int64 = 0, bytesCancelled: Int64 = 0, bytesUnseen: Int64 = 0
  /// Payload of pages that the client had already or could not use.
  package var bytesDuplicate: Int64 = 0
  package var bytesDead: Int64 = 0
  package var inversionMs = 0.0, radioActiveMs = 0.0
  /// The hash of the event log, a whole number of 52 bits.
  package var digest: UInt64 = 0

  package init() {}

  package var loadersPer1000: Double { viewed == 0 ? 0 : Double(loaders) * 1000 / Double(viewed) }

  /// Completes the metrics of a record.
  init(_ record: borrowing Recorder, timesFirstFrames: Bool = false) {
    self = record.metrics
    viewed = record.visits.count
    judgeLoaders(record, network: record.run.network)
    if record.run.hasPatience { bound = nil }
    measureWaits(record)
    if timesFirstFrames { measureFirstFrames(record) }
    sessionMs = Double(record.end) / 1e6
    (newConnections, bytesDead) = (record.counters.newConnections, record.counters.bytesDead)
    inversionMs = Double(record.inversion.nanoseconds) / 1e6
    radioActiveMs = Double(record.radio.activeNanoseconds(end: record.end)) / 1e6
    digest = record.digest.value
  }

  /// Counts loaders by kind and reason, and computes the bound. One pass over the link's capacity if deadlines ascend, as activations do.
  private mutating func judgeLoaders(_ record: borrowing Recorder, network: NetworkConfiguration) {
    let times = record.run.decodeTimes
    let isDecoded = times.isOn
    let judge = LoaderJudge(network, times)
    var capacity = LinkCapacity(network.down, offset: network.offset)
    var fewest = OnTimeSet(capacity: record.visits.count)
    for index in 0..<record.visits.count {
      let visit = record.visits[index]
      let item = record.items[visit.item]
      let volume = Volume.bytes(item.readyBytes).nanobits
      let deadline = isDecoded ? visit.activation - times.nanoseconds(of: item) : visit.activation
      let due = isDecoded ? capacity.nanobits(by: max(0, deadline)) : capacity.ascending(by: deadline)
      if visit.isFirst, !isDecoded { fewest.add(visit.item, volume: volume, due: due) }
      guard visit.isLoader else { continue }
      loaders += 1
      loadersByKind[Int(item.kind.rawValue)] += 1
      loadersByReason[judge.reason(visit, volume: volume, deadline: deadline, due: due).rawValue] += 1
    }
    if isDecoded {
      var firsts: [(item: Int, activation: Int64)] = []
      for index in 0..<record.visits.count where record.visits[index].isFirst {
        firsts.append((record.visits[index].item, record.visits[index].activation))
      }
      fewest = OnTimeSet(firsts, items: record.items, network: network, times)
    }
    bound = fewest.givenUpCount
  }

  private mutating func measureWaits(_ record: borrowing Recorder) {
    var waits = WaitTimes(visits: record.visits.count)
    for index in 0..<record.visits.count { waits.add(record.visits[index].wait) }
    (waitMsMean, waitMsMax) = (waits.meanMs, waits.maximumMs)
    (waitMsP50, waitMsP90, waitMsP99) = (waits.quantileMs(50), waits.quantileMs(90), waits.quantileMs(99))
  }

  private mutating func measureFirstFrames(_ record: borrowing Recorder) {
    var waits = WaitTimes(visits: record.visits.count)
    for index in 0..<record.visits.count where record.items[record.visits[index].item].kind == .video {
      waits.add(record.visits[index].wait)
    }
    if waits.count > 0 { firstFrameMs = [50, 90, 99].map { waits.quantileMs($0) } }
  }
}
