// The server of the feed's items.

import Foundation
import Synchronization

final class Server: Sendable {
  private static let chunk = 4000
  private let kbps: UInt64?
  private let delay: UInt64
  /// The time at which the link of each device is free, in nanoseconds.
  private let free = Mutex<[String: UInt64]>([:])

  init(_ words: Words) {
    kbps = words.text("--kbps") == nil ? nil : max(1, words.number("--kbps"))
    delay = words.number("--delay-ms", 0) * 1_000_000
  }

  func run(port: String) -> Never {
    let listener = Socket.listening(port: port)
    print("ready")
    fflush(nil)
    while true {
      guard let connection = listener.accepted() else { continue }
      Thread.detachNewThread { [self] in serve(connection) }
    }
  }

  private func serve(_ connection: Socket) {
    defer { connection.end() }
    var received: [UInt8] = []
    while true {
      let bytes = connection.read()
      if bytes.isEmpty { return }
      received += bytes
      while let end = received.firstRange(of: Array("\r\n\r\n".utf8)) {
        let line = String(decoding: received[..<end.lowerBound].prefix { $0 != 13 }, as: UTF8.self)
        received.removeSubrange(..<end.upperBound)
        let parts = line.split(separator: " ").dropFirst().first?.split(separator: "/") ?? []
        guard parts.count == 2, let size = Int(parts[1]), send(size, String(parts[0]), connection) else { return }
      }
    }
  }

  private func send(_ size: Int, _ device: String, _ connection: Socket) -> Bool {
    sleep(nanoseconds: delay)
    guard connection.write(Array("HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n".utf8)) else { return false }
    var rest = size
    while rest > 0 {
      let count = min(rest, Self.chunk)
      if let kbps {
        let time = UInt64(count) * 8_000_000 / kbps
        let due = free.withLock { free in
          let due = max(now(), free[device] ?? 0) + time
          free[device] = due
          return due
        }
        sleep(until: due)
      }
      guard connection.write([UInt8](repeating: 120, count: count)) else { return false }
      rest -= count
    }
    return true
  }
}

/// Returns the time of a clock that never goes back, in nanoseconds.
func now() -> UInt64 { DispatchTime.now().uptimeNanoseconds }

func sleep(until due: UInt64) {
  let time = now()
  if due > time { sleep(nanoseconds: due - time) }
}

func sleep(nanoseconds: UInt64) {
  if nanoseconds > 0 { usleep(UInt32(nanoseconds / 1000)) }
}
