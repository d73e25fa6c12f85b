// The journal: every finished run is written at once and synced in groups. A kill loses nothing, a power failure about a second.

import Base
import Synchronization

/// The journal of a results folder, open for appending; threads may share it.
final class Journal: Sendable {
  /// The most runs that are not synced.
  static let syncRuns = 1000
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

  /// Opens the journal at `path` and truncates it to `size`.
  /// - Throws: `OutputProblem` if the file cannot be opened or truncated.
  init(path: String, folder: String, size: Int, fault: FileFault? = nil) throws(OutputProblem) {
    self.folder = folder
    file = try SystemFile(regular: path, flags: O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW, fault: fault)
    guard file.truncate(to: size), file.sync() else {
      let problem = SystemFile.message
      file.close()
      throw OutputProblem(path: folder, problem: problem)
    }
    state = Mutex(State(size: size))
  }

  deinit { file.close() }

  /// Appends a record and returns its offset. After a failure every call throws it; earlier records stay whole.
  /// - Throws: `OutputProblem` if the disk refuses a record.
  @discardableResult func append(_ record: JournalRecord) throws(OutputProblem) -> Int { try append(RecordCoding.bytes(record)) }

  /// Appends the bytes of a whole record and returns their offset.
  /// - Throws: `OutputProblem` if the disk refuses them.
  @discardableResult func append(_ bytes: [UInt8]) throws(OutputProblem) -> Int {
    try state.withLock { state throws(OutputProblem) in
      if let fault = state.fault { throw fault }
      guard bytes.withUnsafeBytes(file.write) else {
        let fault = OutputProblem(path: folder, problem: SystemFile.message)
        state.fault = fault
        // The next start would truncate half a record too.
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

  /// The number of records that are not synced.
  var unsyncedCount: Int { state.withLock { $0.pending } }

  /// Syncs if the interval has passed, and detects a removed folder.
  func syncIfDue() { state.withLock { if ContinuousClock.now - $0.synced >= Self.syncInterval { sync(&$0) } } }

  /// Syncs all records to the disk.
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
