import Base
import SampleSweeps
import Sweep
import TestSupport
import Testing

@testable import Analysis

@Suite struct RunTableTests {
  @Test func theHeaderIsFixed() {
    let header = String(decoding: RunWriter(axes: ["prefetcher.maxCost"]).header, as: UTF8.self)
    #expect(
      header == "point,repetition,seed,prefetcher.maxCost,"
        + "viewed,loaders,loadersPer1000,loadersImage,loadersVideo,loadersWebApp,loadersNativeAd,"
        + "unlisted,impossible,unrequested,cancelled,late,starved,bound,waitMsMean,waitMsP50,waitMsP90,waitMsP99,waitMsMax,stalls,stallMs,"
        + "requests,cancels,overCancels,newConnections,pageRequests,duplicatePageRequests,bytesReceived,bytesUseful,bytesCancelled,"
        + "bytesUnseen,bytesDuplicate,bytesDead,inversionMs,radioActiveMs,digest\n")
  }

  @Test func everyMetricHasAnExplanation() {
    for metric in Metric.allCases {
      #expect(metric.meaning.hasSuffix(".") && metric.decimals >= 0)
      #expect(Metric.allCases[metric.index] == metric)
    }
  }

  @Test(arguments: [1, 7, 4096, 1_000_000])
  func aTableReadsBackAsItWasWritten(piece: Int) throws {
    var table = Samples.usual.table
    table.axes[1] = "odd,\"name\"\nof an axis"
    table.rows[0].axisValues = ["a,b", "say \"yes\"\r\n"]
    table.rows[1][.bound] = nil
    table.rows[2][.waitMsMean] = 1 / 3.0
    for index in table.rows.indices where table.rows[index].repetition == 3 { table.rows[index].seed = .max }
    let bytes = table.csv
    var start = 0
    let reader = RunReader(name: "runs.csv") {
      defer { start = min(bytes.count, start + piece) }
      return Array(bytes[start..<min(bytes.count, start + piece)])
    }
    let read = try RunTable(reader)
    #expect(read == table && read.csv == bytes)
  }

  @Test func otherLineEndsAndAMissingLastOneAreRead() throws {
    let text = String(decoding: Samples.usual.table.csv, as: UTF8.self)
    let windows = "\u{FEFF}" + text.dropLast().split(separator: "\n").joined(separator: "\r\n")
    #expect(try RunTable(csv: Array(windows.utf8), file: "runs.csv") == Samples.usual.table)
  }

  @Test func everythingWrongIsReportedAtOnce() throws {
    let lines = String(decoding: Samples.usual.table.csv, as: UTF8.self).split(separator: "\n").map(String.init)
    let good = lines[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    func line(_ index: Int, _ text: String) -> String {
      var cells = good
      cells[index] = text
      return cells.joined(separator: ",")
    }
    let bad = [
      lines[0], line(0, "9E37"), line(1, "0"), line(2, "-1"), line(6, "nan"), line(7, "0x10"), lines[1] + ",1", "\"" + lines[1],
    ]
    let error = try #require(throws: InvalidInput.self) {
      try RunTable(csv: Array(bad.joined(separator: "\n").utf8), file: "r/runs.csv")
    }
    try expectGolden(error.description + "\n", "runs-problems.txt")
  }

  @Test func aDuplicateRunIsNamedInAnyOrder() throws {
    var generator = SplitMix64(state: 3)
    for _ in 0..<50 {
      var table = Samples.usual.table
      var (seen, twice) = (Set<RunRow>(), 0)
      table.rows = (0..<30).map { _ in table.rows[Int(generator.next() % 40)] }
      for row in table.rows where !seen.insert(row).inserted { twice += 1 }
      let error = #expect(throws: InvalidInput.self) { try RunTable(csv: table.csv, file: "r.csv") }
      #expect(error?.count == twice && error?.description.contains("of this point is in the file twice") == true)
    }
  }

  @Test func aBadIdIsNamedInEachRowThatHasIt() throws {
    let csv = String(decoding: Samples.usual.table.csv, as: UTF8.self)
    for id in ["", "9e37", "xyz"] {
      let bad = csv.replacing(Samples.id(1), with: id).replacing(Samples.id(4), with: id)
      let error = try #require(throws: InvalidInput.self) { try RunTable(csv: Array(bad.utf8), file: "r.csv") }
      #expect(error.count == 20 && error.diagnostics.allSatisfy { $0.key == "point" })
    }
  }

  @Test(arguments: [
    ("", "r.csv:1:1: header: the file is empty; run the sweep again"),
    ("point,seed\n", "r.csv:1:7: repetition: column 2 is `seed`; the header begins with point,repetition,seed"),
  ])
  func aWrongHeaderIsReported(text: String, first: String) throws {
    let error = try #require(throws: InvalidInput.self) { try RunTable(csv: Array(text.utf8), file: "r.csv") }
    #expect(error.diagnostics.first?.description == first)
  }

  @Test func aHeaderInAnotherOrderIsReported() throws {
    let text = String(decoding: Samples.usual.table.csv, as: UTF8.self)
    let swapped = text.replacing("late,starved", with: "starved,late", maxReplacements: 1)
    let error = try #require(throws: InvalidInput.self) { try RunTable(csv: Array(swapped.utf8), file: "r.csv") }
    #expect(error.description.contains("late: `starved` is in its column; restore the order of the columns"))
    let longer = text.replacing(",digest\n", with: ",joules\n")
    let unknown = try #require(throws: InvalidInput.self) { try RunTable(csv: Array(longer.utf8), file: "r.csv") }
    #expect(unknown.description.contains("joules: this version knows no such metric"))
    let short = text.replacing(",radioActiveMs,digest\n", with: "\n")
    let missing = try #require(throws: InvalidInput.self) { try RunTable(csv: Array(short.utf8), file: "r.csv") }
    #expect(missing.description.hasPrefix("r.csv:1:429: radioActiveMs: the column is missing"))
  }

  @Test func aTableOfAnOlderProgramHasNoDigests() throws {
    let table = Samples.usual.table
    let old = String(decoding: table.csv, as: UTF8.self).split(separator: "\n").map {
      $0.split(separator: ",", omittingEmptySubsequences: false).dropLast().joined(separator: ",")
    }
    #expect(try RunTable(csv: Array((old.joined(separator: "\n") + "\n").utf8), file: "r.csv") == table)
    var row = table.rows[0]
    row.metrics.digest = 0xABC
    let writer = RunWriter(axes: table.axes)
    #expect(String(decoding: writer.line(row), as: UTF8.self).hasSuffix(",0000000000abc\n"))
    #expect(try RunTable(csv: writer.header + writer.line(row), file: "r.csv").rows == [row])
    let bad = String(decoding: writer.header + writer.line(row), as: UTF8.self).replacing(",0000000000abc", with: ",0000000000ABC")
    let error = try #require(throws: InvalidInput.self) { try RunTable(csv: Array(bad.utf8), file: "r.csv") }
    #expect(error.description.contains("digest: `0000000000ABC` is not a digest; a digest has 13 hexadecimal digits"))
  }

  @Test func manyProblemsAreCounted() throws {
    let rows = [String](repeating: "x", count: 50).joined(separator: "\n")
    let text = String(decoding: RunWriter(axes: []).header, as: UTF8.self) + rows
    let error = try #require(throws: InvalidInput.self) { try RunTable(csv: Array(text.utf8), file: "r.csv") }
    #expect(error.diagnostics.count == 20 && error.count == 50)
    #expect(error.description.hasSuffix("and 30 more"))
  }
}

@Suite struct SweepDescriptionTests {
  @Test func itReadsBackAsItWasWritten() throws {
    var sweep = Samples.usual.sweep
    sweep.seed = .max
    sweep.margin = "2%"
    sweep.warnings = ["a/b \"c\"\n\u{202E}"]
    let bytes = sweep.json
    #expect(try SweepDescription(json: bytes, file: "sweep.json") == sweep)
    #expect(String(decoding: bytes, as: UTF8.self).contains("\"confidence\" : 0.95,"))
    try expectGolden(String(decoding: Samples.usual.sweep.json, as: UTF8.self), "sweep.json")
  }

  @Test func damagedSourcesAndPartsAreRefused() throws {
    var sweep = Samples.usual.sweep
    sweep.objects = ["{}": [SweepDescription.ValuePart(path: [], text: "")]]
    sweep.source = SweepSource(file: "", program: "p")
    sweep.source?.overrides.repeats = -5
    let error = #expect(throws: InvalidInput.self) { try SweepDescription(json: sweep.json, file: "s.json") }
    let message = error?.description ?? ""
    #expect(message.contains("source: -5 is out of range") && message.contains("source: the sweep file has no name"), "\(message)")
    #expect(message.contains("objects: a part of `{}` has no path"), "\(message)")
  }

  @Test(arguments: [
    ("\"pointCount\" : 4", "\"pointCount\" : \"4\"", "s.json:45:18: pointCount: the value is not of the type Int; restore the value"),
    ("\"repeats\" : 10,", "", "s.json:1:1: file: the key `repeats` is missing; add it, or run the sweep again"),
    (
      "\"text\" : \"1000 items", "\"words\" : \"1000 items",
      "s.json:35:5: head.1: the key `text` is missing; add it, or run the sweep again"
    ),
    ("\"seed\" : 2019,", "\"seed\" : 2019;", "s.json:53:16: syntax: this is not JSON; run the sweep again, or restore the file"),
    (
      "\"formatVersion\" : 2", "\"formatVersion\" : 3",
      "s.json:29:21: formatVersion: this program reads version 2, the file has 3; use the program that wrote the file"
    ),
    ("\"confidence\" : 0.95", "\"confidence\" : 95", "s.json:27:18: confidence: 95.0 is not a confidence; give a number such as 0.95"),
  ])
  func errorsAreReportedWithTheirLocation(from: String, to: String, message: String) throws {
    let text = String(decoding: Samples.usual.sweep.json, as: UTF8.self)
    #expect(text.contains(from))
    let broken = text.replacing(from, with: to, maxReplacements: 1)
    let error = try #require(throws: InvalidInput.self) { try SweepDescription(json: Array(broken.utf8), file: "s.json") }
    #expect(error.description == message)
  }
}
