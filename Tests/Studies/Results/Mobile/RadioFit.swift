// Fits the radios of `network.radio` to measured round trips after idle times and judges them on probes that the fit does not see.

import Analysis
import Base
import Foundation
import Oracles
import Simulation
import Sweep
import SweepTool

package enum RadioFit {
  /// The values of the cycles that 3GPP allows and phones have (TS 38.331, DRX-Config and PCCH-Config), in milliseconds.
  private static let drxCycles: [Int64] = [10, 20, 32, 40, 64, 80, 128, 160, 256, 320, 512, 640]
  private static let pagingCycles: [Int64] = [320, 640, 1280, 2560]

  /// A candidate: times of the radio in milliseconds by `ranges`, and the round trip of each phone.
  private struct Candidate {
    var inactivity: Int64 = 200, drxCycle: Int64 = 320, tail: Int64 = 10_100, settling: Int64 = 0, paging: Int64 = 1280,
      promotion: Int64 = 260
    var roundTrips: [Double]

    func applied(to network: NetworkConfiguration) -> NetworkConfiguration {
      var network = network
      (network.radioTail, network.radioPromotion) = (.milliseconds(tail), .milliseconds(promotion))
      (network.radioCycles.drxInactivity, network.radioCycles.drxCycle) = (.milliseconds(inactivity), .milliseconds(drxCycle))
      (network.radioCycles.pagingCycle, network.radioCycles.settling) = (.milliseconds(paging), .milliseconds(settling))
      return network
    }
  }

  /// - Throws: `UsageProblem` for invalid arguments, and the errors of the files.
  package static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder of probes")
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted().filter { $0.hasSuffix(".csv") }
    let probes = try files.map { try RadioProbes(path: "\(folder)/\($0)") }
    guard !probes.isEmpty else { throw StudyProblem(description: "\(folder): has no .csv of RRC-Probe/data") }
    var fitted: [[String]] = []
    var judged: [Judged] = []
    for radio in Radio.all {
      let phones = probes.filter { $0.radio == radio.name }
      if phones.isEmpty { continue }
      let found = fit(phones, radio.network)
      let times = [found.inactivity, found.drxCycle, found.tail, found.settling, found.paging, found.promotion]
      fitted.append([radio.name] + times.map { "\($0)" })
      judged += phones.map { Judged($0, radio.network) }
    }
    print(try RadioReport(judged: judged, fitted: fitted).text())
  }

  /// The median round trips of a phone's judging half, beside those of the shipped radio, of its tail and promotion alone, and of the other
  /// half.
  struct Judged {
    let name: String
    let roundTripMs: Double
    let tailMs: Int64
    let rows: [RadioReport.Row]

    init(_ probes: RadioProbes, _ network: NetworkConfiguration) {
      name = probes.name
      let (roundTrip, tail) = (RadioFit.roundTrip(probes, network), network.radioTail.nanoseconds / 1_000_000)
      (roundTripMs, tailMs) = (roundTrip, tail)
      let promotion = Double(network.radioPromotion.nanoseconds) / 1e6
      let ours = probes.simulated(network, roundTripMs: roundTrip, first: true)
      let others = Dictionary(uniqueKeysWithValues: probes.medians(first: false).map { ($0.idleMs, $0.roundTripMs) })
      rows = zip(probes.medians(first: true), ours).map { row, ours in
        RadioReport.Row(
          idleMs: row.idleMs, measured: row.roundTripMs, ours: ours.roundTripMs, plain: roundTrip + (row.idleMs > tail ? promotion : 0),
          other: others[row.idleMs] ?? .nan)
      }
    }
  }

  // MARK: The fit

  /// Returns the mean distance of the logarithms, each up to 0.5, on the fitting half.
  private static func distance(_ probes: RadioProbes, _ network: NetworkConfiguration, _ roundTripMs: Double) -> Double {
    let measured = probes.medians(first: false)
    let ours = probes.simulated(network, roundTripMs: roundTripMs, first: false)
    return zip(measured, ours).reduce(0) { sum, pair in
      sum + min(0.5, abs(StableMath.log(pair.1.roundTripMs / pair.0.roundTripMs)))
    } / Double(measured.count)
  }

  /// Returns the round trip of an active radio that fits a phone best under a radio's other times, to 2 ms.
  private static func roundTrip(_ probes: RadioProbes, _ network: NetworkConfiguration) -> Double {
    let tried = stride(from: 40.0, through: 100, by: 2).map { ($0, distance(probes, network, $0)) }
    return tried.min { $0.1 < $1.1 }?.0 ?? 0
  }

  /// Returns the best times of a radio for its phones, one after another until none gets better.
  private static func fit(_ phones: [RadioProbes], _ network: NetworkConfiguration) -> Candidate {
    var best = Candidate(roundTrips: phones.map { _ in 70 })
    func score(_ candidate: Candidate) -> Double {
      let network = candidate.applied(to: network)
      return zip(phones, candidate.roundTrips).reduce(0) { $0 + distance($1.0, network, $1.1) }
    }
    var least = score(best)
    func attempt(_ change: (inout Candidate) -> Void) {
      var candidate = best
      change(&candidate)
      let found = score(candidate)
      if found < least { (best, least) = (candidate, found) }
    }
    var before = Double.infinity
    while least < before {
      before = least
      // The tail decides most; then pairs that depend on each other are tried together.
      for tail in Array(stride(from: Int64(4000), through: 12_000, by: 1000)) { attempt { $0.tail = tail } }
      for cycle in drxCycles {
        for roundTrip in stride(from: 50.0, through: 90, by: 10) {
          attempt { ($0.drxCycle, $0.roundTrips) = (cycle, phones.map { _ in roundTrip }) }
        }
      }
      let tails = stride(from: max(0, best.tail - 500), through: best.tail + 500, by: 50)
      for tail in tails {
        for settling in stride(from: Int64(0), through: 5000, by: 200) { attempt { ($0.tail, $0.settling) = (tail, settling) } }
      }
      for paging in pagingCycles { attempt { $0.paging = paging } }
      for promotion in stride(from: Int64(100), through: 500, by: 20) { attempt { $0.promotion = promotion } }
      for inactivity in stride(from: Int64(20), through: 600, by: 20) { attempt { $0.inactivity = inactivity } }
      for phone in phones.indices {
        for roundTrip in stride(from: 40.0, through: 100, by: 2) { attempt { $0.roundTrips[phone] = roundTrip } }
      }
    }
    return best
  }
}
