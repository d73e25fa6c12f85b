// A program and everything that it starts: begun in a process group of its own, and ended whole.

import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

#if !canImport(Darwin)
  // The C headers show it to GNU programs alone; every C library that Swift 6.3 runs on has it.
  @_silgen_name("posix_spawn_file_actions_addchdir_np")
  private func addWorkingFolder(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>) -> Int32
#endif

/// The system did not start a program.
package struct SpawnProblem: Error, Hashable {
  /// What it said.
  package let reason: String
}

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

  /// What a program starts with.
  struct Start {
    /// The file that runs.
    package var path: String
    /// Its arguments; the first is what it calls itself.
    package var arguments: [String]
    /// `NAME=value`.
    package var environment: [String]
    /// Its working folder; nil for ours.
    package var folder: String?
    /// Descriptors by the number that the program has them under; standard input is empty unless it is among them.
    var descriptors: [(own: Int32, theirs: Int32)]
  }

  /// Starts a program with default signals.
  init(_ start: Start) throws(SpawnProblem) {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
      var flags = Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
      var flags: Int32 = 0
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for descriptor in start.descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor.own, descriptor.theirs) }
    if let folder = start.folder {
      #if canImport(Darwin)
        let refusal = posix_spawn_file_actions_addchdir_np(&actions, folder)
      #else
        let refusal = addWorkingFolder(&actions, folder)
      #endif
      if refusal != 0 { throw SpawnProblem(reason: "its folder cannot be set: \(Self.message(refusal))") }
    }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigemptyset(&all)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2, SIGALRM] { sigaddset(&all, number) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, 0)
    flags |= Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    var arguments = start.arguments.map { strdup($0) } + [nil]
    var environment = start.environment.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var id: pid_t = 0
    let refusal = Self.starting.withLock { _ in posix_spawn(&id, start.path, &actions, &attributes, &arguments, &environment) }
    guard refusal == 0 else { throw SpawnProblem(reason: Self.message(refusal)) }
    self.id = id
  }

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

  private static func message(_ code: Int32) -> String { String(cString: strerror(code)).lowercased() }
}
