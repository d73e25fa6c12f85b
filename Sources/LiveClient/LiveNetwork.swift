// Real requests by URLSession under a session, in real time.

import Dispatch
import Foundation
import Simulation
import Sweep

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Why a run over a real network is worth nothing.
package struct LiveFailure: Error, Hashable, CustomStringConvertible, Sendable {
  /// The reason, for the table of failures.
  package let description: String
}

/// The network of one run. It is used from one thread; URLSession's threads only write into its mailbox.
///
/// The session stands at an instant while the clock goes on: what is due at t runs when the clock has reached t, and an answer that
/// came after t waits until the session is there. So a run is the same session as an emulated one, a few microseconds late.
package final class LiveNetwork: RealNetwork {
  /// How far the session may lag behind the clock. A machine that does not let the client run measures itself.
  static let lagLimitNanoseconds: Int64 = 1_000_000_000
  /// How often is asked whether somebody wants the program to stop.
  private static let cancelPollNanoseconds: Int64 = 100_000_000
  /// How long is waited for connections to be closed after a run.
  private static let closingNanoseconds: Int64 = 2_000_000_000

  /// Where URLSession says what has come. A serial queue has a thread whatever else runs; that which an OperationQueue makes for itself
  /// waits for its turn in a pool of a thread a core, up to a second where those are blocked (measured). It must outlive every client.
  private static let delegateQueue = DispatchQueue(label: "prefetch-sweep.live", qos: .userInitiated)

  private let settings: LiveBackend
  private let repetition: Int
  private let connections: Int
  private let isCancelled: @Sendable () -> Bool
  /// Made at the first call, with which the run's time begins.
  private lazy var mailbox = Mailbox()
  /// A client for each host, made at its first request: URLSession counts connections by itself, and by addresses.
  private var clients: [Int: URLSession] = [:]
  private var tasks: [Int: (task: URLSessionDataTask, priority: Int)] = [:]
  private var inFlight: [Int] = []
  private var requestCount = 0
  private var clock: Int64 = 0

  /// Where the session stands.
  package var now: Instant { Instant(nanoseconds: clock) }

  /// The network of a run that begins with the first call. `connections` are the most to each host; a run during which `isCancelled`
  /// becomes true fails within a tenth of a second.
  package init(_ settings: LiveBackend, repetition: Int, connections: Int, isCancelled: @escaping @Sendable () -> Bool = { false }) {
    self.settings = settings
    self.repetition = repetition
    self.connections = connections
    self.isCancelled = isCancelled
  }

  /// Closes all connections, so that the next run finds none, and says why the run is worth nothing, if it is.
  package func close() -> LiveFailure? {
    // What is cut now was on the way when the run ended, which is no failure of the run.
    let failure = mailbox.failure.map(LiveFailure.init)
    for client in clients.values { client.invalidateAndCancel() }
    let limit = mailbox.clock + Self.closingNanoseconds
    while mailbox.invalidated < clients.count, mailbox.clock < limit { mailbox.wait(until: limit) }
    return failure
  }

  // MARK: Time

  /// Waits for the next arrival or for an instant.
  package func advance(until limit: Instant) -> Int? {
    let lag = mailbox.clock - limit.nanoseconds
    if lag > Self.lagLimitNanoseconds {
      mailbox.fail("the client was held up for \(lag / 1_000_000) ms; leave more of the machine to it")
    }
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
        mailbox.fail("was not over after \(end / 1_000_000) ms")
      } else {
        mailbox.wait(until: min(limit.nanoseconds, end, time + Self.cancelPollNanoseconds))
      }
    }
  }

  /// What is left of a run that has failed takes no time: everything that is asked for is there.
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

  // MARK: Requests

  package func start(_ transfer: Int, _ part: RequestedPart, host: Int, priority: Int) {
    inFlight.append(transfer)
    guard mailbox.failure == nil else { return }
    guard let url = settings.url(of: part.content, repetition: repetition) else {
      return mailbox.fail("\(part.subject): \(settings.server) with its path is no address")
    }
    var request = URLRequest(url: url)
    // A server that packs what it sends would send other bytes than the feed has.
    request.setValue("identity", forHTTPHeaderField: "Accept-Encoding")
    if !part.isWhole { request.setValue(part.range, forHTTPHeaderField: "Range") }
    let task = client(host).dataTask(with: request)
    // URLSession knows three; the session's numbers only say who is before whom.
    let isFirst = tasks.values.allSatisfy { priority <= $0.priority }
    task.priority = isFirst ? URLSessionTask.highPriority : URLSessionTask.defaultPriority
    tasks[transfer] = (task, priority)
    requestCount += 1
    task.taskDescription = "\(requestCount)"
    mailbox.begin(transfer, requestCount, part)
    task.resume()
  }

  /// Cuts a request; over HTTP/1.1 that closes its connection.
  package func cancel(_ transfer: Int) -> Int64 {
    let flight = mailbox.forget(transfer)
    tasks[transfer]?.task.cancel()
    _ = finish(transfer)
    return flight?.received ?? 0
  }

  package func received(_ transfer: Int) -> Int64 { mailbox.flight(transfer)?.received ?? 0 }

  package func firstByte(_ transfer: Int) -> Instant? {
    mailbox.flight(transfer)?.firstByte.map { Instant(nanoseconds: $0) }
  }

  private func client(_ host: Int) -> URLSession {
    if let known = clients[host] { return known }
    let configuration = URLSessionConfiguration.ephemeral
    configuration.httpMaximumConnectionsPerHost = connections
    configuration.timeoutIntervalForRequest = Double(settings.requestTimeout.nanoseconds) / 1e9
    // What was stored by anyone but the session would be no download.
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
