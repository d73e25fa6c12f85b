// The metrics of a run: the columns of runs.csv, with their units, explanations and directions.
// `RunSchema` says which of them a kind of scenario has.

import Base

/// A metric of a run; the raw value is the column's name in `runs.csv`, and the cases have the order of a row.
/// Add new metrics after the last, and let `RunSchema` offer them, so that tables without them stay readable.
package enum Metric: String, CaseIterable, Sendable, Hashable {
  // Loaders, in all and by kind.
  case viewed, loaders, loadersPer1000, loadersImage, loadersVideo, loadersWebApp, loadersNativeAd
  // The reasons for loaders; these six and `evicted` add up to `loaders`.
  case unlisted, impossible, unrequested, cancelled, late, starved
  // The lower bound that a clairvoyant prefetcher could reach.
  case bound
  // Waits and stalls.
  case waitMsMean, waitMsP50, waitMsP90, waitMsP99, waitMsMax, stalls, stallMs
  // Requests.
  case requests, cancels, overCancels, newConnections, pageRequests, duplicatePageRequests
  // Payload.
  case bytesReceived, bytesUseful, bytesCancelled, bytesUnseen, bytesDuplicate, bytesDead
  // The link and the radio.
  case inversionMs, radioActiveMs
  // Background downloads, which share payload, connection and radio metrics with the feed (see `RunSchema`).
  case missing8h, resourcesAtMark, slicesAtMark, resources1h, resources4h, resources8h, slices1h, slices4h, slices8h
  case firstResourceMs, allResourcesMs, lastByMarkMs, wakes, wakesAtMark, kills, tasks, tasksCancelled
  case limiterWaitMs, occasionWaitMs, startWaitMs, awakeMs, energyJ
  // Metrics of a feed whose columns exist only in sweeps that name them, as with `energyJ` there (see `RunSchema.offered`).
  case firstFrameMsP50, firstFrameMsP90, firstFrameMsP99, stallRatio, bytesPerHour, playedKbps, renditionSwitches
  // The seventh reason for loaders, with a column in sweeps with `downloads.store`.
  case evicted

  /// The reasons for a loader, in the order of `LoaderReason`.
  package static let reasons: [Metric] = [.unlisted, .impossible, .unrequested, .cancelled, .late, .starved, .evicted]

  /// The direction in which a metric improves; a neutral metric only describes the run.
  package enum Direction: Sendable { case lowerIsBetter, higherIsBetter, neutral }

  /// The index among all metrics.
  // A case without a payload is its number in memory; a lookup by hash took a fifth of the time of a run.
  package var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  /// The number of metrics before the further ones, which only sweeps that name them have.
  package static let fixedCount = Metric.energyJ.index + 1
  /// True if every schema lacks the metric unless a sweep names it.
  package var isFurther: Bool { index >= Self.fixedCount }

  package var unit: Unit { definition.unit }
  package var meaning: String { definition.meaning }
  /// The decimals in tables without an interval.
  package var decimals: Int { definition.decimals }
  package var direction: Direction { definition.direction }
  /// True if the mean over groups of users is the weighted mean of the groups' means: not for quantiles, maxima and ratios of other things
  /// than items viewed.
  package var isAveraged: Bool {
    switch self {
    case .waitMsP50, .waitMsP90, .waitMsP99, .waitMsMax, .firstFrameMsP50, .firstFrameMsP90, .firstFrameMsP99, .stallRatio, .bytesPerHour,
      .playedKbps:
      false
    default: true
    }
  }
  /// Returns the warning where a weighted whole is judged by a metric that is not averaged.
  package func warning(ofWhole name: String) -> String {
    "\(rawValue) of \(name) is the weighted mean of the strata's values; that of all items or sessions together does not follow from them."
  }
  /// True if the values are whole numbers, as counts and bytes are.
  package var isWhole: Bool { unit.isWhole }

  private struct Definition {
    let unit: Unit
    let meaning: String
    let direction: Direction
    let decimals: Int

    init(_ unit: Unit, _ meaning: String, _ direction: Direction = .lowerIsBetter, decimals: Int = 0) {
      (self.unit, self.meaning, self.direction, self.decimals) = (unit, meaning, direction, decimals)
    }
  }

  private static let definitions = allCases.map(\.newDefinition)

  private var definition: Definition { Self.definitions[index] }

  private var newDefinition: Definition {
    switch self {
    case .viewed: Definition(.items, "Items that became active.", .neutral)
    case .loaders: Definition(.items, "Items that were not ready when they became active.")
    case .loadersPer1000: Definition(.perThousandItems, "Loaders per 1000 items viewed.", decimals: 1)
    case .loadersImage: Definition(.items, "Loaders of images.")
    case .loadersVideo: Definition(.items, "Loaders of videos.")
    case .loadersWebApp: Definition(.items, "Loaders of embedded pages.")
    case .loadersNativeAd: Definition(.items, "Loaders of native ads.")
    case .unlisted: Definition(.items, "The item's page of the feed had not arrived.")
    case .impossible: Definition(.items, "Impossible on this link, even if requested alone from the start.")
    case .unrequested: Definition(.items, "Not requested before it became active.")
    case .cancelled: Definition(.items, "Requested and cancelled.")
    case .late: Definition(.items, "Requested too late, even without other transfers.")
    case .starved: Definition(.items, "Requested in time, but other transfers used the link.")
    case .bound: Definition(.items, "The lower bound: the fewest loaders of any schedule on the link without its latency.", .neutral)
    case .waitMsMean: Definition(.ms, "Mean wait for an active item to be ready, zeros included.")
    case .waitMsP50: Definition(.ms, "Median wait, nearest rank.")
    case .waitMsP90: Definition(.ms, "The 90th percentile of the wait.")
    case .waitMsP99: Definition(.ms, "The 99th percentile of the wait.")
    case .waitMsMax: Definition(.ms, "The longest wait.")
    case .stalls: Definition(.stalls, "Times that a playing video stalled.", decimals: 1)
    case .stallMs: Definition(.ms, "Time that playing videos were stalled.")
    case .requests: Definition(.requests, "Transfers requested.", .neutral)
    case .cancels: Definition(.requests, "Transfers cancelled before their end.", .neutral)
    case .overCancels: Definition(.requests, "Transfers cancelled whose item became active afterwards.")
    case .newConnections: Definition(.connections, "Connections opened.")
    case .pageRequests: Definition(.requests, "Pages of the feed requested.", .neutral)
    case .duplicatePageRequests: Definition(.requests, "Pages of the feed requested again.")
    case .bytesReceived: Definition(.bytes, "Payload that the client read.")
    case .bytesUseful: Definition(.bytes, "Payload of items that became active.", .neutral)
    case .bytesCancelled: Definition(.bytes, "Payload discarded at a cancel.")
    case .bytesUnseen: Definition(.bytes, "Payload of items that never became active.")
    case .bytesDuplicate: Definition(.bytes, "Payload received a second time.")
    case .bytesDead: Definition(.bytes, "Bytes sent but not delivered to the app: after a cancel, or retransmitted.")
    case .inversionMs: Definition(.ms, "Time that the active item shared the link with a prefetch.")
    case .radioActiveMs: Definition(.ms, "Time that the radio was active, its tail included.")
    case .missing8h: Definition(.resources, "Resources that were not complete after 8 h.", decimals: 1)
    case .resourcesAtMark: Definition(.resources, "Resources complete at the scenario's mark.", .higherIsBetter, decimals: 1)
    case .slicesAtMark: Definition(.slices, "Slices received by the scenario's mark.", .higherIsBetter)
    case .resources1h: Definition(.resources, "Resources complete after 1 h.", .higherIsBetter, decimals: 1)
    case .resources4h: Definition(.resources, "Resources complete after 4 h.", .higherIsBetter, decimals: 1)
    case .resources8h: Definition(.resources, "Resources complete after 8 h.", .higherIsBetter, decimals: 1)
    case .slices1h: Definition(.slices, "Slices received after 1 h.", .higherIsBetter)
    case .slices4h: Definition(.slices, "Slices received after 4 h.", .higherIsBetter)
    case .slices8h: Definition(.slices, "Slices received after 8 h.", .higherIsBetter)
    case .firstResourceMs: Definition(.ms, "Time to the first complete resource.")
    case .allResourcesMs: Definition(.ms, "Time until all resources were complete.")
    case .lastByMarkMs: Definition(.ms, "The last arrival by the scenario's mark.", .neutral)
    case .wakes: Definition(.wakeUps, "Times that the daemon resumed or relaunched the app.", .neutral)
    case .wakesAtMark: Definition(.wakeUps, "Wake-ups by the scenario's mark.", .neutral)
    case .kills: Definition(.kills, "Times that the system killed the app.")
    case .tasks: Definition(.tasks, "Download tasks created.", .neutral)
    case .tasksCancelled: Definition(.tasks, "Download tasks cancelled because the user quit the app.")
    case .limiterWaitMs: Definition(.ms, "Time with nothing in flight while the next task waited for the limiter.")
    case .occasionWaitMs: Definition(.ms, "Time with nothing in flight while the system deferred the next discretionary task.")
    case .startWaitMs: Definition(.ms, "Time with nothing in flight while the daemon had not started the next task.")
    case .awakeMs: Definition(.ms, "Time that the app ran in the background.")
    case .energyJ: Definition(.joules, "An energy proxy: radio, bits, app awake in the background, wake-ups.")
    case .firstFrameMsP50: Definition(.ms, "Median time to the first frame of a video: its wait, nearest rank.")
    case .firstFrameMsP90: Definition(.ms, "The 90th percentile of the time to the first frame of a video.")
    case .firstFrameMsP99: Definition(.ms, "The 99th percentile of the time to the first frame of a video.")
    case .stallRatio: Definition(.ratio, "Time that playing videos were stalled, divided by that time and the time played.", decimals: 4)
    case .bytesPerHour: Definition(.bytesPerHour, "Payload that the client read, per hour of session.")
    case .playedKbps: Definition(.kbps, "Mean bit rate of the renditions that were played, by media time.", .higherIsBetter)
    case .renditionSwitches: Definition(.switches, "Changes of rendition within the videos that were played.", decimals: 1)
    case .evicted: Definition(.items, "Stored before it became active, and evicted from the store.")
    }
  }

  /// The largest value of any metric: sums over 10⁶ runs and their squares stay exact enough and far from overflow.
  package static let valueLimit = 1e15
  /// The largest count of items, requests, connections and so on.
  package static let countLimit = 1e9

  /// The largest value that a run can have.
  package var limit: Double {
    if self == .loadersPer1000 { return 1000 }
    if unit == .ratio { return 1 }
    return isWhole && unit != .bytes ? Metric.countLimit : Metric.valueLimit
  }

  /// Returns the rule that a run's value violates, as a phrase after the value; nil if the value is valid.
  package func violation(of value: Double) -> String? {
    if !value.isFinite { return "is not a finite number" }
    if value < 0 { return "is negative" }
    if value > limit { return "is more than \(DecimalText.exact(limit)), the most that \(rawValue) can be" }
    return isWhole && value.rounded(.towardZero) != value ? "is not a whole number" : nil
  }
}
