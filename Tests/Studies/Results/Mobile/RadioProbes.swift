// Measured round trips after idle times, and the same probes over the simulated radio.

import Base
import Foundation
import Oracles
import Simulation

/// The probes of one phone: a server sends a packet some idle time after the answer to its last one, and the phone answers at once.
struct RadioProbes {
  /// A probe after an idle time in milliseconds, with the round trip; nil if it was spoilt.
  typealias Probe = (idleMs: Int64, roundTripMs: Double?)
  /// The cause of a round trip: its radio type, carrier and phone.
  let name: String, radio: String
  /// The passes through all idle times, shortest first.
  private(set) var passes: [[Probe]] = []

  /// Reads the file of one phone of the artifact of Narayanan et al. (SIGCOMM 2021): folder RRC-Probe/data.
  /// - Throws: `StudyProblem` if the file is none of them.
  init(path: String) throws {
    let text = String(decoding: try InputFile(path: path).bytes, as: UTF8.self)
    let rows = text.split(whereSeparator: \.isNewline).map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    guard let head = rows.first, head.starts(with: ["enabled_radio_type", "carrier", "interval", "RTT1", "RTT2"]), head.count == 7,
      let first = rows.dropFirst().first, first.count == 7,
      let technology = ["4G-LTE": "LTE", "5G-SA-Low-Band": "5G SA", "5G-NSA-Low-Band": "5G NSA", "5G-NSA-mmWave": "5G mmWave"][first[0]]
    else { throw StudyProblem(description: "\(path): is no file of RRC-Probe/data; name that folder of the artifact") }
    radio = "\(technology) \(first[1])"
    let phone = (path as NSString).lastPathComponent.split(separator: "_")[0]
    name = "\(radio), \(phone)"
    for row in rows.dropFirst() where row.count == 7 {
      guard let idle = Double(row[2]), let one = Double(row[3]), let two = Double(row[4]) else { continue }
      let probe = (Int64((idle * 1000).rounded()), row[6] == "YEP" && one + two > 0 ? (one + two) / 2 : nil)
      if passes.isEmpty || passes[passes.count - 1].last!.idleMs > probe.0 { passes.append([]) }
      passes[passes.count - 1].append(probe)
    }
  }

  /// Returns the median round trip of each idle time over every second pass, the first one included or not.
  func medians(first: Bool) -> [(idleMs: Int64, roundTripMs: Double)] { Self.medians(passes, where: passes, first: first) }

  /// Returns the medians of the same probes over a simulated radio, with the round trip of an active one.
  /// Each answer leaves when its probe arrives, so a probe meets the cycles at the phase at which the last one left them.
  func simulated(_ network: NetworkConfiguration, roundTripMs: Double, first: Bool) -> [(idleMs: Int64, roundTripMs: Double)] {
    var radio = RadioState(network)
    let base = Int64(roundTripMs * 1e6)
    var now: Int64 = 0
    let simulated = passes.map { pass in
      pass.map { probe -> Probe in
        radio.noteSeen(at: now)
        let sent = now + probe.idleMs * 1_000_000
        now = radio.sendDown(at: sent) + base
        return (probe.idleMs, Double(now - sent) / 1e6)
      }
    }
    return Self.medians(simulated, where: passes, first: first)
  }

  /// Returns the medians by idle time of the probes that were measured.
  private static func medians(_ passes: [[Probe]], where measured: [[Probe]], first: Bool) -> [(idleMs: Int64, roundTripMs: Double)] {
    var times: [Int64: [Double]] = [:]
    for (index, pass) in passes.enumerated() where (index % 2 == 0) == first {
      for (probe, original) in zip(pass, measured[index]) where original.roundTripMs != nil {
        times[probe.idleMs, default: []].append(probe.roundTripMs ?? 0)
      }
    }
    return times.keys.sorted().map { ($0, median(times[$0] ?? [])) }
  }
}
