import Foundation
import TestSupport
import Testing

/// Compares the messages of each file in BadInput with its `.expected` text. `UPDATE_GOLDENS=1` writes these again; read the diff.
@Suite struct BadInputTests {
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("BadInput")
  static let cases = ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).filter { $0.hasSuffix(".json5") }.sorted()

  @Test func thereAreCases() { #expect(Self.cases.count > 25) }

  @Test(arguments: cases)
  func everyMistakeHasALocationAndARemedy(_ name: String) throws {
    try BuiltTool.withFolder { output in
      let results = output.appendingPathComponent("results")
      let result = try BuiltTool.run(["run", name, "--output", results.path], in: Self.folder)
      #expect(result.status == 2)
      #expect(result.output.isEmpty)
      #expect(!FileManager.default.fileExists(atPath: results.path), "nothing is written")
      for line in result.errors.split(separator: "\n") {
        let hasLocation = line.wholeMatch(of: /[^:]+:[0-9]+:[0-9]+: .+; .+/) != nil
        #expect(hasLocation, "\(line)")
      }
      let golden = Self.folder.appendingPathComponent(name.replacingOccurrences(of: ".json5", with: ".expected"))
      if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
        try result.errors.write(to: golden, atomically: true, encoding: .utf8)
      }
      #expect(result.errors == (try? String(contentsOf: golden, encoding: .utf8)), "golden of \(name)")
    }
  }
}
