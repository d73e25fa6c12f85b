// Brings a file to the disk while it is still being written, on a thread of its own.

import Dispatch
import Synchronization

/// Calls the system's sync for whoever writes a file. The call cannot be interrupted and waits for the disk; its caller need not.
package final class BackgroundSync: Sendable {
  private struct State {
    var isRunning = false
    /// The bytes that a sync which has ended brought to the disk.
    var done = 0
    var failure: String?
  }

  private let file: SystemFile
  private let queue = DispatchQueue(label: "sync")
  private let state = Mutex(State())
  private let ended = DispatchSemaphore(value: 0)

  package init(_ file: SystemFile) { self.file = file }

  /// The bytes that are on the disk, and what went wrong.
  package var result: (done: Int, failure: String?) { state.withLock { ($0.done, $0.failure) } }

  /// Begins to bring the first `size` bytes to the disk, unless it is at it already.
  package func begin(_ size: Int) {
    guard
      state.withLock({ state in
        defer { state.isRunning = true }
        return !state.isRunning
      })
    else { return }
    queue.async { [self] in
      let isGood = file.sync()
      let message = SystemFile.message
      state.withLock { state in
        state.isRunning = false
        if isGood { state.done = size } else { state.failure = message }
      }
      ended.signal()
    }
  }

  /// Waits for the end of a sync, at most so long.
  package func wait(milliseconds: Int) { _ = ended.wait(timeout: .now() + .milliseconds(milliseconds)) }
}
