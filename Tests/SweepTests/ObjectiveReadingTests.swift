import Analysis
import Import
import Testing

@testable import Sweep

/// The objective in a sweep file.
@Suite struct ObjectiveReadingTests {
  private func resolved(_ objective: String) throws(InvalidInput) -> ResolvedSweep {
    let text = """
      { sweep: 's', repeats: 1, objective: \(objective),
        scenario: { network: '3G', prefetcher: { kind: 'itemsAhead' }, feed: { items: 5 }, user: { scroll: 5 } } }
      """
    return try ResolvedSweep(file: InputFile(name: "f", bytes: Array(text.utf8)))
  }

  @Test func boundsHaveTheUnitsOfTheirMetrics() throws {
    let objective = try #require(
      resolved("{ minimize: 'waitMsMean', subjectTo: ['bytesReceived <= 70MB', 'radioActiveMs<=600s', 'bytesUseful >= 1e6'] }").objective)
    #expect(objective.minimize == "waitMsMean")
    #expect(objective.subjectTo.map(\.bound) == [70e6, 600e3, 1e6])
    #expect(objective.subjectTo.map(\.isUpper) == [true, true, false])
    #expect(objective.subjectTo.map(\.text) == ["bytesReceived <= 70MB", "radioActiveMs <= 600s", "bytesUseful >= 1e6"])
    #expect(try resolved("null").objective == nil)
  }

  @Test func allMistakesAreReportedWithTheirLocations() throws {
    let error = try #require(throws: InvalidInput.self) {
      try resolved(
        """
        { minimise: 'waitMsMean', minimize: 'viewed', subjectTo: [
        'bytesRecieved <= 70MB', 'bytesReceived < 70MB', 'bytesReceived <= 5%', 'radioActiveMs <= 70MB',
        'stalls >= 0', 'stallMs <= 5s', 'stallMs <= 6s', 'stallMs >= 7s', 7] }
        """)
    }
    let expected = [
      "f:1:40: objective.minimise: unknown key", "f:1:74: objective.minimize: is \"viewed\", of which less is not better",
      "f:2:1: objective.subjectTo.0: names \"bytesRecieved\", which is no metric of this scenario; did you mean \"bytesReceived\"?",
      "f:2:26: objective.subjectTo.1: is \"bytesReceived < 70MB\", not a constraint", "f:2:50: objective.subjectTo.2: has the bound \"5%\"",
      "f:2:73: objective.subjectTo.3: has the bound \"70MB\" of radioActiveMs, in ms; write an amount such as 600s",
      "f:3:1: objective.subjectTo.4: is \"stalls >= 0\", which every run keeps",
      "f:3:33: objective.subjectTo.6: bounds stallMs a second time",
      "f:3:50: objective.subjectTo.7: contradicts \"stallMs <= 5s\"", "f:3:67: objective.subjectTo.8: is the number 7, not a text",
    ]
    let lines = error.description.split(separator: "\n").map(String.init)
    #expect(lines.count == expected.count && zip(lines, expected).allSatisfy { $0.hasPrefix($1) }, "\(error)")
  }

  @Test func aGuardMayBeABound() throws {
    let guarded = try GateGuard(reading: "bytesReceived <= 70MB")
    #expect(guarded.bound == 70e6 && guarded.side == .rise && guarded.text == "bytesReceived <= 70MB")
    #expect(throws: GateGuard.Malformed.self) { try GateGuard(reading: "bytesReceived <= 7%") }
  }
}
