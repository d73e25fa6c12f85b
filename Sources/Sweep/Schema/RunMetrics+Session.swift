// Converts the simulation's metrics into those of a table.

import Analysis
import Base
import Simulation

extension RunMetrics {
  package init(_ session: SessionMetrics, further: [Metric], energy: EnergyProxy) {
    self.init()
    let counts: [(Metric, Int)] = [
      (.viewed, session.viewed), (.loaders, session.loaders), (.stalls, session.stalls), (.requests, session.requests),
      (.cancels, session.cancels), (.overCancels, session.overCancels), (.newConnections, session.newConnections),
      (.pageRequests, session.pageRequests), (.duplicatePageRequests, session.duplicatePageRequests),
    ]
    for (metric, count) in counts { self[metric] = Double(count) }
    let kinds: [(Metric, ItemKind)] = [
      (.loadersImage, .image), (.loadersVideo, .video), (.loadersWebApp, .webApp), (.loadersNativeAd, .nativeAd),
    ]
    for (metric, kind) in kinds { self[metric] = Double(session.loadersByKind[Int(kind.rawValue)]) }
    for (metric, reason) in zip(Metric.reasons, LoaderReason.allCases) where !metric.isFurther {
      self[metric] = Double(session.loadersByReason[reason.rawValue])
    }
    let bytes: [(Metric, Int64)] = [
      (.bytesReceived, session.bytesReceived), (.bytesUseful, session.bytesUseful), (.bytesCancelled, session.bytesCancelled),
      (.bytesUnseen, session.bytesUnseen), (.bytesDuplicate, session.bytesDuplicate), (.bytesDead, session.bytesDead),
    ]
    for (metric, bytes) in bytes { self[metric] = Double(bytes) }
    let others: [(Metric, Double?)] = [
      (.loadersPer1000, session.loadersPer1000), (.bound, session.bound.map(Double.init)), (.waitMsMean, session.waitMsMean),
      (.waitMsP50, session.waitMsP50), (.waitMsP90, session.waitMsP90), (.waitMsP99, session.waitMsP99), (.waitMsMax, session.waitMsMax),
      (.stallMs, session.stallMs), (.inversionMs, session.inversionMs), (.radioActiveMs, session.radioActiveMs),
    ]
    for (metric, value) in others { self[metric] = value }
    digest = session.digest
    for metric in further { self[metric] = session.value(of: metric, energy: energy) }
  }

  init(_ background: BackgroundMetrics) {
    self.init()
    let counts: [(Metric, Int)] = [
      (.missing8h, background.missing), (.resourcesAtMark, background.atMark.resources), (.slicesAtMark, background.atMark.slices),
      (.wakes, background.wakes), (.wakesAtMark, background.wakesAtMark), (.kills, background.kills), (.tasks, background.tasks),
      (.tasksCancelled, background.tasksCancelled), (.newConnections, background.newConnections),
    ]
    for (metric, count) in counts { self[metric] = Double(count) }
    let hours: [(Metric, Metric)] = [(.resources1h, .slices1h), (.resources4h, .slices4h), (.resources8h, .slices8h)]
    for ((resources, slices), standing) in zip(hours, background.afterHours) {
      self[resources] = Double(standing.resources)
      self[slices] = Double(standing.slices)
    }
    let others: [(Metric, Double?)] = [
      (.firstResourceMs, background.firstResourceMs), (.allResourcesMs, background.allResourcesMs),
      (.lastByMarkMs, background.lastByMarkMs), (.limiterWaitMs, background.limiterWaitMs), (.occasionWaitMs, background.occasionWaitMs),
      (.startWaitMs, background.startWaitMs), (.awakeMs, background.awakeMs), (.bytesReceived, Double(background.bytesReceived)),
      (.bytesDead, Double(background.bytesDead)), (.radioActiveMs, background.radioActiveMs), (.energyJ, background.energy),
    ]
    for (metric, value) in others { self[metric] = value }
    digest = background.digest
  }

  /// The digest of a device's result: the first 52 bits of the hash of its values.
  package var resultDigest: UInt64 {
    var hash = ContentHash()
    for metric in Metric.allCases where !metric.isFurther { hash.update(line: self[metric].map(DecimalText.exact) ?? "") }
    // Results without further metrics keep the digest of version 1.0.0.
    for metric in Metric.allCases where metric.isFurther {
      if let value = self[metric] { hash.update(line: "\(metric.rawValue)=\(DecimalText.exact(value))") }
    }
    return hash.highHalf >> 12
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
    case .evicted: Double(loadersByReason[LoaderReason.evicted.rawValue])
    default: nil
    }
  }
}
