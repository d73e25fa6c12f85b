// The app: a feed whose items load in the background, by a policy.

import Foundation

/// The state of the feed, which the user's thread and the connections share.
final class Feed: @unchecked Sendable {
  private struct Item { var bytes: Int, isVideo: Bool, isRequested = false, isLoaded = false }

  private let words: Words
  private let device: String
  private let maxCost: UInt64
  private let lock = NSCondition()
  /// Read and written under the lock.
  private var items: [Item]
  private var active = 0, received = 0

  init(_ words: Words) {
    (self.words, device, maxCost) = (words, required(words.text("--device"), "--device: is missing"), words.number("--max-cost"))
    // The same feed for the same seed, whatever the settings are.
    var state = words.number("--seed")
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    items = (0..<words.number("--items", 10)).map { _ in
      let isVideo = next(5) == 0
      return Item(bytes: Int((isVideo ? 12_000 : 6000) + next(4000)), isVideo: isVideo)
    }
  }

  /// Views all items and prints the app's line.
  func scroll() {
    let connections = words.number("--connections")
    for _ in 0..<max(1, connections) { Thread.detachNewThread { [self] in load() } }
    let factor = factor(connections: connections)
    let dwell = words.number("--dwell-ms", 20) * 1_000_000
    var (loaders, waited) = (0, UInt64(0))
    for index in items.indices {
      let start = now()
      lock.lock()
      active = index
      let isLoader = !items[index].isLoaded
      lock.broadcast()
      while !items[index].isLoaded { lock.wait() }
      lock.unlock()
      if isLoader {
        loaders += 1
        waited += now() - start
      }
      sleep(nanoseconds: dwell)
    }
    // What is planted comes last, because a longer wait before would give the next items more time to load.
    let start = now()
    sleep(nanoseconds: UInt64(Double(waited) * (factor - 1)))
    waited += now() - start
    let mean = Double(waited) / 1e9 / Double(items.count)
    lock.lock()
    print("FEED-STATISTICS {\"viewed\": \(items.count), \"loaders\": \(loaders), \"meanWait\": \(mean), \"bytes\": \(received)}")
    fflush(nil)
    // Connections may still load; the process ends with them.
    exit(0)
  }

  /// Returns how much longer each wait is made.
  private func factor(connections: UInt64) -> Double {
    var factor = 1.0
    if let planted = words.text("--planted") {
      let parts = planted.split(separator: ":").map(String.init)
      guard parts.count >= 2, let count = UInt64(parts[0]), let percent = Double(parts[1]) else { fail("--planted: is \(planted)") }
      if count == connections, parts.count == 2 || parts[2] == device { factor += percent / 100 }
    }
    if let drift = words.text("--drift").flatMap(Double.init), let path = words.text("--runs") {
      let runs = (try? Data(contentsOf: URL(fileURLWithPath: path)).count) ?? 0
      try? Data(repeating: 46, count: runs + 1).write(to: URL(fileURLWithPath: path))
      factor += Double(runs) * drift / 100
    }
    return factor
  }

  /// Loads the items of the plan over one connection, for ever.
  private func load() {
    let connection = Socket.connected(to: words.words[1], words.words[2])
    while true {
      lock.lock()
      var chosen = next()
      while chosen == nil {
        lock.wait()
        chosen = next()
      }
      let (index, size) = (chosen ?? 0, items[chosen ?? 0].bytes)
      items[index].isRequested = true
      lock.unlock()
      guard connection.write(Array("GET /\(device)/\(size) HTTP/1.1\r\nHost: feed\r\n\r\n".utf8)) else { fail("the connection was closed") }
      var (head, count): ([UInt8], Int?) = ([], nil)
      while count ?? 0 < size {
        let bytes = connection.read()
        if bytes.isEmpty { fail("the connection was closed") }
        if let known = count {
          count = known + bytes.count
        } else {
          head += bytes
          count = head.firstRange(of: Array("\r\n\r\n".utf8)).map { head.count - $0.upperBound }
        }
      }
      lock.lock()
      items[index].isLoaded = true
      received += size
      lock.broadcast()
      lock.unlock()
    }
  }

  /// Returns the first item of the plan that nobody has requested: the active one, then the next while their costs are within the budget.
  private func next() -> Int? {
    if !items[active].isRequested { return active }
    var cost: UInt64 = 0
    for index in items.indices.dropFirst(active + 1) {
      cost += items[index].isVideo ? 2 : 1
      if cost > maxCost { return nil }
      if !items[index].isRequested { return index }
    }
    return nil
  }
}
