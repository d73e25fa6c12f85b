// Traces of Mahimahi (ravinet/mahimahi): each line is the time, in milliseconds, at which one packet of 1500 bytes may leave.

import Base

extension TraceReader {
  /// The rate of one 1500-byte packet a millisecond, in bits a second.
  private static let packetRateBps: Int64 = 12_000_000

  /// Reads the times. A time of t ms is one packet in the millisecond that ends at t; the trace repeats after its last time.
  /// A time of 0 coincides with the end of the previous repetition, so it counts in the last millisecond.
  mutating func readMahimahi() {
    var timesMs: [Int64] = []
    var lastLine = SourceLocation(file: file.name)
    file.bytes.withUnsafeBytes { bytes in
      for line in TextLines(bytes) where !line.isBlank {
        let words = line.words
        lastLine = line.location(words[0].lowerBound, file: file.name)
        guard words.count == 1 else {
          sink.report(at: lastLine, problem: "the line has \(words.count) columns", remedy: "write one whole number of milliseconds a line")
          continue
        }
        let text = line.text(words[0])
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let timeMs = Int64(text),
          timeMs <= Self.lengthLimitNs / 1_000_000
        else {
          sink.report(
            at: lastLine, problem: "\(quoted(String(text.prefix(40)))) is not a time in milliseconds",
            remedy: "write a whole number from 0 to \(Self.lengthLimitNs / 1_000_000)")
          continue
        }
        if let last = timesMs.last, timeMs < last {
          sink.report(at: lastLine, problem: "\(timeMs) ms comes after \(last) ms", remedy: "sort the lines")
          continue
        }
        guard timesMs.count < Self.periodLimit else {
          return sink.report(at: lastLine, problem: "there are more than \(Self.periodLimit) lines", remedy: "shorten the trace")
        }
        timesMs.append(timeMs)
      }
    }
    guard isClean, let lengthMs = timesMs.last else { return }
    guard lengthMs > 0 else {
      return sink.report(at: lastLine, problem: "the trace ends at 0 ms", remedy: "end it with a time above 0, which is its length")
    }
    opportunitiesMs = scaled(timesMs)
    appendPeriods(lengthMs: lengthMs, at: lastLine)
  }

  /// Repeats each time as `scale` says: of the last k times, ⌈k × scale⌉ are kept. The length stays.
  private func scaled(_ timesMs: [Int64]) -> [Int64] {
    if options.scale == ExactDecimal(1) { return timesMs }
    let divisor = ExactDecimal.power(of10: options.scale.scale)
    func kept(ofLast count: Int) -> Int { Int((Int128(count) * Int128(options.scale.coefficient) + divisor - 1) / divisor) }
    guard kept(ofLast: timesMs.count) <= Self.periodLimit else {
      sink.report(at: file.start, problem: "the scaled trace has more than \(Self.periodLimit) packets", remedy: "use a smaller scale")
      return []
    }
    var result: [Int64] = []
    for (index, timeMs) in timesMs.enumerated() {
      let after = timesMs.count - index - 1
      result += repeatElement(timeMs, count: kept(ofLast: after + 1) - kept(ofLast: after))
    }
    return result
  }

  /// Appends the times as periods of whole milliseconds with equal numbers of packets.
  private mutating func appendPeriods(lengthMs: Int64, at location: SourceLocation) {
    let zeros = opportunitiesMs.prefix { $0 == 0 }.count
    // The interval (start, end] and the packets in each of its milliseconds.
    var (startMs, endMs, packets) = (Int64(0), Int64(0), Int64(0))
    func finishPeriod() {
      guard endMs > startMs else { return }
      guard packets <= Self.rateLimitBps / Self.packetRateBps else {
        return sink.report(at: location, problem: "\(packets) packets leave in one millisecond", remedy: "check the trace and the scale")
      }
      append(durationNs: (endMs - startMs) * 1_000_000, bitsPerSecond: packets * Self.packetRateBps, at: location, key: "")
    }
    /// Continues the period up to a time, or begins another one for another number of packets.
    func advance(to timeMs: Int64, _ count: Int64) {
      if count != packets {
        finishPeriod()
        (startMs, packets) = (endMs, count)
      }
      endMs = timeMs
    }
    var index = zeros
    while index < opportunitiesMs.count {
      let timeMs = opportunitiesMs[index]
      var count = timeMs == lengthMs ? Int64(zeros) : 0
      while index < opportunitiesMs.count && opportunitiesMs[index] == timeMs { (index, count) = (index + 1, count + 1) }
      if timeMs - 1 > endMs { advance(to: timeMs - 1, 0) }
      advance(to: timeMs, count)
    }
    finishPeriod()
  }
}
