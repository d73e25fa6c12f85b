// A store with a size: when items are used, evicted and read from the disk.

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
}
