import Testing

@testable import Simulation

/// A store as a text book has it: two sets of items, searched as a whole for each victim.
private struct ReferenceStore {
  let memoryLimit: Int64
  let diskLimit: Int64
  let rule: StoreSettings.EvictionRule
  var bytes: [Int: Int64] = [:]
  var order: [Int] = []
  var memory: Set<Int> = []
  var disk: Set<Int> = []
  var inFlight: [Int: Int] = [:]
  var active = 0
  var direction = 1

  /// Moves an item to the end of the order of use.
  mutating func use(_ item: Int) {
    order.removeAll { $0 == item }
    order.append(item)
  }

  mutating func add(_ item: Int, _ more: Int64) {
    bytes[item, default: 0] += more
    memory.insert(item)
    if diskLimit > 0 { disk.insert(item) }
    use(item)
  }

  private func victim(_ tier: Set<Int>) -> Int? {
    let candidates = tier.filter { $0 != active && inFlight[$0, default: 0] == 0 }
    if rule == .lru { return order.first(where: candidates.contains) }
    let farthest = candidates.map { abs($0 - active) }.max()
    let both = candidates.filter { abs($0 - active) == farthest }
    return direction > 0 ? both.min() : both.max()
  }

  /// Returns the items that leave, in order.
  mutating func evict() -> [Int] {
    var left: [Int] = []
    func size(_ tier: Set<Int>) -> Int64 { tier.reduce(0) { $0 + bytes[$1, default: 0] } }
    while size(disk) > diskLimit, let item = victim(disk) {
      disk.remove(item)
      if memory.contains(item) { continue }
      left.append(item)
      bytes[item] = 0
    }
    while size(memory) > memoryLimit, let item = victim(memory) {
      memory.remove(item)
      left.append(item)
      if !disk.contains(item) { bytes[item] = 0 }
    }
    return left
  }
}

/// Stores against a reference that shares no code with them, against sessions without one, and the sums of their bytes.
@Suite struct StoreOracleTests {
  /// Draws small sessions with moves back.
  private struct Drawing {
    var random: RandomStream

    init(seed: UInt64, _ name: String) { random = RandomStream(runSeed: seed, name: name) }

    mutating func one<T>(of values: [T]) -> T { values[Int(random.below(UInt64(values.count)))] }
    mutating func whole(_ range: ClosedRange<Int64>) -> Int64 {
      range.lowerBound + Int64(random.below(UInt64(range.upperBound - range.lowerBound) + 1))
    }

    mutating func scenario(_ prefetcher: any Prefetcher, videos: Bool, rules: [DownloadSettings.CancelRule]) -> Scenario {
      let count = Int(whole(4...20))
      let items = ContiguousArray(
        (0..<count).map { _ -> Item in
          let bytes = one(of: [62_500, whole(1000...300_000)])
          if videos, whole(0...3) == 0 { return Item(videoBytes: bytes * 4, prefixBytes: bytes, bitsPerSecond: whole(1...4_000_000)) }
          return Item(kind: .image, bytes: bytes)
        })
      let rate = LinkRate(constant: whole(300_000...8_000_000))
      var downloads = DownloadSettings(connections: Int(whole(1...4)), cancel: one(of: rules))
      downloads.store.memory = whole(0...1_500_000)
      downloads.store.evict = one(of: StoreSettings.EvictionRule.allCases)
      var user = UserScript(scroll: count, dwell: .uniform(50_000_000, 1_500_000_000))
      user.steps = [.scroll(count - 1, dwell: nil)]
      for _ in 0..<whole(1...4) { user.steps += [.scroll(-Int(whole(1...3)), dwell: nil), .scroll(Int(whole(1...2)), dwell: nil)] }
      return Scenario(
        feed: .fixed(items),
        network: NetworkConfiguration(down: rate, up: rate, delayDown: .milliseconds(whole(0...90)), delayUp: .zero, transport: .fluid),
        downloads: downloads, user: user, prefetcher: prefetcher)
    }
  }

  private static let prefetchers: [any Prefetcher] =
    (0..<12).map { ItemsAhead(ahead: $0, prefixOnly: $0 % 2 == 0) } + PrefetcherDefinition.standard.map { $0.make { _ in nil } }

  @Test func itemsLeaveInTheOrderOfAReference() {
    var evictions = 0
    for seed in UInt64(0)..<2000 {
      var drawing = Drawing(seed: seed, "store")
      let hasDisk = seed % 2 == 1
      var scenario = drawing.scenario(
        Self.prefetchers[Int(seed / 2) % Self.prefetchers.count], videos: !hasDisk, rules: [.never, .drop, .keep])
      scenario.downloads.store.diskRead = Interval(nanoseconds: 1)
      if hasDisk { scenario.downloads.store.disk = drawing.whole(1...3_000_000) }
      // Bytes of cancelled transfers are kept by prefetchers that ask for it only.
      if scenario.prefetcher.keepsPartial == true || scenario.prefetcher.cancelRule == .resume { continue }
      let trace = scenario.explain(seed: seed)
      var store = ReferenceStore(
        memoryLimit: scenario.downloads.store.memory ?? 0, diskLimit: scenario.downloads.store.disk ?? 0,
        rule: scenario.downloads.store.evict)
      var expected: [Int] = []
      var found: [Int] = []
      var isDue = false
      for event in trace.events {
        if case .ended = event.event {
        } else if isDue {
          expected += store.evict()
          isDue = false
        }
        switch event.event {
        case .activated(let item, _):
          if item != store.active { store.direction = item < store.active ? -1 : 1 }
          store.active = item
          store.use(item)
          expected += store.evict()
        case .requested(let number): store.inFlight[trace.requests[number - 1].item, default: 0] += 1
        case .ended(let number):
          let request = trace.requests[number - 1]
          store.inFlight[request.item, default: 0] -= 1
          isDue = request.end == .cancelled
          if request.end == .finished {
            store.add(request.item, request.received)
            expected += store.evict()
          }
        case .readFromDisk(let item):
          store.memory.insert(item)
          store.use(item)
          expected += store.evict()
        case .evicted(let item): found.append(item)
        default: break
        }
      }
      if isDue { expected += store.evict() }
      evictions += found.count
      let name = "seed \(seed), \(scenario.prefetcher)"
      #expect(found == expected, "\(name)")
    }
    #expect(evictions > 10_000, "\(evictions)")
  }

  @Test func aFeedThatFitsIsThatOfASessionWithoutAStore() {
    for seed in UInt64(0)..<1000 {
      var drawing = Drawing(seed: seed, "fits")
      var scenario = drawing.scenario(
        Self.prefetchers[Int(seed) % Self.prefetchers.count], videos: true, rules: DownloadSettings.CancelRule.allCases)
      scenario.downloads.keepPartial = seed % 3 == 0
      scenario.downloads.store = StoreSettings()
      let without = scenario.run(seed: seed)
      scenario.downloads.store.memory = scenario.draw(seed: seed).items.reduce(0) { $0 + $1.bytes }
      if seed % 2 == 0 { scenario.downloads.store.disk = drawing.whole(0...1_000_000) }
      let (limited, name) = (scenario.run(seed: seed), "seed \(seed), \(scenario.prefetcher)")
      #expect(limited == without, "\(name)")
    }
  }

  /// Draws what else a session may use beside a store.
  private func anything(seed: UInt64) -> Scenario {
    var drawing = Drawing(seed: seed, "anything")
    var scenario = drawing.scenario(
      Self.prefetchers[Int(seed) % Self.prefetchers.count], videos: true, rules: DownloadSettings.CancelRule.allCases)
    scenario.downloads.keepPartial = seed % 3 == 0
    scenario.downloads.restFirst = seed % 5 != 0
    scenario.downloads.preempt = seed % 4 == 0
    scenario.downloads.store.disk = drawing.one(of: [nil, 0, drawing.whole(1...3_000_000)])
    scenario.downloads.store.diskRead = drawing.one(of: [Interval(nanoseconds: 1), .milliseconds(drawing.whole(1...400))])
    if drawing.whole(0...2) == 0 { scenario.downloads.onMemoryWarning = .drop }
    scenario.user.steps += [.memoryWarning, .fling(3, dwell: nil), .background(.constant(2_000_000_000)), .scroll(-2, dwell: nil)]
    if drawing.whole(0...2) == 0 { scenario.user.patience = .milliseconds(drawing.whole(1...3000)) }
    if drawing.whole(0...2) == 0 {
      scenario.decodeTimes = DecodeTimes(
        ItemKind.allCases.map { _ in DecodeTime(fixed: .milliseconds(drawing.whole(0...300)), perMegabyte: .zero) })
      scenario.downloads.players = drawing.one(of: [nil, 2])
    }
    if drawing.whole(0...3) == 0 { scenario.pages = PageSettings(size: Int(drawing.whole(1...8)), bytes: 10_000) }
    if drawing.whole(0...3) == 0, case .fixed(let items, _) = scenario.feed {
      let renditions = Renditions(bitsPerSecond: [500_000, 1_000_000, 2_500_000], segment: .seconds(1))
      let videos = items.map { $0.kind == .video ? renditions.lowestItem(bytes: $0.bytes, bitsPerSecond: 1_000_000) : $0 }
      scenario.feed = .fixed(ContiguousArray(videos), renditions)
    }
    if seed % 50 == 0 { scenario.network.transport = .packet }
    return scenario
  }

  @Test(arguments: UInt64(0)..<8)
  func everyByteIsCountedOnce(part: UInt64) {
    var duplicate: Int64 = 0
    for seed in part * 500..<(part + 1) * 500 {
      let scenario = anything(seed: seed)
      let (plain, trace) = (scenario.run(seed: seed), scenario.explain(seed: seed))
      let metrics = trace.metrics
      #expect(plain == metrics, "seed \(seed): a log changes nothing")
      #expect(metrics.loadersByReason.reduce(0, +) == metrics.loaders && metrics.loaders >= metrics.bound ?? 0, "seed \(seed)")
      // Bytes are rounded, nanobits are not: each request, and each item that is lost, may round.
      let read = trace.requests.reduce(0) { $0 + $1.received }
      let slack = Int64(2 * trace.requests.count + 2 * trace.items.count)
      let name = "seed \(seed), \(scenario.prefetcher): \(read) read, \(metrics.bytesReceived) counted"
      #expect(abs(read - metrics.bytesReceived) <= slack, "\(name)")
      let sum = metrics.bytesUseful + metrics.bytesCancelled + metrics.bytesUnseen + metrics.bytesDuplicate
      #expect(metrics.bytesReceived == sum, "seed \(seed)")
      duplicate += metrics.bytesDuplicate
    }
    #expect(duplicate > 0)
  }
}
