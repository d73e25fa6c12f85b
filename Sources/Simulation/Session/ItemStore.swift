// The store of an app whose memory has a size: what is in memory, what is on the disk, and what leaves them first.
// Not modelled: the time to write to the disk, and the memory that decoded pixels take beyond their bytes.

/// The places of stored items. Bytes that arrive are kept in memory and, if there is a disk, on it as well. Items leave them whole.
struct ItemStore: ~Copyable {
  struct Entry: BitwiseCopyable {
    var bytes: Int64 = 0
    /// The bytes of the largest copy that was lost.
    var lost: Int64 = 0
    /// The number of the last use among all uses.
    var lastUse = 0
    var isInMemory = false
    var isOnDisk = false
  }

  /// A place with a limit, and the items there in no order.
  private struct Tier {
    let limit: Int64
    var used: Int64 = 0
    var items: ContiguousArray<Int> = []

    /// Notes that a held item grew, or a new one entered.
    mutating func hold(_ item: Int, _ isHeld: inout Bool, bytes: Int64, more: Int64) {
      used += isHeld ? more : bytes
      if !isHeld { items.append(item) }
      isHeld = true
    }

    mutating func remove(at index: Int, bytes: Int64) -> Int {
      used -= bytes
      items.swapAt(index, items.count - 1)
      return items.removeLast()
    }
  }

  /// True if memory has a size.
  let isOn: Bool
  private let settings: StoreSettings
  private var entries: FixedArray<Entry>
  private var memory: Tier
  private var disk: Tier
  private var uses = 0
  /// The items that were lost under the plan in force.
  private var lostItems: ContiguousArray<Int> = []

  /// The items to read from the disk, the most urgent last.
  private var readQueue: ContiguousArray<Int> = []
  /// The item that is read from the disk; −1 for none. The disk reads one at a time.
  private var reading = -1
  private(set) var readEnd = Instant.never.nanoseconds
  /// True while an item is read from the disk. A run of many years passes `Instant.never`.
  var isReading: Bool { reading >= 0 }

  init(_ settings: StoreSettings, items: Int) {
    self.settings = settings
    isOn = settings.memory != nil
    entries = FixedArray(repeating: Entry(), count: isOn ? items : 0)
    memory = Tier(limit: settings.memory ?? .max)
    disk = Tier(limit: settings.disk ?? 0)
  }

  /// Returns the bytes of the largest copy of an item that was lost.
  func lost(_ item: Int) -> Int64 { isOn ? entries[item].lost : 0 }

  // MARK: Use

  mutating func use(_ item: Int) {
    uses += 1
    entries[item].lastUse = uses
  }

  /// Keeps an item that has `bytes` now, on the disk alone if it `awaitsRead`; returns how many of the new ones a lost copy had.
  mutating func put(_ item: Int, bytes: Int64, awaitsRead: Bool) -> Int64 {
    use(item)
    let (before, lost) = (entries[item].bytes, entries[item].lost)
    entries[item].bytes = bytes
    if !awaitsRead { memory.hold(item, &entries[item].isInMemory, bytes: bytes, more: bytes - before) }
    if disk.limit > 0 { disk.hold(item, &entries[item].isOnDisk, bytes: bytes, more: bytes - before) }
    return min(lost, bytes) - min(lost, before)
  }

  // MARK: Eviction

  /// Removes the next item from memory or disk if one exceeds its limit; nil if none does, or all items there are in use. O(items there).
  mutating func removeNext(_ view: borrowing FeedView, active: Int) -> (item: Int, isOnDisk: Bool)? {
    while disk.used > disk.limit, let index = victim(disk.items, view, active: active) {
      let item = disk.remove(at: index, bytes: entries[disk.items[index]].bytes)
      entries[item].isOnDisk = false
      if !entries[item].isInMemory { return (item, false) }
    }
    guard memory.used > memory.limit, let index = victim(memory.items, view, active: active) else { return nil }
    return removeFromMemory(at: index)
  }

  /// Removes all items without a transfer from memory and returns them. O(items there).
  mutating func emptyMemory(_ view: borrowing FeedView) -> [(item: Int, isOnDisk: Bool)] {
    var removed: [(item: Int, isOnDisk: Bool)] = []
    for index in memory.items.indices.reversed() where !view.isInFlight(memory.items[index]) { removed.append(removeFromMemory(at: index)) }
    return removed
  }

  private mutating func removeFromMemory(at index: Int) -> (item: Int, isOnDisk: Bool) {
    let item = memory.remove(at: index, bytes: entries[memory.items[index]].bytes)
    entries[item].isInMemory = false
    return (item, entries[item].isOnDisk)
  }

  /// Notes that an item is in neither place.
  mutating func lose(_ item: Int) {
    entries[item].lost = max(entries[item].lost, entries[item].bytes)
    entries[item].bytes = 0
    lostItems.append(item)
  }

  /// Removes the items lost since the last call and returns them.
  mutating func removeLost() -> ContiguousArray<Int> {
    defer { lostItems.removeAll() }
    return lostItems
  }

  /// Returns the index of the item that leaves first; nil if all are in use.
  private func victim(_ items: ContiguousArray<Int>, _ view: borrowing FeedView, active: Int) -> Int? {
    var (first, highest) = (-1, Int.min)
    for index in items.indices {
      let item = items[index]
      if item == active || item == reading || view.isInFlight(item) { continue }
      // Of two items at one distance, the one that the user moves away from leaves first.
      let isBehind = (item < active) == (view.direction > 0)
      let rank = settings.evict == .lru ? -entries[item].lastUse : 2 * abs(item - active) + (isBehind ? 1 : 0)
      if rank > highest { (first, highest) = (index, rank) }
    }
    return first < 0 ? nil : first
  }

  // MARK: The disk

  /// Queues the items of a plan that have to be read from the disk, after the active one; not those larger than memory. O(planned items).
  mutating func queueReads(_ plan: borrowing Plan, _ view: borrowing FeedView, active: Int, isAsked: Bool) {
    guard disk.limit > 0 else { return }
    if isAsked {
      readQueue.removeAll(keepingCapacity: true)
      for index in (0..<plan.rangeCount).reversed() {
        let range = plan.ranges[index]
        for item in (range.first..<range.end).reversed() where view.progress[item].isOnlyOnDisk && entries[item].bytes <= memory.limit {
          readQueue.append(item)
        }
      }
    }
    if view.progress[active].isOnlyOnDisk, view.progress[active].isListed { readQueue.append(active) }
  }

  /// Begins to read the next item, if the disk is idle.
  mutating func beginRead(_ view: borrowing FeedView, at now: Int64) {
    while reading < 0, let item = readQueue.popLast() {
      if view.progress[item].isOnlyOnDisk { (reading, readEnd) = (item, now + settings.diskRead.nanoseconds) }
    }
  }

  /// Ends the reading of an item, which is in memory then.
  mutating func endRead() -> Int {
    let item = reading
    (reading, readEnd) = (-1, Instant.never.nanoseconds)
    use(item)
    memory.hold(item, &entries[item].isInMemory, bytes: entries[item].bytes, more: 0)
    return item
  }

  /// Stops the program if the places contradict the items, or exceed their limits without need. O(items stored).
  func checkInvariants(_ view: borrowing FeedView, storedBytes: (Int) -> Int64) -> Bool {
    for (tier, isHeld) in [(memory, \Entry.isInMemory), (disk, \Entry.isOnDisk)] {
      precondition(tier.used == tier.items.reduce(0) { $0 + entries[$1].bytes }, "a sum of stored bytes is wrong")
      precondition(tier.items.allSatisfy { entries[$0][keyPath: isHeld] && entries[$0].bytes == storedBytes($0) }, "an item is elsewhere")
    }
    precondition(memory.items.allSatisfy { !view.progress[$0].isOnlyOnDisk }, "an item in memory awaits its reading")
    return true
  }
}

extension Downloads where Link: ~Copyable {
  /// Keeps the bytes of an item that has just got some.
  mutating func put(_ item: Int, _ view: inout FeedView, _ recorder: inout Recorder) {
    let progress = view.progress[item]
    if progress.isReady { view.progress[item].wasEvicted = false }
    let again = store.put(item, bytes: storedBytes(item, progress), awaitsRead: progress.isOnlyOnDisk)
    recorder.metrics.bytesDuplicate += again
  }

  /// Evicts the next item of a store that is too full, and returns it; nil if it is not, or all of its items are in use.
  mutating func evict(_ view: inout FeedView, active: Int) -> Int? {
    guard let (item, isOnDisk) = store.removeNext(view, active: active) else { return nil }
    leaveMemory(item, isOnDisk: isOnDisk, &view)
    return item
  }

  /// Removes all items without a transfer from memory. What is not on the disk is lost. O(items in memory).
  mutating func dropMemory(_ view: inout FeedView) {
    for (item, isOnDisk) in store.emptyMemory(view) { leaveMemory(item, isOnDisk: isOnDisk, &view) }
  }

  /// Updates an item that has left memory, or the disk after that. An app asks once for what it plans: it does not request what is lost.
  private mutating func leaveMemory(_ item: Int, isOnDisk: Bool, _ view: inout FeedView) {
    let progress = view.progress[item]
    if progress.isReady || !isOnDisk { view.progress[item].wasEvicted = true }
    view.progress[item].isOnlyOnDisk = isOnDisk && progress.isReady
    view.details.value.losses += 1
    view.progress[item].isReady = false
    if isOnDisk { return }
    store.lose(item)
    discard(item, &view)
    (view.progress[item].isHeadCovered, view.progress[item].isRestCovered) = (true, true)
  }

  /// Lets the next plan request the items that were lost under the one before.
  mutating func allowRequests(_ view: inout FeedView) {
    for item in store.removeLost() where view.progress[item].isListed { list(items[item], &view.progress[item]) }
  }
}
