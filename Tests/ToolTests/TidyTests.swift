import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import Simulation

/// Reads our own sources, so that rules which no compiler knows are kept (house style 26).
@Suite struct TidyTests {
  private func lines(in folders: [String], matching pattern: some RegexComponent) -> [String] {
    SourceFile.all.filter { source in folders.contains { source.path.hasPrefix($0) } }.flatMap { source in
      source.code.enumerated().filter { $0.element.firstMatch(of: pattern) != nil }.map { "\(source.path):\($0.offset + 1): \($0.element)" }
    }
  }

  @Test func thereAreSources() { #expect(SourceFile.all.count > 50) }

  @Test func theSimulationImportsNothing() {
    #expect(lines(in: ["Simulation/"], matching: #/^\s*(@\w+ )?import /#) == [])
  }

  @Test func theAnalysisImportsNoneOfOurs() {
    #expect(lines(in: ["Analysis/"], matching: #/^\s*import (Simulation|Sweep)/#) == [])
  }

  @Test func noRunReadsAClockOrTheSystemsRandomness() {
    let pattern =
      #/ContinuousClock|SuspendingClock|clock_gettime|Date\(|SystemRandomNumberGenerator|\.random\(in|\.shuffled\(\)|\.randomElement\(/#
    #expect(lines(in: ["Simulation/", "Analysis/"], matching: pattern) == [])
  }

  @Test func nothingThatReachesAnOutputCallsTheMathLibrary() {
    let pattern = #/(?:^|[^\w.])(exp|log|log2|log10|pow|cbrt|lgamma|tgamma|erf|erfc|sin|cos|tan|atan|sinh|cosh|tanh)\(/#
    // These two hold our own exp and log, built from + − × ÷.
    let own = ["Simulation/Engine/StableMath.swift", "Analysis/Statistics/Elementary.swift"]
    let found = lines(in: ["Simulation/", "Analysis/", "Sweep/"], matching: pattern).filter { line in !own.contains { line.hasPrefix($0) } }
    #expect(found == [])
  }

  @Test func noHashOrderReachesARun() {
    #expect(lines(in: ["Simulation/"], matching: #/\bSet<|\bDictionary<|\[\w+: \w+\]\(\)|: \[(String|Int): /#) == [])
  }

  @Test func everyFileSaysWhatItIsFor() {
    for source in SourceFile.all { #expect(source.text.hasPrefix("// ") || source.text.hasPrefix("/*"), "\(source.path)") }
  }

  @Test func noFileIsTooLong() {
    for source in SourceFile.all { #expect(source.code.count <= 420, "\(source.path) has \(source.code.count) lines") }
  }

  @Test func nothingIsForcedOrLeftForLater() {
    #expect(lines(in: [""], matching: #/try!|fatalError\(/#) == [])
    for source in SourceFile.all { #expect(source.text.firstMatch(of: #/TODO|FIXME|XXX/#) == nil, "\(source.path)") }
  }
}
