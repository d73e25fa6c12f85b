import Analysis
import Foundation
import Testing

@testable import Sweep

/// The source of results, the commands made from it, and the reader of the command that older results have instead.
@Suite struct SweepSourceTests {
  private static let values = ["3G", "a b", "it's", "", "x='y' --seed 9", "$HOME", "\"q\"", "\\", "a=b", "é'\u{301}", "[1, 2]", "--set"]

  private static func source(_ file: String, seed: UInt64?, program: String) -> SweepSource {
    var source = SweepSource(file: file, program: program)
    source.overrides.settings = values.enumerated().map { .init(path: "network.key\($0)", value: $1) }
    (source.overrides.seed, source.overrides.repeats) = (seed, 7)
    return source
  }

  @Test(
    arguments: [Program.name, "swift run -c release \(Program.liveName)", "'my sweep'"], ["Sweeps/plain.json5", "our sweep's.json5", "run"])
  func aShellReadsACommandAsItsSource(program: String, file: String) throws {
    let source = Self.source(file, seed: .max, program: program)
    let called = program == "'my sweep'" ? ["my sweep"] : program.split(separator: " ").map(String.init)
    let settings: [String] = source.overrides.settings.flatMap { ["--set", "\($0.path)=\($0.value)"] }
    let words: [String] = called + ["run", file] + settings + ["--seed", "\(UInt64.max)", "--repeats", "7"]
    #expect(try Self.shellWords(source.command("run")) == words + [""])
  }

  @Test func aCommandIsOneLine() {
    #expect(SweepSource(file: "a\nb\u{1B}", program: "p").command("run").allSatisfy { !$0.isNewline && $0 != "\u{1B}" })
  }

  /// Versions before `source` stored the command that repeats a run.
  @Test(arguments: [Program.name, "swift run -c release \(Program.name)"], [nil, UInt64.max, 0])
  func theCommandOfOlderResultsIsRead(program: String, seed: UInt64?) throws {
    let source = Self.source("our sweep's.json5", seed: seed, program: program)
    let read = try #require(SweepSource(earlierCommand: source.command("run", options: ["--point {point} --repetition {repetition}"])))
    var expected = source
    expected.program = Program.name
    #expect(read == expected)
    #expect(read.overrides.settings.map { Array($0.value.utf8) } == Self.values.map { Array($0.utf8) })
  }

  @Test(arguments: ["", "run x.json5", "prefetch-sweep run", "prefetch-sweep explain x.json5", "prefetch-sweep run - --point {point}"])
  func otherTextHasNoSource(_ text: String) { #expect(SweepSource(earlierCommand: text) == nil) }

  @Test func onlyRunsWithAnEventLogAreExplained() {
    var sweep = SweepDescription(
      program: .init(name: "p", version: "1.0.0", modelVersion: "1"), name: "s", question: "", head: [], transport: "packet", axes: [],
      pointCount: 1,
      baseline: .init(point: "0", axisValues: [], settings: "", inGrid: true), repeats: 1, seed: 1)
    #expect(sweep.repeatCommand() == nil && sweep.explainCommand() == nil)
    sweep.source = SweepSource(file: "s.json5", program: "p")
    sweep.source?.overrides.repeats = 3
    #expect(sweep.repeatCommand(point: "a", repetition: "2") == "p run s.json5 --repeats 3 --point a --repetition 2")
    #expect(sweep.explainCommand()?.hasPrefix("p explain s.json5 --point {point} --against baseline ") == true)
    sweep.backend = "live"
    #expect(sweep.explainCommand()?.hasPrefix("p explain s.json5 --live --point {point} ") == true)
    sweep.backend = "command"
    #expect(sweep.explainCommand() == nil)
    (sweep.backend, sweep.scenario) = (nil, RunSchema.backgroundDownload.kind)
    #expect(sweep.explainCommand() == nil)
  }

  /// Returns the words that a real shell makes of a text.
  private static func shellWords(_ text: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "printf '%s\\n' \(text)"]
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let data = output.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }
}
