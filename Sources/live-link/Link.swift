// Two devices in two namespaces and the packets between them, in real time.

#if os(Linux)
  import Glibc
  import Synchronization

  /// The link, and the command behind it.
  struct Link {
    private let near: TunnelDevice
    private let far: TunnelDevice
    private var down: ShapedDirection
    private var up: ShapedDirection

    /// Makes both ends. Afterwards the calling thread, and what it starts, is in the far namespace.
    /// - Throws: `SystemProblem` if the system refuses the namespace, a device or a setting.
    init(_ options: Options) throws(SystemProblem) {
      down = ShapedDirection(
        rate: options.downKbps * 1000, delay: options.delayDownMs * 1_000_000, queueLimit: Int(options.queuePackets))
      up = ShapedDirection(rate: options.upKbps * 1000, delay: options.delayUpMs * 1_000_000, queueLimit: Int(options.queuePackets))
      near = try TunnelDevice(name: "live0", own: "10.98.0.1", peer: "10.98.0.2")
      // What TCP remembers of earlier connections would make a run depend on those before it.
      Settings.write("1", to: "tcp_no_metrics_save")
      if let name = options.congestion {
        // Only the route lets a namespace choose among all that the kernel has; the setting for all allows what the machine's does.
        let route = ["ip", "route", "replace", "10.98.0.2/32", "dev", "live0", "congctl", name]
        guard try Child.status(of: Child.start(route)) == 0 else { throw SystemProblem(refused: "congestion control \(name)") }
      }
      guard Namespace.leaveNetwork() else { throw SystemProblem("a network namespace could not be made") }
      far = try TunnelDevice(name: "live0", own: "10.98.0.2", peer: "10.98.0.1")
      Settings.write("1", to: "tcp_no_metrics_save")
    }

    /// Carries packets until a process has ended, and returns its status as a shell would.
    mutating func run(until process: pid_t) -> Int32 {
      while true {
        if let status = Child.status(of: process, waits: false) { return status }
        wait()
        var now = Self.now
        while let packet = near.read() { down.accept(packet, at: now) }
        while let packet = far.read() { up.accept(packet, at: now) }
        now = Self.now
        while let packet = down.take(at: now) { far.write(packet) }
        while let packet = up.take(at: now) { near.write(packet) }
      }
    }

    /// What went through and what was dropped, in a line.
    var summary: String {
      "live-link: \(down.delivered) packets down, \(down.dropped) dropped; \(up.delivered) up, \(up.dropped) dropped"
    }

    /// Waits for a packet or for the moment at which one is due, at most 20 ms.
    private func wait() {
      let now = Self.now
      let due = min(down.nextDue ?? .max, up.nextDue ?? .max, now + 20_000_000)
      var time = timespec(tv_sec: 0, tv_nsec: Int(due > now ? due - now : 0))
      // `poll` counts in milliseconds, in which a fast link sends several packets.
      var devices = fd_set()
      let highest = withUnsafeMutableBytes(of: &devices) { bits in
        for device in [near, far] { bits[Int(device.descriptor) / 8] |= 1 << UInt8(device.descriptor % 8) }
        return max(near.descriptor, far.descriptor)
      }
      _ = pselect(highest + 1, &devices, nil, nil, &time, nil)
    }

    private static var now: UInt64 {
      var time = timespec()
      clock_gettime(CLOCK_MONOTONIC, &time)
      return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
  }

  /// What Swift's module of the C library leaves out.
  private enum Namespace {
    private static let newNetwork: Int32 = 0x4000_0000

    /// Puts the calling thread into a network namespace of its own.
    static func leaveNetwork() -> Bool {
      guard let function = dlsym(nil, "unshare") else { return false }
      return unsafeBitCast(function, to: (@convention(c) (Int32) -> Int32).self)(newNetwork) == 0
    }
  }

  /// Settings of the kernel's TCP in the namespace of the calling thread.
  private enum Settings {
    /// Where the kernel does not allow it, its own value stays.
    static func write(_ value: String, to name: String) {
      guard let file = fopen("/proc/sys/net/ipv4/\(name)", "w") else { return }
      fputs(value, file)
      fclose(file)
    }
  }

  /// The command behind the link.
  enum Child {
    private static let started = Atomic<pid_t>(0)

    /// Starts a command, found as a shell finds it, with signals as they are by default.
    /// - Throws: `SystemProblem` if the command cannot be started.
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
