import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Import
@testable import Inputs
@testable import Simulation

/// Archives as programs write them: the items that they become, and what is refused by name.
@Suite struct ArchiveTests {
  /// Imports a text and returns the written file and the outcome.
  static func run(
    _ text: [UInt8], _ format: ImportJob.Format, _ configure: (inout ImportJob) -> Void = { _ in }
  ) throws -> (text: String, outcome: ImportJob.Outcome) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("archive-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(text).write(to: folder.appendingPathComponent("input"))
    var job = ImportJob(
      input: folder.appendingPathComponent("input").path, output: folder.appendingPathComponent("output").path, format: format)
    configure(&job)
    let outcome = try job.run(progress: { _ in }, isCancelled: { false })
    return (try String(contentsOf: folder.appendingPathComponent("output"), encoding: .utf8), outcome)
  }

  /// Returns the problems of an input.
  static func complaint(_ text: [UInt8], _ format: ImportJob.Format, _ configure: (inout ImportJob) -> Void = { _ in }) -> String {
    do {
      _ = try run(text, format, configure)
      return ""
    } catch let error as InvalidInput {
      return error.diagnostics.map { "\($0.location.line): \($0.problem); \($0.remedy)" }.joined(separator: "\n")
    } catch { return "\(error)" }
  }

  /// An entry with what a program writes of it.
  private struct Entry {
    var url: String
    var type = "image/jpeg"
    var status = "200"
    /// The seconds of its start.
    var at = 0.0
    var response: [String: String] = [:]
    var content: [String: String] = [:]
    var headers: [String: String] = [:]
    var request: [String: String] = [:]
    var further: [String: String] = [:]

    var text: String {
      func members(_ values: [String: String]) -> String { values.sorted { $0.key < $1.key }.map { ",\"\($0.key)\":\($0.value)" }.joined() }
      func list(_ values: [String: String]) -> String {
        values.sorted { $0.key < $1.key }.map { "{\"name\":\"\($0.key)\",\"value\":\"\($0.value)\"}" }.joined(separator: ",")
      }
      return """
        {"startedDateTime":"2024-05-01T10:00:\(String(format: "%06.3f", at))Z","request":{"method":"GET","url":"\(url)",
        "headers":[\(list(request))]},"response":{"status":\(status),"headers":[\(list(headers))],"content":{"mimeType":"\(type)"\(members(content))}
        \(members(response))},"timings":{"wait":1}\(members(further))}
        """
    }
  }

  private static func archive(_ entries: [Entry]) -> [UInt8] {
    Array("{\"log\":{\"version\":\"1.2\",\"entries\":[\(entries.map(\.text).joined(separator: ",\n"))]}}".utf8)
  }

  /// Returns the items of an archive, such as `image 100, video 5000`.
  private func items(_ entries: [Entry], _ configure: (inout ImportJob) -> Void = { _ in }) throws -> String {
    let text = try Self.run(Self.archive(entries), .har, configure).text
    let sink = DiagnosticSink()
    let items = FeedReader.read(InputFile(name: "feed.json", bytes: Array(text.utf8)), into: sink)
    try sink.throwIfAny()
    return (items ?? []).map { "\($0.kind.name) \($0.bytes)" }.joined(separator: ", ")
  }

  private func sized(_ url: String, _ bytes: Int, at: Double = 0, type: String = "image/jpeg") -> Entry {
    Entry(url: url, type: type, at: at, content: ["size": "\(bytes)"])
  }

  /// A part of a video; `range` is what the server says of it.
  private func part(_ url: String, _ bytes: Int, range: String? = nil, at: Double = 0, type: String = "video/mp4") -> Entry {
    Entry(
      url: url, type: type, status: "206", at: at, content: ["size": "\(bytes)"],
      headers: range.map { ["Content-Range": "bytes \($0)"] } ?? [:])
  }

  // MARK: Responses

  @Test(arguments: ["-1", "-2", "0", "null", "304", "500"]) func anEntryWithoutASuccessfulResponseIsSkippedAndCounted(_ status: String)
    throws
  {
    var failed = sized("https://h/a", 5)
    failed.status = status
    let result = try Self.run(Self.archive([failed, sized("https://h/b", 7)]), .har)
    #expect(result.outcome.rows == 1 && result.outcome.ignored == 1)
    #expect(result.outcome.reasonText == " (1 no successful GET)")
  }

  @Test func anEntryWithoutAResponseObjectIsSkipped() throws {
    let lost = "{\"request\":{\"method\":\"GET\",\"url\":\"https://h/a\"},\"response\":null}"
    let text = "{\"log\":{\"entries\":[\(lost),\(sized("https://h/b", 7).text)]}}"
    #expect(try Self.run(Array(text.utf8), .har).outcome.rows == 1)
  }

  @Test(arguments: ["data:image/png;base64,AAAA", "blob:https://h/1", "chrome-extension://x/i.png", "DATA:image/gif;base64,AAAA"])
  func localAddressesAreNoItems(_ url: String) throws {
    #expect(try items([sized(url, 9), sized("https://h/b", 7)]) == "image 7")
    #expect(try items([sized("data:image/png;base64,\(String(repeating: "A", count: 40_000))", 9), sized("https://h/b", 7)]) == "image 7")
  }

  // MARK: Order, pages and caches

  @Test func entriesAreSortedByTheirStart() throws {
    let entries = [sized("https://h/3", 3, at: 30), sized("https://h/1", 1, at: 20), sized("https://h/2", 2, at: 20.001)]
    #expect(try items(entries) == "image 1, image 2, image 3")
    var zoned = sized("https://h/0", 4)
    zoned.further = ["x": "0"]
    let text = String(decoding: Self.archive([sized("https://h/1", 1, at: 1), zoned]), as: UTF8.self)
      .replacing("2024-05-01T10:00:00.000Z", with: "2024-05-01T12:00:00.999999+02:00")
    #expect(try Self.run(Array(text.utf8), .har).text.contains("4 },\n    { \"kind\": \"image\", \"bytes\": 1 "))
  }

  @Test func severalPagesNeedAChoice() throws {
    let entries = ["page_1", "page_2", "page_1"].enumerated().map { index, page in
      var entry = sized("https://h/\(index)", index + 1)
      entry.further["pageref"] = "\"\(page)\""
      return entry
    }
    #expect(
      Self.complaint(Self.archive(entries), .har)
        == "1: has 2 pages or loads, with their entries: \"page_1\" (2), \"page_2\" (1); choose one with --page")
    #expect(try items(entries) { $0.page = "page_1" } == "image 1, image 3")
    #expect(Self.complaint(Self.archive(entries), .har) { $0.page = "p" }.hasPrefix("1: has no page \"p\"; name one"))
    #expect(try items([entries[0], entries[2]]) == "image 1, image 3")
  }

  @Test(arguments: [
    ["_fromCache": "\"memory\""], ["_fromCache": "\"disk\""], ["_fetchType": "\"Memory Cache\""], ["_fetchedViaServiceWorker": "true"],
    ["cache": "{\"afterRequest\":null}"],
  ]) func whatACacheRepeatsIsNoNewItem(_ mark: [String: String]) throws {
    var cached = sized("https://h/a", 100, at: 2)
    cached.further = mark
    #expect(try items([sized("https://h/a", 100, at: 1), sized("https://h/b", 7, at: 1.5), cached]) == "image 100, image 7")
    // A first view may come from a cache, too; the network's response then replaces it.
    cached.at = 0
    #expect(try items([cached, sized("https://h/a", 99, at: 1)]) == "image 99")
    #expect(try items([cached]) == "image 100")
  }

  @Test func aSecondDownloadIsASecondItem() throws {
    #expect(try items([sized("https://h/a", 100, at: 1), sized("https://h/a", 100, at: 2)]) == "image 100, image 100")
  }

  // MARK: Sizes

  @Test func theSizeIsThatOfTheBodyOnTheWire() throws {
    // Chrome over HTTP/2: the headers are in _transferSize.
    var chrome = Entry(url: "https://h/a", response: ["bodySize": "-1", "_transferSize": "1212"], content: ["size": "1000"])
    #expect(try items([chrome]) == "image 1000")
    // A page that came compressed.
    chrome.type = "text/html; charset=utf-8"
    chrome.content["size"] = "9000"
    #expect(try items([chrome]) == "webApp 1212")
    chrome.headers = ["content-length": "1000", "content-encoding": "br"]
    #expect(try items([chrome]) == "webApp 1000")
    // HTTP/1.1: bodySize is without headers.
    let first = Entry(
      url: "https://h/a", response: ["bodySize": "800", "_transferSize": "1100"], content: ["size": "3000", "compression": "2200"])
    #expect(try items([first]) == "image 800")
  }

  @Test func aSizeThatOnlyAHeaderOrTheTextHasIsUsed() throws {
    let none = ["bodySize": "-1", "_transferSize": "-1"]
    #expect(
      try items([Entry(url: "https://h/a", response: none, content: ["size": "0"], headers: ["Content-Length": "555"])]) == "image 555")
    for length in [5, 6, 7, 12_000, 12_001, 12_002, 50_000] {
      let body = Data(repeating: 7, count: length).base64EncodedString()
      let content = ["size": "0", "encoding": "\"base64\"", "text": "\"\(body)\""]
      #expect(try items([Entry(url: "https://h/a", response: none, content: content)]) == "image \(length)")
      let text = ["size": "-1", "text": "\"\(String(repeating: "a\\n", count: length))\""]
      #expect(try items([Entry(url: "https://h/a", type: "text/html", response: none, content: text)]) == "webApp \(2 * length)")
    }
    let result = try Self.run(Self.archive([Entry(url: "https://h/a"), sized("https://h/b", 7)]), .har)
    #expect(
      result.outcome.notes.map { $0.split(separator: " ").dropFirst().joined(separator: " ") } == [
        "\"https://h/a\" has no size, so that it is no item"
      ])
    #expect(result.outcome.reasonText == " (1 without a size)")
    #expect(Self.complaint(Self.archive([Entry(url: "https://h/a")]), .har).contains("can use (1 without a size)"))
  }

  // MARK: Videos

  @Test func partsOfOneAddressAreJoinedWhereverTheyStand() throws {
    let entries = [
      part("https://h/1", 1000, at: 1), part("https://h/2", 2000, at: 2), part("https://h/1", 3000, at: 3),
      part("https://h/2", 4000, at: 4),
    ]
    #expect(try items(entries) == "video 4000, video 6000")
  }

  @Test func hostsOfOneNetworkServePartsOfOneVideo() throws {
    let first = part("https://a.cdn/v.mp4?k=1", 3000, range: "0-2999/9000", at: 1)
    #expect(try items([first, part("https://b.cdn/v.mp4?k=1", 6001, range: "2999-8999/9000", at: 2)]) == "video 9000")
    // Another length or path is another video.
    let others = [("b.cdn/v.mp4?k=1", 9001), ("b.cdn/w.mp4?k=1", 9000), ("b.cdn/v.mp4?k=2", 9000)].map {
      part("https://\($0)", 6000, range: "3000-8999/\($1)", at: 2)
    }
    for other in others { #expect(try items([first, other]) == "video 3000, video 6000") }
    // What a host sends without the length belongs to its other parts, and videos of two manifests share nothing.
    let parts = [first, part("https://b.cdn/v.mp4?k=1", 3000, range: "3000-5999/9000", at: 2)]
    #expect(try items(parts + [part("https://b.cdn/v.mp4?k=1", 3000, range: "6000-8999/*", at: 3)]) == "video 9000")
    let streams = ["a.cdn", "b.cdn"].flatMap { host in
      [
        sized("https://\(host)/f/v/m.mpd", 300, at: 4, type: "application/dash+xml"),
        part("https://\(host)/f/v/video.mp4", 1000, range: "0-999/5000", at: 5),
      ]
    }
    #expect(try items(streams) == "video 1000, video 1000")
  }

  @Test func bytesThatComeTwiceCountOnce() throws {
    let url = "https://h/v.mp4"
    #expect(try items([part(url, 100_000, range: "0-99999/*"), part(url, 50_000, range: "50000-99999/*")]) == "video 100000")
    // A player's probe, parts in any order, and a gap.
    let parts = [
      part(url, 2, range: "0-1/9000"), part(url, 4000, range: "5000-8999/9000", at: 1), part(url, 3000, range: "0-2999/9000", at: 2),
    ]
    #expect(try items(parts) == "video 7000")
    var asked = part(url, 500)
    asked.request = ["range": "bytes=1000-"]
    #expect(try items([part(url, 1200, range: "0-1199/*"), asked]) == "video 1500")
    #expect(try items([part(url, 2, range: "0-1/9000"), sized(url, 9000, at: 1, type: "video/mp4")]) == "video 9000")
  }

  @Test func rangesInAddressesArePartsToo() throws {
    let entries = [(0, 999), (1000, 2999), (500, 1499)].map { start, end in
      sized("https://h/v.mp4?a=1&bytestart=\(start)&byteend=\(end)", end - start + 1, type: "video/mp4")
    }
    #expect(try items(entries + [sized("https://h/v.mp4?a=2&range=0-9", 10, type: "video/mp4")]) == "video 3000, video 10")
  }

  private func list(_ url: String, at: Double) -> Entry { sized(url, 300, at: at, type: "application/vnd.apple.mpegurl") }

  @Test func segmentsOfOneVideoAreOneVideo() throws {
    func segments(_ folder: String, _ bytes: Int, at: Double) -> [Entry] {
      (1...3).map { sized("https://h/\(folder)/seg-\($0).ts?token=\(at)\($0)", bytes, at: at + Double($0) / 10, type: "video/mp2t") }
    }
    // With a master playlist and renditions, with a playlist beside the segments, and without any.
    let all =
      [list("https://h/v1/master.m3u8", at: 1), list("https://h/v1/720/index.m3u8", at: 1.1)] + segments("v1/720", 100, at: 1.2)
      + segments("v1/1080", 1000, at: 2) + [list("https://h/v2/index.m3u8", at: 3)] + segments("v2", 10, at: 3.2) + segments("v3", 1, at: 4)
    #expect(try items(all) == "video 3300, video 30, video 3")
    // The same addresses with a type that says nothing.
    let opaque = all.map { entry in
      var entry = entry
      if entry.type == "video/mp2t" { entry.type = "application/octet-stream" }
      return entry
    }
    #expect(try items(opaque) == "video 3300, video 30, video 3")
  }

  @Test func manyPlaylistsOfOneFolderAreManyVideos() throws {
    let entries = [1, 2].flatMap { id in
      [list("https://h/hls/\(id)5.m3u8", at: Double(id))]
        + (1...2).map { sized("https://h/hls/\(id)5-\($0).ts", id * 10, at: Double(id) + 0.1, type: "video/mp2t") }
    }
    #expect(try items(entries) == "video 20, video 40")
  }

  @Test func soundBelongsToItsVideo() throws {
    var entries = [sized("https://h/d/manifest.mpd", 300, at: 1, type: "application/dash+xml")]
    entries += ["video/init.mp4", "video/chunk-1.m4s", "video/chunk-2.m4s"].map {
      sized("https://h/d/\($0)", 100, at: 1.1, type: "video/mp4")
    }
    entries += ["audio/init.mp4", "audio/chunk-1.m4s"].map { sized("https://h/d/\($0)", 10, at: 1.2, type: "audio/mp4") }
    entries += [part("https://h/d/side.mp4", 5, range: "0-4/9", at: 1.3), part("https://h/d/side.mp4", 5, range: "3-7/9", at: 1.4)]
    for index in entries.indices { entries[index].further["_resourceType"] = "\"fetch\"" }
    #expect(try items(entries) == "video 328")
    #expect(try items([sized("https://h/a.mp3", 9, type: "audio/mpeg"), sized("https://h/b", 7)]) == "image 7")
    // Without a manifest: the start of the video and its segments.
    #expect(try items(Array(entries[1...3])) == "video 300")
  }

  @Test func filesWithNumbersAreVideosOfTheirOwn() throws {
    let entries = (1...3).map { sized("https://h/v/\($0).mp4", $0, at: Double($0), type: "video/mp4") }
    #expect(try items(entries) == "video 1, video 2, video 3")
    let element = entries.map { entry in
      var entry = entry
      (entry.type, entry.further["_resourceType"]) = ("binary/octet-stream", "\"media\"")
      entry.url = entry.url.replacing(".mp4", with: "")
      return entry
    }
    #expect(try items(element) == "video 1, video 2, video 3")
  }

  // MARK: Forms

  @Test func whatIsNoTextInUTF8SaysWhatItIs() throws {
    #expect(Self.complaint([0x1F, 0x8B, 8, 0], .har).hasSuffix("is compressed with gzip; unpack it with gunzip"))
    #expect(Self.complaint([0x50, 0x4B, 3, 4], .iperf).hasSuffix("is compressed with zip; unpack it with unzip"))
    let wide = Array("{}".utf16.flatMap { [UInt8($0 & 255), UInt8($0 >> 8)] })
    for text in [wide, [0xFF, 0xFE] + wide, [0xFE, 0xFF, 0] + wide] { #expect(Self.complaint(text, .har).contains("is in UTF-16")) }
    #expect(try Self.run([0xEF, 0xBB, 0xBF] + Self.archive([sized("https://h/b", 7)]), .har).outcome.rows == 1)
  }

  @Test func anArchiveInACallIsRead() throws {
    let archive = Self.archive([sized("https://h/b", 7)])
    for (start, end) in [("onInputData(", ");"), ("\n window.data_1 (\n", "\n)\n;\n"), ("(", ")")] {
      #expect(try Self.run(Array(start.utf8) + archive + Array(end.utf8), .har).outcome.rows == 1, "\(start)")
    }
    for (start, end) in [("onInputData[(", ");"), ("f(", "); x"), ("", ");"), ("a b+(", ")")] {
      #expect(throws: InvalidInput.self, "\(start)") { try Self.run(Array(start.utf8) + archive + Array(end.utf8), .har) }
    }
  }

  @Test(arguments: [ImportJob.Format.irish, .session]) func aMissingColumnIsReportedOnce(_ format: ImportJob.Format) {
    let text = Array(("a,b\n" + String(repeating: "1,2\n", count: 50)).utf8)
    for skips in [false, true] {
      #expect(Self.complaint(text, format) { $0.skipsMalformed = skips }.split(separator: "\n").count == 1)
    }
  }
}

/// Logs of iperf as its options write them.
@Suite struct IperfTests {
  /// Returns the rates of a log in bits a second, and its notes.
  private func rates(_ text: String) throws -> String {
    let (trace, outcome) = try ArchiveTests.run(Array(text.utf8), .iperf)
    let link = TraceReader.read(
      InputFile(name: "t.json", bytes: Array(trace.utf8)), options: TraceOptions(format: .sabre), into: DiagnosticSink())
    return ((link?.periods ?? []).map { "\($0.bitsPerSecond)" } + outcome.notes).joined(separator: " ")
  }

  private static let head =
    "[  5] local 10.0.0.2 port 41024 connected to 10.0.0.1 port 5201\n[ ID] Interval           Transfer     Bitrate\n"
  private static let first = "[  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec    0    341 KBytes"
  private static let summary = """
    - - - - - - - - - - - - - - - - - - - - - - - - -
    [  5]   0.00-1.00   sec  1.00 MBytes  8.39 Mbits/sec    0             sender
    [  5]   0.00-1.04   sec  1.00 MBytes  8.39 Mbits/sec                  receiver

    """

  @Test func aLogOfOneIntervalHasItsRate() throws {
    #expect(try rates(Self.head + Self.first + "\n" + Self.summary) == "8388608")
    // iperf 2 marks no summary.
    let second = "[  3]  0.0- 1.0 sec   512 KBytes  4.19 Mbits/sec\n"
    #expect(try rates(second + second.replacing("3]", with: "4]") + second + second.replacing("3]", with: "4]")) == "8388608")
    #expect(ArchiveTests.complaint(Array(Self.summary.utf8), .iperf).contains("has only the summaries of whole tests"))
  }

  @Test func omittedSecondsAreLeftOut() throws {
    let omitted = "[  5]   0.00-1.00   sec  9.00 MBytes  75.5 Mbits/sec    0   14.1 KBytes       (omitted)\n"
    let next = Self.first.replacing("0.00-1.00", with: "1.00-2.00")
    #expect(
      try rates(Self.head + omitted + omitted.replacing("0.00-1.00", with: "1.00-2.00") + Self.first + "\n" + next + "\n" + Self.summary)
        == "8388608 8388608")
  }

  @Test(arguments: ["Tue Sep 19 12:00:01 2023 ", "2023-09-19T12:00:01+0000 ", "[12:00:01] ", "1695124801 "])
  func timeStampsAreSkipped(_ stamp: String) throws {
    let lines = (Self.head + Self.first + "\n" + Self.summary).split(separator: "\n").map { stamp + $0 }
    #expect(try rates(lines.joined(separator: "\n")) == "8388608")
  }

  @Test func twoDirectionsAreRefused() throws {
    let both = Self.first.replacing("[  5]", with: "[  5][TX-C]") + "\n" + Self.first.replacing("[  5]", with: "[  7][RX-C]") + "\n"
    #expect(ArchiveTests.complaint(Array(both.utf8), .iperf).hasPrefix("2: has both directions of a test with --bidir"))
    #expect(try rates(String(both.split(separator: "\n")[1])) == "8388608")
  }

  @Test func testsOfAServersLogFollowOneAnother() throws {
    let two =
      Self.head + Self.first + "\n" + Self.summary + Self.head + Self.first.replacing("1.00 MB", with: "2.00 MB") + "\n" + Self.summary
    #expect(try rates(two) == "8388608 16777216 the log has 2 tests, which follow one another")
    // Without the lines of connections.
    let three = (0..<3).map { Self.first.replacing("0.00-1.00", with: "\($0).00-\($0 + 1).00") }.joined(separator: "\n") + "\n"
    #expect(try rates(three + three).hasSuffix("8388608 the log has 2 tests, which follow one another"))
  }

  @Test func jsonIsReadAsTextIs() throws {
    func interval(_ seconds: Double, _ bytes: Int, _ omitted: Bool = false) -> String {
      "{\"streams\":[{\"bytes\":\(bytes)}],\"sum\":{\"start\":0,\"end\":1,\"seconds\":\(seconds),\"bytes\":\(bytes),\"omitted\":\(omitted)}}"
    }
    let body = "\"intervals\":\t[\(interval(1, 1, true)),\n\(interval(1, 1_048_576)), \(interval(0.5, 1_048_576))],\n\"end\":\t{\n\t}\n"
    let document = "{\n\t\"start\":\t{\n\t},\n\t\(body)}\n"
    #expect(try rates(document) == "8388608 16777216")
    #expect(try rates(document + document).hasSuffix("16777216 the log has 2 tests, which follow one another"))
    let stream =
      "{\"event\":\"start\",\"data\":{}}\n{\"event\":\"interval\",\"data\":\(interval(1, 1_048_576))}\n{\"event\":\"end\",\"data\":{}}\n"
    #expect(try rates(stream) == "8388608")
    func complaint(_ text: String) -> String { ArchiveTests.complaint(Array(text.utf8), .iperf) }
    #expect(complaint(document.replacing("\"sum\"", with: "\"sum_bidir_reverse\":{},\"sum\"")).contains("has both directions"))
    #expect(
      complaint("{\n\"intervals\":[],\n\"error\":\"unable to connect\"\n}\n").contains("is of a test that failed: \"unable to connect\""))
    #expect(complaint(String(document.dropLast(9))).contains("has JSON that cannot be parsed"))
  }
}
