import Studies
import Foundation
import TestSupport
import Testing

/// Folders of reference measurements that are not as they should be.
@Suite struct ReferenceTableTests {
  private static func withFolder(_ files: [String: String], _ body: (ReferenceTables) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reference-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, text) in files {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try text.write(to: file, atomically: true, encoding: .utf8)
    }
    try body(ReferenceTables(folder: folder.path))
  }

  private static let range = """
    profile,queue_pkts,cc,full_size,prefix,prefix_total_med,rest_total_med,both_end_med
    nlc_3g,50,cubic,300000,204800,2651.7,1000,3651.7

    """

  @Test(arguments: [[:], ["README.md": "something else"], ["single.csv": range]])
  func aFolderWithoutAnyTableIsRefused(_ files: [String: String]) throws {
    try Self.withFolder(files) { reference in
      #expect { _ = try reference.missing() } throws: { "\($0)".contains("has none of the tables sessions/cells.csv") }
    }
  }

  @Test func tablesThatAreMissingAreNamedAndSkipped() throws {
    try Self.withFolder(["kernel/range.csv": Self.range]) { reference in
      #expect(try reference.missing().map(\.rawValue).count == 5)
      let rows = try KernelCases(reference: reference).all()
      #expect(rows.map(\.table) == ["range", "range", "range"])
      #expect(try CellTable(reference: reference).cells.isEmpty)
    }
  }

  @Test(arguments: [
    ("a,b\n1,2\n", "range.csv:1: there is no column queue_pkts"), ("", "range.csv:1: there is no column"),
    (range.replacing("nlc_3g", with: "moon"), "range.csv:2: no link is named moon"),
    (range.replacing("300000", with: "many"), "range.csv:2: full_size is no number"),
    (range.replacing("300000", with: "1e300"), "range.csv:2: full_size is no number"),
  ])
  func aForeignTableIsRefusedWithItsLocation(_ text: String, _ problem: String) throws {
    try Self.withFolder(["kernel/range.csv": text]) { reference in
      #expect { _ = try KernelCases(reference: reference).all() } throws: { "\($0)".contains(problem) }
    }
  }

  @Test func aSessionWithItsFewestLoadersAboveItsMostIsRefused() throws {
    let cells = """
      link,dwellMs,queue,loss,variant,policy,maxCost,connections,cancel,items,loadersMedian,loadersMin,loadersMax
      nlc_3g,1000,50,0,base,costBudget,6,2,keep,100,12,13,11

      """
    try Self.withFolder(["sessions/cells.csv": cells]) { reference in
      #expect {
        _ = try CellTable(reference: reference)
      } throws: {
        "\($0)".hasSuffix("cells.csv:2: loadersMin is above loadersMax; restore the table")
      }
    }
  }

  @Test(.enabled(if: Reference.isPresent)) func warmConnectionsAgreeWithTheKernel() throws {
    let rows = try KernelCases(reference: ReferenceTables(), seeds: 1).all()
    // Where nothing was dropped, a connection that was warmed as in the measurement is as fast as it.
    let warm = rows.filter { $0.table == "single" && $0.category == "single" && $0.group == "no drop" && $0.name.contains("warm") }
    #expect(warm.count > 20)
    for row in warm { #expect(row.errorPercent < 1.5, "\(row.name): \(row.errorPercent)") }
  }
}
