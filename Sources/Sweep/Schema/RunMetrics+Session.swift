// Converts the simulation's metrics into those of a table.

import Analysis
import Base
import Simulation

extension RunMetrics {
  /// Creates the metrics of a session, with the further ones that a sweep names.
  package init(_ session: SessionMetrics, further: [Metric], energy: EnergyProxy) {
    self.init()
    self[.viewed] = Double(session.viewed)
    self[.loaders] = Double(session.loaders)
    self[.loadersPer1000] = session.loadersPer1000
    let kinds: [(Metric, ItemKind)] = [
      (.loadersImage, .image), (.loadersVideo, .video), (.loadersWebApp, .webApp), (.loadersNativeAd, .nativeAd),
    ]
    for (metric, kind) in kinds { self[metric] = Double(session.loadersByKind[Int(kind.rawValue)]) }
    for (metric, reason) in zip(Metric.reasons, LoaderReason.allCases) where !metric.isFurther {
      self[metric] = Double(session.loadersByReason[reason.rawValue])
    }
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
    case .evicted: Double(loadersByReason[LoaderReason.evicted.rawValue])
    default: nil
    }
  }
}

extension RunMetrics {
  /// Creates the metrics of background downloads.
  init(_ background: BackgroundMetrics) {
    self.init()
    self[.missing8h] = Double(background.missing)
    self[.resourcesAtMark] = Double(background.atMark.resources)
    self[.slicesAtMark] = Double(background.atMark.slices)
    let hours: [(Metric, Metric)] = [(.resources1h, .slices1h), (.resources4h, .slices4h), (.resources8h, .slices8h)]
    for ((resources, slices), standing) in zip(hours, background.afterHours) {
      self[resources] = Double(standing.resources)
      self[slices] = Double(standing.slices)
    }
    self[.firstResourceMs] = background.firstResourceMs
    self[.allResourcesMs] = background.allResourcesMs
    self[.lastByMarkMs] = background.lastByMarkMs
    self[.wakes] = Double(background.wakes)
    self[.wakesAtMark] = Double(background.wakesAtMark)
    self[.kills] = Double(background.kills)
    self[.tasks] = Double(background.tasks)
    self[.tasksCancelled] = Double(background.tasksCancelled)
    self[.limiterWaitMs] = background.limiterWaitMs
    self[.occasionWaitMs] = background.occasionWaitMs
    self[.startWaitMs] = background.startWaitMs
    self[.awakeMs] = background.awakeMs
    self[.newConnections] = Double(background.newConnections)
    self[.bytesReceived] = Double(background.bytesReceived)
    self[.bytesDead] = Double(background.bytesDead)
    self[.radioActiveMs] = background.radioActiveMs
    self[.energyJ] = background.energy
    digest = background.digest
  }
}

extension RunMetrics {
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
