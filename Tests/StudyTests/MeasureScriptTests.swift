import Foundation
import Oracles
import TestSupport
import Testing

/// Tests `Scripts/measure` without a link: its command line, and the tables that it writes.
@Suite struct MeasureScriptTests {
  private static func run(_ words: [String], input: String = "", path: String? = nil) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.currentDirectoryURL = Reference.packageRoot
    if let path { process.environment = ["PATH": path] }
    let (standardInput, output) = (Pipe(), Pipe())
    (process.standardInput, process.standardOutput, process.standardError) = (standardInput, output, output)
    try process.run()
    standardInput.fileHandleForWriting.write(Data(input.utf8))
    standardInput.fileHandleForWriting.closeFile()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test(arguments: [
    (["folder"], "write Scripts/measure FOLDER CASE"), (["folder", "warm"], "warm: is no case"),
    (["folder", "cold:x"], "cold:x: needs bytes"),
    (["folder", "--http", "3", "session:cancel=resume"], "needs ranges"), (["folder", "0rtt:10"], "is a case of HTTP/3"),
    (["folder", "--link", "x", "cold:1"], "write NAME,DOWN_KBPS"), (["folder", "--speed", "1"], "--speed: unknown option"),
    (["folder", "--http", "4", "cold:1"], "is not 1, 2 or 3"), (["folder", "--queue"], "--queue: needs a value"),
  ])
  func aMistakeIsRefusedBeforeAnythingIsMeasured(_ words: [String], _ problem: String) throws {
    let (status, text) = try Self.run(["bash", "Scripts/measure"] + words)
    #expect(status == 2)
    #expect(text.hasPrefix("measure: ") && text.contains(problem), "\(text)")
  }

  private static let hasPython = (try? run(["python3", "-c", "0"]).status) == 0

  @Test(.enabled(if: hasPython, "needs python3"))
  func theTablesOfAMeasurementAreJudgedLikeTheReference() throws {
    func line(_ version: Int, _ test: String, _ result: String) -> String {
      #"{"link":"n5m","queue":1000,"loss":0,"cc":"cubic","version":"\#(version)","server":"nginx","case":"\#(test)","drops":0,"#
        + #""result":\#(result)}"#
    }
    func times(_ size: Int, _ end: String) -> String { #"{"size":\#(size),"connect":41,"first":90,"end":\#(end),"bytes":\#(size)}"# }
    let session =
      #"{"loaders":2,"requests":12,"cancels":2,"bytes":9,"connections":5,"options":"#
      + #"{"dwell":300,"maxCost":3,"streams":4,"cancel":"keep","items":10,"policy":"uniform","variant":"mixed"}}"#
    let lines = [
      line(1, "cold:10240", "[\(times(10240, "101"))]"), line(1, "cold:10240", "[\(times(10240, "103"))]"),
      line(1, "parallel2:51200", "[\(times(51200, "260")),\(times(51200, "200"))]"),
      line(1, "cancel300:1048576", "[\(times(1_048_576, "null")),\(times(102400, "300"))]"),
      line(2, "cancel300:1048576", "[\(times(1_048_576, "null")),\(times(102400, "300"))]"),
      line(2, "parallel2:51200", "[\(times(51200, "260")),\(times(51200, "300"))]"), line(2, "warm:51200", "[\(times(51200, "null"))]"),
      line(3, "0rtt:51200", "[\(times(51200, "240"))]"), line(3, "parallel2:51200", "[\(times(51200, "240")),\(times(51200, "320"))]"),
      line(3, "cancel300:1048576", "[\(times(1_048_576, "null")),\(times(102400, "300"))]"),
      line(3, "warm:51200", "[\(times(51200, "200"))]"),
      line(1, "session:items=10,dwell=300", session), line(3, "session:items=10,dwell=300", session),
    ]
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("measure-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let made = try Self.run(
      ["python3", "Tests/Studies/Results/Fidelity/measure-tables.py", folder.path], input: lines.map { $0 + "\n" }.joined())
    #expect(made.status == 0, "\(made.text)")
    let reference = ReferenceTables(folder: folder.path)
    let rows = try StackCases(reference: reference).all()
    #expect(rows.filter { $0.table == "bbr" }.map(\.category) == ["cold", "ttfb", "par_first", "par_last", "par_mean", "cancel", "ttfb"])
    #expect(rows.first { $0.category == "cold" }?.truthMs == 102, "the median of the repetitions")
    #expect(rows.first { $0.category == "par_mean" }?.truthMs == 230)
    let h2 = rows.filter { $0.table == "h2" }
    #expect(
      h2.map(\.category) == ["cancel_after", "ttfb", "first", "mean", "last", "each", "each", "ttfb", "ttfb"],
      "the request without an end is left out")
    #expect(
      rows.filter { $0.table == "h3" }.map(\.category) == [
        "0rtt_ttfb", "0rtt", "ttfb", "ttfb", "handshake", "par_first", "par_mean", "par_last", "ttfb", "handshake",
        "cancel_after", "ttfb", "warm",
      ])
    // Every request ends, after a round trip of the link; 0-RTT data needs one as well.
    for row in rows { #expect((39.9..<5000).contains(row.oursMs), "\(row)") }
    #expect(try CellTable(reference: reference, table: .stackSessions).cells.count == 2)
  }
}
