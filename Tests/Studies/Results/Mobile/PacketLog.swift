// A receiver's log of packets that are sent in equal steps, and the times in which the link let none through.

import Analysis
import Base
import Foundation
import Oracles
import Simulation
import SweepTool

/// Packets in order of arrival: when each was due, that is, would have arrived without waiting, and when it arrived, in ms.
struct PacketLog {
  /// A packet must wait for longer to count, in ms. Over Ethernet the logs of the same project have waits of up to 23 ms.
  static let threshold = 30.0
  /// The minutes of the log, each on its own.
  let minutes: [[(due: Double, arrived: Double)]]

  /// Reads a dump of roc-recv, whose lines `m` have the time of arrival in ns and the RTP timestamp at 44.1 kHz.
  /// - Throws: `StudyProblem` if the file has no such lines.
  init(path: String) throws {
    var packets: [(sent: Double, arrived: Double)] = []
    var first: (time: Int64, stamp: Int64)?
    let lines = String(decoding: try InputFile(path: path).bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    for line in lines where line.hasPrefix("m,") {
      let fields = line.split(separator: ",").compactMap { Int64($0.prefix { $0 != "." }) }
      guard fields.count >= 2 else { continue }
      let start = first ?? (fields[0], fields[1])
      first = start
      // The timestamp has 32 bits and starts anywhere.
      let stamp = Int64(Int32(truncatingIfNeeded: fields[1] - start.stamp))
      packets.append((Double(stamp) / 44.1, Double(fields[0] - start.time) / 1e6))
    }
    guard packets.count > 1000 else {
      throw StudyProblem(description: "\(path): has no 1000 lines of packets; name a folder of unpacked dumps of roc-recv")
    }
    self.init(packets)
  }

  /// Creates the log of packets by the times at which they were sent and arrived.
  /// The shortest delay of 15 s is that of a packet that does not wait; both clocks drift apart by less than 1 ms in that time.
  init(_ packets: [(sent: Double, arrived: Double)]) {
    var shortest: [Int: Double] = [:]
    for packet in packets {
      shortest[Int(packet.sent) / 5000, default: .infinity] = min(
        shortest[Int(packet.sent) / 5000] ?? .infinity, packet.arrived - packet.sent)
    }
    var minutes: [[(due: Double, arrived: Double)]] = []
    for packet in packets {
      let window = Int(packet.sent) / 5000, minute = Int(packet.sent) / 60_000
      while minutes.count <= minute { minutes.append([]) }
      let delay = (window - 1...window + 1).compactMap { shortest[$0] }.min() ?? 0
      minutes[minute].append((packet.sent + delay, packet.arrived))
    }
    self.minutes = minutes
  }

  /// Returns the log of packets sent every `step` ms for `hours` over a link with interruptions, drawn from a seed.
  init(_ interruptions: NetworkConfiguration.Interruptions, step: Double, hours: Double, seed: UInt64) {
    var random = RandomStream(seed: seed)
    var packets: [(sent: Double, arrived: Double)] = []
    var (start, end, sent) = (0.0, 0.0, 0.0)
    while sent < hours * 3_600_000 {
      while end <= sent {
        start = end + Double(interruptions.gap.draw(from: &random)) / 1e6
        end = start + Double(interruptions.length.draw(from: &random)) / 1e6
      }
      packets.append((sent, start <= sent ? end : sent))
      sent += step
    }
    self.init(packets)
  }
}

/// The interruptions that some minutes of logs show.
struct InterruptionTable {
  /// The lengths, and the times from the end of one to the start of the next, in ms.
  private(set) var lengths: [Double] = [], gaps: [Double] = []
  /// The length of the minutes, in ms.
  private var time = 0.0
  /// The number of interruptions in each 5 s.
  private var counts: [Double] = []

  init(_ minutes: [[(due: Double, arrived: Double)]]) {
    for minute in minutes where minute.count > 100 {
      let begin = minute[0].arrived
      let inMinute = minute[minute.count - 1].arrived - begin
      var (ends, last, inFives): (Double?, Double?, [Double]) = (nil, nil, Array(repeating: 0, count: Int(inMinute / 5000)))
      for packet in minute {
        let start = max(packet.due, last ?? packet.due)
        last = packet.arrived
        guard packet.arrived - start > PacketLog.threshold else { continue }
        lengths.append(packet.arrived - start)
        if let ends { gaps.append(start - ends) }
        ends = packet.arrived
        let index = Int((start - begin) / 5000)
        if inFives.indices.contains(index) { inFives[index] += 1 }
      }
      counts += inFives
      time += inMinute
    }
  }

  /// Returns a row of the manual's table: interruptions a minute by length, their share of the time, quantiles, and their clustering.
  func row(_ name: String) -> String {
    func text(_ value: Double, _ decimals: Int = 0) -> String { DecimalText.fixed(value, decimals: decimals) }
    func quantiles(_ values: [Double], _ shares: [Double]) -> String {
      shares.map { text(RateTable.quantile(values.sorted(), $0)) }.joined(separator: " / ")
    }
    guard lengths.count > 10 else { return "| \(name) | \(lengths.count) in \(text(time / 60_000, 1)) min |" }
    let rates = [30, 50, 100, 200].map { limit in text(Double(lengths.count { $0 > limit }) / time * 60_000, 1) }
    let mean = Sample(counts).mean
    let variance = Sample(counts.map { ($0 - mean) * ($0 - mean) }).mean
    return "| \(name) | \(rates.joined(separator: " / ")) | \(text(100 * lengths.reduce(0, +) / time, 1)) % "
      + "| \(quantiles(lengths, [0.5, 0.9, 0.99])) | \(quantiles(gaps, [0.25, 0.5, 0.75, 0.9])) | \(text(variance / mean, 1)) |"
  }
}
