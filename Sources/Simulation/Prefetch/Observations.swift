// What a client can measure of its network and of its user, in rings of the latest samples.

/// A completed transfer, as the client saw it.
public struct ThroughputSample: Hashable, Sendable, BitwiseCopyable {
  package var volume: Volume
  /// The instant of the request.
  public var requested: Instant
  /// The arrival of the last byte.
  public var finished: Instant
  /// The transfers in flight just before its end, itself included.
  public var concurrent: Int

  /// The payload, in bytes.
  public var bytes: Int64 { volume.bytes }
}

/// The latest completed transfers, at most 32.
public struct ThroughputSamples: ~Copyable {
  private var ring = SampleRing(
    repeating: ThroughputSample(volume: .zero, requested: .start, finished: .start, concurrent: 0))

  /// The number of completed transfers since the run began.
  public var total: Int { ring.total }
  /// The number of samples that can be read.
  public var count: Int { ring.count }
  /// The sample `age` transfers back, 0 ..< `count`; the latest is 0.
  public subscript(age: Int) -> ThroughputSample { ring[age] }

  @inline(__always)
  mutating func add(_ sample: ThroughputSample) { ring.add(sample) }
}

/// The latest dwells, at most 32.
public struct DwellSamples: ~Copyable {
  private var ring = SampleRing(repeating: Interval.zero)

  /// The number of dwells that have ended since the run began.
  public var total: Int { ring.total }
  /// The number of samples that can be read.
  public var count: Int { ring.count }
  /// The dwell `age` visits back, 0 ..< `count`; the latest is 0.
  public subscript(age: Int) -> Interval { ring[age] }

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
