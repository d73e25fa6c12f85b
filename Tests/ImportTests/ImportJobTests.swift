import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Import
@testable import Inputs
@testable import Simulation

/// Imports as streams: the contents of each format, malformed lines, and leftovers.
@Suite struct ImportJobTests {
  private struct Result {
    var text: String
    var outcome: ImportJob.Outcome
    var timings: String?
  }

  private static func withFolder<Value>(_ body: (URL) throws -> Value) throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("import-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    return try body(folder)
  }

  private func run(
    _ text: String, _ format: ImportJob.Format, timings: Bool = false, _ configure: (inout ImportJob) -> Void = { _ in },
    progress: @escaping (ImportProgress) -> Void = { _ in }, isCancelled: @escaping () -> Bool = { false }
  ) throws -> Result {
    try Self.withFolder { folder in
      let (input, output) = (folder.appendingPathComponent("input"), folder.appendingPathComponent("output"))
      try Data(text.utf8).write(to: input)
      var job = ImportJob(input: input.path, output: output.path, format: format)
      let second = folder.appendingPathComponent("timings")
      if timings { job.timings = second.path }
      configure(&job)
      do {
        let outcome = try job.run(progress: progress, isCancelled: isCancelled)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(files == (timings ? ["input", "output", "timings"] : ["input", "output"]))
        return Result(
          text: try String(contentsOf: output, encoding: .utf8), outcome: outcome,
          timings: timings ? try String(contentsOf: second, encoding: .utf8) : nil)
      } catch {
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["input"], "nothing is left")
        throw error
      }
    }
  }

  /// Returns the problems, without the file's name.
  private func complaint(_ text: String, _ format: ImportJob.Format, _ configure: (inout ImportJob) -> Void = { _ in }) -> String {
    do {
      _ = try run(text, format, configure)
      return ""
    } catch let error as InvalidInput {
      return error.diagnostics.map { "\($0.location.line): \($0.problem)" }.joined(separator: "\n")
        + (error.count > error.diagnostics.count ? "\n+\(error.count - error.diagnostics.count)" : "")
    } catch { return "\(error)" }
  }

  /// Durations in ms and rates in bits a second, as a sweep reads them.
  private func periods(_ trace: String) throws -> [[Int64]] {
    let sink = DiagnosticSink()
    let link = TraceReader.read(
      InputFile(name: "trace.json", bytes: Array(trace.utf8)),
      options: TraceOptions(format: .sabre), into: sink)
    try sink.throwIfAny()
    return try #require(link).periods.map { [$0.duration.nanoseconds / 1_000_000, $0.bitsPerSecond, $0.latency?.nanoseconds ?? -1] }
  }

  // MARK: Throughput logs

  private static let ghent = """
    1453121790686 39287 51.0386528885778 3.73220785642186 2493100 1000
    1453121791687 40288 51.0386532820580 3.73222847166054 2763504 1001
    1453121792686 41287 51.0386553301824 3.73225142858955 2728896 0999

    """

  @Test(arguments: [ImportJob.Format.hsdpa, .ghent])
  func sixColumnsAreBytesOverMilliseconds(_ format: ImportJob.Format) throws {
    let result = try run(Self.ghent, format)
    #expect(try periods(result.text) == [[1000, 19_944_800, -1], [1001, 22_085_946, -1], [999, 21_853_021, -1]])
    #expect(result.outcome.rows == 3)
  }

  @Test func periodsAreJoinedWithoutLosingABit() throws {
    let result = try run(Self.ghent, .ghent) { ($0.joinedNs, $0.latencyNs) = (2_000_000_000, 40_000_000) }
    #expect(try periods(result.text) == [[2001, 21_015_908, 40_000_000], [999, 21_853_021, 40_000_000]])
  }

  @Test func aLineIsNamedByItsNumberInAnyPiece() throws {
    // Many pieces; each malformed line is identified by its number.
    var text = ""
    for line in 1...20_000 { text += line % 4999 == 0 ? "what is this\r\n" : "1 \(line) 59.0 10.0 \(line) 1000\r\n" }
    #expect(complaint(text, .hsdpa) == [4999, 9998, 14997, 19996].map { "\($0): has 3 columns, not six" }.joined(separator: "\n"))
    let result = try run(text, .hsdpa) { $0.skipsMalformed = true }
    #expect(result.outcome.skipped == 4)
    #expect(result.outcome.rows == 19_996)
    let read = try periods(result.text)
    #expect(read.count == 19_996)
    #expect(read.last == [1000, 160_000, -1])
  }

  @Test func anImportThatSkipsNothingStopsAtTheTwentiethMalformedLine() {
    let text = String(repeating: "nothing\n", count: 500)
    #expect(complaint(text, .ghent).split(separator: "\n").count == 20)
    #expect(complaint(text, .ghent) { $0.skipsMalformed = true }.hasSuffix("has only malformed lines"))
  }

  @Test(arguments: [
    ("1 2 3 4 5", "has 5 columns, not six"), ("1 2 3 4 x 1000", "has \"x\" for its bytes"),
    ("1 2 3 4 5 -1", "has \"-1\" for its milliseconds"),
    ("1 2 3 4 5 0", "has 5 bytes in no time"), ("1 2 3 4 900000000000000000 1000", "has \"900000000000000000\" for its bytes"),
    ("1 2 3 4 1000000000 1", "has a rate of more than 1 Tbit/s"), ("1 2 3 4 1 99999999999", "has \"99999999999\" for its milliseconds"),
  ])
  func aMalformedLineSaysWhy(_ line: String, _ problem: String) {
    #expect(complaint(Self.ghent + line, .ghent) == "4: \(problem)")
  }

  @Test func aLineLongerThanTheBufferIsMalformedAndTheNextIsReadAgain() throws {
    let long = String(repeating: "9", count: 3 << 20)
    #expect(complaint("\(long)\n\(Self.ghent)", .ghent) == "1: is longer than 1048576 bytes")
    let result = try run("\(Self.ghent)\(long)\n\(Self.ghent)\(long)", .ghent) { $0.skipsMalformed = true }
    #expect(result.outcome.rows == 6)
    #expect(result.outcome.firstSkipped.map(\.location.line) == [4, 8])
  }

  @Test func aLogWithoutDataIsRefused() {
    #expect(complaint("1 2 3 4 0 1000\n", .hsdpa).contains("every rate of the log is 0"))
    #expect(complaint("", .hsdpa).contains("has nothing that a hsdpa import can use"))
  }

  @Test func irishRowsApplyUntilTheNextAndIdleTimeIsSkipped() throws {
    let text = """
      Timestamp,Longitude,DL_bitrate,UL_bitrate,State
      2017.12.31_23.59.58,-8.5,5178,194,D
      2017.12.31_23.59.59,-8.5,1000,194,D
      2017.12.31_23.59.59,-8.5,"3000",194,D
      2018.01.01_00.00.01,-8.5,7,194,I
      2018.01.01_00.00.05,-8.5,400.5,194,D
      2018.01.01_00.10.00,-8.5,800,194,D

      """
    let result = try run(text, .irish)
    #expect(try periods(result.text) == [[1000, 5_178_000, -1], [2000, 2_000_000, -1], [1000, 400_500, -1], [1000, 800_000, -1]])
    #expect(complaint(text + "2018.01.01_00.09.59,1,2,3,D", .irish) == "8: is earlier than the row before")
    #expect(complaint(text + "2018.13.01_00.09.59,1,2,3,D", .irish) == "8: has the time \"2018.13.01_00.09.59\"")
    #expect(complaint(text + "2018.01.01_00.10.09,1,-,3,D", .irish) == "8: has the rate \"-\"")
    #expect(complaint("a,b\n1,2\n", .irish).hasPrefix("1: has no columns Timestamp and DL_bitrate"))
  }

  @Test func iperfAddsStreamsAndSkipsSummaries() throws {
    let two = """
      [  3]  0.0- 1.0 sec   384 KBytes  3.15 Mbits/sec
      [  4]  0.0- 1.0 sec   128 KBytes  1.05 Mbits/sec
      [SUM]  0.0- 1.0 sec   512 KBytes  4.19 Mbits/sec
      [  3]  1.0- 2.0 sec   256 KBytes  2.10 Mbits/sec
      [  4]  1.0- 2.0 sec   256 KBytes  2.10 Mbits/sec
      [  3]  0.0- 2.0 sec   640 KBytes  2.62 Mbits/sec
      """
    #expect(try periods(try run(two, .iperf).text) == [[1000, 4_194_304, -1], [1000, 4_194_304, -1]])
    let three = """
      Connecting to host 10.0.0.1, port 5201
      [  5] local 10.0.0.2 port 41024 connected to 10.0.0.1 port 5201
      [ ID] Interval           Transfer     Bitrate         Retr  Cwnd
      [  5]   0.00-1.00   sec  1.50 MBytes  12.6 Mbits/sec    0    341 KBytes
      [  5]   1.00-2.00   sec  0.00 Bytes  0.00 bits/sec    3    1.41 KBytes
      - - - - - - - - - - - - - - - - - - - - - - - - -
      [  5]   0.00-2.00   sec  1.50 MBytes  6.29 Mbits/sec    0             sender
      iperf Done.
      """
    #expect(try periods(try run(three, .iperf).text) == [[1000, 12_582_912, -1], [1000, 0, -1]])
    #expect(complaint(two + "\n[  3]  5.0- 6.0 sec   256 KBytes  2.10 Mbits/sec", .iperf).hasPrefix("7: begins later"))
    #expect(complaint(two + "\n[  3]  2.0- 3.0 sec   256 Knights  2.10 Mbits/sec", .iperf).hasPrefix("7: has \"256 Knights\""))
  }

  // MARK: Sessions

  @Test func aSessionBecomesARecordingThatASweepReads() throws {
    let result = try run("when,item,dwell_s,kind\n1,3,1.5,image\n2,0,\"0.25\",video\n", .session)
    #expect(result.text == "item,dwellMs\n3,1500\n0,250\n")
    let sink = DiagnosticSink()
    let visits = RecordingReader.read(InputFile(name: "s.csv", bytes: Array(result.text.utf8)), into: sink)
    #expect(sink.isEmpty)
    #expect(visits.map(\.item) == [3, 0])
    #expect(visits.map(\.dwell.milliseconds) == [1500, 250])
  }

  @Test func rowsAreItemsWithoutAColumnOfItems() throws {
    #expect(try run("seen\n200\n0.5\n", .session) { $0.dwellColumn = "seen" }.text == "item,dwellMs\n0,200\n1,0.5\n")
    #expect(complaint("a,b\n1,2\n", .session).hasPrefix("1: has no column \"dwellMs\""))
    #expect(complaint("item,dwell\nx,2\n0,0\n1,90000000000\n", .session).split(separator: "\n").count == 3)
  }

  // MARK: Archives

  private func entry(_ type: String, bytes: Int, address: String = "a", status: Int = 200, body: String = "") -> String {
    """
    {"startedDateTime":"2024-05-01T12:00:00.5+02:00","request":{"method":"GET","url":"\(address)","headers":[{"name":"url","value":"x"}]},
    "response":{"status":\(status),"content":{"size":\(bytes),"mimeType":"\(type)","text":"\(body)"},"bodySize":-1},
    "timings":{"wait":12.3456,"receive":40.100000000000001,"dns":-1}}
    """
  }

  private func archive(_ entries: String...) -> String {
    "{\"log\":{\"version\":\"1.2\",\"pages\":[{\"id\":\"p\"}],\"entries\":[\(entries.joined(separator: ","))],\"comment\":null}}"
  }

  @Test func entriesBecomeItemsOfTheirKindAndSize() throws {
    let text = archive(
      entry("image/webp", bytes: 100), entry("application/json", bytes: 5), entry("text/HTML; charset=utf-8", bytes: 300),
      entry("video/mp4", bytes: 1000, address: "v", status: 206), entry("video/mp4", bytes: 500, address: "v", status: 206),
      entry("video/mp4", bytes: 7, address: "w", status: 206), entry("image/png", bytes: 0), entry("image/png", bytes: 9, status: 404))
    let result = try run(text, .har, timings: true)
    let sink = DiagnosticSink()
    let items = FeedReader.read(InputFile(name: "feed.json", bytes: Array(result.text.utf8)), into: sink)
    #expect(sink.isEmpty)
    #expect(items?.map(\.kind) == [.image, .webApp, .video, .video])
    #expect(items?.map(\.bytes) == [100, 300, 1500, 7])
    #expect(result.outcome.ignored == 3)
    let timings = (result.timings ?? "").split(separator: "\n")
    #expect(timings[0] == "item,startMs,blockedMs,dnsMs,connectMs,sslMs,sendMs,waitMs,receiveMs,bytes")
    #expect(timings.dropFirst().map { String($0) }[2] == "2,0,,,,,,12.345,40.1,1000")
    #expect(timings.count == 6)
  }

  @Test func anArchiveReadsTheSameInPiecesOfAnySize() throws {
    let text = Array(archive(entry("image/webp", bytes: 100, body: "a\\\"b\\\\"), entry("video/mp4", bytes: 8, body: "ü\\u00fc")).utf8)
    let whole = try run(String(decoding: text, as: UTF8.self), .har).text
    for size in [1, 2, 3, 7, 64] {
      try Self.withFolder { folder in
        let results = try ResultsFolder(path: folder.path)
        let feed = try results.open("feed")
        var splitter = HARSplitter(MalformedLines(file: "f", isSkipping: false))
        var items = try HARItems(feed: feed, timings: nil)
        for start in stride(from: 0, to: text.count, by: size) {
          try Array(text[start..<min(text.count, start + size)]).withUnsafeBytes { try splitter.read($0) { try items.add($0) } }
        }
        try items.finish(splitter.finish())
        try feed.close()
        try results.publish()
        #expect(try String(contentsOf: folder.appendingPathComponent("feed"), encoding: .utf8) == whole)
      }
    }
  }

  @Test(arguments: [
    ("[1 2]", "1: has \"2\" where JSON has something else"), ("{\"log\":{}}", "1: has no log.entries"),
    ("{\"log\":\n{\"entries\":[{},\n}", "3: has \"}\" where JSON has something else"), ("{\"a\":tru}", "1: tru is not a value"),
    ("{\"log\":", "1: ends in the middle"), ("{\"a\":\"\n\"}", "1: has a control character in a string"),
    ("{\"a\" 1}", "1: has \"1\" after its key"), ("{\"log\":{\"entries\":[{} {}]}}", "1: has no comma between two entries"),
    ("{} {}", "1: there is more after the end: \"{\""), ("{\"log\":{\"pages\":[\n],\"entries\":[\n{},\n{}]},\n\"a\":}", "5: has no value"),
    ("{\"log\":{\"entries\":[\n{\"a\":", "2: ends in the middle"), ("{\"log\":{\"entries\":[\n{\"a\":\"", "2: ends in the middle"),
    ("{\"log\":{\"entries\":[{}]}}\n x", "2: there is more after the end: \"x\""),
    ("{\"log\":{\"entries\":[\n{\"a\":[1,\n2],\n\"b\" 3}]}}", "4: has \"3\" after its key"),
    ("{\"other\":{\"entries\":[{\"a\":[]}]}}", "1: has no log.entries"),
  ])
  func whatIsNoArchiveIsFatalWhateverWasAsked(_ text: String, _ problem: String) {
    for skips in [false, true] {
      #expect(complaint(text, .har) { $0.skipsMalformed = skips }.split(separator: "\n").contains { $0 == problem }, "\(skips)")
    }
  }

  @Test func bodiesOfAnyLengthAreRead() throws {
    let long = String(repeating: "x\\\"", count: 200_000)
    let text = archive(entry("image/png", bytes: 9, body: long), entry("image/png", bytes: 8, body: "\\ud83d lone \\udc00\\ud83d"))
    #expect(try run(text, .har).outcome.rows == 2)
  }

  /// A bracket or quote missing in one entry and extra in another would swallow the valid entries between them.
  @Test(arguments: [
    ("}}", "}", "}}", "}}}"), ("\"GET\"", "\"GET", "\"GET\"", "\"GET"), ("\"x\"", "\"x", "\"x\"", "\"x"), ("\"x\"}]", "\"x\"}}", "}", "}"),
    ("\"x\"}]", "\"x\"]", "\"x\"}]", "\"x\"}}]"), ("\"GET\"", "GET BACK", "}", "}"),
  ])
  func noSoundEntryIsLostToTheSyntaxOfOthers(_ second: String, _ wrong: String, _ fifth: String, _ alsoWrong: String) throws {
    var entries = (1...6).map { entry("image/png", bytes: $0).replacing("\n", with: "") }
    #expect(try run(archive(entries.joined(separator: ",")), .har).outcome.rows == 6)
    entries[1] = entries[1].replacing(second, with: wrong)
    entries[4] = entries[4].replacing(fifth, with: alsoWrong)
    for skips in [false, true] {
      #expect(
        complaint(archive(entries.joined(separator: ",")), .har) { $0.skipsMalformed = skips }.hasPrefix("1: "), "\(second), \(skips)")
    }
  }

  @Test func contentsOfListsAreNotKept() throws {
    let deep = String(repeating: "[", count: 150) + String(repeating: "]", count: 150)
    let list = "[" + String(repeating: "[1.5e3,\"a]\", {\"b\" : null}], \n", count: 100_000) + deep + "]"
    let entry = entry("image/png", bytes: 9).replacing("\"status\"", with: "\"cookies\":\(list),\"status\"")
    let text = archive(entry).replacing("\"comment\":null", with: "\"comment\":\(list)")
    #expect(try run(text, .har).outcome.rows == 1)
    var splitter = HARSplitter(MalformedLines(file: "f", isSkipping: false))
    var lists: [[JSON5Value]?] = []
    try Array(text.utf8).withUnsafeBytes { try splitter.read($0) { lists.append($0["response"]?["cookies"]?.elements) } }
    _ = try splitter.finish()
    #expect(lists == [[]])
  }

  @Test func anEntryWithoutAResponseIsMalformedAtItsLine() throws {
    let text = archive("\n{}", "\n\n" + entry("image/png", bytes: 9))
    #expect(complaint(text, .har) == "2: is an entry without a request's method or a response's status")
    #expect(try run(text, .har) { $0.skipsMalformed = true }.outcome.skipped == 1)
  }

  // MARK: Progress and cancelling

  @Test func progressComesInHundredthsAtMost() throws {
    var percents: [Int] = []
    let line = "1 2 59.0 10.0 5000 1000\n"
    _ = try run(String(repeating: line, count: 3_000_000 / line.utf8.count), .hsdpa, progress: { percents.append($0.percent ?? -1) })
    #expect(percents == Array(Set(percents)).sorted(), "never twice, never back")
    #expect(percents == Array(0...100))
  }

  @Test func aCancelledImportLeavesNothingBehind() throws {
    var asked = 0
    let line = "1 2 59.0 10.0 5000 1000\n"
    #expect(throws: ImportCancelled.self) {
      try run(
        String(repeating: line, count: 3_000_000 / line.utf8.count), .hsdpa,
        isCancelled: {
          asked += 1
          return asked > 6
        })
    }
  }

  @Test func aLargePartialFileIsRemovedAfterACancel() throws {
    try Self.withFolder { folder in
      let path = folder.appendingPathComponent("large").path
      do {
        let targets = try OutputTargets([("--output", path, .imported)])
        let output = try targets.open()[0]
        for _ in 0..<20 { try output.append([UInt8](repeating: 0x30, count: 1 << 20)) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 1)
        withExtendedLifetime(targets) {}
      }
      var files = ["?"]
      for _ in 0..<200 where !files.isEmpty {
        files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        if !files.isEmpty { usleep(10_000) }
      }
      #expect(files.isEmpty)
    }
  }

  @Test func theOldOutputStaysUntilTheNewFileIsComplete() throws {
    try Self.withFolder { folder in
      let (input, output) = (folder.appendingPathComponent("input"), folder.appendingPathComponent("output"))
      try Data((Self.ghent + "malformed\n").utf8).write(to: input)
      try Data("item,dwellMs\n".utf8).write(to: output)
      var job = ImportJob(input: input.path, output: output.path, format: .ghent)
      #expect(throws: InvalidInput.self) { try job.run(progress: { _ in }, isCancelled: { false }) }
      #expect(try String(contentsOf: output, encoding: .utf8) == "item,dwellMs\n")
      job.skipsMalformed = true
      _ = try job.run(progress: { _ in }, isCancelled: { false })
      #expect(try String(contentsOf: output, encoding: .utf8).hasPrefix("["))
    }
  }

  // MARK: Numbers

  @Test(
    arguments: [
      ("0", 0, 0), ("7", 3, 7000), ("0999", 0, 999), ("3.15", 3, 3150), ("3.14159", 2, 314), (".5", 1, 5), ("5.", 1, 50),
      ("999999999999999999", 0, 999_999_999_999_999_999), ("40.100000000000001", 3, 40100),
    ] as [(String, Int, Int64)])
  func numbersAreReadExactly(_ text: String, _ decimals: Int, _ value: Int64) {
    #expect(Array(text.utf8).withUnsafeBytes { TextLine(number: 1, bytes: $0).number(0..<$0.count, decimals: decimals) } == value)
  }

  @Test(arguments: ["", ".", "-1", "1e3", "1.2.3", "x", "1 ", "1000000000000000000", "0x10", "+1"])
  func whatIsNoNumberIsNone(_ text: String) {
    #expect(Array(text.utf8).withUnsafeBytes { TextLine(number: 1, bytes: $0).number(0..<$0.count) } == nil)
  }

  @Test(
    arguments: [
      (0, 0, "0"), (0, 3, "0"), (5, 0, "5"), (1500, 3, "1.5"), (1, 6, "0.000001"), (1000, 3, "1"), (10, 0, "10"), (123_456, 2, "1234.56"),
      (Int64.max, 0, "9223372036854775807"), (Int64.max, 6, "9223372036854.775807"),
    ] as [(Int64, Int, String)])
  func numbersAreWrittenShortAndExactly(_ value: Int64, _ decimals: Int, _ text: String) {
    #expect(ExactDecimal.text(value, decimals: decimals) == text)
  }
}
