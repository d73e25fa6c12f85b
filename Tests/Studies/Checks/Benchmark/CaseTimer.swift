// The timing of cases on a machine that also runs other programs.

import Oracles

struct CaseResult: Codable {
  var section: String
  var name: String
  /// The session's loop with its set-up, in µs per session: the fastest and the median round.
  var loopUsMin: Double
  var loopUsMedian: Double
  /// A whole run with its metrics, in µs: the fastest and the median round.
  var rowUsMin: Double
  var rowUsMedian: Double
  var sessionsPerSecond: Double
  var requestsPerSecond: Double
  /// The loop's time per event, which is an activation, a request, or a request's end.
  var nanosecondsPerEvent: Double
  /// The loop's time per packet towards the client, with their acknowledgements; nil for transports without packets.
  var nanosecondsPerPacket: Double?
  /// The loop's time relative to the first case.
  var ratioToBase = 1.0
}

/// A timer that measures all cases in turn, round by round, so that a disturbance affects all of them alike. The minimum is the figure to
/// compare, because noise only adds time.
struct CaseTimer {
  let rounds: Int

  /// Times the cases; the first is the reference of the ratios.
  func measure(_ cases: [BenchmarkCase.Row]) -> [CaseResult] {
    let scenarios = cases.map(\.scenario)
    // One timing takes about 4 ms: long against the clock's resolution and a session's start, short against a disturbance. A session before
    // it is not timed, because it would measure what the case before left in the processor's caches.
    let counts = scenarios.map { scenario in max(1, Int(4000 / microseconds { _ = scenario.play(seed: 1) })) }
    var loops = [[Double]](repeating: [], count: cases.count)
    var rows = loops
    for _ in 0..<rounds {
      for (index, scenario) in scenarios.enumerated() {
        _ = scenario.play(seed: 1)
        let seeds = 1...UInt64(counts[index])
        loops[index].append(microseconds { for seed in seeds { _ = scenario.play(seed: seed) } } / Double(counts[index]))
        rows[index].append(microseconds { for seed in seeds { _ = scenario.run(seed: seed) } } / Double(counts[index]))
      }
    }
    var results = cases.indices.map { index in
      result(cases[index], sessions: counts[index], loops: loops[index].sorted(), rows: rows[index].sorted())
    }
    for index in results.indices { results[index].ratioToBase = results[index].loopUsMin / results[0].loopUsMin }
    return results
  }

  private func result(_ row: BenchmarkCase.Row, sessions: Int, loops: [Double], rows: [Double]) -> CaseResult {
    // The counts are those of the timed sessions, which differ by seed.
    let played = (1...sessions).map { row.scenario.play(seed: UInt64($0)) }
    let requests = Double(played.reduce(0) { $0 + $1.requests }) / Double(sessions)
    let packets = Double(played.reduce(0) { $0 + $1.packets }) / Double(sessions)
    return CaseResult(
      section: row.section, name: row.name, loopUsMin: loops[0], loopUsMedian: loops[rounds / 2], rowUsMin: rows[0],
      rowUsMedian: rows[rounds / 2], sessionsPerSecond: 1e6 / loops[0], requestsPerSecond: requests * 1e6 / loops[0],
      nanosecondsPerEvent: loops[0] * 1000 / (Double(row.scenario.user.scroll) + 2 * requests),
      nanosecondsPerPacket: packets > 0 ? loops[0] * 1000 / packets : nil)
  }
}
