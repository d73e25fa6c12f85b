// What has become of runs since a start, kept by whichever thread ended them.

import Import
import Synchronization

/// Takes finished runs into the journal and counts them; may be shared by threads.
package final class RunTally: Sendable {
  private struct State {
    var ids: PointIDs
    /// By whether they confirm the winner.
    var done: Int
    var confirmed: Int
    var failed = 0
    var failures: [JournaledSweep.Failure] = []
  }

  private let journal: Journal
  private let repeats: Int
  private let state: Mutex<State>

  /// A tally that starts with what is known of the points and with so many runs done; repetitions beyond `repeats` confirm the winner.
  init(journal: Journal, ids: PointIDs, repeats: Int, done: Int, confirmed: Int) {
    self.journal = journal
    self.repeats = repeats
    state = Mutex(State(ids: ids, done: done, confirmed: confirmed))
  }

  /// The ids of points by their place in the grid.
  package var ids: PointIDs { state.withLock { $0.ids } }

  /// Runs that are done, those that confirm the winner, and runs that failed.
  package var counts: (done: Int, confirmed: Int, failed: Int) { state.withLock { ($0.done, $0.confirmed, $0.failed) } }

  /// The failures, at most `JournaledSweep.failureLimit`, as they came.
  package var failures: [JournaledSweep.Failure] { state.withLock { $0.failures } }

  /// Takes note of a point's id.
  func learn(_ id: UInt64, of place: Int) { state.withLock { $0.ids[place] = id } }

  /// Keeps a run, then counts it.
  package func take(_ run: FinishedRun) throws(OutputProblem) {
    switch run.outcome {
    case .metrics(let metrics):
      try journal.append(.run(RunRecord(key: run.key, metrics: metrics, deviceMs: run.deviceMs)))
      state.withLock { state in
        state.ids[run.pointIndex] = run.key.point
        if run.key.repetition > repeats { state.confirmed += 1 } else { state.done += 1 }
      }
    case .failure(let reason):
      try journal.append(.failure(FailureRecord(key: run.key, reason: reason, deviceMs: run.deviceMs)))
      state.withLock { state in
        state.failed += 1
        // Its time is found again by its id, and so is the point itself where none of its runs went well yet.
        if run.key.point != 0 { state.ids[run.pointIndex] = run.key.point }
        guard state.failures.count < JournaledSweep.failureLimit else { return }
        state.failures.append(
          JournaledSweep.Failure(
            pointIndex: run.pointIndex, point: run.key.point == 0 ? nil : run.key.pointText, repetition: run.key.repetition,
            seed: run.key.seed, reason: reason))
      }
    }
  }
}
