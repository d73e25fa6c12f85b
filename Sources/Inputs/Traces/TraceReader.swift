// Reads the rate of a link from a trace file. Every problem is reported at its location.

import Base
import Simulation

/// Collects and checks the periods of a trace. Each format has an extension.
package struct TraceReader {
  /// The longest trace in nanoseconds: 31 days.
  static let lengthLimitNs: Int64 = 31 * 86_400 * 1_000_000_000
  /// The most periods, rows or packet opportunities.
  static let periodLimit = 10_000_000
  /// The highest rate: 1 Tbit/s.
  package static let rateLimitBps: Int64 = 1_000_000_000_000
  /// The shortest mean period in nanoseconds, because the cost of a run grows with the periods that it crosses.
  static let meanPeriodFloorNs: Int64 = 1000
  /// The longest latency in nanoseconds: 1 h.
  static let latencyLimitNs: Int64 = 3_600_000_000_000

  let file: InputFile
  let options: TraceOptions
  let sink: DiagnosticSink
  private var periods: [LinkRate.Period] = []
  /// The packet opportunities of a Mahimahi trace.
  var opportunitiesMs: [Int64] = []
  private var lengthNs: Int64 = 0
  private let countBefore: Int

  /// Reads a trace; nil after reports. O(size).
  package static func read(_ file: InputFile, options: TraceOptions, into sink: DiagnosticSink) -> LinkRate? {
    var reader = TraceReader(file: file, options: options, sink: sink)
    switch options.format {
    case .sabre: reader.readSabre()
    case .mahimahi: reader.readMahimahi()
    case .rows, .csv: reader.readRows()
    }
    return reader.finish()
  }

  private init(file: InputFile, options: TraceOptions, sink: DiagnosticSink) {
    (self.file, self.options, self.sink, countBefore) = (file, options, sink, sink.count)
  }

  /// True if nothing was reported about this trace.
  var isClean: Bool { sink.count == countBefore }

  /// Appends a period that starts at `location` in the file.
  mutating func append(durationNs: Int64, bitsPerSecond: Int64, latencyNs: Int64? = nil, at location: SourceLocation, key: String) {
    guard durationNs > 0 else {
      return sink.report(
        at: location, key: key, problem: "lasts no time", remedy: "remove the period, or write a duration of at least 1 ns")
    }
    lengthNs += durationNs
    guard lengthNs <= Self.lengthLimitNs else {
      lengthNs = 0
      return sink.report(
        at: location, key: key, problem: "makes the trace longer than 31 days",
        remedy: "shorten the trace; if its times are dates, subtract the first one")
    }
    guard periods.count < Self.periodLimit else {
      if isClean {
        sink.report(at: location, key: key, problem: "is one period more than \(Self.periodLimit)", remedy: "shorten the trace")
      }
      return
    }
    let latency = latencyNs.map { Interval(nanoseconds: $0) }
    periods.append(LinkRate.Period(duration: Interval(nanoseconds: durationNs), bitsPerSecond: bitsPerSecond, latency: latency))
  }

  /// Returns the trace; nil after a report, or if it is empty.
  private func finish() -> LinkRate? {
    guard isClean else { return nil }
    if periods.isEmpty {
      sink.report(at: file.start, problem: "the trace has no periods", remedy: "name a trace with at least one")
    } else if periods.allSatisfy({ $0.bitsPerSecond == 0 }) {
      sink.report(at: file.start, problem: "every rate of the trace is 0", remedy: "name a trace with data")
    } else if lengthNs / Int64(periods.count) < Self.meanPeriodFloorNs {
      sink.report(
        at: file.start, problem: "the periods of the trace last less than \(Self.meanPeriodFloorNs) ns on average",
        remedy: "check the unit of its times, or merge periods")
    }
    return isClean ? LinkRate(periods: periods, opportunitiesMs: opportunitiesMs) : nil
  }

  /// Returns number × unit × factor as a whole number of at most `limit`, half rounded up; nil after a report.
  /// `factor` has at most nine digits, so that the product fits.
  func whole(
    _ text: some StringProtocol, unit: Int64, factor: ExactDecimal = ExactDecimal(1), limit: Int64, key: String,
    at location: () -> SourceLocation
  ) -> Int64? {
    let remedy = "write a number such as 12.5"
    func refuse(_ problem: String, _ remedy: String) -> Int64? {
      sink.report(at: location(), key: key, problem: problem, remedy: remedy)
      return nil
    }
    do {
      let number = try ExactDecimal(json5: text, truncating: true)
      guard number >= ExactDecimal(0) else { return refuse("is \(number), which is negative", "write 0 or more") }
      let product = Int128(number.coefficient) * Int128(unit) * Int128(factor.coefficient)
      let divisor = ExactDecimal.power(of10: number.scale + factor.scale)
      let (quotient, remainder) = product.quotientAndRemainder(dividingBy: divisor)
      let rounded = quotient + (remainder * 2 >= divisor ? 1 : 0)
      return rounded <= Int128(limit) ? Int64(rounded) : refuse("is \(number), which is too large", "check the unit and the scale")
    } catch .notFinite {
      return refuse("is \(text), which is not finite", remedy)
    } catch .outOfRange {
      return refuse("is \(text), which is out of range", remedy)
    } catch { return refuse(text.isEmpty ? "is empty" : "is \(quoted(String(text))), not a number", remedy) }
  }
}
