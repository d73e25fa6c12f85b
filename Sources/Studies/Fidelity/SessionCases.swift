// The client of the session measurements on our network, as its description specifies.
// It shares no code with the program's session, so that an error in one does not hide in the other.

import Simulation

/// The result of a cell: items that were not ready when they became active, requests, cancelled requests, and opened connections.
package struct SessionResult {
  package var loaders = 0, requests = 0, cancels = 0, newConnections = 0
  /// The payload bytes sent and not read.
  package var undeliveredBytes: Int64 = 0
}

/// The client: a window of items, one transfer per connection, three cancel rules.
package struct SessionCase {
  /// The number of items, all of which become active.
  package let count: Int
  /// The dwell of each item.
  package let dwellMs: Int64
  /// The budget of the items ahead and the cost of a video, in costs of an image.
  package let maxCost: Int, videoCost: Int
  /// The number of transfers at once: connections with one each, or streams of one HTTP/2 or HTTP/3 connection.
  package let connections: Int
  /// The cancel rule at an activation: `drop` and `resume` cancel all transfers, `keep` those that are not in the new plan.
  package let cancel: String
  /// The link with its transport, its queue and its seed.
  package let network: NetworkConfiguration
  private let hasVideos: Bool
  /// The factor of image sizes: 10 on LTE, where videos are five times as large; 1 elsewhere.
  private let scale: Int64
  private var probe: NetworkProbe

  private var plan: [(item: Int, part: Int)] = []
  private var loaded: [[Int64]]
  private var slots: [(item: Int, part: Int)?]
  private var result = SessionResult()

  /// Creates the case of a row of `sessions/cells.csv` or `stacks/sessions.csv` with random streams from `seed`.
  /// - Throws: `StudyProblem` if its link is unknown.
  package init(
    _ row: [String: String], in reference: ReferenceTables, transport: NetworkConfiguration.TransportKind = .packet, seed: Int
  ) throws {
    count = row.whole("items")
    dwellMs = Int64(row.whole("dwellMs"))
    maxCost = row.whole("maxCost")
    videoCost = row.text("policy") == "costBudget" ? 2 : 1
    connections = row.whole("connections")
    cancel = row.text("cancel")
    hasVideos = row.text("variant") != "images"
    scale = row.text("link") == "nlc_lte" ? 10 : 1
    var network = try reference.link(named: row.text("link"))
    network.queuePackets = row.whole("queue")
    network.lossDown = row.number("loss")
    network.lossUp = row.number("loss")
    network.seed = UInt64(seed)
    network.transport = transport
    network.http.connectionsPerHost = connections
    network.congestion = NetworkConfiguration.Congestion(rawValue: row.text("serverCC")) ?? .cubic
    if ["h2", "h3"].contains(row.text("protocol")) {
      network.http.version = row.text("protocol") == "h3" ? .http3 : .http2
      network.http.joinsPreface = true
      network.http.security = .tls13
      network.http.handshakeTime = .milliseconds(5)
      (network.http.requestBytes, network.http.responseHeaderBytes) = row.text("protocol") == "h3" ? (20, 18) : (60, 130)
      network.http.quicClient = .aioquic
    }
    self.network = network
    probe = NetworkProbe(network)
    loaded = Array(repeating: [0, 0], count: count)
    slots = Array(repeating: nil, count: connections)
  }

  /// True if the item with this index is a video.
  package func isVideo(_ item: Int) -> Bool { hasVideos && item % 5 == 4 }

  /// Returns the bytes of a part: 0 is required to show the item, 1 is the rest of a video.
  package func size(_ item: Int, _ part: Int) -> Int64 {
    if isVideo(item) { return part == 0 ? 204_800 : (scale == 10 ? 5_242_880 : 1_048_576) - 204_800 }
    return part == 0 ? (40000 + Int64(item * 7919 % 61) * 2000) * scale : 0
  }

  /// Runs the cell from the first item to the end of the last dwell; a case runs once.
  package mutating func run() -> SessionResult {
    for item in 0..<count {
      advance(to: .start + .milliseconds(Int64(item) * dwellMs))
      activate(item)
    }
    advance(to: .start + .milliseconds(Int64(count) * dwellMs))
    result.newConnections = probe.newConnections
    result.undeliveredBytes = probe.bytesDead
    return result
  }

  private mutating func advance(to limit: Instant) {
    while let event = probe.advance(until: limit) {
      guard let (item, part) = slots[event.request] else { continue }
      loaded[item][part] = size(item, part)
      slots[event.request] = nil
      fill()
    }
  }

  private mutating func activate(_ item: Int) {
    let slot = slots.firstIndex { $0?.item == item && $0?.part == 0 }
    let got = loaded[item][0] + (slot.map { probe.received($0) } ?? 0)
    if got < size(item, 0) { result.loaders += 1 }
    plan = [(item, 0)]
    if isVideo(item) { plan.append((item, 1)) }
    var cost = 0
    for next in item + 1..<max(count, item + 1) {
      cost += isVideo(next) ? videoCost : 1
      if cost > maxCost { break }
      plan.append((next, 0))
    }
    for slot in slots.indices {
      guard let (item, part) = slots[slot] else { continue }
      if cancel == "keep", plan.contains(where: { $0.item == item && $0.part == part }) { continue }
      let received = probe.cancel(slot)
      result.cancels += 1
      if cancel == "resume" { loaded[item][part] += received }
      slots[slot] = nil
    }
    fill()
  }

  /// Starts the missing parts of the plan, in its order, on free connections.
  private mutating func fill() {
    for (item, part) in plan {
      guard let slot = slots.firstIndex(where: { $0 == nil }) else { return }
      if loaded[item][part] >= size(item, part) { continue }
      if slots.contains(where: { $0?.item == item && $0?.part == part }) { continue }
      result.requests += 1
      slots[slot] = (item, part)
      probe.start(slot, bytes: size(item, part) - loaded[item][part])
    }
  }
}
