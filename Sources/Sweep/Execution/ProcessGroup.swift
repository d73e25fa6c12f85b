// A program and everything that it starts: begun in a process group of its own, and ended whole.

import Import
import Synchronization

/// A running program, the leader of a process group. Not for sharing: the thread that began it waits for it.
package struct ProcessGroup {
  /// How a program ended.
  package enum End: Hashable, Sendable {
    case status(Int32)
    case signal(Int32)
  }

  /// Held while a descriptor is made that no program may inherit, and while a program starts.
  static let starting = Mutex(())

  /// The leader's process id, which is the group's too.
  package let id: pid_t

  /// Starts a program with default signals.
  init(_ start: ProcessStart) throws(SpawnProblem) { id = try Self.starting.withLock { _ in Platform.spawn(start) }.get() }

  /// Whether the leader has ended. It is not reaped, so that neither its id nor its group's can be another's.
  var hasEnded: Bool {
    var info = siginfo_t()
    while true {
      let result = waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT)
      if result < 0, errno == EINTR { continue }
      // With nothing to tell, the system leaves the record as it was.
      return result < 0 || info.si_signo != 0
    }
  }

  /// Sends a signal to every process of the group.
  package func send(_ signal: Int32) { kill(-id, signal) }

  /// Whether any process of the group is left; asked after the leader was reaped, and soon after.
  var isLeft: Bool { kill(-id, 0) == 0 }

  /// Waits for the leader and lets go of it; nil where the system knows nothing of it.
  func reap() -> End? {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      if errno != EINTR { return nil }
    }
    // The macros of wait.h, which Swift does not import.
    let signal = status & 0x7F
    return signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
  }
}
