// The binary format of journal records.

import Analysis

enum JournalRecord: Equatable {
  /// The identity of the following runs: a `SweepIdentity` as JSON.
  case identity([UInt8])
  /// A run or a failed try.
  case run(FinishedRun)
  /// The description of the following runs: a `JournalDescription` as JSON.
  case description([UInt8])
  /// A point of the description by its id and axis values.
  case point(UInt64, [String])
}

/// The columns and the description of a journal's runs, from which any program makes their tables.
struct JournalDescription: Encodable {
  /// The names of a run's values, in the order of the journal.
  let columns: [String]
  let sweep: SweepDescription

  init(_ sweep: SweepDescription) {
    self.sweep = sweep
    columns = RecordCoding.columns.map(\.name)
  }
}

enum JournalColumn: Hashable, Sendable {
  case metric(Metric)
  case digest

  /// Creates the column of a name in `JournalDescription`; nil if this program does not know it.
  init?(name: String) {
    guard let column = name == RunWriter.digestColumn ? .digest : Metric(rawValue: name).map(Self.metric) else { return nil }
    self = column
  }

  var name: String {
    switch self {
    case .metric(let metric): metric.rawValue
    case .digest: RunWriter.digestColumn
    }
  }
}

extension RunMetrics {
  /// The value of a column. A digest has 52 bits, which `Double` holds exactly.
  fileprivate subscript(column: JournalColumn) -> Double? {
    get {
      switch column {
      case .metric(let metric): self[metric]
      case .digest: digest.map { Double($0) }
      }
    }
    set {
      switch column {
      case .metric(let metric): self[metric] = newValue
      case .digest: digest = newValue.flatMap { UInt64(exactly: $0) }
      }
    }
  }
}

/// A record: `A7 52`, length and CRC-32 of the payload (4 bytes each, little endian), and the payload: a kind (1 byte),
/// the run's numbers (7 bits a byte, lowest first), and its metrics or the reason of its failure.
package enum RecordCoding {
  static let version = 2
  package static let headerSize = 10
  /// The longest payload; a longer one counts as damage.
  static let payloadLimit = 8 << 20
  /// The longest reason of a failure, in bytes.
  static let reasonLimit = 2000
  private static let mark: [UInt8] = [0xA7, 0x52]

  /// The values of a record. The further metrics come last and are left out where none has a value.
  static let columns =
    Metric.allCases.prefix(Metric.fixedCount).map(JournalColumn.metric) + [.digest]
    + Metric.allCases.dropFirst(Metric.fixedCount).map(JournalColumn.metric)
  static let ownColumns: [JournalColumn?] = columns
  /// The number of values that every record has.
  private static let leastCount = Metric.fixedCount + 1

  /// The kind of a record. Unknown kinds are skipped.
  private enum Kind: UInt8 {
    case identity = 1
    case run = 5
    case failure = 6
    case description = 7
    case point = 8
  }

  static func bytes(_ record: JournalRecord) -> [UInt8] {
    var bytes = mark + [UInt8](repeating: 0, count: headerSize - mark.count)
    bytes.reserveCapacity(256)
    switch record {
    case .identity(let json): bytes += [Kind.identity.rawValue] + json
    case .description(let json): bytes += [Kind.description.rawValue] + json
    case .point(let id, let values):
      bytes.append(Kind.point.rawValue)
      append(id, to: &bytes)
      for value in values {
        append(UInt64(value.utf8.count), to: &bytes)
        bytes += value.utf8
      }
    case .run(let run):
      bytes.append((run.metrics == nil ? Kind.failure : .run).rawValue)
      append(run.key.point, to: &bytes)
      append(UInt64(run.key.repetition), to: &bytes)
      append(run.key.seed, to: &bytes)
      append(run.deviceMs.map { UInt64($0) + 1 } ?? 0, to: &bytes)
      switch run.outcome {
      case .failure(let reason): bytes += reason.utf8.prefix(reasonLimit)
      // Small whole numbers have zeros in their low bytes. Swapped, these are high ones, which take no space.
      case .metrics(let metrics):
        let count = columns.dropFirst(leastCount).contains { metrics[$0] != nil } ? columns.count : leastCount
        for column in columns.prefix(count) { append(metrics[column].map { $0.bitPattern.byteSwapped &+ 1 } ?? 0, to: &bytes) }
      }
    }
    bytes.withUnsafeMutableBytes { bytes in
      let payload = UnsafeRawBufferPointer(rebasing: bytes[headerSize...])
      bytes.storeBytes(of: UInt32(payload.count).littleEndian, toByteOffset: 2, as: UInt32.self)
      bytes.storeBytes(of: checksum(payload).littleEndian, toByteOffset: 6, as: UInt32.self)
    }
    return bytes
  }

  /// Decodes a payload; nil for an unknown form or bytes left over. `columns` names the values of a run's record, nil for one to skip.
  static func record(_ payload: UnsafeRawBufferPointer, columns: [JournalColumn?] = ownColumns) -> JournalRecord? {
    guard let kind = payload.first.flatMap(Kind.init) else { return nil }
    var rest = payload.dropFirst()
    if kind == .identity { return .identity([UInt8](rest)) }
    if kind == .description { return .description([UInt8](rest)) }
    if kind == .point {
      guard let id = number(&rest) else { return nil }
      var values: [String] = []
      while !rest.isEmpty {
        guard let count = number(&rest), count <= UInt64(rest.count) else { return nil }
        values.append(String(decoding: rest.prefix(Int(count)), as: UTF8.self))
        rest = rest.dropFirst(Int(count))
      }
      return .point(id, values)
    }
    guard let key = key(&rest), let time = number(&rest) else { return nil }
    let deviceMs = time == 0 ? nil : Int(clamping: time - 1)
    if kind == .failure { return .run(FinishedRun(key: key, outcome: .failure(String(decoding: rest, as: UTF8.self)), deviceMs: deviceMs)) }
    var metrics = RunMetrics()
    for (position, column) in columns.enumerated() {
      if rest.isEmpty, position >= leastCount { break }
      guard let value = number(&rest) else { return nil }
      if value != 0, let column { metrics[column] = Double(bitPattern: (value &- 1).byteSwapped) }
    }
    return rest.isEmpty ? .run(FinishedRun(key: key, outcome: .metrics(metrics), deviceMs: deviceMs)) : nil
  }

  /// Returns the key of a completed run; nil for another record.
  static func completedRun(_ payload: UnsafeRawBufferPointer) -> RunKey? {
    var rest = payload.dropFirst()
    return isRun(payload) ? key(&rest) : nil
  }

  private static func key(_ rest: inout Slice<UnsafeRawBufferPointer>) -> RunKey? {
    guard let point = number(&rest), let repetition = number(&rest), let seed = number(&rest) else { return nil }
    return RunKey(point: point, repetition: Int(clamping: repetition), seed: seed)
  }

  static func isRun(_ payload: UnsafeRawBufferPointer) -> Bool { payload.first == Kind.run.rawValue }

  /// Returns the payload's length in a header; nil if there is no header.
  package static func length(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int? {
    guard offset + headerSize <= bytes.count, bytes[offset] == mark[0], bytes[offset + 1] == mark[1] else { return nil }
    let length = Int(UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 2, as: UInt32.self)))
    return length > 0 && length <= payloadLimit ? length : nil
  }

  /// True if a record's payload has the checksum in its header.
  static func isWhole(_ record: UnsafeRawBufferPointer) -> Bool {
    let sum = UInt32(littleEndian: record.loadUnaligned(fromByteOffset: 6, as: UInt32.self))
    return checksum(UnsafeRawBufferPointer(rebasing: record[headerSize...])) == sum
  }

  /// Returns the CRC-32 (IEEE 802.3, reflected, as in zlib), which detects bursts of up to 32 bits. O(bytes).
  package static func checksum(_ payload: UnsafeRawBufferPointer) -> UInt32 {
    remainders.withUnsafeBufferPointer { remainders in
      var value: UInt32 = 0xFFFF_FFFF
      for byte in payload { value = remainders[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
      return value ^ 0xFFFF_FFFF
    }
  }

  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  private static func append(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// Reads a number written by `append`; nil if the bytes end within it.
  private static func number(_ bytes: inout Slice<UnsafeRawBufferPointer>) -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while shift < 64, let byte = bytes.popFirst() {
      value |= UInt64(byte & 127) << shift
      if byte < 128 { return value }
      shift += 7
    }
    return nil
  }
}
