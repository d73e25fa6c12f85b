// The traces of Mahimahi (ravinet/mahimahi): one line for each 1500-byte packet that may leave, its time in milliseconds.

import Simulation

extension TraceReader {
  /// Bits a second of one packet of 1500 bytes a millisecond.
  private static let packetRateBps: Int64 = 12_000_000

  /// Reads the stamps. The trace repeats after its last one. As rates, a stamp of t ms is a packet over the millisecond that
  /// ends at t; a stamp of 0 falls together with the end of the pass before, so it counts in the last millisecond.
  ///
  /// `scale` thins out or multiplies the packets evenly, from the end, so that the length stays.
  mutating func readMahimahi() {
    var stampsMs: [Int64] = []
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
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }), let stampMs = Int64(text),
          stampMs <= Self.lengthLimitNs / 1_000_000
        else {
          sink.report(
            at: lastLine, problem: "\(quoted(String(text.prefix(40)))) is not a time in milliseconds",
            remedy: "write a whole number from 0 to \(Self.lengthLimitNs / 1_000_000)")
          continue
        }
        if let last = stampsMs.last, stampMs < last {
          sink.report(at: lastLine, problem: "\(stampMs) ms comes after \(last) ms", remedy: "sort the lines")
          continue
        }
        guard stampsMs.count < Self.periodLimit else {
          return sink.report(at: lastLine, problem: "there are more than \(Self.periodLimit) lines", remedy: "cut the trace")
        }
        stampsMs.append(stampMs)
      }
    }
    guard isClean, let lengthMs = stampsMs.last else { return }
    guard lengthMs > 0 else {
      return sink.report(at: lastLine, problem: "the trace ends at 0 ms", remedy: "end it with a time above 0, which is its length")
    }
    opportunitiesMs = scaled(stampsMs)
    appendPeriods(lengthMs: lengthMs, at: lastLine)
  }

  /// Each stamp as often as the scale says: of the last k stamps, ⌈k × scale⌉ are kept.
  private func scaled(_ stampsMs: [Int64]) -> [Int64] {
    if options.scale == ExactDecimal(1) { return stampsMs }
    let divisor = ExactDecimal.power(of10: options.scale.scale)
    func kept(ofLast count: Int) -> Int { Int((Int128(count) * Int128(options.scale.coefficient) + divisor - 1) / divisor) }
    guard kept(ofLast: stampsMs.count) <= Self.periodLimit else {
      sink.report(at: file.start, problem: "the scaled trace has more than \(Self.periodLimit) packets", remedy: "use a smaller scale")
      return []
    }
    var result: [Int64] = []
    for (index, stampMs) in stampsMs.enumerated() {
      let after = stampsMs.count - index - 1
      result += repeatElement(stampMs, count: kept(ofLast: after + 1) - kept(ofLast: after))
    }
    return result
  }

  /// Adds the stamps as periods of whole milliseconds with as many packets in each.
  private mutating func appendPeriods(lengthMs: Int64, at location: SourceLocation) {
    let zeros = opportunitiesMs.prefix { $0 == 0 }.count
    // (start, end] and the packets in each of its milliseconds.
    var run = (startMs: Int64(0), endMs: Int64(0), packets: Int64(0))
    var index = zeros
    while index < opportunitiesMs.count {
      let stampMs = opportunitiesMs[index]
      var packets = stampMs == lengthMs ? Int64(zeros) : 0
      while index < opportunitiesMs.count && opportunitiesMs[index] == stampMs { (index, packets) = (index + 1, packets + 1) }
      if stampMs - 1 > run.endMs {
        appendPeriod(run, at: location)
        run = (run.endMs, stampMs - 1, 0)
      }
      if packets != run.packets {
        appendPeriod(run, at: location)
        run = (run.endMs, run.endMs, packets)
      }
      run.endMs = stampMs
    }
    appendPeriod(run, at: location)
  }

  private mutating func appendPeriod(_ run: (startMs: Int64, endMs: Int64, packets: Int64), at location: SourceLocation) {
    guard run.endMs > run.startMs else { return }
    guard run.packets <= Self.rateLimitBps / Self.packetRateBps else {
      return sink.report(at: location, problem: "\(run.packets) packets leave in one millisecond", remedy: "check the trace and the scale")
    }
    append(
      durationNs: (run.endMs - run.startMs) * 1_000_000, bitsPerSecond: run.packets * Self.packetRateBps, at: location, key: "")
  }
}
