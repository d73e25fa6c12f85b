// TCP as flows: a sender's window goes through the link as one block, and its acknowledgements let the next block in.
// One event a window instead of two a packet. What a connection does with its window is in FlowConnection; requests are in the extension.

/// The connections of one client and the link towards it, block by block.
///
/// A block is served whole, first in, first out, because what was served together comes back to its sender together.
struct FlowNetwork {
  struct Event {
    enum Kind: UInt8 { case syn, flight, request, window, finish, watch }
    var time: Int64
    var kind: Kind
    var connection: Int32
    var generation: UInt32
    /// The segments that were acknowledged, for a window; the flight's number, for a flight.
    var count: Int32 = 0
  }

  /// A window's worth of one connection's stream on its way through the link.
  struct Block {
    var connection: Int32
    var generation: UInt32
    /// The stream's offsets before its first byte and after its last.
    var start: Int64
    var end: Int64
    var from: Int64
    var until: Int64
  }

  struct Transfer {
    var connection = -1
    var size: Int64 = 0
    var watched = Int64.max
    var connectedAt: Int64 = -1
    var firstByteAt: Int64 = -1
  }

  struct Host {
    var idle: [Int] = []
    var open = 0
    var waiting: [Int] = []
    var isResolved = false
  }

  var now: Int64 = 0
  var connections: ContiguousArray<FlowConnection> = []
  var freeConnections: [Int] = []
  var transfers: ContiguousArray<Transfer> = []
  var hosts: [Host]
  var pending: ContiguousArray<Arrival> = []
  var counters = TransportCounters()
  let network: NetworkConfiguration
  let http: HTTPConfiguration
  /// The time of a full segment and the round trip of an empty link, by the mean rate.
  let segmentTime: Int64
  let baseTime: Int64

  private var events: ContiguousArray<Event> = []
  private var blocks: ContiguousArray<Block> = []
  private var blockHead = 0
  private var schedule: LinkSchedule
  /// The last block that comes in over time, clocked by acknowledgements: what has not yet come may still be overtaken or cut.
  private var tail = (connection: Int32(-1), from: Int64(0), spread: Int64(0), time: Int64(0))
  let slowStartEnd: Double
  private let flights: [(client: Int, server: Int)]
  private let upBitsPerSecond: Int64
  private var random: RandomStream

  init(_ network: NetworkConfiguration) {
    self.network = network
    http = network.http
    hosts = Array(repeating: Host(), count: max(1, http.hosts))
    schedule = LinkSchedule(network.down, offset: network.offset, outages: network.outages)
    random = RandomStream(runSeed: network.seed, name: "flows")
    upBitsPerSecond = FlowNetwork.meanRate(network.up)
    let rate = FlowNetwork.meanRate(network.down)
    segmentTime = 1500 * 8_000_000_000 / rate
    baseTime = network.delayDown.nanoseconds + network.delayUp.nanoseconds + segmentTime + 52 * 8_000_000_000 / upBitsPerSecond
    slowStartEnd = FlowNetwork.slowStartEnd(segmentTime, baseTime)
    flights = TLSFlights.of(network.http.security)
    events.reserveCapacity(64)
    blocks.reserveCapacity(256)
  }

  private static func meanRate(_ rate: LinkRate) -> Int64 {
    if let last = rate.opportunitiesMs.last { return max(1000, Int64(rate.opportunitiesMs.count) * 12_000_000 / max(1, last)) }
    if rate.isConstant { return rate.periods[0].bitsPerSecond }
    var bits = 0.0
    for period in rate.periods { bits += Double(period.bitsPerSecond) * Double(period.duration.nanoseconds) }
    return max(1000, Int64(bits / Double(rate.length.nanoseconds)))
  }

  /// The time that bytes take from the client to a server.
  @inline(__always)
  func upTime(_ bytes: Int) -> Int64 { Int64(bytes) * 8_000_000_000 / upBitsPerSecond + network.delayUp.nanoseconds }

  // MARK: - The loop

  mutating func advance(until limit: Int64) -> Arrival? {
    while true {
      if !pending.isEmpty { return pending.removeFirst() }
      guard let event = takeEvent(until: limit) else {
        now = max(now, limit)
        return nil
      }
      now = event.time
      let place = Int(event.connection)
      guard connections[place].generation == event.generation else { continue }
      switch event.kind {
      case .syn: answerSyn(place)
      case .flight: sendFlight(place, Int(event.count))
      case .request: respond(place)
      case .window: sendWindow(place, acknowledged: Int(event.count))
      case .finish: finish(place)
      case .watch: noticeWatch(place)
      }
    }
  }

  /// Events are kept latest first, so that the next is the last: few are pending at any time.
  mutating func post(_ kind: Event.Kind, at time: Int64, _ place: Int, count: Int = 0) {
    let event = Event(
      time: time, kind: kind, connection: Int32(place), generation: connections[place].generation, count: Int32(count))
    var index = events.count
    events.append(event)
    while index > 0, events[index - 1].time <= time {
      events[index] = events[index - 1]
      index -= 1
    }
    events[index] = event
  }

  private mutating func takeEvent(until limit: Int64) -> Event? {
    guard let last = events.last, last.time <= limit else { return nil }
    return events.removeLast()
  }

  // MARK: - The link

  /// The time that the part of the last block takes which has not come by `time`.
  @inline(__always)
  private func notYetCome(by time: Int64) -> Int64 {
    let end = tail.from + tail.spread
    guard time < end, tail.spread > 0 else { return 0 }
    return time <= tail.from ? tail.time : Int64(Double(tail.time) * Double(end - time) / Double(tail.spread))
  }

  /// Sends a lone packet towards the client: when it arrives, nil where it is lost.
  mutating func sendAlone(_ bytes: Int) -> Int64? {
    let ahead = notYetCome(by: now)
    let isFull = network.queuePackets > 0 && (schedule.free - ahead - now) / segmentTime >= Int64(network.queuePackets)
    if isFull || (network.lossDown > 0 && random.unit() < network.lossDown) { return nil }
    return max(now, schedule.finish(bytes: bytes, at: now) - ahead) + network.delayDown.nanoseconds
  }

  private mutating func answerSyn(_ place: Int) {
    let isLost = network.lossUp > 0 && random.unit() < network.lossUp
    guard !isLost, let arrival = sendAlone(PacketSize.handshake) else {
      connections[place].tries += 1
      counters.packetsDropped += 1
      post(.syn, at: now + 1_016_000_000 << Int64(min(connections[place].tries - 1, 5)), place)
      return
    }
    if connections[place].isCut { return }
    if connections[place].tries > 1 { connections[place].window = 1 }
    connections[place].connectedAt = arrival
    if flights.isEmpty {
      post(.request, at: arrival + upTime(http.requestBytes + 2 * PacketSize.header) + http.serverTime.nanoseconds, place)
    } else {
      let start = arrival + upTime(flights[0].client + 2 * PacketSize.header)
      post(.flight, at: start + http.handshakeTime.nanoseconds, place, count: 0)
    }
  }

  private mutating func sendFlight(_ place: Int, _ number: Int) {
    let bytes = flights[number].server
    let headers = PacketSize.header * (1 + bytes / PacketSize.segment)
    let arrival = schedule.finish(bytes: bytes + headers, at: now) + network.delayDown.nanoseconds
    if number + 1 < flights.count, flights[number + 1].server > 0 {
      post(
        .flight, at: arrival + upTime(flights[number + 1].client + PacketSize.header) + http.handshakeTime.nanoseconds, place,
        count: number + 1)
    } else {
      let last = number + 1 < flights.count ? flights[number + 1].client + PacketSize.header : 0
      post(.request, at: arrival + upTime(http.requestBytes + last + PacketSize.header) + http.serverTime.nanoseconds, place)
    }
  }

  /// The request has reached the server: the first window leaves at once.
  private mutating func respond(_ place: Int) {
    connections[place].wake(at: now, baseTime: baseTime)
    let burst = min(connections[place].segmentsLeft, max(1, Int(connections[place].window)))
    send(place, segments: burst, spread: 0)
  }

  /// Acknowledgements of a window come back: it has grown, and the next one goes.
  private mutating func sendWindow(_ place: Int, acknowledged: Int) {
    if connections[place].killAt <= now { return }
    connections[place].grow(acknowledged, slowStartEnd: slowStartEnd)
    connections[place].inFlight = max(0, connections[place].inFlight - acknowledged)
    let room = max(Int(connections[place].window) - connections[place].inFlight, 0)
    let segments = min(connections[place].segmentsLeft, room)
    guard segments > 0 else { return }
    // As many acknowledgements as it takes let them out, one after the other.
    let needed = (acknowledged * segments + room - 1) / room
    send(place, segments: segments, spread: Int64(max(needed - 1, 0)) * segmentTime)
  }

  /// Sends segments that leave over `spread`; those that find the queue full are lost and sent again.
  private mutating func send(_ place: Int, segments: Int, spread: Int64) {
    var arrived = segments
    // A burst goes before what has not yet come of the last block.
    let ahead = spread == 0 ? notYetCome(by: now) : 0
    let from = max(schedule.free - ahead, now)
    if network.queuePackets > 0 {
      let backlog = (from + Int64(segments) * segmentTime - (now + spread)) / segmentTime
      let over = min(segments, Int(backlog) - network.queuePackets)
      if over > 0 { arrived -= lose(place, over, of: segments) }
    }
    if network.lossDown > 0 { arrived -= loseByChance(place, arrived) }
    let bytes = connections[place].take(arrived)
    connections[place].lastSent = now
    connections[place].inFlight += segments
    var until = from
    if arrived > 0 {
      let before = schedule.free
      until = schedule.finish(bytes: Int(bytes) + arrived * PacketSize.header, at: now) - ahead
      let end = connections[place].sent
      blocks.append(
        Block(
          connection: Int32(place), generation: connections[place].generation, start: end - bytes, end: end, from: from,
          until: max(until, from + 1)))
      noteFirstByte(place, from: from, until: until, bytes: bytes)
      if ahead > 0 { pushBack(tail.connection, by: schedule.free - before) }
      if spread > 0 { tail = (Int32(place), now, spread, until - from) }
    }
    let back = arrived == 0 ? connections[place].stall(baseTime) : 0
    if connections[place].left > 0 {
      post(.window, at: from + baseTime + back, place, count: segments)
    } else {
      connections[place].pendingAcknowledged = segments
      let end = max(until, now + spread) + connections[place].tailTime
      post(.finish, at: end + network.delayDown.nanoseconds, place)
      connections[place].tailTime = 0
    }
    noteWatch(place)
  }

  /// A burst went before the end of another connection's block, which ends later by as much.
  private mutating func pushBack(_ connection: Int32, by time: Int64) {
    for index in events.indices where events[index].connection == connection && events[index].kind == .finish {
      var event = events[index]
      event.time += time
      events.remove(at: index)
      let place = events.firstIndex { $0.time <= event.time } ?? events.count
      events.insert(event, at: place)
      return
    }
  }

  /// A full queue: the window falls, and what was lost at the end of a response waits for a probe.
  private mutating func lose(_ place: Int, _ over: Int, of segments: Int) -> Int {
    counters.packetsDropped += over
    connections[place].reduce()
    if connections[place].segmentsLeft > segments {
      return over
    }
    // The tail is lost: two round trips as smoothed pass before a probe, and one more to mend the rest.
    let smoothed = baseTime + Int64(min(network.queuePackets, segments)) * segmentTime
    connections[place].tailTime = 2 * smoothed + baseTime * (over > 1 ? 2 : 1)
    return 0
  }

  private mutating func loseByChance(_ place: Int, _ segments: Int) -> Int {
    var lost = 0
    for _ in 0..<segments where random.unit() < network.lossDown { lost += 1 }
    if lost > 0 {
      connections[place].reduce()
      if connections[place].segmentsLeft <= segments {
        connections[place].tailTime = baseTime * 3
        return 0
      }
    }
    return min(lost, segments)
  }

  // MARK: - What has arrived

  /// The stream's offset that has arrived at the client by now.
  @inline(__always)
  func arrivedBytes(_ place: Int) -> Int64 {
    let time = now - network.delayDown.nanoseconds
    var bytes = connections[place].base
    for index in blockHead..<blocks.count where Int(blocks[index].connection) == place {
      let block = blocks[index]
      guard block.generation == connections[place].generation, block.from < time else { continue }
      if block.until <= time {
        bytes = max(bytes, block.end)
      } else {
        let share = Double(time - block.from) / Double(block.until - block.from)
        let part = Int64(Double(block.end - block.start) * share) / Int64(PacketSize.segment) * Int64(PacketSize.segment)
        bytes = max(bytes, block.start + part)
      }
    }
    return bytes
  }

  /// When an offset arrives; nil while the block that carries it has not been sent.
  mutating func arrivalTime(_ place: Int, of offset: Int64) -> Int64? {
    for index in blockHead..<blocks.count where Int(blocks[index].connection) == place {
      let block = blocks[index]
      guard block.generation == connections[place].generation, block.end >= offset, block.start < offset else { continue }
      let share = min(1, Double(offset - block.start + Int64(PacketSize.segment) - 1) / Double(max(1, block.end - block.start)))
      return block.from + Int64(Double(block.until - block.from) * share) + network.delayDown.nanoseconds
    }
    return nil
  }

  /// Forgets blocks that have arrived; keeps what their connections have received.
  mutating func forgetBlocks() {
    let time = now - network.delayDown.nanoseconds
    while blockHead < blocks.count, blocks[blockHead].until <= time {
      let place = Int(blocks[blockHead].connection)
      if blocks[blockHead].generation == connections[place].generation {
        connections[place].base = max(connections[place].base, blocks[blockHead].end)
      }
      blockHead += 1
    }
    if blockHead == blocks.count {
      blocks.removeAll(keepingCapacity: true)
      blockHead = 0
    } else if blockHead > 128 {
      blocks.removeFirst(blockHead)
      blockHead = 0
    }
  }

  /// A cut reaches the server: what of the last window had not left by then never does.
  mutating func kill(_ place: Int) {
    let killAt = now + upTime(PacketSize.header)
    connections[place].killAt = killAt
    guard tail.connection == Int32(place) else { return }
    let unsent = notYetCome(by: killAt)
    if unsent > 0 {
      schedule.rewind(by: unsent, notBefore: now)
      tail.time -= unsent
      tail.spread = killAt - tail.from
    }
  }
}
