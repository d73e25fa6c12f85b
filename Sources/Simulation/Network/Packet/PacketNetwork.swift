// The event loop of the packet transport. Both links are FIFO, so the next event is the head of a link or a timer.
// It delivers packets to connections and collects completed transfers; `start` and `cancel` are in PacketNetwork+Client.

/// The connections of one client, its two links, and the transfers that they carry.
struct PacketNetwork: ~Copyable {
  struct Transfer {
    var isActive = false
    var connection = -1
    var generation: UInt32 = 0
    var host = 0
    var size: Int64 = 0
    /// The bytes of `size` that connections since lost have delivered.
    var receivedBefore: Int64 = 0
    var priority = 0
    /// The stream offset of the response on an HTTP/1.1 connection without TLS.
    var responseStart: Int64 = 0
    /// The bytes of header and payload received as chunks.
    var chunkedBytes: Int64 = 0
    /// The bytes of the response's header.
    var headerBytes: Int64 = 0
    /// The bytes of DATA that no WINDOW_UPDATE has answered.
    var unannouncedBytes: Int64 = 0
    var connectedAt: Int64 = -1
    var firstByteAt: Int64 = -1

    /// The bytes of the response, header included.
    var responseBytes: Int64 { headerBytes + size - receivedBefore }
  }

  /// The connections of one host: the idle ones, most recently used last, and the transfers that wait for a connection.
  struct Host {
    var idle: [Int] = []
    var openCount = 0
    var waiting: [Int] = []
    var isResolved = false
    var shared = -1
  }

  var world: PacketWorld
  var transfers: [Transfer] = []
  var hosts: [Host]
  /// Transfers that are complete and not yet reported.
  var completed = Queue<Int>()
  /// HTTP/2 connections with messages that leave at the end of the client's turn.
  var unflushed: [Int] = []
  var newConnections = 0
  /// Payload sent over the downlink and not read: of cancelled transfers, or received twice.
  var undeliveredBytes: Int64 = 0
  let isChunked: Bool
  /// Counts packets and timers and tells when the run must stop; nil for no limits.
  let watch: RunWatch?
  /// False to deliver each packet in the order of time, with a timer for each acknowledgement that waits: slower, with the same results.
  let receivesAhead: Bool
  private var stepsUntilCount = RunWatch.transportStep
  /// True if the run must stop: then nothing arrives any more.
  private var isStopped = false

  var connections: UnsafeMutablePointer<PacketConnection>
  private(set) var connectionCount = 0
  private var capacity = 16
  private var freeIndices: [Int] = []
  /// Indices of connections given up while timers fired.
  private var lostIndices: [Int] = []

  init(_ network: NetworkConfiguration, _ watch: RunWatch? = nil, receivesAhead: Bool = true) {
    self.watch = watch
    self.receivesAhead = receivesAhead
    let http = network.http
    isChunked = http.version == .http2 || http.security != .none
    hosts = Array(repeating: Host(), count: max(1, http.hosts))
    connections = UnsafeMutablePointer<PacketConnection>.allocate(capacity: capacity)
    let timerBounds = UnsafeMutablePointer<Int64>.allocate(capacity: capacity)
    timerBounds.initialize(repeating: Instant.never.nanoseconds, count: capacity)
    world = PacketWorld(
      down: .down(network), up: .up(network), timerBounds: timerBounds, http: http, radio: RadioState(network),
      congestion: network.congestion, bbrRandom: RandomStream(runSeed: network.seed, name: "gain cycle"))
  }

  func deallocate() {
    world.down.deallocate()
    world.up.deallocate()
    world.timerBounds.deallocate()
    for index in 0..<connectionCount {
      connections[index].deallocate()
      (connections + index).deinitialize(count: 1)
    }
    connections.deallocate()
  }

  var counters: TransportCounters {
    TransportCounters(
      newConnections: newConnections, bytesDead: undeliveredBytes, packetsDropped: world.down.dropped + world.up.dropped,
      packetsSent: world.down.sent)
  }

  // MARK: - The loop

  /// The next arrival or timer.
  private var nextEvent: Int64 { min(min(world.down.nextArrival, world.up.nextArrival), world.timerBound) }

  var nextChange: Int64 { unflushed.isEmpty ? nextEvent : world.now }

  mutating func advance(until limit: Int64) -> Int? {
    while let index = unflushed.popLast() { connections[index].flush(&world) }
    while completed.isEmpty {
      runServers(before: limit &+ 1)
      if isStopped { return nil }
      if world.down.nextArrival > limit {
        world.now = max(world.now, limit)
        return nil
      }
      // Only packets to the client can complete a transfer.
      deliverDown(until: limit)
    }
    return completed.removeFirst()
  }

  /// Counts a packet or a timer, and asks from time to time if the run must stop: then nothing arrives any more.
  @inline(__always) private mutating func countStep() {
    stepsUntilCount &-= 1
    if stepsUntilCount == 0 { checkWatch() }
  }

  @inline(never) private mutating func checkWatch() {
    stepsUntilCount = RunWatch.transportStep
    isStopped = watch?.count(RunWatch.transportStep) ?? false
  }

  /// Goes on at the servers up to the next packet to the client, but not to `time`.
  @inline(never) private mutating func runServers(before time: Int64) {
    while !isStopped {
      let upAt = world.up.nextArrival
      let next = min(upAt, world.timerBound)
      if next >= time || next >= world.down.nextArrival { return }
      countStep()
      world.now = next
      if upAt == next { deliverUp() } else { fireTimers() }
    }
  }

  /// Delivers the next packet to the client, and those behind it on the downlink up to `limit` or a completed transfer, ahead of the
  /// servers. A link keeps the order, so nothing that a server does meanwhile reaches the client before them.
  @inline(never) private mutating func deliverDown(until limit: Int64) {
    let limit = receivesAhead ? min(limit, world.giveUpBound) : world.down.nextArrival
    var isAhead = false
    repeat {
      let packet = world.down.first
      let index = Int(packet.pointee.connection)
      let connection = connections + index
      // Fast path for most packets: data for an open connection, which stays open.
      let isOpenData = connection.pointee.isOpenData(packet)
      if isAhead, !isOpenData { return }
      removeFirstDown(connection)
      if isOpenData { receive(packet, connection, index) } else { deliverOnSlowPath(packet, index) }
      isAhead = true
    } while completed.isEmpty && mayReceive(until: limit)
    if completed.isEmpty { return }
    let now = world.now
    runServers(before: now)
    world.now = now
  }

  /// True if the next packet arrives up to `limit` and before the timers of the clients' ends.
  @inline(__always) private mutating func mayReceive(until limit: Int64) -> Bool {
    let next = world.down.nextArrival
    return next <= limit && (next <= world.clientTimerBound || next <= boundClientTimers()) && !isStopped
  }

  /// Removes the next packet from the downlink at its arrival.
  @inline(__always) private mutating func removeFirstDown(_ connection: UnsafeMutablePointer<PacketConnection>) {
    countStep()
    world.now = world.down.nextArrival
    if world.radio.sleeps { world.radio.noteReceived(at: world.now) }
    _ = world.down.removeFirst()
    connection.pointee.packetsOnLink &-= 1
  }

  /// Receives data of an open connection and what it completes.
  @inline(__always)
  private mutating func receive(_ packet: UnsafePointer<DownPacket>, _ connection: UnsafeMutablePointer<PacketConnection>, _ index: Int) {
    if connection.pointee.receiver.isExpected(packet.pointee.segment) {
      let nextAt = world.down.nextArrival
      let isFollowed = receivesAhead && nextAt < Instant.never.nanoseconds && world.down.first.pointee.isNext(after: packet)
      connection.pointee.receiveExpected(packet, nextAt: isFollowed ? nextAt : Instant.never.nanoseconds, &world)
    } else {
      let before = connection.pointee.receiver.deliveredBytes
      if !connection.pointee.receiveData(packet, &world) { undeliveredBytes += Int64(packet.pointee.length) }
      if connection.pointee.receiver.deliveredBytes == before { return }
    }
    let delivered = connection.pointee.receiver.deliveredBytes
    assert(delivered <= connection.pointee.server.sender.sentBytes, "more bytes arrived than were sent")
    if isChunked { readChunks(index) } else if delivered >= connection.pointee.milestoneAt { reachMilestone(index) }
  }

  @inline(never) private mutating func boundClientTimers() -> Int64 {
    var bound = Instant.never.nanoseconds
    for index in 0..<connectionCount { bound = min(bound, connections[index].clientTimerAt) }
    world.clientTimerBound = bound
    return bound
  }

  @inline(never) private mutating func deliverOnSlowPath(_ packet: UnsafePointer<DownPacket>, _ index: Int) {
    let length = Int64(packet.pointee.length)
    if packet.pointee.kind == .data, connections[index].phase == .gone || connections[index].phase == .finishing {
      undeliveredBytes += length
    }
    let before = connections[index].phase
    let priorDuplicates = connections[index].receiver.duplicates
    let hasGrown = connections[index].receiveAtClient(packet, &world)
    if connections[index].receiver.duplicates > priorDuplicates { undeliveredBytes += length }
    assert(connections[index].receiver.deliveredBytes <= connections[index].server.sender.sentBytes, "more bytes arrived than were sent")
    if hasGrown {
      if connections[index].phase == .securing { connections[index].checkHandshake(&world) }
      if isChunked { readChunks(index) }
      if connections[index].receiver.deliveredBytes >= connections[index].milestoneAt { reachMilestone(index) }
    }
    if before != connections[index].phase { noteConnected(index) }
    if before != .gone, connections[index].isLost { replace(index) }
    releaseIfGone(index)
  }

  @inline(__always) private mutating func deliverUp() {
    let packet = world.up.removeFirst()
    if world.radio.sleeps { world.radio.noteSeen(at: world.now) }
    let index = Int(packet.pointee.connection)
    let connection = connections + index
    connection.pointee.packetsOnLink &-= 1
    // Fast path for most packets: an acknowledgement for an open server.
    if packet.pointee.kind == .acknowledgement, connection.pointee.server.phase == .open {
      connection.pointee.server.receiveAck(packet, &world)
      assert(connection.pointee.server.sender.isConsistent, "a sender lost count of its segments")
      return
    }
    deliverOnSlowPath(packet, index)
  }

  @inline(never) private mutating func deliverOnSlowPath(_ packet: UnsafePointer<UpPacket>, _ index: Int) {
    connections[index].receiveAtServer(packet, &world)
    assert(connections[index].server.sender.isConsistent, "a sender lost count of its segments")
    releaseIfGone(index)
  }

  private mutating func fireTimers() {
    world.timerBound = Instant.never.nanoseconds
    var bound = Instant.never.nanoseconds
    for index in 0..<connectionCount {
      // Only connections with a timer bound in the past are read.
      if world.timerBounds[index] <= world.now { fireTimers(of: index) }
      bound = min(bound, world.timerBounds[index])
    }
    world.timerBound = bound
    if world.giveUpBound <= world.now { boundGivingUp() }
    while let index = lostIndices.popLast() { replace(index) }
  }

  /// Computes `giveUpBound` from the senders with a timeout.
  @inline(never) private mutating func boundGivingUp() {
    world.giveUpBound = Instant.never.nanoseconds - 1
    for index in 0..<connectionCount where connections[index].server.sender.backoff > 0 {
      let first = connections[index].server.sender.firstTimeoutAt
      world.giveUpBound = min(world.giveUpBound, first + ConnectionPatience.dataNanoseconds)
    }
  }

  @inline(never) private mutating func fireTimers(of index: Int) {
    if connections[index].timerAt <= world.now {
      connections[index].fire(&world)
      if connections[index].isLost { lostIndices.append(index) }
      releaseIfGone(index)
    }
    world.timerBounds[index] = connections[index].timerAt
  }

  // MARK: - Memory of connections

  /// Initialises a connection and returns its index; free indices are reused.
  mutating func allocateConnection(host: Int) -> Int {
    newConnections += 1
    if let index = freeIndices.popLast() {
      connections[index].deallocate()
      connections[index] = PacketConnection(index: index, host: host, http: world.http, congestion: world.congestion)
      return index
    }
    if connectionCount == capacity { growConnections() }
    (connections + connectionCount).initialize(
      to: PacketConnection(index: connectionCount, host: host, http: world.http, congestion: world.congestion))
    connectionCount += 1
    return connectionCount - 1
  }

  /// Frees the index of a connection that is closed at both ends with no packet in flight.
  @inline(__always) mutating func releaseIfGone(_ index: Int) {
    guard connections[index].isDead, connections[index].packetsOnLink == 0, !connections[index].isReleased else { return }
    connections[index].isReleased = true
    freeIndices.append(index)
  }

  private mutating func growConnections() {
    let larger = UnsafeMutablePointer<PacketConnection>.allocate(capacity: capacity * 2)
    larger.moveInitialize(from: connections, count: connectionCount)
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
