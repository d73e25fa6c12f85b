// Every finished run is written at once and brought to the disk in groups: a kill costs nothing, a power failure a second.

import Import
import Synchronization

/// The journal of a results folder, open for appending; may be shared by threads.
final class Journal: Sendable {
  /// At most so many runs are not yet on the disk itself …
  static let syncRuns = 1000
  /// … and none for longer than about this.
  static let syncInterval = Duration.milliseconds(700)

  private struct State {
    var size: Int
    var pending = 0
    var synced = ContinuousClock.now
    var fault: OutputProblem?
  }

  private let file: SystemFile
  private let folder: String
  private let state: Mutex<State>

  /// Opens the journal at `path`, which is cut to `size` first.
  /// - Throws: `OutputProblem` if the file cannot be opened.
  init(path: String, folder: String, size: Int) throws(OutputProblem) {
    self.folder = folder
    file = try SystemFile(regular: path, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW)
    guard file.truncate(to: size), file.sync() else {
      let problem = SystemFile.message
      file.close()
      throw OutputProblem(path: folder, problem: problem)
    }
    state = Mutex(State(size: size))
  }

  deinit { file.close() }

  /// Adds a record and returns its place. After the first failure every call throws it again; what was added before stays whole.
  /// - Throws: `OutputProblem` if the disk refuses the record, now or before.
  @discardableResult func append(_ record: JournalRecord) throws(OutputProblem) -> Int {
    let bytes = RecordCoding.bytes(record)
    return try state.withLock { state throws(OutputProblem) in
      if let fault = state.fault { throw fault }
      guard bytes.withUnsafeBytes(file.write) else {
        let fault = OutputProblem(path: folder, problem: SystemFile.message)
        state.fault = fault
        // Half a record would be cut at the next start anyway.
        _ = file.truncate(to: state.size)
        throw fault
      }
      state.size += bytes.count
      state.pending += 1
      if state.pending >= Self.syncRuns { sync(&state) }
      if let fault = state.fault { throw fault }
      return state.size - bytes.count
    }
  }

  /// How many records are not yet on the disk itself.
  var unsyncedCount: Int { state.withLock { $0.pending } }

  /// Brings everything to the disk if that is due, and sees whether the folder is still there.
  func syncIfDue() { state.withLock { if ContinuousClock.now - $0.synced >= Self.syncInterval { sync(&$0) } } }

  /// Brings everything to the disk.
  /// - Throws: `OutputProblem` if the disk refuses.
  func sync() throws(OutputProblem) {
    try state.withLock { state throws(OutputProblem) in
      sync(&state)
      if let fault = state.fault { throw fault }
    }
  }

  private func sync(_ state: inout State) {
    guard state.fault == nil else { return }
    if !file.isLinked {
      state.fault = OutputProblem(path: folder, problem: "the folder was removed while it was written")
    } else if state.pending > 0, !file.sync() {
      state.fault = OutputProblem(path: folder, problem: SystemFile.message)
    }
    state.pending = 0
    state.synced = .now
  }
}
