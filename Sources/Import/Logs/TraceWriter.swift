// The periods of a throughput log as a trace that `network.trace` reads: the JSON list of Sabre.

/// Writes periods as they come, joined to the length that was asked for.
struct TraceWriter {
  /// The most that a line may say, so that sums stay in 64 bits: a day, and 10^15 bits.
  static let durationLimit: Int64 = 86_400_000_000_000
  static let bitsLimit: Int64 = 1_000_000_000_000_000

  let output: OutputFile
  /// Periods are joined until they last so long, in nanoseconds; 0 for as they are.
  let joined: Int64
  /// The latency that each period gets, in nanoseconds; nil for none.
  let latency: Int64?
  private var duration: Int64 = 0
  private var bits: Int64 = 0
  /// Periods written.
  private(set) var count = 0
  /// True if none of them carries anything.
  private(set) var isEmpty = true

  init(_ output: OutputFile, joined: Int64, latency: Int64?) { (self.output, self.joined, self.latency) = (output, joined, latency) }

  /// Adds a period of so many nanoseconds, at most `durationLimit`, in which so many bits came. The duration is positive.
  ///
  /// - Throws: `ValueProblem` for more than 1 Tbit/s, which a trace may not have, and `OutputProblem` if the disk refuses the rows.
  mutating func add(duration: Int64, bits: Int64) throws {
    guard bits <= duration * 1000 else { throw ValueProblem("has a rate of more than 1 Tbit/s", remedy: "check its time and its bytes") }
    self.duration += duration
    self.bits += bits
    if self.duration >= joined { try write() }
  }

  /// Ends the list with what is left.
  /// - Throws: `OutputProblem` if the disk refuses the rows.
  mutating func finish() throws(OutputProblem) {
    if duration > 0 { try write() }
    try output.append("\n]\n".utf8)
  }

  /// - Throws: `OutputProblem` if the disk refuses the rows.
  private mutating func write() throws(OutputProblem) {
    // Bits a second, half rounded up.
    let rate = Int64((Int128(bits) * 1_000_000_000 + Int128(duration / 2)) / Int128(duration))
    let span = ExactDecimal.text(duration, places: 6), kbps = ExactDecimal.text(rate, places: 3)
    let latency = latency.map { ", \"latency_ms\": \(ExactDecimal.text($0, places: 6))" } ?? ""
    try output.append("\(count == 0 ? "[\n" : ",\n")    {\"duration_ms\": \(span), \"bandwidth_kbps\": \(kbps)\(latency)}".utf8)
    count += 1
    if rate > 0 { isEmpty = false }
    (duration, bits) = (0, 0)
  }
}
