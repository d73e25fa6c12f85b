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

/// The latest transfers that finished, at most 32.
package struct ThroughputSamples: ~Copyable {
  private var ring = SampleRing(
    repeating: ThroughputSample(volume: .zero, requested: .start, finished: .start, concurrent: 0))

  /// How many have finished since the run began.
  package var total: Int { ring.total }
  /// How many can be read.
  package var count: Int { ring.count }
  /// The sample that is `age` transfers old, 0 ..< `count`: the latest is 0.
  package subscript(age: Int) -> ThroughputSample { ring[age] }

  @inline(__always)
  mutating func add(_ sample: ThroughputSample) { ring.add(sample) }
}

/// How long the user stayed at the latest items, at most 32.
package struct DwellSamples: ~Copyable {
  private var ring = SampleRing(repeating: Interval.zero)

  /// How many stays have ended.
  package var total: Int { ring.total }
  /// How many can be read.
  package var count: Int { ring.count }
  /// The stay that is `age` stays old, 0 ..< `count`: the latest is 0.
  package subscript(age: Int) -> Interval { ring[age] }

  @inline(__always)
  mutating func add(_ dwell: Interval) { ring.add(dwell) }
}

/// The latest samples of one kind.
private struct SampleRing<Sample: BitwiseCopyable>: ~Copyable {
  /// How many samples it holds: a power of two.
  private static var room: Int { 32 }

  private var samples: FixedArray<Sample>
  private(set) var total = 0

  init(repeating sample: Sample) { samples = FixedArray(repeating: sample, count: Self.room) }

  var count: Int { min(total, Self.room) }

  subscript(age: Int) -> Sample {
    precondition(0 <= age && age < count, "sample \(age) of \(count)")
    return samples[(total - 1 - age) & (Self.room - 1)]
  }

  @inline(__always)
  mutating func add(_ sample: Sample) {
    samples[total & (Self.room - 1)] = sample
    total += 1
  }
}
