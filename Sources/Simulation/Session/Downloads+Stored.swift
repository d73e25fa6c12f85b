// The parts of items that are stored or requested, and the segments of videos.

extension Downloads where Link: ~Copyable {
  /// Returns the nanobits of a ready item that are stored or readable, from its start. A segment is readable as a whole.
  func available(_ progress: ItemProgress) -> Int64 {
    progress.head + progress.rest + (progress.restTransfer < 0 || segments.isOn ? 0 : link.received(Int(progress.restTransfer)).nanobits)
  }

  func storedBytes(_ item: Int, _ progress: ItemProgress) -> Int64 {
    segments.apply(to: items[item]) ? segments.stored[item] : progress.storedBytes
  }

  /// Lists an item, and updates which of its parts are stored or in flight as a whole.
  mutating func list(_ item: Item, _ progress: inout ItemProgress) {
    func inFlight(_ number: Int32) -> Int64 {
      if number < 0 { return 0 }
      let transfer = transfers[Int(number)]
      return transfer.rendition < 0 ? transfer.volume : segments.next(item, progress, isRest: transfer.isRest)
    }
    let (ready, all) = (Volume.bytes(item.readyBytes).nanobits, Volume.bytes(item.bytes).nanobits)
    progress.isListed = true
    progress.isHeadCovered = progress.head + inFlight(progress.headTransfer) >= ready
    progress.isRestCovered = progress.rest + inFlight(progress.restTransfer) >= all - ready
    covered = 0..<0
  }

  /// Drops the stored bytes of all items without a transfer; a disk keeps what is there. O(items).
  mutating func dropStored(_ view: inout FeedView, _ recorder: inout Recorder) {
    view.details.value.losses += 1
    if store.isOn { return dropMemory(&view) }
    for item in items.indices where view.progress[item].headTransfer < 0 && view.progress[item].restTransfer < 0 {
      let progress = view.progress[item]
      guard progress.head > 0 || progress.rest > 0 else { continue }
      recorder.receive(storedBytes(item, progress), wasViewed: progress.wasViewed)
      discard(item, &view)
    }
    rewindAll()
  }

  mutating func discard(_ item: Int, _ view: inout FeedView) {
    let isListed = view.progress[item].isListed
    if segments.isOn { segments.drop(item) }
    view.progress[item].head = 0
    view.progress[item].rest = 0
    view.progress[item].requestedAt = -1
    view.progress[item].isReady = false
    // An item whose page was dropped is never requested.
    view.progress[item].isHeadCovered = !isListed
    view.progress[item].isRestCovered = !isListed || items[item].bytes == items[item].readyBytes
  }

  /// Returns the request for the next segment of a video, as far as a range plans it; nil if the buffer has no room for it.
  func segment(_ item: Int, of range: Plan.FetchRange, _ view: borrowing FeedView) -> Request? {
    let (progress, whole) = (view.progress[item], view.items[item])
    let planned = Volume.bytes(min(range.bytes, whole.bytes) - whole.readyBytes).nanobits
    let rest = Volume.bytes(whole.bytes - whole.readyBytes).nanobits
    guard progress.isReady, progress.rest < planned else { return nil }
    let media = segments.next(whole, progress, isRest: true)
    guard segments.excess(item, media, progress, isActive: item == view.activeItem) <= 0 else { return nil }
    return Request(
      item: item, isRest: true, covers: progress.rest + media >= rest, volume: media, priority: range.priorityBase + item,
      rendition: range.rendition)
  }

  /// Notes a segment that has arrived, and returns its nanobits of the lowest rendition.
  @inline(never)
  mutating func finishSegment(_ number: Int, _ transfer: InFlightTransfer, _ view: borrowing FeedView, at now: Int64) -> Int64 {
    segments.finish(transfer, firstByte: link.firstByte(number), at: now)
    return segments.next(view.items[transfer.item], view.progress[transfer.item], isRest: transfer.isRest)
  }

  /// Returns the nanobits of media that the active video must play before its next segment has room; nil if none waits for room.
  func roomNeeded(_ view: borrowing FeedView) -> Int64? {
    let (item, progress) = (view.activeItem, view.progress[view.activeItem])
    guard segments.apply(to: view.items[item]), progress.isReady, !progress.isRestCovered, progress.restTransfer < 0 else { return nil }
    let excess = segments.excess(item, segments.next(view.items[item], progress, isRest: true), progress, isActive: true)
    return excess > 0 ? excess : nil
  }

  /// Returns the bytes that a request asks for. After a cancel within a byte, they begin with that byte.
  func part(of request: Request, _ rendition: Int, _ view: borrowing FeedView) -> RequestedPart {
    let item = view.items[request.item]
    let progress = view.progress[request.item]
    let offset = request.isRest ? item.readyBytes + Volume(nanobits: progress.rest).bytes : Volume(nanobits: progress.head).bytes
    if rendition >= 0, let renditions = segments.renditions {
      func bytes(_ least: Int64) -> Int64 { least * renditions.bitsPerSecond[rendition] / renditions.lowest }
      let volume = renditions.scaled(request.volume, to: rendition)
      return RequestedPart(
        content: .item(request.item), offset: bytes(offset), bytes: Volume(nanobits: volume).bytesRoundedUp, wholeBytes: bytes(item.bytes))
    }
    return RequestedPart(
      content: .item(request.item), offset: offset, bytes: Volume(nanobits: request.volume).bytesRoundedUp, wholeBytes: item.bytes)
  }
}
