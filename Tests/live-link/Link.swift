// A link between two network namespaces, in real time.

#if os(Linux)
  import Foundation

  struct Link {
    private let near: TunnelDevice
    private let far: TunnelDevice
    private var down: ShapedDirection
    private var up: ShapedDirection

    /// Creates both ends. Afterwards the calling thread and its child processes are in the far namespace.
    /// - Throws: `SystemProblem` if the system refuses the namespace, a device or a setting.
    init(_ options: Options) throws {
      func direction(_ kbps: UInt64, _ delayMs: UInt64, seed: UInt64) -> ShapedDirection {
        ShapedDirection(
          rate: kbps * 1000, delay: delayMs * 1_000_000, queueLimit: Int(options.queuePackets), lossPpm: options.lossPpm, seed: seed)
      }
      down = direction(options.downKbps, options.delayDownMs, seed: options.seed)
      up = direction(options.upKbps, options.delayUpMs, seed: ~options.seed)
      near = try TunnelDevice(name: "live0", own: "10.98.0.1", peer: "10.98.0.2")
      if let name = options.congestion {
        // A route may name any congestion control of the kernel; the sysctl of a namespace allows only those of the machine's setting.
        try Command.run(["ip", "route", "replace", "10.98.0.2/32", "dev", "live0", "congctl", name])
      }
      // Swift's Glibc module does not export `unshare` and CLONE_NEWNET.
      let newNetwork: Int32 = 0x4000_0000
      guard let unshare = dlsym(nil, "unshare"),
        unsafeBitCast(unshare, to: (@convention(c) (Int32) -> Int32).self)(newNetwork) == 0
      else { throw SystemProblem("cannot create a network namespace") }
      far = try TunnelDevice(name: "live0", own: "10.98.0.2", peer: "10.98.0.1")
    }

    /// Carries packets until a process has ended, and returns its exit status.
    mutating func run(until process: pid_t) -> Int32 {
      while true {
        if let status = Command.status(of: process, waits: false) { return status }
        wait()
        var now = Self.now
        while let packet = near.read() { down.accept(packet, at: now) }
        while let packet = far.read() { up.accept(packet, at: now) }
        now = Self.now
        while let packet = down.popDue(at: now) { far.write(packet) }
        while let packet = up.popDue(at: now) { near.write(packet) }
      }
    }

    var summary: String {
      "live-link: \(down.delivered) packets down, \(down.dropped) dropped, \(down.lost) lost; "
        + "\(up.delivered) up, \(up.dropped) dropped, \(up.lost) lost"
    }

    /// Waits for a packet or for the time at which one is due, at most 20 ms.
    private func wait() {
      let now = Self.now
      let due = min(down.nextDue ?? .max, up.nextDue ?? .max, now + 20_000_000)
      var time = timespec(tv_sec: 0, tv_nsec: Int(due > now ? due - now : 0))
      // `poll` counts milliseconds, in which a fast link sends several packets.
      var devices = fd_set()
      let highest = withUnsafeMutableBytes(of: &devices) { bits in
        for device in [near, far] { bits[Int(device.descriptor) / 8] |= 1 << UInt8(device.descriptor % 8) }
        return max(near.descriptor, far.descriptor)
      }
      _ = pselect(highest + 1, &devices, nil, nil, &time, nil)
    }

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
  }

  /// Child processes, found by PATH. `Process` needs the loopback device, which is down in a new namespace.
  enum Command {
    /// Starts a command in a process group of its own.
    /// - Throws: `SystemProblem` if it cannot be started.
    static func start(_ arguments: [String]) throws -> pid_t {
      var attributes = posix_spawnattr_t()
      posix_spawnattr_init(&attributes)
      defer { posix_spawnattr_destroy(&attributes) }
      posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
      var pointers = (["env"] + arguments).map { strdup($0) } + [nil]
      defer { for text in pointers { free(text) } }
      var id: pid_t = 0
      errno = posix_spawn(&id, "/usr/bin/env", nil, &attributes, &pointers, environ)
      guard errno == 0 else { throw SystemProblem(arguments.joined(separator: " ")) }
      return id
    }

    /// Returns the exit status of a process as a shell reports it; nil while it runs, unless `waits`.
    static func status(of id: pid_t, waits: Bool) -> Int32? {
      var status: Int32 = 0
      while true {
        let ended = waitpid(id, &status, waits ? 0 : WNOHANG)
        if ended < 0, errno == EINTR { continue }
        guard ended == id else { return nil }
        return status & 0x7F == 0 ? status >> 8 & 0xFF : 128 + (status & 0x7F)
      }
    }

    /// Runs a command to its end.
    /// - Throws: `SystemProblem` if the command cannot be started, or fails.
    static func run(_ arguments: [String]) throws {
      guard status(of: try start(arguments), waits: true) == 0 else { throw SystemProblem(refused: arguments.joined(separator: " ")) }
    }
  }
#endif
