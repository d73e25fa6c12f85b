// Two devices in two namespaces and the packets between them, in real time.

#if os(Linux)
  import Foundation

  struct Link {
    private let near: TunnelDevice
    private let far: TunnelDevice
    private var down: ShapedDirection
    private var up: ShapedDirection

    /// Makes both ends. Afterwards the calling thread, and what it starts, is in the far namespace.
    /// - Throws: `SystemProblem` if the system refuses the namespace, a device or a setting.
    init(_ options: Options) throws {
      down = ShapedDirection(
        rate: options.downKbps * 1000, delay: options.delayDownMs * 1_000_000, queueLimit: Int(options.queuePackets))
      up = ShapedDirection(rate: options.upKbps * 1000, delay: options.delayUpMs * 1_000_000, queueLimit: Int(options.queuePackets))
      near = try TunnelDevice(name: "live0", own: "10.98.0.1", peer: "10.98.0.2")
      if let name = options.congestion {
        // Only the route lets a namespace choose among all that the kernel has; the setting for all allows what the machine's does.
        try Command.run(["ip", "route", "replace", "10.98.0.2/32", "dev", "live0", "congctl", name])
      }
      // What Swift's module of the C library leaves out.
      let newNetwork: Int32 = 0x4000_0000
      guard let unshare = dlsym(nil, "unshare"),
        unsafeBitCast(unshare, to: (@convention(c) (Int32) -> Int32).self)(newNetwork) == 0
      else { throw SystemProblem("a network namespace could not be made") }
      far = try TunnelDevice(name: "live0", own: "10.98.0.2", peer: "10.98.0.1")
    }

    /// Carries packets until a process has ended.
    mutating func run(until process: Process) {
      while process.isRunning {
        wait()
        var now = Self.now
        while let packet = near.read() { down.accept(packet, at: now) }
        while let packet = far.read() { up.accept(packet, at: now) }
        now = Self.now
        while let packet = down.take(at: now) { far.write(packet) }
        while let packet = up.take(at: now) { near.write(packet) }
      }
    }

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

    private static var now: UInt64 { DispatchTime.now().uptimeNanoseconds }
  }

  /// Programs, found as a shell finds them.
  enum Command {
    /// - Throws: `SystemProblem` if the command cannot be started.
    static func start(_ words: [String]) throws -> Process {
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = words
      try process.run()
      return process
    }

    /// - Throws: `SystemProblem` if the command cannot be started, or fails.
    static func run(_ words: [String]) throws {
      let process = try start(words)
      process.waitUntilExit()
      guard process.terminationStatus == 0 else { throw SystemProblem(refused: words.joined(separator: " ")) }
    }
  }
#endif
