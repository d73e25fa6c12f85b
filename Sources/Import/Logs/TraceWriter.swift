// The periods of a throughput log as a trace that `network.trace` reads: the JSON list of Sabre.

/// Writes periods as they come, joined to the length that was asked for.
struct TraceWriter {
  private let output: ImportOutput
  /// Periods are joined until they last so long, in nanoseconds; 0 for as they are.
  private let joined: Int64
  /// The latency that each period gets, in nanoseconds; nil for none.
  private let latency: Int64?
  private var duration: Int64 = 0
  private var bits: Int64 = 0
  /// Periods written.
  private(set) var count = 0
  /// True if none of them carries anything.
  private(set) var isEmpty = true

  init(_ output: ImportOutput, joined: Int64, latency: Int64?) {
    self.output = output
    self.joined = joined
    self.latency = latency
    output.literal("[\n")
  }

  /// The most that a line may say, so that sums stay in 64 bits: a day, and 10^15 bits.
  static let durationLimit: Int64 = 86_400_000_000_000
  static let bitsLimit: Int64 = 1_000_000_000_000_000

  /// Adds a period of so many nanoseconds, at most `durationLimit`, in which so many bits came. The duration is positive.
  ///
  /// - Throws: `LineProblem` for more than 1 Tbit/s, which a trace may not have.
  @inline(__always)
  mutating func add(duration: Int64, bits: Int64) throws {
    guard bits <= duration * 1000 else { throw LineProblem("has a rate of more than 1 Tbit/s", remedy: "check its time and its bytes") }
    self.duration += duration
    self.bits += bits
    if self.duration >= joined { try write() }
  }

  /// Ends the list with what is left.
  /// - Throws: `OutputProblem` if the disk refuses the rows.
  mutating func finish() throws {
    if duration > 0 { try write() }
    output.literal("\n]\n")
  }

  /// - Throws: `OutputProblem` if the disk refuses the rows.
  private mutating func write() throws {
    let rate = Self.rate(bits: bits, duration: duration)
    output.literal(count == 0 ? "    {\"duration_ms\": " : ",\n    {\"duration_ms\": ")
    output.append(duration, places: 6)
    output.literal(", \"bandwidth_kbps\": ")
    output.append(rate, places: 3)
    if let latency {
      output.literal(", \"latency_ms\": ")
      output.append(latency, places: 6)
    }
    output.literal("}")
    try output.flushIfFull()
    count += 1
    if rate > 0 { isEmpty = false }
    (duration, bits) = (0, 0)
  }

  /// Bits a second, half rounded up.
  private static func rate(bits: Int64, duration: Int64) -> Int64 {
    let (product, overflow) = bits.multipliedReportingOverflow(by: 1_000_000_000)
    if !overflow { return (product + duration / 2) / duration }
    return Int64((Int128(bits) * 1_000_000_000 + Int128(duration / 2)) / Int128(duration))
  }
}
