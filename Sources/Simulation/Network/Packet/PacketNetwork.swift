// The loop of the packet transport: both links are first in, first out, so the next event is the head of one or a timer.
// It delivers packets to connections and turns what the client can read into arrivals; starting and cutting is in its extension.

/// The connections of one client, the two links between it and its servers, and the transfers they carry.
struct PacketNetwork: ~Copyable {
  /// A transfer on the way.
  struct Transfer {
    var isActive = false
    var connection = -1
    var generation: UInt32 = 0
    var host = 0
    var size: Int64 = 0
    /// The part of `size` that lost connections brought.
    var kept: Int64 = 0
    var priority = 0
    /// Where its response starts in the stream of an HTTP/1.1 connection without TLS.
    var start: Int64 = 0
    /// Bytes of header and payload that have come in parts.
    var chunked: Int64 = 0
    var connectedAt: Int64 = -1
    var firstByteAt: Int64 = -1
  }

  /// One host's connections: the idle ones with the latest last, and the transfers that wait for one.
  struct Host {
    var idle: [Int] = []
    var open = 0
    var waiting: [Int] = []
    var isResolved = false
    var shared = -1
  }

  var world: PacketWorld
  var transfers: [Transfer] = []
  var hosts: [Host]
  var pending: [Int] = []
  var pendingHead = 0
  var newConnections = 0
  var deadBytes: Int64 = 0
  let isChunked: Bool
  /// Counts packets and timers, and says when the run must stop; nil where nobody does.
  let watch: RunWatch?
  private var untilCount = RunWatch.transportStep

  var connections: UnsafeMutablePointer<PacketConnection>
  private(set) var placeCount = 0
  private var capacity = 16
  private var freePlaces: [Int] = []
  /// Connections that were given up while the timers fired.
  private var lostPlaces: [Int] = []

  init(_ network: NetworkConfiguration, _ watch: RunWatch? = nil) {
    self.watch = watch
    let http = network.http
    isChunked = http.version == .http2 || http.security != .none
    hosts = Array(repeating: Host(), count: max(1, http.hosts))
    connections = UnsafeMutablePointer<PacketConnection>.allocate(capacity: capacity)
    let timerBounds = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    timerBounds.initialize(repeating: Instant.never.nanoseconds, count: capacity)
    world = PacketWorld(
      down: PacketLink(network, rate: network.down, delay: network.delayDown, loss: network.lossDown, name: "packets down"),
      up: PacketLink(network, rate: network.up, delay: network.delayUp, loss: network.lossUp, name: "packets up"),
      timerBounds: timerBounds, http: http, radioTail: network.radioTail.nanoseconds,
      radioPromotion: network.radioPromotion.nanoseconds)
  }

  func deallocate() {
    world.down.deallocate()
    world.up.deallocate()
    world.timerBounds.deallocate()
    for place in 0..<placeCount {
      connections[place].deallocate()
      (connections + place).deinitialize(count: 1)
    }
    connections.deallocate()
  }

  var counters: TransportCounters {
    var counters = TransportCounters()
    counters.packetsSent = world.down.sent
    counters.newConnections = newConnections
    counters.bytesDead = deadBytes
    counters.packetsDropped = world.down.dropped + world.up.dropped
    return counters
  }

  // MARK: - The loop

  mutating func advance(until limit: Int64) -> Int? {
    if pendingHead < pending.count { return takePending() }
    while true {
      let time = min(min(world.down.nextArrival, world.up.nextArrival), world.timerBound)
      if time > limit {
        world.now = max(world.now, limit)
        return nil
      }
      assert(time >= world.now, "time went back")
      untilCount &-= 1
      if untilCount == 0, mustStop() { return nil }
      world.now = time
      if world.down.nextArrival == time {
        // Only what reaches the client can be noticed there.
        if deliverDown() { return takePending() }
      } else if world.up.nextArrival == time {
        deliverUp()
      } else {
        fireTimers()
      }
    }
  }

  /// True if the run must stop: then nothing arrives any more.
  @inline(never)
  private mutating func mustStop() -> Bool {
    untilCount = RunWatch.transportStep
    return watch?.count(RunWatch.transportStep) ?? false
  }

  private mutating func takePending() -> Int {
    let arrival = pending[pendingHead]
    pendingHead += 1
    if pendingHead == pending.count {
      pending.removeAll(keepingCapacity: true)
      pendingHead = 0
    }
    return arrival
  }

  /// Delivers the next packet to the client; true where there is an arrival to take.
  @inline(__always)
  private mutating func deliverDown() -> Bool {
    let packet = world.down.removeFirst()
    let place = Int(packet.pointee.connection)
    let connection = connections + place
    connection.pointee.packetsOnLink &-= 1
    // Most packets: data for an open connection, which stays open.
    guard connection.pointee.isOpenData(packet) else {
      deliverRarely(packet, place)
      return pendingHead < pending.count
    }
    let before = connection.pointee.receiver.deliveredBytes
    if !connection.pointee.takeData(packet, &world) { deadBytes += Int64(packet.pointee.length) }
    let delivered = connection.pointee.receiver.deliveredBytes
    assert(delivered <= connection.pointee.server.sender.sentBytes, "more arrived than was sent")
    guard delivered > before, isChunked || delivered >= connection.pointee.noticeAt else { return false }
    if isChunked { readChunks(place) } else { notice(place) }
    return pendingHead < pending.count
  }

  @inline(never)
  private mutating func deliverRarely(_ packet: UnsafePointer<DownPacket>, _ place: Int) {
    let connection = connections + place
    let length = Int64(packet.pointee.length)
    if packet.pointee.kind == .data, connection.pointee.phase == .gone || connection.pointee.phase == .finishing { deadBytes += length }
    let before = connection.pointee.phase
    let repeated = connection.pointee.receiver.duplicates
    let hasGrown = connection.pointee.takeDown(packet, &world)
    if connection.pointee.receiver.duplicates > repeated { deadBytes += length }
    assert(connection.pointee.receiver.deliveredBytes <= connection.pointee.server.sender.sentBytes, "more arrived than was sent")
    if hasGrown {
      if connection.pointee.phase == .securing { connection.pointee.checkHandshake(&world) }
      if isChunked { readChunks(place) }
      if connection.pointee.receiver.deliveredBytes >= connection.pointee.noticeAt { notice(place) }
    }
    if before != connection.pointee.phase { noteConnected(place) }
    if connection.pointee.isDead, connection.pointee.packetsOnLink == 0 { release(place) }
  }

  @inline(never)
  private mutating func deliverUp() {
    let packet = world.up.removeFirst()
    let place = Int(packet.pointee.connection)
    let connection = connections + place
    connection.pointee.packetsOnLink &-= 1
    // Most packets: an acknowledgement of what an open server has sent changes nothing else.
    if packet.pointee.kind == .acknowledgement, connection.pointee.server.phase == .open {
      connection.pointee.server.take(packet, &world)
      assert(connection.pointee.server.sender.isConsistent, "a sender lost count of its segments")
      return
    }
    deliverRarely(packet, place)
  }

  @inline(never)
  private mutating func deliverRarely(_ packet: UnsafePointer<UpPacket>, _ place: Int) {
    connections[place].takeUp(packet, &world)
    assert(connections[place].server.sender.isConsistent, "a sender lost count of its segments")
    if connections[place].isDead, connections[place].packetsOnLink == 0 { release(place) }
  }

  private mutating func fireTimers() {
    world.timerBound = Instant.never.nanoseconds
    var bound = Instant.never.nanoseconds
    for place in 0..<placeCount {
      // Only connections that may have something due are touched.
      if world.timerBounds[place] <= world.now { fireTimers(of: place) }
      bound = min(bound, world.timerBounds[place])
    }
    world.timerBound = bound
    while let place = lostPlaces.popLast() { replace(place) }
  }

  @inline(never)
  private mutating func fireTimers(of place: Int) {
    if connections[place].timerAt <= world.now {
      connections[place].fire(&world)
      if connections[place].isLost { lostPlaces.append(place) }
      if connections[place].isDead, connections[place].packetsOnLink == 0 { release(place) }
    }
    world.timerBounds[place] = connections[place].timerAt
  }

  // MARK: - Places

  /// A place for a new connection; the same ones are used again.
  mutating func occupy(host: Int) -> Int {
    newConnections += 1
    if let place = freePlaces.popLast() {
      connections[place].deallocate()
      connections[place] = PacketConnection(place: place, host: host, http: world.http)
      return place
    }
    if placeCount == capacity { growPlaces() }
    (connections + placeCount).initialize(to: PacketConnection(place: placeCount, host: host, http: world.http))
    placeCount += 1
    return placeCount - 1
  }

  /// Nothing of the connection is left, at either end or on the way.
  mutating func release(_ place: Int) {
    guard !connections[place].isReleased else { return }
    connections[place].isReleased = true
    freePlaces.append(place)
  }

  private mutating func growPlaces() {
    let larger = UnsafeMutablePointer<PacketConnection>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: connections, count: placeCount)
    connections.deallocate()
    connections = larger
    let timerBounds = UnsafeMutablePointer<Int64>.allocate(capacity: capacity * 2)
    timerBounds.initialize(repeating: Instant.never.nanoseconds, count: capacity * 2)
    timerBounds.update(from: world.timerBounds, count: capacity)
    world.timerBounds.deallocate()
    world.timerBounds = timerBounds
    capacity *= 2
  }
}
