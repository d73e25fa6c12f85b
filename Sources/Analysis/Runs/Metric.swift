// The metrics of a run: the columns of runs.csv, with their units, explanations and directions.
// `RunSchema` says which of them a kind of scenario has.

/// A metric of a run. The raw value is the column's name in `runs.csv`; the cases are in the order of a row.
///
/// Add new feed metrics after the feed's last, so that older tables stay readable (see `RunSchema.lastFixed`).
package enum Metric: String, CaseIterable, Sendable, Hashable {
  // Loaders, in all and by kind.
  case viewed, loaders, loadersPer1000, loadersImage, loadersVideo, loadersWebApp, loadersNativeAd
  // The reasons for loaders; these six add up to `loaders`.
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

  /// The reasons for a loader; the first that holds, in this order, is the reason of a loader.
  package static let reasons: [Metric] = [.unlisted, .impossible, .unrequested, .cancelled, .late, .starved]

  /// The direction in which a metric improves; a neutral metric only describes the run.
  package enum Direction: Sendable {
    case lowerIsBetter, higherIsBetter, neutral
  }

  /// The index in a row's metrics.
  // A case without a payload is its number in memory; a lookup by hash took a fifth of the time of a run.
  package var index: Int { Int(unsafeBitCast(self, to: UInt8.self)) }

  /// The unit in words, e.g. `"bytes"`.
  package var unit: String { entry.unit }
  /// The explanation in one sentence.
  package var meaning: String { entry.meaning }
  /// The decimals in tables without an interval.
  package var decimals: Int { entry.decimals }
  package var direction: Direction { entry.direction }
  /// True if the values are whole numbers, as counts and bytes are.
  package var isWhole: Bool { entry.isWhole }
}

extension Metric {
  private struct Entry {
    let unit: String
    let meaning: String
    let direction: Direction
    let decimals: Int
    let isWhole: Bool

    init(_ unit: String, _ meaning: String, _ direction: Direction = .lowerIsBetter, decimals: Int = 0) {
      (self.unit, self.meaning, self.direction, self.decimals) = (unit, meaning, direction, decimals)
      isWhole = !["ms", "J", "per 1000 items"].contains(unit)
    }
  }

  private static let entries = allCases.map(\.catalogued)

  private var entry: Entry { Self.entries[index] }

  private var catalogued: Entry {
    switch self {
    case .viewed: Entry("items", "Items that became active.", .neutral)
    case .loaders: Entry("items", "Items that were not ready when they became active.")
    case .loadersPer1000: Entry("per 1000 items", "Loaders per 1000 items viewed.", decimals: 1)
    case .loadersImage: Entry("items", "Loaders of images.")
    case .loadersVideo: Entry("items", "Loaders of videos.")
    case .loadersWebApp: Entry("items", "Loaders of embedded pages.")
    case .loadersNativeAd: Entry("items", "Loaders of native ads.")
    case .unlisted: Entry("items", "The item's page had not come.")
    case .impossible: Entry("items", "Too much for the link even if asked for alone from the start.")
    case .unrequested: Entry("items", "Nobody had asked for it.")
    case .cancelled: Entry("items", "It had been asked for and cut.")
    case .late: Entry("items", "Asked for too late, even with the link to itself.")
    case .starved: Entry("items", "Asked for in time, but other transfers took the link.")
    case .bound: Entry("items", "The fewest loaders that a clairvoyant prefetcher could have shown on the raw link.", .neutral)
    case .waitMsMean: Entry("ms", "Mean wait for an item to be ready, zeros included.")
    case .waitMsP50: Entry("ms", "Median wait, nearest rank.")
    case .waitMsP90: Entry("ms", "The wait that nine items in ten do not exceed.")
    case .waitMsP99: Entry("ms", "The wait that 99 items in 100 do not exceed.")
    case .waitMsMax: Entry("ms", "The longest wait.")
    case .stalls: Entry("stalls", "Times that a playing video stood still.", decimals: 1)
    case .stallMs: Entry("ms", "Time that playing videos stood still.")
    case .requests: Entry("requests", "Transfers requested.", .neutral)
    case .cancels: Entry("requests", "Transfers cut before their end.", .neutral)
    case .overCancels: Entry("requests", "Transfers cut whose item was seen afterwards.")
    case .newConnections: Entry("connections", "Connections opened.")
    case .pageRequests: Entry("requests", "Pages of the feed requested.", .neutral)
    case .duplicatePageRequests: Entry("requests", "Pages of the feed requested again.")
    case .bytesReceived: Entry("bytes", "Payload that the client read.")
    case .bytesUseful: Entry("bytes", "Payload of items that became active.", .neutral)
    case .bytesCancelled: Entry("bytes", "Payload thrown away at a cut.")
    case .bytesUnseen: Entry("bytes", "Payload of items that never became active.")
    case .bytesDuplicate: Entry("bytes", "Payload received a second time.")
    case .bytesDead: Entry("bytes", "Bytes sent but not delivered to the app: after a cancel, or retransmitted.")
    case .inversionMs: Entry("ms", "Time that the active item shared the link with a prefetch.")
    case .radioActiveMs: Entry("ms", "Time that the radio was active, its tail included.")
    case .missing8h: Entry("resources", "Resources that were not complete after 8 h.", decimals: 1)
    case .resourcesAtMark: Entry("resources", "Resources complete at the scenario's mark.", .higherIsBetter, decimals: 1)
    case .slicesAtMark: Entry("slices", "Slices that had come at the scenario's mark.", .higherIsBetter)
    case .resources1h: Entry("resources", "Resources complete after 1 h.", .higherIsBetter, decimals: 1)
    case .resources4h: Entry("resources", "Resources complete after 4 h.", .higherIsBetter, decimals: 1)
    case .resources8h: Entry("resources", "Resources complete after 8 h.", .higherIsBetter, decimals: 1)
    case .slices1h: Entry("slices", "Slices that had come after 1 h.", .higherIsBetter)
    case .slices4h: Entry("slices", "Slices that had come after 4 h.", .higherIsBetter)
    case .slices8h: Entry("slices", "Slices that had come after 8 h.", .higherIsBetter)
    case .firstResourceMs: Entry("ms", "Time to the first complete resource.")
    case .allResourcesMs: Entry("ms", "Time until all resources were complete.")
    case .lastByMarkMs: Entry("ms", "The last arrival by the scenario's mark.", .neutral)
    case .wakes: Entry("wake-ups", "Times that the daemon resumed or relaunched the app.", .neutral)
    case .wakesAtMark: Entry("wake-ups", "Times that it had done so by the scenario's mark.", .neutral)
    case .kills: Entry("kills", "Times that the system killed the app.")
    case .tasks: Entry("tasks", "Download tasks created.", .neutral)
    case .tasksCancelled: Entry("tasks", "Download tasks cancelled because the user quit the app.")
    case .limiterWaitMs: Entry("ms", "Time with nothing in flight because the next task waited for the limiter.")
    case .occasionWaitMs: Entry("ms", "The same for an occasion that suits the system.")
    case .startWaitMs: Entry("ms", "The same for the daemon to start.")
    case .awakeMs: Entry("ms", "Time that the app ran in the background.")
    case .energyJ: Entry("J", "A proxy of energy: radio, bits, app awake in the background, wake-ups.")
    }
  }
}

extension Metric {
  /// The largest value of any metric: sums over 10⁶ runs and their squares stay exact enough and far from overflow.
  package static let valueLimit = Margin.limit
  /// The largest count of items, requests, connections and so on.
  package static let countLimit = 1e9

  /// The largest value that a run can have.
  package var limit: Double {
    if self == .loadersPer1000 { return 1000 }
    return isWhole && unit != "bytes" ? Metric.countLimit : Metric.valueLimit
  }

  /// Returns the rule that a run's value violates, as a phrase after the value; nil if the value is valid.
  package func violation(of value: Double) -> String? {
    if !value.isFinite { return "is not a finite number" }
    if value < 0 { return "is negative" }
    if value > limit { return "is more than \(DecimalText.exact(limit)), the most that \(rawValue) can be" }
    return isWhole && value.rounded(.towardZero) != value ? "is not a whole number" : nil
  }
}

extension RunRow {
  /// Returns the first invalid value, alone or beside the others, with the problem as a phrase after it; nil if there is none.
  package func violation(in schema: RunSchema) -> (metric: Metric, value: Double, problem: String)? {
    for metric in schema.metrics {
      if let value = self[metric], let problem = metric.violation(of: value) { return (metric, value, problem) }
    }
    guard let loaders = self[.loaders], let problem = Self.problem(loaders: loaders, viewed: self[.viewed]) else { return nil }
    return (.loaders, loaders, problem)
  }

  /// Returns the problem of more loaders than items viewed; nil if there is none.
  package static func problem(loaders: Double?, viewed: Double?) -> String? {
    guard let loaders, let viewed, loaders > viewed else { return nil }
    return "is more than the \(DecimalText.exact(viewed)) items viewed"
  }
}
