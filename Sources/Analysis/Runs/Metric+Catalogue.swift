// The catalogue of metrics: unit, decimals, direction and meaning of each, for tables, `list` and the manual.

extension Metric {
  /// One line of the catalogue.
  package struct Entry {
    package let unit: String
    package let decimals: Int
    package let direction: Direction
    package let meaning: String

    package init(_ unit: String, _ decimals: Int, _ direction: Direction, _ meaning: String) {
      self.unit = unit
      self.decimals = decimals
      self.direction = direction
      self.meaning = meaning
    }
  }

  /// This metric's line of the catalogue.
  package var entry: Entry {
    switch self {
    case .viewed: Entry("items", 0, .neutral, "Items that became active.")
    case .loaders: Entry("items", 0, .lowerIsBetter, "Items that were not ready when they became active.")
    case .loadersPer1000: Entry("per 1000 items", 1, .lowerIsBetter, "Loaders per 1000 items viewed.")
    case .loadersImage: Entry("items", 0, .lowerIsBetter, "Loaders of images.")
    case .loadersVideo: Entry("items", 0, .lowerIsBetter, "Loaders of videos.")
    case .loadersWebApp: Entry("items", 0, .lowerIsBetter, "Loaders of embedded pages.")
    case .loadersNativeAd: Entry("items", 0, .lowerIsBetter, "Loaders of native ads.")
    case .unlisted, .impossible, .unrequested, .cancelled, .late, .starved: reasonEntry
    case .bound: Entry("items", 0, .neutral, "The fewest loaders that a clairvoyant prefetcher could have shown on the raw link.")
    case .waitMsMean: Entry("ms", 0, .lowerIsBetter, "Mean wait for an item to be ready, zeros included.")
    case .waitMsP50: Entry("ms", 0, .lowerIsBetter, "Median wait, nearest rank.")
    case .waitMsP90: Entry("ms", 0, .lowerIsBetter, "The wait that nine items in ten do not exceed.")
    case .waitMsP99: Entry("ms", 0, .lowerIsBetter, "The wait that 99 items in 100 do not exceed.")
    case .waitMsMax: Entry("ms", 0, .lowerIsBetter, "The longest wait.")
    case .stalls: Entry("stalls", 1, .lowerIsBetter, "Times that a playing video stood still.")
    case .stallMs: Entry("ms", 0, .lowerIsBetter, "Time that playing videos stood still.")
    case .requests: Entry("requests", 0, .neutral, "Transfers requested.")
    case .cancels: Entry("requests", 0, .neutral, "Transfers cut before their end.")
    case .overCancels: Entry("requests", 0, .lowerIsBetter, "Transfers cut whose item was seen afterwards.")
    case .newConnections: Entry("connections", 0, .lowerIsBetter, "Connections opened.")
    case .pageRequests: Entry("requests", 0, .neutral, "Pages of the feed requested.")
    case .duplicatePageRequests: Entry("requests", 0, .lowerIsBetter, "Pages of the feed requested again.")
    case .bytesReceived, .bytesUseful, .bytesCancelled, .bytesUnseen, .bytesDuplicate, .bytesDead: payloadEntry
    case .inversionMs: Entry("ms", 0, .lowerIsBetter, "Time that the active item shared the link with a prefetch.")
    case .radioActiveMs: Entry("ms", 0, .lowerIsBetter, "Time that the radio was active, its tail included.")
    case .missing8h, .resourcesAtMark, .slicesAtMark, .resources1h, .resources4h, .resources8h, .slices1h, .slices4h, .slices8h:
      standingEntry
    case .firstResourceMs, .allResourcesMs, .lastByMarkMs, .wakes, .wakesAtMark, .kills, .tasks, .tasksCancelled, .limiterWaitMs,
      .occasionWaitMs, .startWaitMs, .awakeMs, .energyJ:
      backgroundEntry
    }
  }

  private var standingEntry: Entry {
    switch self {
    case .missing8h: Entry("resources", 1, .lowerIsBetter, "Resources that were not complete after 8 h.")
    case .resourcesAtMark: Entry("resources", 1, .higherIsBetter, "Resources complete at the scenario's mark.")
    case .slicesAtMark: Entry("slices", 0, .higherIsBetter, "Slices that had come at the scenario's mark.")
    case .resources1h: Entry("resources", 1, .higherIsBetter, "Resources complete after 1 h.")
    case .resources4h: Entry("resources", 1, .higherIsBetter, "Resources complete after 4 h.")
    case .resources8h: Entry("resources", 1, .higherIsBetter, "Resources complete after 8 h.")
    case .slices1h: Entry("slices", 0, .higherIsBetter, "Slices that had come after 1 h.")
    case .slices4h: Entry("slices", 0, .higherIsBetter, "Slices that had come after 4 h.")
    default: Entry("slices", 0, .higherIsBetter, "Slices that had come after 8 h.")
    }
  }

  private var backgroundEntry: Entry {
    switch self {
    case .firstResourceMs: Entry("ms", 0, .lowerIsBetter, "Time to the first complete resource.")
    case .allResourcesMs: Entry("ms", 0, .lowerIsBetter, "Time until all resources were complete.")
    case .lastByMarkMs: Entry("ms", 0, .neutral, "The last arrival by the scenario's mark.")
    case .wakes: Entry("wake-ups", 0, .neutral, "Times that the daemon resumed or relaunched the app.")
    case .wakesAtMark: Entry("wake-ups", 0, .neutral, "Times that it had done so by the scenario's mark.")
    case .kills: Entry("kills", 0, .lowerIsBetter, "Times that the system killed the app.")
    case .tasks: Entry("tasks", 0, .neutral, "Download tasks created.")
    case .tasksCancelled: Entry("tasks", 0, .lowerIsBetter, "Download tasks cancelled because the user quit the app.")
    case .limiterWaitMs: Entry("ms", 0, .lowerIsBetter, "Time with nothing on the way because the next task waited for the limiter.")
    case .occasionWaitMs: Entry("ms", 0, .lowerIsBetter, "The same for an occasion that suits the system.")
    case .startWaitMs: Entry("ms", 0, .lowerIsBetter, "The same for the daemon to start.")
    case .awakeMs: Entry("ms", 0, .lowerIsBetter, "Time that the app ran in the background.")
    default: Entry("J", 0, .lowerIsBetter, "A proxy of energy: radio, bits, app awake in the background, wake-ups.")
    }
  }

  private var reasonEntry: Entry {
    switch self {
    case .unlisted: Entry("items", 0, .lowerIsBetter, "The item's page had not come.")
    case .impossible: Entry("items", 0, .lowerIsBetter, "Too much for the link even if asked for alone from the start.")
    case .unrequested: Entry("items", 0, .lowerIsBetter, "Nobody had asked for it.")
    case .cancelled: Entry("items", 0, .lowerIsBetter, "It had been asked for and cut.")
    case .late: Entry("items", 0, .lowerIsBetter, "Asked for too late, even with the link to itself.")
    default: Entry("items", 0, .lowerIsBetter, "Asked for in time, but other transfers took the link.")
    }
  }

  private var payloadEntry: Entry {
    switch self {
    case .bytesReceived: Entry("bytes", 0, .lowerIsBetter, "Payload that the client read.")
    case .bytesUseful: Entry("bytes", 0, .neutral, "Payload of items that became active.")
    case .bytesCancelled: Entry("bytes", 0, .lowerIsBetter, "Payload thrown away at a cut.")
    case .bytesUnseen: Entry("bytes", 0, .lowerIsBetter, "Payload of items that never became active.")
    case .bytesDuplicate: Entry("bytes", 0, .lowerIsBetter, "Payload received a second time.")
    default: Entry("bytes", 0, .lowerIsBetter, "Bytes that crossed the link for nobody.")
    }
  }
}
