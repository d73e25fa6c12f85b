// The time from an item's stored bytes to its pixels on the screen.

/// The time to decode the items of one kind, or to prepare a player up to a video's first frame.
package struct DecodeTime: Hashable, Sendable {
  /// The time of an item of any size.
  package var fixed = Interval.zero
  /// The time for each megabyte that makes the item ready; at most 1 s.
  package var perMegabyte = Interval.zero

  package init(fixed: Interval = .zero, perMegabyte: Interval = .zero) { (self.fixed, self.perMegabyte) = (fixed, perMegabyte) }
}

/// The decode time of each kind; zero by default.
package struct DecodeTimes: Hashable, Sendable {
  /// The times in the order of `ItemKind`.
  package var byKind: [DecodeTime]

  package init(_ byKind: [DecodeTime] = ItemKind.allCases.map { _ in DecodeTime() }) { self.byKind = byKind }

  var isOn: Bool { byKind.contains { $0 != DecodeTime() } }

  func nanoseconds(of item: Item) -> Int64 {
    let time = byKind[Int(item.kind.rawValue)]
    // At most 10⁹ bytes × 10⁹ ns.
    return time.fixed.nanoseconds + item.readyBytes * time.perMegabyte.nanoseconds / 1_000_000
  }
}
