// TCP sockets that block, as an app's thread uses them.

import Foundation

#if canImport(Glibc)
  import Glibc
  private let stream = Int32(SOCK_STREAM.rawValue)
#elseif canImport(Darwin)
  import Darwin
  private let stream = SOCK_STREAM
#endif

struct Socket: Sendable {
  private let descriptor: Int32

  private init(_ descriptor: Int32) { self.descriptor = descriptor }

  private static func address(_ host: String, _ port: String) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = required(UInt16(port), "\(port): is no port").bigEndian
    guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { fail("\(host): is no address") }
    return address
  }

  private static func withAddress(_ host: String, _ port: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    withUnsafePointer(to: address(host, port)) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }

  /// Listens on all addresses.
  static func listening(port: String) -> Socket {
    let descriptor = socket(AF_INET, stream, 0)
    var yes: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
    guard withAddress("0.0.0.0", port, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0 else {
      fail("port \(port) cannot be used: \(String(cString: strerror(errno)))")
    }
    return Socket(descriptor)
  }

  /// Connects, and waits up to 5 s for a server that has just been started.
  static func connected(to host: String, _ port: String) -> Socket {
    for _ in 0..<500 {
      let descriptor = socket(AF_INET, stream, 0)
      if withAddress(host, port, { connect(descriptor, $0, $1) }) == 0 { return Socket(descriptor).withoutDelay }
      close(descriptor)
      usleep(10_000)
    }
    fail("\(host):\(port) cannot be reached")
  }

  func accepted() -> Socket? {
    let descriptor = accept(descriptor, nil, nil)
    return descriptor < 0 ? nil : Socket(descriptor).withoutDelay
  }

  private var withoutDelay: Socket {
    var yes: Int32 = 1
    setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    return self
  }

  /// Writes all bytes; false if the peer has closed.
  func write(_ bytes: [UInt8]) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, 0) }
      if count <= 0 { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  /// Reads some bytes; an empty array at the end.
  func read() -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, count in count = max(0, recv(descriptor, buffer.baseAddress, buffer.count, 0)) }
  }

  func end() { close(descriptor) }
}
