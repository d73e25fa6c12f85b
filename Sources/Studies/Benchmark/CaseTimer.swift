// How cases are timed on a machine that has other things to do.

struct CaseResult: Codable {
  var section: String
  var name: String
  /// The session's loop with its set-up, in µs a session: the fastest and the median round.
  var loopUsMin: Double
  var loopUsMedian: Double
  /// A whole run with its metrics.
  var rowUsMin: Double
  var rowUsMedian: Double
  var sessionsPerSecond: Double
  var requestsPerSecond: Double
  /// An event is an activation, a request, or a request's end.
  var nanosecondsPerEvent: Double
  /// Of packets handed to the link towards the client, their acknowledgements included; nil where there are none.
  var nanosecondsPerPacket: Double?
  /// The loop's cost over that of the first case.
  var ratioToBase = 1.0
}

/// Times all cases in turn, round by round, so that a noisy minute falls on all of them alike. The minimum is the figure to
/// compare: noise only ever adds. A timing is of many sessions, as in a sweep, after one that is not timed: with a single one, most of
/// what was measured of the longer cases was what the case before had left in the processor's caches.
struct CaseTimer {
  let rounds: Int

  /// Times the cases; the first is the one that the others are compared with.
  func measure(_ cases: [BenchmarkCase.Row]) -> [CaseResult] {
    let scenarios = cases.map(\.scenario)
    // One timing takes some 4 ms: long against the clock's resolution and a session's start, short against a disturbance.
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
    // Of the same sessions that were timed: with chance in them they differ.
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
