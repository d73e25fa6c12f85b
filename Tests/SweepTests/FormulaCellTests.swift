import SampleSweeps
import Sweep
import Testing

@testable import Analysis
@testable import Base

/// Cells that a spreadsheet would run as formulas, written to our files and read back.
@Suite struct FormulaCellTests {
  private func cell(_ text: String) -> String {
    var bytes: [UInt8] = []
    CSVText.append(text, isFirst: true, to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    ("=x.json", "'=x.json"), ("+x", "'+x"), ("-x", "'-x"), ("@x", "'@x"), ("\tx", "'\tx"), ("=1,2", "\"'=1,2\""), ("'=x", "''=x"),
    ("-5ms", "'-5ms"),
    ("-", "'-"), ("--1", "'--1"),
  ])
  func aFormulaIsMarked(_ text: String, _ written: String) {
    #expect(cell(text) == written)
    #expect(CSVText.text(ofCell: written.replacing("\"", with: "")) == text)
  }

  @Test(arguments: ["-5", "+5", "-0.5", "-1e-9", "", "x", "'x", "5=x", "3G", "\u{2212}5", "'", "''"])
  func aNumberAndOrdinaryTextStayAsTheyAre(_ text: String) {
    #expect(cell(text) == text)
    #expect(CSVText.text(ofCell: text) == text)
  }

  @Test func everyValueOfAnAxisComesBack() throws {
    let texts = ["=x.json", "-1", "+1ms", "@a", "'=x", "''-", "-x,\"y\"", "\tz", "plain", "'quoted'", "=", "'", "-5", "\r=1", "=a\nb"]
    let rows = texts.enumerated().map { index, text in
      RunRow(
        point: String(repeating: "0", count: 14) + (index < 10 ? "0\(index)" : "\(index)"), repetition: 1, seed: 1,
        axisValues: [text, text])
    }
    let table = RunTable(axes: ["network.trace", "b"], rows: rows)
    let read = try RunTable(csv: table.csv, file: "runs.csv")
    #expect(read.rows.map(\.axisValues) == texts.map { [$0, $0] })
    #expect(read.csv == table.csv)
  }
}
