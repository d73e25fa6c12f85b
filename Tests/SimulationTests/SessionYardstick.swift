// The client of the session measurements on our network, as its description specifies.
// It shares no code with the program's session, so that an error in one does not hide in the other.

import Oracles
import Simulation

/// The counts of a session: items that were not ready when they became active, requests, cancelled requests, and opened connections.
struct YardstickCounts {
  var loaders = 0, requests = 0, cancels = 0, newConnections = 0
}

struct SessionYardstick {
  private let session: MeasuredSession
  private var probe: NetworkProbe
  private var plan: [(item: Int, part: Int)] = []
  private var loaded: [[Int64]]
  private var slots: [(item: Int, part: Int)?]
  private var counts = YardstickCounts()

  /// Creates the client of a session over a network, whose seed counts.
  init(_ session: MeasuredSession, over network: NetworkConfiguration) {
    self.session = session
    probe = NetworkProbe(network)
    loaded = Array(repeating: [0, 0], count: session.count)
    slots = Array(repeating: nil, count: session.connections)
  }

  /// Plays from the first item to the end of the last dwell; a client plays once.
  mutating func play() -> YardstickCounts {
    for item in 0..<session.count {
      advance(to: .start + .milliseconds(Int64(item) * session.dwellMs))
      activate(item)
    }
    advance(to: .start + .milliseconds(Int64(session.count) * session.dwellMs))
    counts.newConnections = probe.newConnections
    return counts
  }

  private mutating func advance(to limit: Instant) {
    while let event = probe.advance(until: limit) {
      guard let (item, part) = slots[event.request] else { continue }
      loaded[item][part] = session.size(item, part)
      slots[event.request] = nil
      fill()
    }
  }

  private mutating func activate(_ item: Int) {
    let slot = slots.firstIndex { $0?.item == item && $0?.part == 0 }
    let got = loaded[item][0] + (slot.map { probe.received($0) } ?? 0)
    if got < session.size(item, 0) { counts.loaders += 1 }
    plan = [(item, 0)]
    if session.isVideo(item) { plan.append((item, 1)) }
    var cost = 0
    for next in item + 1..<max(session.count, item + 1) {
      cost += session.isVideo(next) ? session.videoCost : 1
      if cost > session.maxCost { break }
      plan.append((next, 0))
    }
    for slot in slots.indices {
      guard let (item, part) = slots[slot] else { continue }
      if session.cancel == .keep, plan.contains(where: { $0.item == item && $0.part == part }) { continue }
      let received = probe.cancel(slot)
      counts.cancels += 1
      if session.cancel == .resume { loaded[item][part] += received }
      slots[slot] = nil
    }
    fill()
  }

  /// Starts the missing parts of the plan, in its order, on free connections.
  private mutating func fill() {
    for (item, part) in plan {
      guard let slot = slots.firstIndex(where: { $0 == nil }) else { return }
      if loaded[item][part] >= session.size(item, part) { continue }
      if slots.contains(where: { $0?.item == item && $0?.part == part }) { continue }
      counts.requests += 1
      slots[slot] = (item, part)
      probe.start(slot, bytes: session.size(item, part) - loaded[item][part])
    }
  }
}
