// A real network: requests by URLSession, in real time.

import Base
import Dispatch
import Foundation
import Simulation
import Sweep

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// The network of one run, used by one thread; URLSession's threads only write to its mailbox. Events run when the clock has reached their
/// instant, and an arrival waits until the session has reached its own: a run is an emulated one that lags a few microseconds.
package final class LiveNetwork: RealNetwork {
  /// The longest lag of the session behind the clock, 1 s; beyond it, results would measure the machine.
  static let lagLimitNanoseconds: Int64 = 1_000_000_000
  /// The interval of checks for a request to stop.
  private static let cancelPollNanoseconds: Int64 = 100_000_000
  /// The longest wait for connections to close after a run.
  private static let closingNanoseconds: Int64 = 2_000_000_000

  /// The queue of delegate calls. It has a thread of its own; queues made by an OperationQueue waited up to a second for one (measured).
  /// It must outlive every client.
  private static let delegateQueue = DispatchQueue(label: "prefetch-sweep.live", qos: .userInitiated)

  private let settings: LiveBackend
  private let repetition: Int
  private let connections: Int
  private let isCancelled: @Sendable () -> Bool
  /// The mailbox. Its creation, at the first call, starts the clock of the run.
  private lazy var mailbox = Mailbox()
  /// One client for each host: URLSession limits connections by address.
  private var clients: [Int: URLSession] = [:]
  private var tasks: [Int: (task: URLSessionDataTask, priority: Int)] = [:]
  private var inFlight: [Int] = []
  private var requestCount = 0
  private var clock: Int64 = 0

  package var now: Instant { Instant(nanoseconds: clock) }

  /// Creates the network of a run with at most `connections` to each host. The run begins with the first call.
  /// Within 0.1 s after `isCancelled` becomes true, the run fails.
  package init(_ settings: LiveBackend, repetition: Int, connections: Int, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    (self.settings, self.repetition, self.connections, self.isCancelled) = (settings, repetition, connections, isCancelled)
  }

  /// Closes all connections, so that the next run opens new ones. Returns the failure of the run, if any.
  package func close() -> Refusal? {
    // Transfers cancelled here were in flight at the end of the run, which is not a failure.
    let failure = mailbox.failure.map { Refusal($0, isFailure: true) }
    for client in clients.values { client.invalidateAndCancel() }
    let limit = mailbox.clock + Self.closingNanoseconds
    while mailbox.invalidated < clients.count, mailbox.clock < limit { mailbox.wait(until: limit) }
    return failure
  }

  package func advance(until limit: Instant) -> Int? {
    let lag = mailbox.clock - limit.nanoseconds
    if lag > Self.lagLimitNanoseconds { mailbox.fail("the client lagged by \(lag / 1_000_000) ms; leave it more of the machine's time") }
    let end = settings.timeLimit?.nanoseconds ?? Instant.never.nanoseconds
    while true {
      if mailbox.failure != nil { return finishAfterFailure(to: limit) }
      if let arrival = mailbox.popEnded(until: limit.nanoseconds) {
        clock = max(clock, arrival.at)
        return finish(arrival.transfer)
      }
      let time = mailbox.clock
      if time >= limit.nanoseconds {
        clock = max(clock, limit.nanoseconds)
        return nil
      }
      if isCancelled() {
        mailbox.fail("stopped")
      } else if time >= end {
        mailbox.fail("did not end within \(end / 1_000_000) ms; raise timeLimit")
      } else {
        mailbox.wait(until: min(limit.nanoseconds, end, time + Self.cancelPollNanoseconds))
      }
    }
  }

  /// Completes all transfers of a failed run at once.
  private func finishAfterFailure(to limit: Instant) -> Int? {
    if let first = inFlight.first {
      tasks[first]?.task.cancel()
      _ = mailbox.forget(first)
      return finish(first)
    }
    clock = max(clock, limit.nanoseconds)
    return nil
  }

  private func finish(_ transfer: Int) -> Int {
    tasks[transfer] = nil
    inFlight.removeAll { $0 == transfer }
    return transfer
  }

  package func start(_ transfer: Int, _ part: RequestedPart, host: Int, priority: Int) {
    inFlight.append(transfer)
    guard mailbox.failure == nil else { return }
    guard let url = settings.url(of: part.content, repetition: repetition) else {
      return mailbox.fail("\(part.subject): \(settings.server) with its path is not an address")
    }
    var request = URLRequest(url: url)
    // A compressed response would have other bytes than the feed.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if !part.isWhole { request.setValue(part.range, forHTTPHeaderField: "Range") }
    let task = client(host).dataTask(with: request)
    // URLSession has three priorities; the session's numbers only give an order.
    let isFirst = tasks.values.allSatisfy { priority <= $0.priority }
    task.priority = isFirst ? URLSessionTask.highPriority : URLSessionTask.defaultPriority
    tasks[transfer] = (task, priority)
    requestCount += 1
    task.taskDescription = "\(requestCount)"
    mailbox.begin(transfer, requestCount, part)
    task.resume()
  }

  /// Cancels a request. Over HTTP/1.1 this closes its connection.
  package func cancel(_ transfer: Int) -> Int64 {
    let flight = mailbox.forget(transfer)
    tasks[transfer]?.task.cancel()
    _ = finish(transfer)
    return flight?.received ?? 0
  }

  package func received(_ transfer: Int) -> Int64 { mailbox.flight(transfer)?.received ?? 0 }

  package func milestones(_ transfer: Int) -> (connected: Instant?, firstByte: Instant?) {
    (nil, mailbox.flight(transfer)?.firstByte.map { Instant(nanoseconds: $0) })
  }

  private func client(_ host: Int) -> URLSession {
    if let known = clients[host] { return known }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.timeoutIntervalForRequest = Double(settings.requestTimeout.nanoseconds) / 1e9
    // A cache or cookies would make a run depend on earlier ones.
    configuration.urlCache = nil
    configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
    configuration.httpCookieStorage = nil
    let queue = OperationQueue()
    queue.maxConcurrentOperationCount = 1
    queue.underlyingQueue = Self.delegateQueue
    let client = URLSession(configuration: configuration, delegate: LiveDelegate(mailbox: mailbox), delegateQueue: queue)
    clients[host] = client
    return client
  }
}
