// Writes the periods of a throughput log as a trace for `network.trace`: the JSON list of Sabre.

import Base

/// Writes periods as they come, joined to the requested length.
struct TraceWriter {
  /// The longest period, a day in nanoseconds. Together with `bitsLimit` it keeps sums within 64 bits.
  static let durationLimit: Int64 = 86_400_000_000_000
  static let bitsLimit: Int64 = 1_000_000_000_000_000

  let output: OutputFile
  /// The duration up to which periods are joined, in nanoseconds; 0 to join none.
  let joined: Int64
  /// The latency written to each period, in nanoseconds; nil for none.
  let latency: Int64?
  private var duration: Int64 = 0
  private var bits: Int64 = 0
  private(set) var count = 0
  /// True if every rate written is 0.
  private(set) var isEmpty = true

  init(_ output: OutputFile, joined: Int64, latency: Int64?) { (self.output, self.joined, self.latency) = (output, joined, latency) }

  /// Adds a period. `duration` is in nanoseconds, above 0 and at most `durationLimit`.
  /// - Throws: `ValueProblem` above 1 Tbit/s, the limit of a trace, and `OutputProblem` if the disk refuses the rows.
  mutating func add(duration: Int64, bits: Int64) throws {
    guard bits <= duration * 1000 else { throw ValueProblem("has a rate of more than 1 Tbit/s", remedy: "check its time and its bytes") }
    self.duration += duration
    self.bits += bits
    if self.duration >= joined { try write() }
  }

  /// Writes the last period and ends the list.
  /// - Throws: `OutputProblem` if the disk refuses the rows.
  mutating func finish() throws(OutputProblem) {
    if duration > 0 { try write() }
    try output.append("\n]\n".utf8)
  }

  /// - Throws: `OutputProblem` if the disk refuses the rows.
  private mutating func write() throws(OutputProblem) {
    // Bits a second, half rounded up.
    let rate = Int64((Int128(bits) * 1_000_000_000 + Int128(duration / 2)) / Int128(duration))
    let span = ExactDecimal.text(duration, decimals: 6), kbps = ExactDecimal.text(rate, decimals: 3)
    let latency = latency.map { ", \"latency_ms\": \(ExactDecimal.text($0, decimals: 6))" } ?? ""
    try output.append("\(count == 0 ? "[\n" : ",\n")    {\"duration_ms\": \(span), \"bandwidth_kbps\": \(kbps)\(latency)}".utf8)
    count += 1
    if rate > 0 { isEmpty = false }
    (duration, bits) = (0, 0)
  }
}
