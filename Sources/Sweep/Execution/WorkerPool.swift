// The threads of the emulator and of devices.

import Base
import Dispatch
import Synchronization

/// A pool of threads that take jobs in order. Jobs may mostly wait, so the number of threads may exceed the number of cores.
package enum WorkerPool {
  package static var coreCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  /// Calls `job` with each number below `count`, in order; returns how many jobs, from the first on, returned true.
  /// Each thread has its own worker. No job begins after one that returned false or threw. `tick` is called every 0.2 s.
  /// - Throws: the first error in the order of jobs.
  @discardableResult package static func run<Worker, Failure>(
    _ count: Int, threads: Int = coreCount, tick: () -> Void = {}, worker: @Sendable () -> Worker,
    job: @Sendable (_ number: Int, _ worker: inout Worker) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    let next = Atomic(0)
    let isStopped = Atomic(false)
    let end = Mutex<(count: Int, failure: (number: Int, error: Failure)?)>((count, nil))
    let body: @Sendable () -> Void = {
      var worker = worker()
      while !isStopped.load(ordering: .relaxed) {
        let number = next.wrappingAdd(1, ordering: .relaxed).oldValue
        if number >= count { return }
        do throws(Failure) {
          if try job(number, &worker) { continue }
          end.withLock { $0.count = min($0.count, number) }
        } catch {
          end.withLock { if number < $0.failure?.number ?? .max { $0.failure = (number, error) } }
        }
        isStopped.store(true, ordering: .relaxed)
      }
    }
    let group = DispatchGroup()
    // All uses end before the wait below does.
    withoutActuallyEscaping(body) { body in
      for _ in 0..<min(threads, count) { DispatchQueue(label: "worker").async(group: group, execute: body) }
      while group.wait(timeout: .now() + .milliseconds(200)) == .timedOut { tick() }
    }
    let (done, failure) = end.withLock { $0 }
    if let failure { throw failure.error }
    return done
  }

  /// Returns the values of jobs in order, up to the first job that returned nil. `tick` gets the number of ended jobs.
  /// - Throws: the first error in the order of jobs.
  package static func map<Value: Sendable, Failure>(
    _ count: Int, threads: Int = coreCount, tick: (_ ended: Int) -> Void = { _ in }, _ job: @Sendable (Int) throws(Failure) -> Value?
  ) throws(Failure) -> [Value] {
    let values = Mutex((ended: 0, found: [Value?](repeating: nil, count: count)))
    let done = try run(count, threads: threads, tick: { tick(values.withLock { $0.ended }) }, worker: {}) {
      (number, _: inout Void) throws(Failure) in
      guard let value = try job(number) else { return false }
      values.withLock { values in
        values.ended += 1
        values.found[number] = value
      }
      return true
    }
    return values.withLock { $0.found.prefix(done).compactMap(\.self) }
  }
}
