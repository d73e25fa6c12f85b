// A small server with selectable faults: files of zeros at a chosen pace, and a record of all requests.

import Foundation
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Serves `/<repetition>/<item>` on a free port of the loopback.
final class StubServer: Sendable {
  /// The treatment of a request.
  enum Manner: Sendable {
    /// Answers correctly.
    case good
    /// Reports this size for every file.
    case otherSize(Int64)
    /// Answers with status 404.
    case missing
    /// Never answers.
    case silent
    /// Ignores ranges.
    case whole
    /// Closes the connection after the first bytes.
    case closesEarly
  }

  struct Request: Sendable {
    var path: String
    var range: ClosedRange<Int64>?
    /// The connection, numbered from 0.
    var connection: Int
    var sent: Int64 = 0
    /// True if the client closed the connection before all bytes were sent.
    var wasClosedEarly = false
  }

  private struct State {
    var requests: [Request] = []
    var open = 0
    var mostOpen = 0
    var connections = 0
    var isClosed = false
  }

  let port: UInt16
  private let sizes: [Int64]
  private let pageBytes: Int64
  private let manner: Manner
  /// The bytes sent every 10 ms on a connection.
  private let piece: Int
  private let state = Mutex(State())
  private let listener: Int32

  var address: String { "http://127.0.0.1:\(port)" }
  var requests: [Request] { state.withLock { $0.requests } }
  var mostOpen: Int { state.withLock { $0.mostOpen } }
  var connections: Int { state.withLock { $0.connections } }

  init(sizes: [Int64], bytesPerSecond: Int = 20_000_000, manner: Manner = .good, pageBytes: Int64 = 20_000) throws {
    self.sizes = sizes
    self.manner = manner
    self.pageBytes = pageBytes
    piece = max(1, bytesPerSecond / 100)
    #if canImport(Glibc)
      listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #else
      listener = socket(AF_INET, SOCK_STREAM, 0)
    #endif
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let listener = listener
    let isListening = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { general in
        bind(listener, general, length) == 0 && listen(listener, 64) == 0 && getsockname(listener, general, &length) == 0
      }
    }
    guard isListening else { throw CocoaError(.fileNoSuchFile) }
    port = UInt16(bigEndian: address.sin_port)
    Thread.detachNewThread { self.acceptAll() }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    shutdown(listener, Int32(SHUT_RDWR))
    closeDescriptor(listener)
  }

  private func acceptAll() {
    while true {
      let descriptor = accept(listener, nil, nil)
      guard descriptor >= 0 else { return }
      let number = state.withLock { state in
        state.open += 1
        state.mostOpen = max(state.mostOpen, state.open)
        state.connections += 1
        return state.connections - 1
      }
      Thread.detachNewThread {
        self.serve(descriptor, number)
        closeDescriptor(descriptor)
        self.state.withLock { $0.open -= 1 }
      }
    }
  }

  private func serve(_ descriptor: Int32, _ connection: Int) {
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      text += buffer[..<count]
      guard let end = String(decoding: text, as: UTF8.self).range(of: "\r\n\r\n") else { continue }
      let head = String(String(decoding: text, as: UTF8.self)[..<end.lowerBound])
      text.removeAll()
      guard answer(head, descriptor, connection) else { return }
    }
  }

  /// Answers a request; true if the connection stays open.
  private func answer(_ head: String, _ descriptor: Int32, _ connection: Int) -> Bool {
    let lines = head.components(separatedBy: "\r\n")
    let path = lines[0].split(separator: " ")[1]
    let name = String(path.split(separator: "/").last ?? "")
    let known = name.hasPrefix("page-") ? pageBytes : Int(name).flatMap { sizes.indices.contains($0) ? sizes[$0] : nil }
    let field = lines.first { $0.lowercased().hasPrefix("range: bytes=") }
    let ends = field?.split(separator: "=")[1].split(separator: "-").compactMap { Int64($0) } ?? []
    var range = ends.count == 2 ? ends[0]...ends[1] : nil
    let index = state.withLock { state in
      state.requests.append(Request(path: String(path), range: range, connection: connection))
      return state.requests.count - 1
    }
    guard var whole = known else { return false }
    switch manner {
    case .silent:
      while state.withLock({ !$0.isClosed }) { usleep(20_000) }
      return false
    case .missing: return send("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", descriptor)
    case .otherSize(let size): whole = size
    case .whole: range = nil
    case .good, .closesEarly: break
    }
    let bytes = range.map { $0.upperBound - $0.lowerBound + 1 } ?? whole
    var answer = range == nil ? "HTTP/1.1 200 OK\r\n" : "HTTP/1.1 206 Partial Content\r\n"
    if let range { answer += "Content-Range: bytes \(range.lowerBound)-\(range.upperBound)/\(whole)\r\n" }
    guard send(answer + "Content-Length: \(bytes)\r\n\r\n", descriptor) else { return false }
    return send(bytes, of: index, descriptor)
  }

  private func send(_ text: String, _ descriptor: Int32) -> Bool {
    let bytes = Array(text.utf8)
    return sendBytes(descriptor, bytes, bytes.count)
  }

  private func send(_ bytes: Int64, of index: Int, _ descriptor: Int32) -> Bool {
    let zeros = [UInt8](repeating: 0, count: piece)
    var rest = bytes
    while rest > 0 {
      let count = Int(min(rest, Int64(piece)))
      guard sendBytes(descriptor, zeros, count) else {
        state.withLock { $0.requests[index].wasClosedEarly = true }
        return false
      }
      rest -= Int64(count)
      let sent = bytes - rest
      state.withLock { $0.requests[index].sent = sent }
      if case .closesEarly = manner { return false }
      if rest > 0 { usleep(10_000) }
    }
    return true
  }
}

private func closeDescriptor(_ descriptor: Int32) {
  #if canImport(Glibc)
    _ = Glibc.close(descriptor)
  #elseif canImport(Musl)
    _ = Musl.close(descriptor)
  #else
    _ = Darwin.close(descriptor)
  #endif
}

private func sendBytes(_ descriptor: Int32, _ bytes: [UInt8], _ count: Int) -> Bool {
  #if canImport(Darwin)
    let flags: Int32 = 0
    var on: Int32 = 1
    setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
  #else
    let flags = Int32(MSG_NOSIGNAL)
  #endif
  var done = 0
  while done < count {
    let sent = bytes[done..<count].withUnsafeBytes { send(descriptor, $0.baseAddress, $0.count, flags) }
    guard sent > 0 else { return false }
    done += sent
  }
  return true
}
