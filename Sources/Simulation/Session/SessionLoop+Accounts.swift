// What a run writes down while it goes and when it ends.

extension SessionLoop where Link: ~Copyable {
  /// The active item waits for bytes on a link that it shares with others.
  @inline(__always)
  mutating func trackInversion(at now: Int64) {
    if isWaiting || ledger.inversion.isRunning { updateInversion(at: now) }
  }

  mutating func updateInversion(at now: Int64) {
    guard isWaiting else { return ledger.inversion.set(false, at: now) }
    let active = view.progress[view.activeItem]
    let own = (active.headTransfer < 0 ? 0 : 1) + (active.restTransfer < 0 ? 0 : 1)
    ledger.inversion.set(active.headTransfer >= 0 && onTheWay.count > own, at: now)
  }

  /// What is on the way when the run ends is no cancel; its bytes are received all the same.
  mutating func close(at now: Int64) {
    noteUnfinished(at: now)
    var number = onTheWay.oldest
    while number != onTheWay.end {
      addReceived(link.received(number).bytes, of: transfers[number].item)
      number = onTheWay.next(after: number)
    }
    if pages.hasTransfers { closePages() }
    if hasTransfers { ledger.radio.end(at: now) }
    ledger.inversion.set(false, at: now)
    // Items of dropped pages are listed no more, but what came of them came.
    for item in items.indices {
      let progress = view.progress[item]
      if progress.head > 0 { addReceived(Volume(nanobits: progress.head).bytes, of: item) }
      if progress.rest > 0 { addReceived(Volume(nanobits: progress.rest).bytes, of: item) }
    }
    ledger.end = now
  }

  mutating func addReceived(_ bytes: Int64, of item: Int) {
    if view.progress[item].wasViewed { ledger.bytesUseful += bytes } else { ledger.bytesUnseen += bytes }
  }
}
