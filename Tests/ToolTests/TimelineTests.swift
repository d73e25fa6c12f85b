import Foundation
import TestSupport
import Testing

@testable import Rendering
@testable import SweepTool

@Suite struct TimelineTests {
  private func root(_ text: String?) throws -> XMLTree { try #require(text.flatMap(XMLTree.root), "the parser refuses it") }

  /// The marks of loaders in a drawing.
  private func marks(_ drawing: XMLTree) -> [XMLTree] {
    drawing.all("path").filter { ($0.attributes["class"] ?? "").hasPrefix("loader ") }
  }

  @Test func theSmallRun() throws {
    try expectGolden(try #require(SampleTimelines.small.svg()), "timeline.svg")
    // Style and script are every page's.
    let page = try #require(SampleTimelines.pair.page())
    let (start, end) = (try #require(page.range(of: "<body>")), try #require(page.range(of: "<script>")))
    try expectGolden(String(page[start.upperBound..<end.lowerBound]), "timeline.html")
  }

  @Test func everyLoaderHasAMarkWithItsReason() throws {
    let page = try root(SampleTimelines.long.page())
    let whole = try #require(page.all("svg").last)
    let loaders = SampleTimelines.long.runs.map { run in run.visits.filter { $0.loader != nil } }
    #expect(loaders.allSatisfy { $0.count > 10 })
    let marks = marks(whole)
    #expect(marks.count == loaders.joined().count)
    for (mark, visit) in zip(marks, loaders.joined().sorted { ($0.from, $0.item) < ($1.from, $1.item) }) where loaders.count == 1 {
      #expect(mark.all("title").first?.text.hasPrefix("item \(visit.item) ") == true)
    }
    let rows = try #require(page.all("tbody").first).all("tr")
    #expect(rows.count == Set(SampleTimelines.long.runs.flatMap(\.loaders)).count)
    let ids = Set(marks.compactMap { $0.attributes["id"] })
    let links = page.all("tbody")[0].all("a").compactMap { $0.attributes["href"]?.dropFirst() }.map(String.init)
    #expect(Set(links) == ids && links.count == marks.count)
  }

  @Test func twoPointsShareOneTimeAxis() throws {
    let drawing = try root(SampleTimelines.pair.svg())
    // Both runs have the same items on screen at the same time; only their rows are further down.
    let visits = drawing.all("path").filter { $0.attributes["class"] == "dwell" }.map { path in
      (path.attributes["d"] ?? "").split(separator: "M").map { box in
        [box.prefix { $0 != " " }, box.drop { $0 != "h" }.dropFirst().prefix { $0 != "v" }].map(String.init)
      }.sorted { ($0[0].count, $0[0]) < ($1[0].count, $1[0]) }
    }
    #expect(visits.count == 2 && visits[0].count == 5 && visits[0] == visits[1])
    let ticks = Dictionary(grouping: drawing.all("text").filter { $0.attributes["text-anchor"] == "middle" }, by: \.text)
    #expect(ticks.count > 3)
    for (text, found) in ticks { #expect(found.count == 2 && found[0].attributes["x"] == found[1].attributes["x"], "\(text)") }
  }

  @Test func aPictureNamesItsStretchAndTheReason() throws {
    #expect(TimelineWindow.focus(SampleTimelines.pair.runs).reason == "around the first loader that only one of them has")
    #expect(TimelineWindow.focus(SampleTimelines.small.runs).reason == "around the first loader that a prefetcher could have avoided")
    var quiet = SampleTimelines.small.runs
    for index in quiet[0].visits.indices { quiet[0].visits[index].loader = nil }
    #expect(TimelineWindow.focus(quiet).reason == "the start, because there was no loader")
    let long = SampleTimelines.long
    let window = try #require(TimelineWindow.items(100...104, of: long.runs))
    #expect(window.from == 100_000 && window.to == 105_000)
    #expect(TimelineWindow.items(5000...6000, of: long.runs) == nil && long.svg(items: 5000...6000) == nil)
    let drawing = try root(long.svg(items: 100...104))
    #expect(drawing.all("text").contains { $0.text.contains("while items 100 to 104 were on screen") })
    #expect(drawing.all("desc").first?.text.contains("in this stretch") == true)
  }

  @Test func theStretchIsAroundTheFirstDifference() {
    var trace = SampleTimelines.long
    let index = (30..<200).first { trace.runs[0].visits[$0].loader == nil } ?? 0
    trace.runs.append(trace.runs[0])
    trace.runs[1].visits[index].loader = trace.runs[0].visits.compactMap(\.loader).first
    let window = TimelineWindow.focus(trace.runs)
    #expect(window.from == Double(index - 8) * 1000 && window.to == Double(index + 16) * 1000)
  }

  @Test func aThousandItemsReuseRows() throws {
    let run = SampleTimelines.long.runs[0]
    let rows = TimelineRows(run, from: 0, to: run.end, room: 1500, loaderRoom: 2000)
    #expect(run.visits.count == 1000 && rows.count <= 64 && rows.count >= 24)
    #expect(rows.lifetimes.map(\.visits.count).reduce(0, +) == run.visits.count)
    #expect(rows.lifetimes.map(\.requests.count).reduce(0, +) == run.requests.count)
    for row in 0..<rows.count {
      let lifetimes = rows.lifetimes.filter { $0.row == row }.sorted { $0.from < $1.from }
      for (earlier, later) in zip(lifetimes, lifetimes.dropFirst()) { #expect(later.from >= earlier.to + 1500) }
    }
    let few = TimelineRows(run, from: 0, to: 20_000, room: 1500, loaderRoom: 2000)
    #expect(few.lifetimes.allSatisfy { $0.row == $0.item })
  }

  @Test func anItemFetchedLongBeforeItsVisitDoesNotKeepARow() {
    // All items are requested at the start and viewed one a second; a row for each would make the picture very high.
    var run = SampleTimelines.long.runs[0]
    for index in run.requests.indices { (run.requests[index].asked, run.requests[index].ended) = (Double(index), Double(index) + 10) }
    let rows = TimelineRows(run, from: 0, to: run.end, room: 0, loaderRoom: 0)
    #expect(rows.count <= 64)
    #expect(rows.lifetimes.map(\.visits.count).reduce(0, +) == run.visits.count)
  }

  @Test func aPictureEndsAtTheLimitOfRequests() throws {
    var trace = SampleTimelines.long
    trace.runs = (0..<8).map { _ in trace.runs[0] }
    #expect(trace.runs.map(\.requests.count).reduce(0, +) > TimelineChart.drawnLimit)
    let drawing = TimelineChart(trace: trace, window: .whole(trace.runs), name: "run").drawing.file
    #expect(drawing.contains("ends at the limit of 4000 requests and loaders in a picture"))
    #expect(drawing.utf8.count < 2_000_000, "\(drawing.utf8.count) bytes")
    #expect(XMLTree.root(of: drawing) != nil)
  }

  @Test func aPageOfTwoRunsOfOnlyLoadersIsUnderTwoMegabytes() throws {
    var trace = SampleTimelines.long
    let loader = trace.runs[0].visits.compactMap(\.loader)[0]
    for index in trace.runs[0].visits.indices { trace.runs[0].visits[index].loader = loader }
    // Every second item is a video whose rest is requested too.
    trace.runs[0].requests += trace.runs[0].requests.filter { $0.item % 2 == 0 }.map { request in
      var rest = request
      (rest.part, rest.asked, rest.began, rest.ended) = (.rest, request.ended, request.ended + 100, request.ended + 500)
      return rest
    }
    trace.runs.append(trace.runs[0])
    let text = try #require(trace.page())
    #expect(text.utf8.count < 2_000_000, "\(text.utf8.count) bytes")
    // Loaders beyond the picture are listed without a link.
    let page = try root(text)
    let body = try #require(page.all("tbody").first)
    let links = body.all("a").compactMap { $0.attributes["href"] }
    #expect(body.all("tr").count == 1000 && links.count < 2000 && links.count > 1000)
    #expect(Set(links) == Set(marks(try #require(page.all("svg").last)).compactMap { $0.attributes["id"] }.map { "#\($0)" }))
  }

  @Test func namesInPicturesAreEscaped() throws {
    var trace = SampleTimelines.pair
    trace.sweep = "<script>alert(1)</script> ]]> \u{202E}gnp"
    trace.runs[0].name = "kind <img src=x onerror=alert(1)> & \u{645}\u{631}\u{62D}\u{628}\u{627}"
    for text in [trace.svg(), trace.page()] {
      let drawing = try root(text)
      #expect(drawing.all("img").isEmpty && drawing.all("script").count <= 1)
      #expect(text?.unicodeScalars.contains("\u{202E}") == false && text?.contains("<script>alert") == false)
    }
    let page = try root(trace.page())
    var ids = Set<String>()
    for svg in page.all("svg") {
      for id in [svg.attributes["aria-labelledby"] ?? ""].flatMap({ $0.split(separator: " ") }) { #expect(ids.insert(String(id)).inserted) }
    }
  }

  @Test func theVolumesAreInterpolatedLinearly() {
    let run = SampleTimelines.small.runs[0]
    #expect(run.volumes(by: -1).read == 0)
    #expect(run.volumes(by: 1000).offered == 100_000 && run.volumes(by: 500).offered == 50_000)
    #expect(run.volumes(by: 1e9).offered == run.volumes.last?.offered)
  }

  @Test func thePolicyHasTheHashesOfStyleAndScript() throws {
    let page = try root(SampleTimelines.small.page())
    let policy = try #require(page.all("meta").compactMap { $0.attributes["content"] }.first { $0.hasPrefix("default-src 'none'; ") })
    for (directive, element) in [("style-src", "style"), ("script-src", "script")] {
      let hash = SHA256.base64(try #require(page.all(element).first).text.utf8)
      #expect(policy.contains("; \(directive) 'sha256-\(hash)'; "), "PageFrame.policy: \(directive) 'sha256-\(hash)'")
    }
  }

  /// Vectors of FIPS 180-4 (NIST's examples), and lengths around a block's end.
  @Test func thePolicysHashIsSHA256() {
    func hexadecimal(_ text: String) -> String {
      SHA256.of(text.utf8).map { byte in String(byte >> 4, radix: 16) + String(byte & 15, radix: 16) }.joined()
    }
    #expect(hexadecimal("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(hexadecimal("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
    #expect(
      hexadecimal("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      hexadecimal(String(repeating: "a", count: 1_000_000)) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(SHA256.base64("".utf8) == "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=")
  }
}
