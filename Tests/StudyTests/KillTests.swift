import Foundation
import Oracles
import Testing

@testable import CheckStudies

/// The comparison of `run-studies kills`.
@Suite struct KillTests {
  @Test(arguments: [
    ("runs.csv", "1", true), ("runs.csv", "2", false), ("charts/cost.svg", "1", false), ("manifest.json", "2", true),
    (".journal/runs", "2", true),
  ])
  func aDifferentByteOrFileIsFound(_ name: String, _ text: String, _ isSame: Bool) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("kills-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ text: String, _ path: String) throws {
      let file = folder.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    for side in ["a", "b"] { try write("1", "\(side)/runs.csv") }
    try write(text, "b/\(name)")
    let compare = { try KillStudy.compare(folder.appendingPathComponent("a").path, folder.appendingPathComponent("b").path) }
    if isSame { try compare() } else { #expect(throws: StudyProblem.self) { try compare() } }
  }
}
