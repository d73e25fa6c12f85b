// Converts the simulation's metrics into a row of the table.

import Analysis
import Simulation

extension RunRow {
  package init(point: String, repetition: Int, seed: UInt64, axisValues: [String], session: SessionMetrics) {
    self.init(point: point, repetition: repetition, seed: seed, axisValues: axisValues, metrics: RunRow.noMetrics)
    self[.viewed] = Double(session.viewed)
    self[.loaders] = Double(session.loaders)
    self[.loadersPer1000] = session.loadersPer1000
    let kinds: [(Metric, ItemKind)] = [
      (.loadersImage, .image), (.loadersVideo, .video), (.loadersWebApp, .webApp), (.loadersNativeAd, .nativeAd),
    ]
    for (metric, kind) in kinds { self[metric] = Double(session.loadersByKind[Int(kind.rawValue)]) }
    for (metric, reason) in zip(Metric.reasons, LoaderReason.allCases) { self[metric] = Double(session.loadersByReason[reason.rawValue]) }
    self[.bound] = session.bound.map(Double.init)
    self[.waitMsMean] = session.waitMsMean
    self[.waitMsP50] = session.waitMsP50
    self[.waitMsP90] = session.waitMsP90
    self[.waitMsP99] = session.waitMsP99
    self[.waitMsMax] = session.waitMsMax
    self[.stalls] = Double(session.stalls)
    self[.stallMs] = session.stallMs
    self[.requests] = Double(session.requests)
    self[.cancels] = Double(session.cancels)
    self[.overCancels] = Double(session.overCancels)
    self[.newConnections] = Double(session.newConnections)
    self[.pageRequests] = Double(session.pageRequests)
    self[.duplicatePageRequests] = Double(session.duplicatePageRequests)
    self[.bytesReceived] = Double(session.bytesReceived)
    self[.bytesUseful] = Double(session.bytesUseful)
    self[.bytesCancelled] = Double(session.bytesCancelled)
    self[.bytesUnseen] = Double(session.bytesUnseen)
    self[.bytesDuplicate] = Double(session.bytesDuplicate)
    self[.bytesDead] = Double(session.bytesDead)
    self[.inversionMs] = session.inversionMs
    self[.radioActiveMs] = session.radioActiveMs
    digest = session.digest
  }

  /// Creates a row outside of a table with further metrics.
  package init(seed: UInt64, session: SessionMetrics, further: [Metric], energy: EnergyProxy) {
    self.init(point: "", repetition: 1, seed: seed, axisValues: [], session: session)
    for metric in further { self[metric] = session.value(of: metric, energy: energy) }
  }
}

extension [Metric] {
  /// True if the run must measure the time to the first frame of videos.
  package var needFirstFrames: Bool { contains { [.firstFrameMsP50, .firstFrameMsP90, .firstFrameMsP99].contains($0) } }
}

extension SessionMetrics {
  /// Returns a further metric; nil if it is undefined for the run, such as a ratio of stalls without playback.
  fileprivate func value(of metric: Metric, energy: EnergyProxy) -> Double? {
    switch metric {
    case .firstFrameMsP50: firstFrameMs.first
    case .firstFrameMsP90: firstFrameMs.dropFirst().first
    case .firstFrameMsP99: firstFrameMs.last
    // Conviva's rebuffering ratio, and Sabre's: https://doi.org/10.1145/3204949.3204953.
    case .stallRatio: stallMs + playedMs > 0 ? stallMs / (stallMs + playedMs) : nil
    case .bytesPerHour: sessionMs > 0 ? Double(bytesReceived) * 3_600_000 / sessionMs : nil
    // The app is in the foreground.
    case .energyJ: energy.joules(radioMs: radioActiveMs, bytes: bytesReceived, awakeMs: 0, wakes: 0)
    case .playedKbps: playedKbps
    case .renditionSwitches: playedKbps == nil ? nil : Double(renditionSwitches)
    default: nil
    }
  }
}

extension BackgroundMetrics {
  /// The values in the order of `Metric.allCases`.
  package var row: [Double?] {
    var row = RunRow()
    row[.missing8h] = Double(missing)
    row[.resourcesAtMark] = Double(atMark.resources)
    row[.slicesAtMark] = Double(atMark.slices)
    let hours: [(Metric, Metric)] = [(.resources1h, .slices1h), (.resources4h, .slices4h), (.resources8h, .slices8h)]
    for ((resources, slices), standing) in zip(hours, afterHours) {
      row[resources] = Double(standing.resources)
      row[slices] = Double(standing.slices)
    }
    row[.firstResourceMs] = firstResourceMs
    row[.allResourcesMs] = allResourcesMs
    row[.lastByMarkMs] = lastByMarkMs
    row[.wakes] = Double(wakes)
    row[.wakesAtMark] = Double(wakesAtMark)
    row[.kills] = Double(kills)
    row[.tasks] = Double(tasks)
    row[.tasksCancelled] = Double(tasksCancelled)
    row[.limiterWaitMs] = limiterWaitMs
    row[.occasionWaitMs] = occasionWaitMs
    row[.startWaitMs] = startWaitMs
    row[.awakeMs] = awakeMs
    row[.newConnections] = Double(newConnections)
    row[.bytesReceived] = Double(bytesReceived)
    row[.bytesDead] = Double(bytesDead)
    row[.radioActiveMs] = radioActiveMs
    row[.energyJ] = energy
    row.digest = digest
    return row.metrics
  }
}
