// Measurements of a client: its latest transfers and dwells.

/// A completed transfer, as the client saw it.
public struct ThroughputSample: Hashable, Sendable, BitwiseCopyable {
  package var volume: Volume
  /// The instant of the request.
  public var requested: Instant
  /// The instant of its last byte.
  public var finished: Instant
  /// The transfers in flight just before its end, including itself.
  public var concurrent: Int

  /// The payload, in bytes.
  public var bytes: Int64 { volume.bytes }
}

/// The latest samples of one kind, at most 32.
public struct RecentSamples<Sample: BitwiseCopyable>: ~Copyable {
  /// The capacity, a power of two.
  private static var room: Int { 32 }

  private var samples: FixedArray<Sample>
  /// The number of samples since the run began.
  public private(set) var total = 0

  init(repeating sample: Sample) { samples = FixedArray(repeating: sample, count: Self.room) }

  /// The number of samples that can be read.
  public var count: Int { min(total, Self.room) }

  /// Returns the sample `age` samples ago, 0 ..< `count`; 0 is the latest.
  public subscript(age: Int) -> Sample {
    precondition(0 <= age && age < count, "sample \(age) of \(count)")
    return samples[(total - 1 - age) & (Self.room - 1)]
  }

  @inline(__always) mutating func add(_ sample: Sample) {
    samples[total & (Self.room - 1)] = sample
    total &+= 1
  }
}
