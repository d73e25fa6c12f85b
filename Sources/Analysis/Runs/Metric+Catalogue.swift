// The catalogue of metrics: unit, decimals, direction and meaning of each, for tables, `list` and the manual.

extension Metric {
  /// One line of the catalogue.
  struct Entry {
    let unit: String
    let decimals: Int
    let direction: Direction
    let meaning: String

    init(_ unit: String, _ decimals: Int, _ direction: Direction, _ meaning: String) {
      self.unit = unit
      self.decimals = decimals
      self.direction = direction
      self.meaning = meaning
    }
  }

  /// This metric's line of the catalogue.
  var entry: Entry {
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
