// A network device of which this program is the other end, so that packets of the kernel pass through it.

#if os(Linux)
  import Glibc

  /// What the system refused.
  struct SystemProblem: Error, CustomStringConvertible {
    let description: String

    init(_ what: String) { description = "\(what): \(String(cString: strerror(errno)))" }

    /// A program of the system said no, and why.
    init(refused what: String) { description = "\(what): refused" }
  }

  /// A TUN device in the namespace in which it was made.
  struct TunnelDevice {
    // From linux/if_tun.h, which no module of Swift has.
    private static let setInterface: UInt = 0x4004_54CA
    private static let tunnelWithoutHeader: Int16 = 0x0001 | 0x1000
    private static let mtu = 1500

    let descriptor: Int32

    /// Makes the device and brings it and the loopback up; the calling thread is in the namespace.
    /// - Throws: `SystemProblem` if the system refuses the device or its addresses.
    init(name: String, own: String, peer: String) throws(SystemProblem) {
      descriptor = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { throw SystemProblem("/dev/net/tun") }
      var request = InterfaceRequest(name)
      request.setFlags(Self.tunnelWithoutHeader)
      guard request.call(descriptor, Self.setInterface) else { throw SystemProblem("a TUN device could not be made") }
      let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
      guard socket >= 0 else { throw SystemProblem("a socket") }
      defer { _ = close(socket) }
      try Self.bringUp("lo", over: socket)
      request.setAddress(own)
      guard request.call(socket, UInt(SIOCSIFADDR)) else { throw SystemProblem("the address \(own)") }
      request.setAddress(peer)
      guard request.call(socket, UInt(SIOCSIFDSTADDR)) else { throw SystemProblem("the address \(peer)") }
      try Self.bringUp(name, over: socket)
    }

    /// - Throws: `SystemProblem` if the system refuses.
    private static func bringUp(_ name: String, over socket: Int32) throws(SystemProblem) {
      var request = InterfaceRequest(name)
      request.setFlags(Int16(IFF_UP) | Int16(IFF_RUNNING))
      guard request.call(socket, UInt(SIOCSIFFLAGS)) else { throw SystemProblem("\(name) could not be brought up") }
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

  /// A `struct ifreq`: a name, and what the call is about.
  private struct InterfaceRequest {
    private var bytes = [UInt8](repeating: 0, count: 40)

    init(_ name: String) { bytes.replaceSubrange(0..<name.utf8.count, with: name.utf8) }

    mutating func setFlags(_ flags: Int16) { setValue(withUnsafeBytes(of: flags, Array.init)) }

    /// An IPv4 address as a `struct sockaddr_in`.
    mutating func setAddress(_ text: String) {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      inet_pton(AF_INET, text, &address.sin_addr)
      setValue(withUnsafeBytes(of: address, Array.init))
    }

    private mutating func setValue(_ value: [UInt8]) { bytes.replaceSubrange(16..<16 + value.count, with: value) }

    mutating func call(_ descriptor: Int32, _ number: UInt) -> Bool {
      bytes.withUnsafeMutableBytes { buffer in
        guard let base = buffer.baseAddress else { return false }
        return ioctl(descriptor, number, base) == 0
      }
    }
  }
#endif
