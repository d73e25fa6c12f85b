// What a sweep file says of how its winner is found and confirmed.

extension SweepFileReader {
  /// So many of the best points are confirmed unless the file says otherwise.
  private static let confirmedPoints = 3
  private static let confirmedLimit = 100

  /// Reads `confirm: 30` or `confirm: { repeats: 30, best: 3 }`; nil if the file has none.
  func readConfirm(_ reader: inout ObjectReader) -> SweepFile.Confirm? {
    guard let value = reader.value("confirm"), value.kind != .null else { return nil }
    let limits = 2...SweepFile.repeatsLimit
    guard value.members != nil else {
      return SweepFile.Confirm(repeats: reader.integer("confirm", in: limits), best: Self.confirmedPoints)
    }
    guard var part = reader.object("confirm") else { return nil }
    let repeats = part.integer("repeats", in: limits)
    let best = part.integer("best", default: Self.confirmedPoints, in: 1...Self.confirmedLimit)
    part.finish()
    return SweepFile.Confirm(repeats: repeats, best: best)
  }
}
