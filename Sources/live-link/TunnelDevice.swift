// A network device of which this program is the other end, so that packets of the kernel pass through it.

#if os(Linux)
  import Foundation

  /// What the system refused.
  struct SystemProblem: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }

    /// A program of the system said no, and why.
    init(refused what: String) { description = "\(what): refused" }
  }

  struct TunnelDevice {
    // From linux/if_tun.h, which no module of Swift has.
    private static let setInterface: UInt = 0x4004_54CA
    private static let tunnelWithoutHeader: Int16 = 0x0001 | 0x1000
    private static let mtu = 1500

    let descriptor: Int32

    /// Makes the device and brings it and the loopback up; the calling thread is in the namespace.
    /// - Throws: `SystemProblem` if the system refuses the device or its addresses.
    init(name: String, own: String, peer: String) throws {
      descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemProblem("/dev/net/tun") }
      // A `struct ifreq`: a name in 16 bytes, and what the call is about.
      var request = [UInt8](repeating: 0, count: 40)
      request.replaceSubrange(0..<name.utf8.count, with: name.utf8)
      request.replaceSubrange(16..<18, with: withUnsafeBytes(of: Self.tunnelWithoutHeader, Array.init))
      guard ioctl(descriptor, Self.setInterface, &request) == 0 else { throw SystemProblem("a TUN device could not be made") }
      try Command.run(["ip", "link", "set", "lo", "up"])
      try Command.run(["ip", "address", "add", own, "peer", peer, "dev", name])
      try Command.run(["ip", "link", "set", name, "up"])
      // What TCP remembers of earlier connections would make a run depend on those before it. Where the kernel does not allow it, it does.
      if let file = fopen("/proc/sys/net/ipv4/tcp_no_metrics_save", "w") {
        fputs("1", file)
        fclose(file)
      }
    }

    /// A packet that the kernel sends; nil if none waits.
    func read() -> [UInt8]? {
      let bytes = [UInt8](unsafeUninitializedCapacity: Self.mtu) { buffer, count in
        count = max(0, Glibc.read(descriptor, buffer.baseAddress, buffer.count))
      }
      return bytes.isEmpty ? nil : bytes
    }

    /// Gives the kernel a packet. One that it does not take is lost, as on any network.
    func write(_ packet: [UInt8]) { _ = packet.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) } }
  }
#endif
