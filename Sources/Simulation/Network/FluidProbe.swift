// The fluid as a probe sees it: connections are only places that a request may take, and a first byte comes after one latency.

/// A fluid whose requests wait for one of `connectionsPerHost` places, and that knows when each got its first byte.
///
/// A class, because the fluid itself is not copied.
final class FluidProbe {
  private struct Request {
    var bytes: Int64 = 0
    var host = 0
    var priority = 0
    var slot = -1
    var begun: Instant?
    var firstByte: Instant?
  }

  /// The most requests that are on the way at once, over all hosts.
  private static let slotLimit = 256

  private var fluid: FluidTransport
  private var latencies: RateCursor
  private let latency: Interval?
  private let places: Int
  /// By number; numbers are small.
  private var requests: [Request] = []
  private var waiting: [Int] = []
  private var owners = [Int](repeating: -1, count: slotLimit)
  private var busy: [Int]

  init(_ network: NetworkConfiguration) {
    fluid = FluidTransport(network, transfers: Self.slotLimit)
    latencies = RateCursor(network.down, offset: network.offset)
    let isTold = network.down.periods.allSatisfy { $0.latency != nil }
    latency = isTold ? nil : network.delayDown + network.delayUp
    places = network.http.version == .http2 ? Self.slotLimit : min(network.http.connectionsPerHost, Self.slotLimit)
    busy = Array(repeating: 0, count: max(1, network.http.hosts))
  }

  var now: Instant { fluid.now }

  func advance(until limit: Instant) -> Arrival? {
    // An idle fluid has its next event at `never`, which it must not be sent to.
    guard let arrival = fluid.advance(until: min(limit, Instant(nanoseconds: Instant.never.nanoseconds - 1))) else { return nil }
    let request = owners[arrival.transfer]
    free(request)
    return Arrival(transfer: request, event: arrival.event)
  }

  func start(_ request: Int, bytes: Int64, host: Int, priority: Int) {
    while requests.count <= request { requests.append(Request()) }
    requests[request] = Request(bytes: bytes, host: host, priority: priority)
    waiting.append(request)
    serve()
  }

  func cancel(_ request: Int) -> Int64 {
    let slot = requests[request].slot
    guard slot >= 0 else {
      waiting.removeAll { $0 == request }
      return 0
    }
    let got = fluid.cancel(slot).bytes
    free(request)
    return got
  }

  func received(_ request: Int) -> Int64 {
    let slot = requests[request].slot
    return slot >= 0 ? fluid.received(slot).bytes : 0
  }

  func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) {
    let state = requests[request]
    return (state.begun, state.firstByte.flatMap { $0 <= now ? $0 : nil })
  }

  private func free(_ request: Int) {
    let state = requests[request]
    guard state.slot >= 0 else { return }
    owners[state.slot] = -1
    busy[state.host] -= 1
    requests[request].slot = -1
    serve()
  }

  /// Starts what has waited longest and finds a place.
  private func serve() {
    var index = 0
    while index < waiting.count {
      let request = waiting[index]
      let state = requests[request]
      guard busy[state.host] < places, let slot = owners.firstIndex(of: -1) else {
        index += 1
        continue
      }
      waiting.remove(at: index)
      owners[slot] = request
      busy[state.host] += 1
      if latency == nil { latencies.skip(to: now.nanoseconds) }
      let first = latency.map { now + $0 } ?? Instant(nanoseconds: latencies.latencyEnd(from: now.nanoseconds))
      requests[request].slot = slot
      requests[request].begun = now
      requests[request].firstByte = first
      fluid.start(slot, volume: .bytes(state.bytes), host: state.host, priority: state.priority)
    }
  }
}
