// A store with a size, and videos with renditions: what is used, evicted and read from the disk; the requests of segments.

extension SessionLoop where Link: ~Copyable {
  /// Keeps the bytes of an item that has just got some, and evicts what has no room.
  @inline(never) mutating func keep(_ item: Int, at now: Int64) {
    downloads.put(item, &view, &recorder)
    evict(at: now)
  }

  /// Notes that an item becomes active, and evicts what was active before if it has no room.
  @inline(never) mutating func use(_ item: Int, at now: Int64) {
    downloads.store.use(item)
    evict(at: now)
  }

  @inline(never) mutating func evict(at now: Int64) {
    while let item = downloads.evict(&view, active: viewer.item) {
      decoders.forget(item, &view)
      recorder.note(.evicted(item), at: now)
    }
    findWakeTime()
  }

  /// Reads from the disk what a plan contains, the active item first.
  @inline(never) mutating func planReads(isAsked: Bool, at now: Int64) {
    downloads.store.queueReads(downloads.plan, view, active: viewer.item, isAsked: isAsked)
    downloads.store.beginRead(view, at: now)
    evict(at: now)
  }

  /// Ends the reading of an item from the disk, and begins the next.
  @inline(never) mutating func endRead(at now: Int64) {
    let item = downloads.store.endRead()
    (view.progress[item].isOnlyOnDisk, view.progress[item].isReady, view.progress[item].wasEvicted) = (false, true, false)
    view.details.value.losses += 1
    recorder.note(.readFromDisk(item), at: now)
    if view.progress[item].awaitsDecode {
      decoders.add(item)
    } else if viewer.isWaiting, item == view.activeItem {
      becomeReady(at: now)
    }
    downloads.store.beginRead(view, at: now)
    evict(at: now)
  }

  // MARK: Segments

  /// Sends requests, and finds the instant at which the active video's buffer has room for its next segment.
  @inline(never) mutating func requestSegments(at now: Int64) {
    let available = downloads.available(view.progress[view.activeItem])
    downloads.segments.buffered = viewer.playback.isRunning ? viewer.playback.ahead(at: now, available: available) : available
    // Another event of the instant may come before the timer.
    if roomTime <= now { downloads.segments.isRoomDue = true }
    if downloads.segments.isRoomDue, !downloads.inFlight.isFull {
      downloads.segments.isRoomDue = false
      downloads.rewind()
    }
    if downloads.mayRequest { downloads.fill(&view, &recorder, at: now) }
    let (needed, rate) = (viewer.playback.isRunning ? downloads.roomNeeded(view) : nil, viewer.playback.bitsPerSecond)
    roomTime = needed.map { now + ($0 + rate - 1) / rate } ?? Instant.never.nanoseconds
    findWakeTime()
  }

  mutating func findWakeTime() { wakeTime = min(min(askAgain, decoders.nextEnd), min(roomTime, downloads.store.readEnd)) }

  /// Counts what the user saw of a video, before leaving it.
  @inline(never) mutating func notePlayed(at now: Int64) {
    guard viewer.playback.isRunning else { return }
    let (item, available) = (viewer.item, downloads.available(view.progress[viewer.item]))
    downloads.segments.notePlayed(item, view.items[item], until: viewer.playback.position(at: now, available: available))
  }
}
