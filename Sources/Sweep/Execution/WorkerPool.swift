// Threads that share a list of jobs: the one place that starts threads for runs.

import Dispatch
import Import
import Synchronization

/// Threads that take the jobs of a list in order. Each has a thread of its own, however few cores there are: a job may mostly wait.
package enum WorkerPool {
  package static var coreCount: Int { ProcessInfo.processInfo.activeProcessorCount }

  /// Calls `job` with each number below `count`, in the order of numbers, on at most so many threads; each thread has a worker of its
  /// own. A job that returns false, or throws, is the last to begin. `tick` is called on the calling thread five times a second.
  ///
  /// - Returns: how many jobs, from the first on, returned true.
  /// - Throws: the first error in the order of jobs.
  @discardableResult
  package static func run<Worker, Failure>(
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
    // Nothing outlives the wait below.
    withoutActuallyEscaping(body) { body in
      for _ in 0..<min(threads, count) { DispatchQueue(label: "worker").async(group: group, execute: body) }
      while group.wait(timeout: .now() + .milliseconds(200)) == .timedOut { tick() }
    }
    let (done, failure) = end.withLock { $0 }
    if let failure { throw failure.error }
    return done
  }

  /// The values of jobs, in order; of jobs of which one returned nil, those before it. `tick` gets how many have ended.
  ///
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
