// A session of the measurements: the rules of their client, as an input of the program.

import Simulation

/// The client's description: a window of items, one transfer per connection, three cancel rules.
package struct MeasuredSession {
  /// The number of items, all of which become active.
  package let count: Int
  /// The dwell of each item.
  package let dwellMs: Int64
  /// The budget of the items ahead and the cost of a video, in costs of an image.
  package let maxCost: Int, videoCost: Int
  /// The number of transfers at once: connections with one each, or streams of one HTTP/2 or HTTP/3 connection.
  package let connections: Int
  /// The cancel rule at an activation: `drop` and `resume` cancel all transfers, `keep` those that are not in the new plan.
  package let cancel: DownloadSettings.CancelRule
  /// The link with its transport and its queue.
  package let network: NetworkConfiguration
  private let hasVideos: Bool
  /// The factor of image sizes: 10 on LTE, where videos are five times as large; 1 elsewhere.
  private let scale: Int64

  /// Creates the session of a row of `sessions/cells.csv` or `stacks/sessions.csv`.
  /// - Throws: `StudyProblem` if its link or its cancel rule is unknown.
  package init(_ row: [String: String], in reference: ReferenceTables, transport: NetworkConfiguration.TransportKind = .packet) throws {
    count = row.whole("items")
    dwellMs = Int64(row.whole("dwellMs"))
    maxCost = row.whole("maxCost")
    videoCost = row.text("policy") == "costBudget" ? 2 : 1
    connections = row.whole("connections")
    guard let cancel = DownloadSettings.CancelRule(rawValue: row.text("cancel")) else {
      throw StudyProblem(description: "a session has no cancel rule \(row.text("cancel")); restore the table")
    }
    self.cancel = cancel
    hasVideos = row.text("variant") != "images"
    scale = row.text("link") == "nlc_lte" ? 10 : 1
    var network = try reference.link(named: row.text("link"))
    network.queuePackets = row.whole("queue")
    network.lossDown = row.number("loss")
    network.lossUp = row.number("loss")
    network.transport = transport
    network.http.connectionsPerHost = connections
    network.congestion = NetworkConfiguration.Congestion(rawValue: row.text("serverCC")) ?? .cubic
    if ["h2", "h3"].contains(row.text("protocol")) {
      network.http.version = row.text("protocol") == "h3" ? .http3 : .http2
      network.http.joinsPreface = true
      network.http.repeatsCancelledStreams = true
      network.http.security = .tls13
      network.http.handshakeTime = .milliseconds(5)
      (network.http.requestBytes, network.http.responseHeaderBytes) = row.text("protocol") == "h3" ? (20, 18) : (60, 130)
      network.http.quicClient = row.text("client") == "ngtcp2" ? .ngtcp2 : .aioquic
    }
    self.network = network
  }

  /// True if the item with this index is a video.
  package func isVideo(_ item: Int) -> Bool { hasVideos && item % 5 == 4 }

  /// Returns the bytes of a part: 0 is required to show the item, 1 is the rest of a video.
  package func size(_ item: Int, _ part: Int) -> Int64 {
    if isVideo(item) { return part == 0 ? 204_800 : (scale == 10 ? 5_242_880 : 1_048_576) - 204_800 }
    return part == 0 ? (40000 + Int64(item * 7919 % 61) * 2000) * scale : 0
  }

  /// The session as a scenario of the program.
  package var scenario: Scenario {
    let items = (0..<count).map { item in
      let ready = size(item, 0)
      return isVideo(item)
        ? Item(videoBytes: ready + size(item, 1), prefixBytes: ready, bitsPerSecond: 0) : Item(kind: .image, bytes: ready)
    }
    return Scenario(
      feed: .fixed(ContiguousArray(items)), network: network, downloads: DownloadSettings(connections: connections, cancel: cancel),
      user: UserScript(scroll: count, dwell: .constant(dwellMs * 1_000_000)),
      prefetcher: standardPrefetcher(
        "costBudget", ["maxCost": .number(Double(maxCost)), "videoCost": .number(Double(videoCost))]))
  }
}
