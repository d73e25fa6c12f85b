// What a client can measure of its network and of its user, in rings of the latest samples.

/// A finished transfer, as the client saw it.
package struct ThroughputSample: Hashable, Sendable, BitwiseCopyable {
  /// The payload that came.
  package var volume: Volume
  /// When it was asked for.
  package var requested: Instant
  /// When its last byte came.
  package var finished: Instant
  /// How many transfers were on the way just before its end, itself included.
  package var concurrent: Int

  /// The payload that came, in bytes.
  package var bytes: Int64 { volume.bytes }
}

/// The latest transfers that finished: at most `Observations.room` of them.
package struct ThroughputSamples: ~Copyable {
  private var ring = FixedArray(
    repeating: ThroughputSample(volume: .zero, requested: .start, finished: .start, concurrent: 0), count: Observations.room)
  /// How many have finished since the run began.
  package private(set) var total = 0

  init() {}

  /// How many can be read.
  package var count: Int { min(total, Observations.room) }

  /// The sample that is `age` transfers old, 0 ..< `count`: the latest is 0.
  package subscript(age: Int) -> ThroughputSample {
    precondition(0 <= age && age < count, "sample \(age) of \(count)")
    return ring[(total - 1 - age) & (Observations.room - 1)]
  }

  @inline(__always)
  mutating func add(_ sample: ThroughputSample) {
    ring[total & (Observations.room - 1)] = sample
    total += 1
  }
}

/// How long the user stayed at the latest items: at most `Observations.room` of them.
package struct DwellSamples: ~Copyable {
  private var ring = FixedArray(repeating: Int64(0), count: Observations.room)
  /// How many stays have ended.
  package private(set) var total = 0

  init() {}

  /// How many can be read.
  package var count: Int { min(total, Observations.room) }

  /// The stay that is `age` stays old, 0 ..< `count`: the latest is 0.
  package subscript(age: Int) -> Interval {
    precondition(0 <= age && age < count, "sample \(age) of \(count)")
    return Interval(nanoseconds: ring[(total - 1 - age) & (Observations.room - 1)])
  }

  @inline(__always)
  mutating func add(_ nanoseconds: Int64) {
    ring[total & (Observations.room - 1)] = nanoseconds
    total += 1
  }
}

/// What the rings have in common.
package enum Observations {
  /// How many samples a ring holds: a power of two.
  package static let room = 32
}
