// Between the threads of the network and the one of the session: what has come, and when.

import Dispatch
import Simulation
import Synchronization

/// What the network's threads tell the session, stamped by the clock at which they knew it.
final class Mailbox: Sendable {
  /// What is known of the request that has a transfer's number, or had it last.
  struct Flight: Sendable {
    /// The number of the request, which no other of the run has.
    var request: Int
    var part: RequestedPart
    var received: Int64 = 0
    /// Nanoseconds of the run.
    var firstByte: Int64?
  }

  private struct State {
    /// By request.
    var transfers: [Int: Int] = [:]
    var flights: [Flight?] = []
    /// Transfers that have ended and are not yet reported, by the time of their end.
    var ended: [(transfer: Int, at: Int64)] = []
    var failure: String?
    var invalidated = 0

    /// A number that never was sent, because the run had failed before, has no flight.
    func flight(_ transfer: Int) -> Flight? { flights.indices.contains(transfer) ? flights[transfer] : nil }
  }

  private let state = Mutex(State())
  private let change = DispatchSemaphore(value: 0)
  private let start = DispatchTime.now().uptimeNanoseconds

  /// The clock of the run: nanoseconds since the mailbox was made. It never goes back.
  var clock: Int64 { Int64(DispatchTime.now().uptimeNanoseconds - start) }

  /// Waits for news until the clock shows `limit`; may return earlier.
  func wait(until limit: Int64) { _ = change.wait(timeout: DispatchTime(uptimeNanoseconds: start + UInt64(limit))) }

  // MARK: What the session asks

  /// Why the run cannot go on; nil while it can.
  var failure: String? { state.withLock { $0.failure } }

  /// How many sessions of the client are gone for good.
  var invalidated: Int { state.withLock { $0.invalidated } }

  /// Makes a request known before it is sent.
  func begin(_ transfer: Int, _ request: Int, _ part: RequestedPart) {
    state.withLock { state in
      while state.flights.count <= transfer { state.flights.append(nil) }
      state.flights[transfer] = Flight(request: request, part: part)
      state.transfers[request] = transfer
    }
  }

  /// Takes the first transfer that ended at or before `limit`.
  func popEnded(until limit: Int64) -> (transfer: Int, at: Int64)? {
    state.withLock { state in
      guard let first = state.ended.first, first.at <= limit else { return nil }
      return state.ended.removeFirst()
    }
  }

  /// Forgets a request, so that nothing more is heard of it, and returns what it was.
  func forget(_ transfer: Int) -> Flight? {
    state.withLock { state in
      guard let flight = state.flight(transfer) else { return nil }
      state.transfers[flight.request] = nil
      state.ended.removeAll { $0.transfer == transfer }
      return flight
    }
  }

  /// What is known of a transfer's request, or of the last one that had its number.
  func flight(_ transfer: Int) -> Flight? { state.withLock { $0.flight(transfer) } }

  // MARK: What the network tells

  /// The part that a request asks for; nil if nobody wants it any more.
  func part(of request: Int) -> RequestedPart? { state.withLock { state in state.transfers[request].flatMap { state.flights[$0]?.part } } }

  /// So many more bytes of a request have been read.
  func receive(_ bytes: Int, of request: Int) {
    state.withLock { state in
      guard let transfer = state.transfers[request], var flight = state.flights[transfer] else { return }
      if flight.firstByte == nil { flight.firstByte = clock }
      flight.received += Int64(bytes)
      state.flights[transfer] = flight
    }
  }

  /// A request has ended: well if all its bytes came, else the run has failed.
  func end(_ request: Int, error: String?) {
    state.withLock { state in
      guard let transfer = state.transfers.removeValue(forKey: request), let flight = state.flights[transfer] else { return }
      if error == nil, flight.received == flight.part.bytes {
        state.ended.append((transfer, clock))
      } else if state.failure == nil {
        state.failure =
          "\(flight.part.subject): "
          + (error ?? "the answer has \(flight.received) bytes and not the \(flight.part.bytes) that were asked for")
      }
    }
    change.signal()
  }

  func fail(_ reason: String) {
    state.withLock { if $0.failure == nil { $0.failure = reason } }
    change.signal()
  }

  /// A session of the client is gone, with all its requests and connections.
  func noteInvalidated() {
    state.withLock { $0.invalidated += 1 }
    change.signal()
  }
}
