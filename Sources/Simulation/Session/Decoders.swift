// The decoders and players of the client: an item is visible once its ready bytes are stored and decoded.

/// Decodes stored items, a limited number at a time. A video holds a player from the start of its decoding until the user leaves it.
struct Decoders: ~Copyable {
  // A free decoder takes the stored item with the lowest index from the active one on, and finishes it. Items before the active one wait
  // until they are active again. If no player is free, a video waits, and the active one takes the player of the last one.

  private static let never = Instant.never.nanoseconds

  private let times: DecodeTimes
  private let limit: Int
  private let playerLimit: Int
  private let items: ContiguousArray<Item>
  /// The items that decode now, at most `limit`.
  private var jobs: ContiguousArray<(item: Int, end: Int64)> = []
  /// The videos that hold a player, at most `playerLimit`.
  private var players: ContiguousArray<Int> = []
  /// The stored items that are not decoded, some of them twice or obsolete: those that need a player, and the others.
  private var videos = Heap<Int>(), others = Heap<Int>()
  private(set) var nextEnd = Decoders.never
  /// True if a video may have to wait for a player.
  let limitsPlayers: Bool
  /// True if a job may begin.
  private(set) var isDue = false

  /// Creates idle decoders, and marks the items that have to be decoded.
  init(_ times: DecodeTimes, _ settings: DownloadSettings, _ view: inout FeedView, items: ContiguousArray<Item>) {
    (self.times, self.items) = (times, items)
    (limit, playerLimit) = (settings.decoders, settings.players ?? .max)
    limitsPlayers = playerLimit < .max && times.isOn
    guard times.isOn else { return }
    for index in items.indices { view.progress[index].awaitsDecode = times.nanoseconds(of: items[index]) > 0 }
  }

  private func needsPlayer(_ item: Int) -> Bool { limitsPlayers && items[item].kind == .video }

  @inline(never) mutating func add(_ item: Int) {
    if needsPlayer(item) { videos.push(item) } else { others.push(item) }
    isDue = true
  }

  /// Begins jobs while decoders are free. O(log items) for each.
  @inline(never) mutating func begin(_ view: inout FeedView, active: Int, at now: Int64) {
    isDue = false
    for item in players where item < active { release(item, &view) }
    while jobs.count < limit, let item = next(&view, active: active) {
      if needsPlayer(item) { players.append(item) }
      jobs.append((item, now + times.nanoseconds(of: items[item])))
    }
    findNextEnd()
    isDue = false
  }

  /// Ends a job that is due, and returns its item; nil if none is.
  @inline(never) mutating func end(_ view: inout FeedView, at now: Int64) -> Int? {
    guard let index = jobs.firstIndex(where: { $0.end <= now }) else { return nil }
    let item = jobs.remove(at: index).item
    view.progress[item].awaitsDecode = false
    findNextEnd()
    isDue = true
    return item
  }

  @inline(never) mutating func leave(_ item: Int, _ view: inout FeedView) { if players.contains(item) { release(item, &view) } }

  /// Forgets items whose bytes were dropped from memory. O(items).
  @inline(never) mutating func forgetDropped(_ view: inout FeedView) {
    for item in items.indices where !view.progress[item].isReady { forget(item, &view) }
    isDue = times.isOn
  }

  @inline(never) mutating func forget(_ item: Int, _ view: inout FeedView) {
    guard times.isOn else { return }
    view.progress[item].awaitsDecode = times.nanoseconds(of: items[item]) > 0
    jobs.removeAll { $0.item == item }
    players.removeAll { $0 == item }
    findNextEnd()
    isDue = true
  }

  /// Returns the next item to decode and removes it from its queue; nil if there is none, or no player.
  private mutating func next(_ view: inout FeedView, active: Int) -> Int? {
    while let item = videos.first, isObsolete(item, view, active: active) { videos.pop() }
    while let item = others.first, isObsolete(item, view, active: active) { others.pop() }
    let video = videos.first.flatMap { players.count < playerLimit || $0 == active ? $0 : nil }
    guard let video, video < others.first ?? .max else { return others.pop() }
    if players.count == playerLimit, let last = players.max() { release(last, &view) }
    // The video that lost its player waits behind this one.
    return videos.pop()
  }

  /// True if an item of a queue needs no job.
  private func isObsolete(_ item: Int, _ view: borrowing FeedView, active: Int) -> Bool {
    let progress = view.progress[item]
    return item < active || !progress.isReady || !progress.awaitsDecode || jobs.contains { $0.item == item }
  }

  /// Takes the player of a video, which has to be prepared again.
  private mutating func release(_ item: Int, _ view: inout FeedView) {
    players.removeAll { $0 == item }
    jobs.removeAll { $0.item == item }
    view.progress[item].awaitsDecode = true
    findNextEnd()
    add(item)
  }

  private mutating func findNextEnd() { nextEnd = jobs.reduce(Decoders.never) { min($0, $1.end) } }

  /// Stops the program if jobs and players contradict the items.
  func checkInvariants(_ view: borrowing FeedView, at now: Int64) -> Bool {
    precondition(jobs.count <= limit && players.count <= playerLimit, "more jobs than decoders or players")
    for job in jobs {
      precondition(job.end >= now && view.progress[job.item].isReady && view.progress[job.item].awaitsDecode, "a job without a need")
    }
    return true
  }
}
