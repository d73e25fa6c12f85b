// What is measured in a run: the columns of runs.csv (design §5), with all that a table needs to show them. Which of them a kind of
// scenario has is said by its RunSchema.

/// A number measured in a run. The raw value is its column's name in `runs.csv`; the order of cases is the order in a row.
///
/// New metrics of the feed are added after its last, so that a table written before can still be read (see `RunSchema.lastFixed`).
package enum Metric: String, CaseIterable, Sendable, Hashable {
  // Loaders, in all and by kind.
  case viewed, loaders, loadersPer1000, loadersImage, loadersVideo, loadersWebApp, loadersNativeAd
  // Why each was shown; these six add up to `loaders`.
  case unlisted, impossible, unrequested, cancelled, late, starved
  // What a clairvoyant prefetcher could have reached.
  case bound
  // Waiting and stalling.
  case waitMsMean, waitMsP50, waitMsP90, waitMsP99, waitMsMax, stalls, stallMs
  // Requests.
  case requests, cancels, overCancels, newConnections, pageRequests, duplicatePageRequests
  // Payload.
  case bytesReceived, bytesUseful, bytesCancelled, bytesUnseen, bytesDuplicate, bytesDead
  // The link and the radio.
  case inversionMs, radioActiveMs
  // Downloads in the background, which share the payload, the connections and the radio with the feed (see `RunSchema`).
  case missing8h, resourcesAtMark, slicesAtMark, resources1h, resources4h, resources8h, slices1h, slices4h, slices8h
  case firstResourceMs, allResourcesMs, lastByMarkMs, wakes, wakesAtMark, kills, tasks, tasksCancelled
  case limiterWaitMs, occasionWaitMs, startWaitMs, awakeMs, energyJ

  /// The reasons for a loader, in the order in which the first that holds is taken.
  package static let reasons: [Metric] = [.unlisted, .impossible, .unrequested, .cancelled, .late, .starved]

  /// Which way is good.
  package enum Direction: Sendable {
    /// Less is better.
    case lowerIsBetter
    /// More is better.
    case higherIsBetter
    /// Neither: a description of the run.
    case neutral
  }

  /// The position in a row's metrics, from 0. A case without a payload is its number in memory; a table by hash took a fifth of what
  /// the runner does for a run.
  package var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  /// The unit in words, e.g. `"bytes"`.
  package var unit: String { entry.unit }

  /// What it counts or measures, in one sentence.
  package var meaning: String { entry.meaning }

  /// The decimals shown in a table where no interval says how many are supported.
  package var decimals: Int { entry.decimals }

  /// Which way is good.
  package var direction: Direction { entry.direction }
}
