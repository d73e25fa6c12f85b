import Base
import Foundation
import SampleSweeps
import Sweep
import Testing

@testable import Analysis
@testable import Rendering

/// Cells of runs.csv must have values that a run can have, and paired rows must share their seed.
@Suite struct RunLimitsTests {
  /// Returns the usual table with one cell of a row replaced; rows count from 1.
  private func csv(_ column: String, _ value: String, row: Int = 5) -> [UInt8] {
    var lines = String(decoding: Samples.usual.table.csv, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    }
    guard let index = lines[0].firstIndex(of: column) else { return [] }
    lines[row][index] = value
    return Array((lines.map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n").utf8)
  }

  private func problem(_ bytes: [UInt8]) throws -> String {
    let error = try #require(throws: InvalidInput.self) { try RunTable(csv: bytes, file: "r.csv") }
    return error.description
  }

  @Test(arguments: [
    ("loadersPer1000", "1e50", "is more than 1000, the most that loadersPer1000 can be"), ("loadersPer1000", "1000.5", "is more than 1000"),
    ("loaders", "-1", "is negative"), ("loaders", "2.5", "is not a whole number"),
    ("loaders", "1001", "is more than the 1000 items viewed"),
    ("viewed", "1e10", "is more than 1000000000"), ("bytesReceived", "1e16", "is more than 1000000000000000"),
    ("bytesReceived", "0.5", "is not a whole number"), ("waitMsMean", "-0.001", "is negative"), ("waitMsMax", "1e300", "is more than"),
    ("requests", "1e160", "is more than"), ("stallMs", "1e999", "is not a number"), ("radioActiveMs", "-1e300", "is negative"),
  ])
  func anImpossibleCellIsRefusedWithItsLocation(column: String, value: String, expected: String) throws {
    let text = try problem(csv(column, value))
    #expect(text.hasPrefix("r.csv:6:") && text.contains(": \(column): `\(value)` \(expected)"), "\(text)")
  }

  @Test func theLimitsThemselvesAreAccepted() throws {
    for (column, value) in [
      ("loadersPer1000", "1000"), ("loaders", "1000"), ("bytesReceived", "1e15"), ("waitMsMean", "1e15"), ("stalls", "0"),
    ] {
      #expect(try RunTable(csv: csv(column, value), file: "r.csv").rows.count == 40)
    }
  }

  @Test func rowsOfOneRepetitionWithDifferentSeedsAreRefused() throws {
    let text = try problem(csv("seed", "4", row: 13))
    #expect(text.hasPrefix("r.csv:14:") && text.contains(": seed: `4` is not the seed of repetition 3 in line 4, "), "\(text)")
  }

  @Test func aDuplicateRowIsRefusedWithItsLocation() throws {
    let text = try problem(csv("repetition", "1", row: 2))
    #expect(text.contains("r.csv:3:18: repetition: `1` of this point is in the file twice; remove one of the two rows"), "\(text)")
  }

  @Test func aMessageRepeatsAtMost200CharactersOfTheInput() throws {
    let long = String(repeating: "9x", count: 100_000)
    for column in ["loaders", "point", "seed", "repetition"] {
      let text = try problem(csv(column, long))
      #expect(text.count < 500)
    }
    let header = String(decoding: Samples.usual.table.csv, as: UTF8.self).replacing("digest\n", with: "\(long)\n")
    #expect(try problem(Array(header.utf8)).count < 600)
    #expect(SafeText.excerpt(String(repeating: "é", count: 200)).unicodeScalars.count == 200)
  }

  @Test func numbersOfAnySizeHaveAText() {
    for value in [1e50, -1e160, 1e308, 0x1p60, Double.leastNonzeroMagnitude, -0.0, .infinity, -.infinity, .nan] {
      for decimals in [-400, -15, 0, 12, 400] { #expect(!DecimalText.fixed(value, decimals: decimals).isEmpty) }
      #expect(!DecimalText.exact(value).isEmpty && !DecimalText.trimmed(value, decimals: 2).isEmpty)
    }
  }

  @Test func aTableOfAnyNumbersIsReportedWithoutACrash() throws {
    for value in [1e15, 1e50, 1e160, 1e308, -1e308, Double.leastNonzeroMagnitude, .infinity, -.infinity, .nan] {
      for indices in [[0], [1, 2], [11, 13, 17], Array(0..<40)] {
        var table = Samples.usual.table
        for index in indices { for metric in RunSchema.feed.metrics { table.rows[index][metric] = value } }
        for margin in [nil, "2%"] {
          var sweep = Samples.usual.sweep
          sweep.margin = margin
          _ = try Report.make(runs: table, sweep: sweep)
          _ = TerminalSummary.text(try SweepSummary.of(runs: table, sweep: sweep), sweep: sweep)
        }
      }
    }
  }

  @Test(arguments: [
    ("\"repeats\" : 10", "\"repeats\" : -3", "repeats: -3 is out of range"),
    ("\"repeats\" : 10", "\"confirm\" : { \"best\" : 0, \"repeats\" : 30 }, \"repeats\" : 10", "confirm: 0 is out of range"),
    (
      "\"repeats\" : 10", "\"sequential\" : { \"looks\" : [], \"until\" : \"1%\" }, \"repeats\" : 10",
      "sequential: the numbers of repetitions do not rise"
    ),
    (
      "\"repeats\" : 10", "\"search\" : { \"kind\" : \"halving\", \"rounds\" : [] }, \"repeats\" : 10",
      "search: the numbers of repetitions do not rise"
    ),
    ("\"repeats\" : 10", "\"margin\" : \"1e300%\", \"repeats\" : 10", "margin: `1e300%` is no margin"),
  ])
  func aDescriptionWithImpossibleNumbersIsRefused(from: String, to: String, expected: String) throws {
    let text = String(decoding: Samples.usual.sweep.json, as: UTF8.self)
    #expect(text.contains(from))
    let error = try #require(throws: InvalidInput.self) {
      try SweepDescription(json: Array(text.replacing(from, with: to, maxReplacements: 1).utf8), file: "s.json")
    }
    #expect(error.description.contains(expected), "\(error)")
  }
}
