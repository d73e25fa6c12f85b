// One finished run as the journal keeps it: its point by its id, never by its place in a grid, and what it measured.

import Analysis

/// What the journal holds.
enum JournalRecord {
  /// What the runs after it belong to: a `SweepIdentity` as JSON.
  case identity([UInt8])
  /// A finished run.
  case run(RunRecord)
  /// A run that failed.
  case failure(FailureRecord)

  /// The run that it is of; nil for an identity.
  var key: RunKey? {
    switch self {
    case .identity: nil
    case .run(let run): run.key
    case .failure(let failure): failure.key
    }
  }
}

/// A finished run.
struct RunRecord: Hashable, Sendable {
  package var key: RunKey
  /// One value a metric, in the order of `Metric.allCases`.
  package var metrics: [Double?]
  /// The time that it took on a real device, in whole milliseconds; nil for emulated runs, whose time is simulated and known from the row.
  var deviceMs: Int?
}

/// A run that failed, each try of it that a start made.
struct FailureRecord: Hashable, Sendable {
  package var key: RunKey
  /// Why.
  package var reason: String
  /// The time that it took on a real device, in whole milliseconds; nil for emulated runs, and in journals of programs that did not keep it.
  var deviceMs: Int?
}

/// Records as bytes: `A7 52`, the payload's length and checksum (four bytes each, little endian), the payload.
enum RecordCoding {
  /// The bytes before a payload.
  static let headerSize = 10
  /// The longest payload; a longer one is damage.
  static let payloadLimit = 8 << 20
  /// The longest reason of a failure that is kept, in bytes.
  static let reasonLimit = 2000
  package static let mark: (UInt8, UInt8) = (0xA7, 0x52)

  private static let identityKind: UInt8 = 1
  private static let runKind: UInt8 = 2
  private static let failureKind: UInt8 = 3
  /// A failure whose time stands before its reason. Programs that do not know it pass over it, as over any kind that is new to them.
  private static let timedFailureKind: UInt8 = 4

  /// A record with its header.
  package static func bytes(_ record: JournalRecord) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: headerSize)
    bytes.reserveCapacity(256)
    switch record {
    case .identity(let json):
      bytes.append(identityKind)
      bytes += json
    case .run(let run):
      bytes.append(runKind)
      append(run.key, to: &bytes)
      append(run.metrics, to: &bytes)
      if let time = run.deviceMs { appendShort(UInt64(time), to: &bytes) }
    case .failure(let failure):
      bytes.append(failure.deviceMs == nil ? failureKind : timedFailureKind)
      append(failure.key, to: &bytes)
      if let time = failure.deviceMs { appendShort(UInt64(time), to: &bytes) }
      bytes += failure.reason.utf8.prefix(reasonLimit)
    }
    let length = UInt32(bytes.count - headerSize)
    let sum = bytes.withUnsafeBytes { checksum(UnsafeRawBufferPointer(rebasing: $0[headerSize...])) }
    (bytes[0], bytes[1]) = mark
    for place in 0..<4 {
      bytes[2 + place] = UInt8(truncatingIfNeeded: length >> (8 * UInt32(place)))
      bytes[6 + place] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(place)))
    }
    return bytes
  }

  /// The record of a payload whose checksum was right; nil if this program does not know its form.
  package static func record(_ payload: UnsafeRawBufferPointer) -> JournalRecord? {
    guard let kind = payload.first else { return nil }
    if let json = identity(payload) { return .identity(json) }
    if let failure = failure(payload) { return .failure(failure) }
    guard kind == runKind, let key = key(payload) else { return nil }
    return run(payload, key).map(JournalRecord.run)
  }

  /// What a payload says that runs belong to, as JSON; nil for other records.
  package static func identity(_ payload: UnsafeRawBufferPointer) -> [UInt8]? {
    payload.first == identityKind ? [UInt8](payload.dropFirst()) : nil
  }

  /// The failed run of a payload; nil for other records.
  package static func failure(_ payload: UnsafeRawBufferPointer) -> FailureRecord? {
    guard let kind = payload.first, kind == failureKind || kind == timedFailureKind, let key = key(payload) else { return nil }
    var place = keySize
    var time: UInt64?
    if kind == timedFailureKind {
      time = short(payload, at: &place)
      if time == nil { return nil }
    }
    return FailureRecord(key: key, reason: String(decoding: payload.dropFirst(place), as: UTF8.self), deviceMs: time.map { Int($0) })
  }

  /// The key of a finished run's payload, without its metrics; nil for other records.
  static func runKey(_ payload: UnsafeRawBufferPointer) -> RunKey? { payload.first == runKind ? key(payload) : nil }

  /// CRC-32 (IEEE 802.3, reflected, as in zlib): it finds every flipped bit, and every burst of up to 32. O(bytes).
  static func checksum(_ payload: UnsafeRawBufferPointer) -> UInt32 {
    remainders.withUnsafeBufferPointer { remainders in
      var value: UInt32 = 0xFFFF_FFFF
      for byte in payload { value = remainders[Int(UInt8(truncatingIfNeeded: value) ^ byte)] ^ (value >> 8) }
      return value ^ 0xFFFF_FFFF
    }
  }

  private static let remainders: [UInt32] = (0..<256).map { byte in
    (0..<8).reduce(UInt32(byte)) { value, _ in value & 1 == 1 ? 0xEDB8_8320 ^ (value >> 1) : value >> 1 }
  }

  // MARK: The parts of a payload

  private static let keySize = 21

  private static func append(_ key: RunKey, to bytes: inout [UInt8]) {
    append(key.point, size: 8, to: &bytes)
    append(UInt64(key.repetition), size: 4, to: &bytes)
    append(key.seed, size: 8, to: &bytes)
  }

  private static func key(_ payload: UnsafeRawBufferPointer) -> RunKey? {
    guard payload.count >= keySize else { return nil }
    return RunKey(
      point: number(payload, at: 1, size: 8), repetition: Int(number(payload, at: 9, size: 4)), seed: number(payload, at: 13, size: 8))
  }

  /// A count, a bit for each value that there is, a bit for each that is whole; then whole ones seven bits a byte, others as they are.
  private static func append(_ metrics: [Double?], to bytes: inout [UInt8]) {
    precondition(metrics.count <= 64, "a record marks its values in 64 bits")
    var (present, whole): (UInt64, UInt64) = (0, 0)
    for (place, value) in metrics.enumerated() {
      guard let value else { continue }
      present |= 1 << UInt64(place)
      if isWhole(value) { whole |= 1 << UInt64(place) }
    }
    bytes.append(UInt8(metrics.count))
    append(present, size: 8, to: &bytes)
    append(whole, size: 8, to: &bytes)
    for case let value? in metrics {
      guard isWhole(value) else {
        append(value.bitPattern, size: 8, to: &bytes)
        continue
      }
      appendShort(UInt64(value), to: &bytes)
    }
  }

  /// Seven bits a byte, the lowest first.
  private static func appendShort(_ value: UInt64, to bytes: inout [UInt8]) {
    var rest = value
    while rest >= 128 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
      rest >>= 7
    }
    bytes.append(UInt8(rest))
  }

  /// What `appendShort` wrote; nil where the bytes end within it.
  private static func short(_ payload: UnsafeRawBufferPointer, at place: inout Int) -> UInt64? {
    var (value, shift): (UInt64, UInt64) = (0, 0)
    while true {
      guard place < payload.count, shift < 63 else { return nil }
      value |= UInt64(payload[place] & 127) << shift
      shift += 7
      place += 1
      if payload[place - 1] < 128 { return value }
    }
  }

  /// Nil unless the metrics are those of this program, to the last byte, but for a time that may follow.
  private static func run(_ payload: UnsafeRawBufferPointer, _ key: RunKey) -> RunRecord? {
    guard payload.count >= keySize + 17, Int(payload[keySize]) == RunRow.noMetrics.count else { return nil }
    let present = number(payload, at: keySize + 1, size: 8)
    let whole = number(payload, at: keySize + 9, size: 8)
    var place = keySize + 17
    var metrics = RunRow.noMetrics
    for index in metrics.indices where present >> UInt64(index) & 1 == 1 {
      if whole >> UInt64(index) & 1 == 1 {
        guard let value = short(payload, at: &place) else { return nil }
        metrics[index] = Double(value)
      } else {
        guard place + 8 <= payload.count else { return nil }
        metrics[index] = Double(bitPattern: number(payload, at: place, size: 8))
        place += 8
      }
    }
    if place == payload.count { return RunRecord(key: key, metrics: metrics) }
    guard let time = short(payload, at: &place), place == payload.count else { return nil }
    return RunRecord(key: key, metrics: metrics, deviceMs: Int(time))
  }

  /// Whether a value is a count that 53 bits hold; minus zero is none.
  private static func isWhole(_ value: Double) -> Bool {
    value.sign == .plus && value < 0x1p53 && value.rounded(.towardZero) == value
  }

  private static func append(_ value: UInt64, size: Int, to bytes: inout [UInt8]) {
    for place in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(place)))) }
  }

  package static func number(_ bytes: UnsafeRawBufferPointer, at start: Int, size: Int) -> UInt64 {
    (0..<size).reduce(0) { $0 | UInt64(bytes[start + $1]) << (8 * UInt64($1)) }
  }
}
