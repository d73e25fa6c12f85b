// A TUN device: the program reads the packets that the kernel sends through it, and writes those that arrive.

#if os(Linux)
  import Foundation

  /// A call or a command that the system refused.
  struct SystemProblem: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }

    /// Creates the error of a command that failed.
    init(refused what: String) { description = "\(what): refused" }
  }

  struct TunnelDevice {
    // From linux/if_tun.h, which Swift's Glibc module does not export.
    private static let setInterface: UInt = 0x4004_54CA
    private static let tunnelWithoutHeader: Int16 = 0x0001 | 0x1000
    private static let mtu = 1500

    let descriptor: Int32

    /// Creates the device and brings it and the loopback up, in the calling thread's namespace.
    /// - Throws: `SystemProblem` if the system refuses the device or its addresses.
    init(name: String, own: String, peer: String) throws {
      descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemProblem("/dev/net/tun") }
      // A `struct ifreq`: the name in 16 bytes, then the flags.
      var request = [UInt8](repeating: 0, count: 40)
      request.replaceSubrange(0..<name.utf8.count, with: name.utf8)
      request.replaceSubrange(16..<18, with: withUnsafeBytes(of: Self.tunnelWithoutHeader, Array.init))
      guard ioctl(descriptor, Self.setInterface, &request) == 0 else { throw SystemProblem("cannot create a TUN device") }
      try Command.run(["ip", "link", "set", "lo", "up"])
      try Command.run(["ip", "address", "add", own, "peer", peer, "dev", name])
      try Command.run(["ip", "link", "set", name, "up"])
      // TCP metrics of earlier connections would make a run depend on them. This is not possible on every kernel.
      if let file = fopen("/proc/sys/net/ipv4/tcp_no_metrics_save", "w") {
        fputs("1", file)
        fclose(file)
      }
    }

    /// Returns a packet that the kernel sends; nil if there is none.
    func read() -> [UInt8]? {
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.mtu) { buffer, count in
        count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
      }
      return bytes.isEmpty ? nil : bytes
    }

    /// Passes a packet to the kernel. A packet that the kernel refuses is lost, as on any network.
    func write(_ packet: [UInt8]) { _ = packet.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
  }
#endif
