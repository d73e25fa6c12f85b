import Foundation
import TestSupport
import Testing

/// `run-studies fuzz`: the corpus, which has every input that once failed, and some mutations of it.
@Suite struct FuzzTests {
  private func fuzz(_ words: String...) throws -> ToolResult {
    let kept = FileManager.default.temporaryDirectory.appendingPathComponent("findings-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: kept) }
    let limits = ["--hang", "60", "--memory", "1000", "--keep", kept.path]
    return try BuiltTool.run(["fuzz"] + words + limits, program: BuiltTool.studies)
  }

  @Test func theCorpusIsReadWithoutAFinding() throws {
    let result = try fuzz("all", "--inputs", "12")
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(!result.output.contains(" 0 accepted"), "a target reads none of its own files: \(result.output)")
    let folders = try FileManager.default.contentsOfDirectory(atPath: Reference.packageRoot.appendingPathComponent("Tests/Corpus").path)
    for folder in folders { #expect(result.output.contains("\(folder): 12 inputs, "), "\(folder) is no target") }
  }

  @Test func eachKindOfFailureIsFoundAndItsInputKept() throws {
    let kept = FileManager.default.temporaryDirectory.appendingPathComponent("findings-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: kept) }
    let words = ["fuzz", "self-test", "--inputs", "4", "--hang", "4", "--keep", kept.path]
    let result = try BuiltTool.run(words, program: BuiltTool.studies)
    #expect(result.status == 2)
    for problem in ["trap: signal", "hang: needs too much processor time", "memory: needs ", "message: no problem or no remedy"] {
      #expect(result.output.contains(problem), "\(problem) is not in \(result.output)")
    }
    let files = try FileManager.default.contentsOfDirectory(atPath: kept.path).sorted()
    #expect(files == (0..<4).map { "self-test-1-\($0)" })
    #expect(try Data(contentsOf: kept.appendingPathComponent("self-test-1-3")) == Data("3".utf8))
  }

  @Test func interruptedSweepsHaveTheBytesOfUndisturbedOnes() throws {
    let result = try BuiltTool.run(["kills", "--count", "12", "--seed", "3"], program: BuiltTool.studies)
    #expect(result.status == 0, "\(result.errors)")
    let stopped = result.output.firstMatch(of: #/kills: 12 cases .* the same bytes \(seed 3\); ([0-9]+) starts/#).flatMap { Int($0.1) }
    #expect(stopped ?? 0 > 5, "\(result.output)")
  }

  @Test func mostDrawnScenariosAreValidAndRunToTheirEnd() throws {
    let result = try fuzz("scenario", "--inputs", "60", "--seed", "7")
    #expect(result.status == 0, "\(result.output)")
    let accepted = result.output.firstMatch(of: #/60 inputs, ([0-9]+) accepted, 0 findings \(seed 7\)/#).flatMap { Int($0.1) }
    #expect(accepted ?? 0 > 20, "\(result.output)")
    #expect(try fuzz("scenario", "--inputs", "60", "--seed", "7").output == result.output)
  }
}
