// Videos with renditions: when their segments are requested, and what is played of them.

extension SessionLoop where Link: ~Copyable {
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

  /// Ends a stall of the active video at the arrival of a segment.
  @inline(never) mutating func resumePlayback(of item: Int, at now: Int64) {
    guard item == view.activeItem, viewer.playback.isStalled else { return }
    checkPlayback(at: now)
  }

  /// Counts what the user saw of a video, before leaving it.
  @inline(never) mutating func notePlayed(at now: Int64) {
    guard viewer.playback.isRunning else { return }
    let (item, available) = (viewer.item, downloads.available(view.progress[viewer.item]))
    downloads.segments.notePlayed(item, view.items[item], until: viewer.playback.position(at: now, available: available))
  }
}
