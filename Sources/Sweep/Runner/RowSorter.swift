// Rows out of the journal, which has them as they were finished, in the order of the table: by point, then by repetition.

import Analysis
import Import

/// Sorts a journal's runs in passes over it, each of which keeps the rows of one stretch of the table.
///
/// Memory is `bufferLimit` and 16 bytes a row of it, however many runs there are; time is the journal's size times the passes,
/// one for each `bufferLimit` of the journal: some 0.2 s for a pass over a million runs.
package struct RowSorter: RowSequence {
  /// The bytes of rows that one pass keeps.
  static let bufferLimit = 12 << 20

  package let path: String
  package let sweep: SweepFile
  /// The repetitions that are wanted.
  package let repetitions: ClosedRange<Int>
  /// The last repetition that is wanted of each point, where they differ.
  package var limits: [Int]?
  package let shard: Shard
  package let places: PointPlaces
  /// The bytes of the journal.
  package let size: Int
  /// Whether every record's checksum has been seen to be right.
  let isVerified: Bool
  /// Sees each run before its row is handed on, with its point's place.
  var willReceive: (_ point: Int, _ run: RunRecord) throws -> Void = { _, _ in }
  /// For tests: a smaller buffer.
  var bufferLimit = Self.bufferLimit

  private struct Entry {
    var position: Int
    var start: Int
  }

  /// What a pass keeps.
  private struct Kept {
    var entries: [Entry] = []
    var payloads: [UInt8] = []
  }

  /// Hands on all rows of the shard in order and returns how many.
  @discardableResult package func forEach(_ receive: (RunRow) throws -> Void) throws -> Int {
    let total = sweep.pointCount * repetitions.count
    let passes = max(1, (size + bufferLimit - 1) / bufferLimit)
    let stretch = max(1, (total + passes - 1) / passes)
    var kept = Kept()
    // What grows by doubling would take twice the room, and thrice while it is moved; what is made anew for each pass leaves holes.
    kept.payloads.reserveCapacity(min(size, bufferLimit) + bufferLimit / 8)
    kept.entries.reserveCapacity(min(stretch, size / RecordCoding.smallestRun) + 1)
    var count = 0
    var first = 0
    while first < total {
      count += try pass(first..<min(total, first + stretch), &kept, receive)
      first += stretch
    }
    return count
  }

  /// Hands on the runs that have failed, each try of them, as they stand in the journal; a run of two places is the first one's. It does
  /// not matter whether the run went well later.
  func forEachFailure(_ receive: (_ point: Int, _ failure: FailureRecord) -> Void) throws {
    guard let reader = JournalReader(path: path) else { throw OutputProblem(unreadable: path) }
    let isRead = reader.forEach(isTrusting: isVerified) { payload in
      guard let failure = RecordCoding.failure(payload), repetitions.contains(failure.key.repetition),
        failure.key.seed == sweep.seed(of: failure.key.repetition)
      else { return }
      var first: Int?
      places.forEach(of: failure.key.point) { point in
        if failure.key.repetition <= limits?[point] ?? .max { first = min(point, first ?? point) }
      }
      if let first { receive(first, failure) }
    }
    guard isRead else { throw OutputProblem(path: path, problem: SystemFile.message) }
  }

  /// Hands on all rows of the shard in order.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws { try forEach(receive) }

  private func pass(_ stretch: Range<Int>, _ kept: inout Kept, _ receive: (RunRow) throws -> Void) throws -> Int {
    guard let reader = JournalReader(path: path) else { throw OutputProblem(unreadable: path) }
    kept.entries.removeAll(keepingCapacity: true)
    kept.payloads.removeAll(keepingCapacity: true)
    // Runs stand repetition by repetition.
    var expected: (repetition: Int, seed: UInt64) = (0, 0)
    let isRead = reader.forEach(isTrusting: isVerified) { payload in
      guard let key = RecordCoding.runKey(payload), repetitions.contains(key.repetition) else { return }
      if key.repetition != expected.repetition { expected = (key.repetition, sweep.seed(of: key.repetition)) }
      guard key.seed == expected.seed else { return }
      let start = kept.payloads.count
      places.forEach(of: key.point) { point in
        if let limits, key.repetition > limits[point] { return }
        let position = point * repetitions.count + key.repetition - repetitions.lowerBound
        guard stretch.contains(position), shard.contains((key.repetition - 1) * sweep.pointCount + point) else { return }
        kept.entries.append(Entry(position: position, start: start))
      }
      if kept.entries.last?.start == start {
        kept.payloads.append(UInt8(truncatingIfNeeded: payload.count))
        kept.payloads.append(UInt8(truncatingIfNeeded: payload.count >> 8))
        kept.payloads.append(contentsOf: payload)
      }
    }
    guard isRead else { throw OutputProblem(path: path, problem: SystemFile.message) }
    kept.entries.sort { ($0.position, $0.start) < ($1.position, $1.start) }
    return try deliver(kept.entries, kept.payloads, receive)
  }

  private func deliver(_ entries: [Entry], _ payloads: [UInt8], _ receive: (RunRow) throws -> Void) throws -> Int {
    var last: (position: Int, metrics: [Double?])?
    var point: (index: Int, axisValues: [String])?
    var count = 0
    for entry in entries {
      guard case .run(let run)? = record(entry.start, payloads) else { continue }
      // Kept by a program that did not check what a device measured, and made again since.
      if !sweep.backend.isEmulated, RunRow.impossible(run.metrics) != nil { continue }
      if let last, last.position == entry.position {
        guard last.metrics == run.metrics else {
          throw Refusal(
            "\(path): point \(run.key.pointText), repetition \(run.key.repetition), stands there twice with different rows; "
              + "make all runs again with --fresh")
        }
        continue
      }
      let index = entry.position / repetitions.count
      if point?.index != index { point = (index, sweep.axisValues(index)) }
      last = (entry.position, run.metrics)
      count += 1
      try willReceive(index, run)
      try receive(
        RunRow(
          point: run.key.pointText, repetition: run.key.repetition, seed: run.key.seed, axisValues: point?.axisValues ?? [],
          metrics: run.metrics))
    }
    return count
  }

  private func record(_ start: Int, _ payloads: [UInt8]) -> JournalRecord? {
    payloads.withUnsafeBytes { bytes in
      let length = Int(RecordCoding.number(bytes, at: start, size: 2))
      return RecordCoding.record(UnsafeRawBufferPointer(rebasing: bytes[(start + 2)..<(start + 2 + length)]))
    }
  }
}
