import Analysis
import Base
import Foundation
import Testing

@testable import Sweep

/// The objective in a sweep file.
@Suite struct ObjectiveReadingTests {
  private func resolved(_ objective: String, repeats: String = "1", more: String = "") throws(InvalidInput) -> ResolvedSweep {
    let text = """
      { sweep: 's', repeats: \(repeats),\(more) objective: \(objective),
        scenario: { network: '3G', prefetcher: { kind: 'itemsAhead' }, feed: { items: 5 }, user: { scroll: 5 } } }
      """
    return try ResolvedSweep(file: InputFile(name: "f", bytes: Array(text.utf8)))
  }

  @Test func boundsHaveTheUnitsOfTheirMetrics() throws {
    let objective = try #require(
      resolved("{ minimize: 'waitMsMean', subjectTo: ['bytesReceived <= 70MB', 'radioActiveMs<=600s', 'bytesUseful >= 1MB'] }").objective)
    #expect(objective.minimize == "waitMsMean")
    #expect(objective.subjectTo.map(\.bound) == [70e6, 600e3, 1e6])
    #expect(objective.subjectTo.map(\.isUpper) == [true, true, false])
    #expect(objective.subjectTo.map(\.text) == ["bytesReceived <= 70MB", "radioActiveMs <= 600s", "bytesUseful >= 1MB"])
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
    #expect(throws: ValueProblem.self) { try GateGuard(reading: "bytesReceived <= 7%") }
  }

  @Test(arguments: [
    ("{}", "f:1:38: objective: is empty; write { subjectTo: [\"bytesReceived <= 70MB\"] }, or take it out"),
    ("{ subjectTo: [] }", "f:1:51: objective.subjectTo: is empty; write a bound such as \"bytesReceived <= 70MB\" into it, or take it out"),
    ("{ subjectTo: 'x' }", "f:1:51: objective.subjectTo: is the string \"x\", not a list; write [\"bytesReceived <= 70MB\"]"),
    ("{ minimize: 3 }", "f:1:50: objective.minimize: is the number 3, not a string; put it in quotes: \"3\""),
    ("{ minimize: ['a'] }", "f:1:50: objective.minimize: is a list, not a string; write a string in quotes"),
    ("{ minimize: '' }", "f:1:50: objective.minimize: is \"\", which is no metric of this scenario; \(list)"),
  ])
  func aMistakeIsReportedOnce(_ objective: String, _ message: String) throws {
    let error = try #require(throws: InvalidInput.self) { try resolved(objective) }
    #expect(error.description.trimmingCharacters(in: .newlines) == message)
  }

  private static let list = "`prefetch-sweep list metrics` shows them all"

  /// The device says what it viewed, which loaders it had and what it received; loaders per 1000 follow.
  @Test func aDeviceHasTheMetricsOfItsObjective() throws {
    let backend = "backend: { command: ['a', '{point}'], metrics: { viewed: 'v', loaders: 'l', bytesReceived: 'b' } },"
    _ = try resolved("{ minimize: 'loadersPer1000', subjectTo: ['bytesReceived <= 70MB'] }", more: backend)
    let error = try #require(throws: InvalidInput.self) {
      try resolved("{ minimize: 'waitMsMean', subjectTo: ['bytesReceived <= 70MB', 'radioActiveMs <= 600s'] }", more: backend)
    }
    let remedy = "which the backend does not measure; name its source in backend.metrics, or take it out"
    let lines = error.description.split(separator: "\n")
    #expect(lines.count == 2 && lines[0].hasSuffix(": objective.minimize: needs waitMsMean, \(remedy)"), "\(error)")
    #expect(lines.last?.hasSuffix(": objective.subjectTo.1: needs radioActiveMs, \(remedy)") == true, "\(error)")
  }

  @Test func marginsHaveTheUnitsOfTheMinimizedMetric() throws {
    let until = "{ min: 5, max: 10, until: '±200KB' }"
    let sweep = try resolved("{ minimize: 'bytesReceived' }", repeats: until, more: "margin: '1MB',")
    #expect(sweep.margin == "1000000")
    guard case .sequential(let width) = sweep.plan.kind else { throw ValueProblem("has another plan", remedy: "") }
    #expect(width == "200000")
    #expect(try resolved("{ minimize: 'stallMs' }", more: "margin: '2000s',").margin == "2000000")
    #expect(try resolved("{ minimize: 'stalls' }", more: "margin: '0.5 stalls',").margin == "0.5")
    for (objective, more, key) in [
      ("{ minimize: 'stallMs' }", "margin: 2e6,", "margin"), ("{ minimize: 'loadersPer1000' }", "margin: 0.02,", "margin"),
      ("{ subjectTo: ['bytesReceived <= 700'] }", "", "objective.subjectTo.0"),
      ("{ subjectTo: ['stalls <= 2'] }", "uncertain: { 'user.dwell': ['1s', '2s'], measured: ['stallMs <= 7'] },", "uncertain.measured.0"),
    ] {
      let error = try #require(throws: InvalidInput.self) { try resolved(objective, more: more) }
      #expect(error.description.contains(" \(key): has the number ") && error.description.contains("without a unit; write "), "\(error)")
    }
    let precision = try #require(throws: InvalidInput.self) { try resolved("{ minimize: 'stallMs' }", repeats: "{ until: 50 }") }
    #expect(precision.description.contains("repeats.until: has the number \"50\" of stallMs without a unit"), "\(precision)")
    // Remedies name texts that pass; every margin that passes is one that reports read.
    let ratio = "{ minimize: 'stallRatio' }"
    for text in ["'0.001'", "0.001", "'x'", "'-1'"] {
      let error = try #require(throws: InvalidInput.self) { try resolved(ratio, more: "margin: \(text),") }
      let named = try #require(error.description.firstMatch(of: /([0-9.]+) ratio/), "\(error)")
      #expect(try resolved(ratio, more: "margin: '\(named.0)',").margin == String(named.1))
    }
    for text in ["-1%", "1e20%"] {
      #expect(throws: InvalidInput.self) { try resolved(ratio, more: "margin: '\(text)',") }
      #expect(throws: InvalidInput.self) { try resolved(ratio, repeats: "{ until: '\(text)' }") }
    }
    #expect(try resolved(ratio, more: "margin: ' 2% ',").margin == "2%")
    for text in ["0.02", "'0.02'"] {
      let error = try #require(throws: InvalidInput.self) {
        try resolved("{ minimize: 'loadersPer1000' }", repeats: "{ min: 2, max: 4, until: \(text) }")
      }
      #expect(error.description.contains("write \"0.02 per 1000\", or \"2%\""), "\(error)")
    }
    _ = try resolved("{ minimize: 'loadersPer1000' }", repeats: "{ min: 2, max: 4, until: '0.02 per 1000' }")
    let error = try #require(throws: InvalidInput.self) { try resolved("{ minimize: 'stalls' }", more: "margin: '1MB',") }
    #expect(error.description.contains("margin: is \"1MB\", not a margin; write \"2%\", or stalls as a number"), "\(error)")
  }

  /// Edits sweep.json in ways for which a sweep file would be refused.
  @Test(arguments: [
    ("\"minimize\" : \"waitMsMean\"", "\"minimize\" : \"viewed\"", "is \"viewed\", of which less is not better"),
    ("\"metric\" : \"bytesReceived\"", "\"metric\" : \"bytesDead\"", "has another constraint than its text"),
    ("\"bound\" : 70000000", "\"bound\" : 7000000", "has another constraint than its text"),
    ("\"subjectTo\" : [", "\"subjectTo\" : [" + String(repeating: constraint + ",", count: 10), "has more than 10 constraints"),
    ("\"subjectTo\" : [", "\"subjectTo\" : [" + constraint + ",", "bounds bytesReceived a second time"),
  ])
  func keptObjectivesAreCheckedAsFilesAre(_ old: String, _ new: String, _ message: String) throws {
    let objective = try resolved("{ minimize: 'waitMsMean', subjectTo: ['bytesReceived <= 70MB'] }").objective
    let sweep = SweepDescription(
      program: .init(name: "p", version: "1.0.0", modelVersion: "1"), name: "s", question: "", head: [], transport: "fluid", axes: [],
      pointCount: 1, baseline: .init(point: "0", axisValues: [], settings: "", inGrid: true), repeats: 1, seed: 1, objective: objective)
    #expect(try SweepDescription(json: sweep.json, file: "f").objective == objective)
    let text = String(decoding: sweep.json, as: UTF8.self)
    #expect(text.contains(old), "\(text)")
    let edited = text.replacing(old, with: new)
    let error = try #require(throws: InvalidInput.self) { try SweepDescription(json: Array(edited.utf8), file: "f") }
    #expect(error.description.contains(message), "\(error)")
  }

  private static let constraint =
    "{ \"metric\": \"bytesReceived\", \"isUpper\": true, \"bound\": 70000000, \"text\": \"bytesReceived <= 70MB\" }"
}
