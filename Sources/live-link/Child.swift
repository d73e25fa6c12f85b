// The command behind the link.

#if os(Linux)
  import Glibc
  import Synchronization

  enum Child {
    private static let started = Atomic<pid_t>(0)

    /// Starts a command, found as a shell finds it, with signals as they are by default.
    static func start(_ command: [String]) throws(SystemProblem) -> pid_t {
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGINT)
      posix_spawnattr_setsigdefault(&attributes, &signals)
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGDEF))
      var words: [UnsafeMutablePointer<CChar>?] = command.map { strdup($0) } + [nil]
      defer { for word in words { free(word) } }
      var process: pid_t = 0
      let code = posix_spawnp(&process, command[0], nil, &attributes, &words, environ)
      guard code == 0 else {
        errno = code
        throw SystemProblem(command[0])
      }
      return process
    }

    /// The status of a process that has ended, as a shell says it; nil while it runs, if that is not waited for.
    static func status(of process: pid_t, waits: Bool = true) -> Int32? {
      var status: Int32 = 0
      guard waitpid(process, &status, waits ? 0 : WNOHANG) == process else { return nil }
      return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    /// Whoever ends the link ends the command; the link then ends with it.
    static func forwardTermination(to process: pid_t) {
      started.store(process, ordering: .relaxed)
      signal(SIGTERM) { _ in kill(Child.started.load(ordering: .relaxed), SIGTERM) }
    }
  }
#endif
