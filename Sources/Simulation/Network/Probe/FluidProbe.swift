// The fluid transport of a probe, with the limit of connections that it lacks.

/// A fluid transport whose requests wait for one of `connectionsPerHost` connections. A class, because the transport is not copyable.
final class FluidProbe: Transport {
  private struct Request {
    var volume = Volume.zero
    var host = 0, priority = 0
    var startedAt: Instant?
    var isActive = false
  }

  private static let requestLimit = 512

  private var fluid: FluidTransport
  private let connections: Int
  private var requests = [Request](repeating: Request(), count: requestLimit)
  private var waiting: [Int] = []

  init(_ network: NetworkConfiguration) {
    fluid = FluidTransport(network, transfers: Self.requestLimit)
    connections = network.http.version != .http1 ? Self.requestLimit : network.http.connectionsPerHost
  }

  var now: Instant { fluid.now }
  var counters: TransportCounters { fluid.counters }

  func advance(until limit: Instant) -> Int? {
    // An idle fluid transport has its next event at `never`, which is not a time to go to.
    guard let request = fluid.advance(until: min(limit, Instant(nanoseconds: Instant.never.nanoseconds - 1))) else { return nil }
    end(request)
    return request
  }

  func start(_ request: Int, volume: Volume, host: Int, priority: Int) {
    precondition(request < Self.requestLimit, "a probe has \(Self.requestLimit) requests at most")
    requests[request] = Request(volume: volume, host: host, priority: priority)
    waiting.append(request)
    startWaiting()
  }

  func cancel(_ request: Int) -> Volume {
    guard requests[request].isActive else {
      waiting.removeAll { $0 == request }
      return .zero
    }
    defer { end(request) }
    return fluid.cancel(request)
  }

  func received(_ request: Int) -> Volume { requests[request].isActive ? fluid.received(request) : .zero }

  func milestones(_ request: Int) -> (connected: Instant?, firstByte: Instant?) {
    let startedAt = requests[request].startedAt
    return (startedAt, startedAt == nil ? nil : fluid.firstByte(request))
  }

  private func end(_ request: Int) {
    requests[request].isActive = false
    startWaiting()
  }

  /// Starts the waiting requests, oldest first, for whose host a connection is free.
  private func startWaiting() {
    for number in waiting {
      let request = requests[number]
      guard requests.count(where: { $0.isActive && $0.host == request.host }) < connections else { continue }
      waiting.removeAll { $0 == number }
      requests[number].startedAt = now
      requests[number].isActive = true
      fluid.start(number, volume: request.volume, host: request.host, priority: request.priority)
    }
  }
}
