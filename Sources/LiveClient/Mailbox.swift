// The arrivals of a run, passed from URLSession's threads to the session's.

import Dispatch
import Simulation
import Synchronization

/// The state of the requests, with the times at which URLSession reported it.
final class Mailbox: Sendable {
  /// The state of a request in flight, or of the last one with the transfer's number.
  struct Flight: Sendable {
    /// The number of the request, unique in the run.
    var request: Int
    var part: RequestedPart
    var received: Int64 = 0
    /// The arrival of the first byte, in nanoseconds of the run.
    var firstByte: Int64?
  }

  private struct State {
    /// The transfer of each request in flight.
    var transfers: [Int: Int] = [:]
    var flights: [Flight?] = []
    /// The transfers that have ended and are not reported yet, in ascending order of time.
    var ended: [(transfer: Int, at: Int64)] = []
    var failure: String?
    var invalidated = 0

    /// Returns the request of a transfer; nil if none was sent because the run had failed before.
    func flight(_ transfer: Int) -> Flight? { flights.indices.contains(transfer) ? flights[transfer] : nil }
  }

  private let state = Mutex(State())
  private let change = DispatchSemaphore(value: 0)
  private let start = DispatchTime.now().uptimeNanoseconds

  /// The clock of the run: nanoseconds since the creation of the mailbox. It is monotonic.
  var clock: Int64 { Int64(DispatchTime.now().uptimeNanoseconds - start) }

  /// Waits for a change until the clock shows `limit`; may return earlier.
  func wait(until limit: Int64) { _ = change.wait(timeout: DispatchTime(uptimeNanoseconds: start + UInt64(limit))) }

  // MARK: Calls of the session

  /// The reason for which the run has failed; nil if it has not.
  var failure: String? { state.withLock { $0.failure } }

  var invalidated: Int { state.withLock { $0.invalidated } }

  /// Registers a request before it is sent.
  func begin(_ transfer: Int, _ request: Int, _ part: RequestedPart) {
    state.withLock { state in
      while state.flights.count <= transfer { state.flights.append(nil) }
      state.flights[transfer] = Flight(request: request, part: part)
      state.transfers[request] = transfer
    }
  }

  /// Removes and returns the first transfer that ended at or before `limit`.
  func popEnded(until limit: Int64) -> (transfer: Int, at: Int64)? {
    state.withLock { state in
      guard let first = state.ended.first, first.at <= limit else { return nil }
      return state.ended.removeFirst()
    }
  }

  /// Removes a request and returns its state; later reports about it are ignored.
  func forget(_ transfer: Int) -> Flight? {
    state.withLock { state in
      guard let flight = state.flight(transfer) else { return nil }
      state.transfers[flight.request] = nil
      state.ended.removeAll { $0.transfer == transfer }
      return flight
    }
  }

  /// Returns the request of a transfer, or the last one with its number.
  func flight(_ transfer: Int) -> Flight? { state.withLock { $0.flight(transfer) } }

  // MARK: Calls of URLSession's threads

  /// Returns the part that a request asks for; nil if the session has cancelled it.
  func part(of request: Int) -> RequestedPart? { state.withLock { state in state.transfers[request].flatMap { state.flights[$0]?.part } } }

  func receive(_ bytes: Int, of request: Int) {
    state.withLock { state in
      guard let transfer = state.transfers[request], var flight = state.flights[transfer] else { return }
      if flight.firstByte == nil { flight.firstByte = clock }
      flight.received += Int64(bytes)
      state.flights[transfer] = flight
    }
  }

  /// Ends a request. The run fails unless all its bytes have arrived.
  func end(_ request: Int, error: String?) {
    state.withLock { state in
      guard let transfer = state.transfers.removeValue(forKey: request), let flight = state.flights[transfer] else { return }
      if error == nil, flight.received == flight.part.bytes {
        state.ended.append((transfer, clock))
      } else if state.failure == nil {
        state.failure =
          "\(flight.part.subject): " + (error ?? "the response has \(flight.received) bytes, \(flight.part.bytes) were requested")
      }
    }
    change.signal()
  }

  func fail(_ reason: String) {
    state.withLock { if $0.failure == nil { $0.failure = reason } }
    change.signal()
  }

  func noteInvalidated() {
    state.withLock { $0.invalidated += 1 }
    change.signal()
  }
}
