import Foundation
import TestSupport
import Testing

/// `import --scenario`: a session that `explain --har` exports is found again from its archive.
@Suite struct SessionTests {
  /// A planted session: prefetcher, network, dwell, downloads, and what the rebuilt sweep must say.
  struct Planted: CustomTestStringConvertible {
    let prefetcher: String, network: String, dwell: String, downloads: String
    let finds: [String]
    var isRateKnown = true, mix = "image: 0.8, video: 0.2", items = 60
    var testDescription: String { "\(prefetcher) over \(network)" }
  }

  private static let planted = [
    Planted(
      prefetcher: "{ kind: \"itemsAhead\", ahead: 4 }",
      network: "{ down: \"780kbps\", up: \"330kbps\", delayDown: \"100ms\", delayUp: \"100ms\", http: \"2\", tls: \"1.3\" }",
      dwell: "\"1200ms\"",
      downloads: "{ connections: 4, cancel: \"keep\" }",
      finds: ["{ kind: \"itemsAhead\", ahead: 4 }", "dwell: \"1200ms\"", "connections: 4, cancel: \"keep\"", "http: \"2\", tls: \"1.3\""]),
    Planted(
      prefetcher: "{ kind: \"costBudget\", maxCost: 7 }",
      network: "{ down: \"3Mbps\", up: \"1Mbps\", delayDown: \"40ms\", delayUp: \"40ms\", http: \"1.1\", tls: \"1.2\" }",
      dwell: "\"700ms\"",
      downloads: "{ connections: 3, cancel: \"resume\" }",
      finds: [
        "{ kind: \"costBudget\", maxCost: 7 }", "dwell: \"700ms\"", "connections: 3, cancel: \"resume\"", "http: \"1.1\", tls: \"1.2\"",
      ]),
    Planted(
      prefetcher: "\"none\"", network: "{ down: \"2Mbps\", up: \"1Mbps\", delayDown: \"20ms\", delayUp: \"20ms\", http: \"3\" }",
      dwell: "{ distribution: \"lognormal\", median: \"900ms\", sigma: 0.5, min: \"200ms\", max: \"9s\" }",
      downloads: "{ connections: 4, cancel: \"drop\" }", finds: ["{ kind: \"none\" }", "recording: \"rebuilt-visits.csv\"", "http: \"3\""]),
    // Connections open and close by microseconds, so that a rate a little off makes another session.
    Planted(
      prefetcher: "{ kind: \"uikit-1\", ahead: 2 }",
      network: "{ down: \"9698kbps\", up: \"2424kbps\", delayDown: \"80ms\", delayUp: \"80ms\", http: \"1.1\", tls: \"1.2\" }",
      dwell: "{ distribution: \"lognormal\", median: \"1s\", sigma: 0.5, min: \"100ms\", max: \"60s\" }",
      downloads: "{ connections: 4, cancel: \"resume\" }", finds: ["{ kind: \"uikit-1\", ahead: 2 }", "recording: \"rebuilt-visits.csv\""]),
    // Every request is cancelled before its first byte, so that any rate explains them.
    Planted(
      prefetcher: "{ kind: \"costBudget\", maxCost: 6 }",
      network: "{ down: \"923kbps\", up: \"230kbps\", delayDown: \"80ms\", delayUp: \"80ms\", http: \"1.1\", tls: \"1.3\" }",
      dwell: "\"300ms\"", downloads: "{ connections: 6, cancel: \"drop\" }",
      finds: ["dwell: \"300ms\"", "the rate is unknown: nothing was received"], isRateKnown: false),
    // Every request is cancelled in its body: waits and connections of cancelled requests show the round trip.
    Planted(
      prefetcher: "\"none\"",
      network: "{ down: \"1Mbps\", up: \"500kbps\", delayDown: \"100ms\", delayUp: \"100ms\", http: \"1.1\", tls: \"none\" }",
      dwell: "\"900ms\"", downloads: "{ connections: 2, cancel: \"drop\" }",
      finds: ["dwell: \"900ms\"", "a round trip of 200 ms"], mix: "video: 1"),
    // Longer than the beginning on which policies are compared.
    Planted(
      prefetcher: "{ kind: \"itemsAhead\", ahead: 2 }",
      network: "{ down: \"8Mbps\", up: \"2Mbps\", delayDown: \"20ms\", delayUp: \"20ms\", http: \"2\", tls: \"1.3\" }",
      dwell: "\"1s\"", downloads: "{ connections: 4, cancel: \"keep\" }",
      finds: ["{ kind: \"itemsAhead\", ahead: 2 }", "scroll: 490, dwell: \"1000ms\""], mix: "image: 1", items: 500),
    Planted(
      prefetcher: "{ kind: \"itemsAhead\", ahead: 1 }",
      network: "{ down: \"700kbps\", up: \"330kbps\", delayDown: \"30ms\", delayUp: \"30ms\", http: \"1.1\", tls: \"none\" }",
      dwell: "{ distribution: \"lognormal\", median: \"700ms\", sigma: 0.5, min: \"100ms\", max: \"60s\" }",
      downloads: "{ connections: 4, cancel: \"keep\" }",
      finds: ["{ kind: \"itemsAhead\", ahead: 1 }", "user: 400 items"], items: 410),
  ]

  @Test(arguments: planted) func aPlantedSessionIsFoundAgain(_ planted: Planted) throws {
    try BuiltTool.withFolder { folder in
      let sweep = """
        { sweep: "planted", scenario: { feed: { items: \(planted.items), mix: { \(planted.mix) } }, network: \(planted.network),
          user: { scroll: \(planted.items - 10), dwell: \(planted.dwell) }, downloads: \(planted.downloads), prefetcher: \(planted.prefetcher) },
          axes: { "downloads.restFirst": [true] }, seed: 3 }
        """
      try sweep.write(to: folder.appendingPathComponent("planted.json5"), atomically: true, encoding: .utf8)
      #expect(try BuiltTool.run(["explain", "planted.json5", "--har", "planted.har"], in: folder).status == 0)
      let result = try BuiltTool.run(["import", "planted.har", "--scenario", "rebuilt.json5"], in: folder)
      #expect(result.status == 0, "\(result.errors)")
      let rebuilt = try String(contentsOf: folder.appendingPathComponent("rebuilt.json5"), encoding: .utf8)
      for text in planted.finds { #expect(rebuilt.contains(text) || result.output.contains(text), "\(text)\n\(rebuilt)\n\(result.output)") }
      let rate = try #require(rebuilt.firstMatch(of: #/down: "([0-9.]+)kbps"/#).flatMap { Double($0.1) })
      let down = try #require(planted.network.firstMatch(of: #/down: "([0-9]+)([kM])bps"/#))
      let truth = (Double(down.1) ?? 0) * (down.2 == "M" ? 1000 : 1)
      // An unknown rate is under `uncertain`.
      #expect(!planted.isRateKnown || abs(rate - truth) <= 0.05 * truth)
      #expect(rebuilt.contains("\"network.down\":") != planted.isRateKnown)
      #expect(
        try BuiltTool.run(["run", "rebuilt.json5", "--set", "uncertain=null", "--quiet", "--output", "results"], in: folder).status == 0)
    }
  }

  /// A request of an archive: times in milliseconds, and the bytes that came.
  private typealias Request = (start: Int, wait: Int, receive: Int, bytes: Int)

  /// The output of `import --scenario` and its files; a trace or visits that it does not write are empty.
  private struct Rebuilt {
    var output = "", sweep = "", trace = "", visits = ""
  }

  /// Imports requests; every `lookups`th looks up its name first, that with the index `cancelled` is cancelled, and a dwell is given for all.
  private static func rebuilt(
    _ requests: [Request], connect: Int = 40, lookup: Int = -1, lookups: Int = .max, status: Int = 200, range: Int? = nil,
    cancelled: Int? = nil, hosts: Int = 1, dwellMs: Int? = nil
  ) throws -> Rebuilt {
    var found = Rebuilt()
    try BuiltTool.withFolder { folder in
      let entries = requests.enumerated().map { index, request in
        let connect = index == 0 ? connect : 0
        let start = String(format: "%02d:%02d.%03d", request.start / 60_000, request.start / 1000 % 60, request.start % 1000)
        let size = cancelled == index ? 900_000_000 : cancelled == nil ? range : nil
        let headers = size.map { "{\"name\":\"Content-Range\",\"value\":\"bytes 0-\($0 - 1)/\($0)\"}" } ?? ""
        return """
          {"startedDateTime":"2026-01-01T00:\(start)Z","request":{"method":"GET","url":"http://h\(index % hosts).example/\(index).jpg"},
          "response":{"status":\(cancelled == index ? 206 : status),"httpVersion":"HTTP/1.1","headers":[\(headers)],"bodySize":\(request.bytes),
          "content":{"size":\(request.bytes),"mimeType":"image/jpeg"}\(cancelled == index ? ",\"_error\":\"net::ERR_ABORTED\"" : "")},
          "timings":{"dns":\(index % lookups == 0 ? lookup : -1),"connect":\(connect == 0 ? -1 : connect),
          "send":0,"wait":\(request.wait),"receive":\(request.receive)}}
          """
      }
      try "{\"log\":{\"entries\":[\(entries.joined(separator: ","))]}}".write(
        to: folder.appendingPathComponent("s.har"), atomically: true, encoding: .utf8)
      let rows = requests.indices.map { "\($0),\(dwellMs ?? 0)\n" }.joined()
      try "item,dwellMs\n\(rows)".write(to: folder.appendingPathComponent("d.csv"), atomically: true, encoding: .utf8)
      let dwells = dwellMs == nil ? [] : ["--dwells", "d.csv"]
      let result = try BuiltTool.run(["import", "s.har", "--scenario", "s.json5"] + dwells, in: folder)
      #expect(result.status == 0, "\(result.errors)")
      func text(_ name: String) -> String? { try? String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8) }
      found = Rebuilt(
        output: result.output, sweep: try #require(text("s.json5")), trace: text("s-trace.json") ?? "", visits: text("s-visits.csv") ?? "")
    }
    return found
  }

  @Test func aBodyShorterThanItsRangeIsPlayedAsItCame() throws {
    let requests = (0..<8).map { (start: $0 * 1000, wait: 50, receive: 400, bytes: 500_000) }
    let whole = try Self.rebuilt(requests, connect: 50), short = try Self.rebuilt(requests, connect: 50, status: 206, range: 2_000_000)
    let rates = [whole, short].compactMap { $0.sweep.firstMatch(of: #/down: "([0-9.]+)kbps"/#).flatMap { Double($0.1) } }
    #expect(rates.count == 2 && rates.allSatisfy { (10_000..<16_000).contains($0) }, "\(rates)")
  }

  @Test(arguments: [40, 300]) func downloadsOneAfterTheOtherShowNoDwell(_ count: Int) throws {
    var start = 0
    let requests = (0..<count).map { index in
      defer { start += (index == 0 ? 40 : 0) + 45 + 400 + index * 7 % 40 }
      return (start: start, wait: 45, receive: 400 + index * 7 % 40, bytes: 100_000)
    }
    let found = try Self.rebuilt(requests)
    #expect(found.output.contains("user: the dwell is unknown"), "\(found.output)")
  }

  @Test func requestsThatReceivedNothingShowNoRate() throws {
    let found = try Self.rebuilt((0..<10).map { (start: $0 * 300, wait: 0, receive: 290, bytes: 0) }, connect: 0, status: 0)
    #expect(found.output.contains("the rate is unknown: nothing was received") && !found.sweep.contains("trace:"), "\(found.output)")
    // The rates to try are lower and higher ones.
    #expect(found.sweep.firstMatch(of: #/"network.down": \["[0-9]+bps", "[0-9]+bps", "[0-9]+bps"\]/#) != nil, "\(found.sweep)")
  }

  @Test func twoLongTransfersShowTheRate() throws {
    let found = try Self.rebuilt([0, 8000].map { (start: $0, wait: 45, receive: 5182, bytes: 5_000_000) })
    let rate = try #require(found.sweep.firstMatch(of: #/down: "([0-9.]+)kbps"/#).flatMap { Double($0.1) })
    #expect(abs(rate - 8000) < 400 && !found.sweep.contains("\"network.down\""), "\(found.sweep)")
  }

  @Test func connectionsThatWereOpenBeforeAreNotOpenedAgain() throws {
    // Lone transfers at 4 Mbit/s, a round trip of 40 ms after their starts.
    let bytes = [15_700, 200_000, 60_000, 120_000, 31_000, 250_000, 90_000, 44_000]
    let found = try Self.rebuilt(bytes.enumerated().map { (start: $0 * 1500, wait: 40, receive: $1 * 8 / 4000, bytes: $1) }, connect: 0)
    #expect(found.output.contains("connections that were open before it began"), "\(found.output)")
    let rate = try #require(found.sweep.firstMatch(of: #/down: "([0-9.]+)kbps"/#).flatMap { Double($0.1) })
    #expect(abs(rate - 4000 * 1500 / 1448) < 200, "\(rate)")
  }

  @Test func oneTransferOverAnOpenConnectionShowsNoRate() throws {
    let found = try Self.rebuilt([(start: 0, wait: 100, receive: 6, bytes: 15_700)], connect: 0)
    #expect(found.output.contains("the rate is unknown: too few requests show it"), "\(found.output)")
    #expect(found.output.contains("the round trip is a guess") && found.sweep.contains("\"network.delayDown\": ["), "\(found.sweep)")
  }

  @Test func itemsRequestedInBurstsShowNoDwell() throws {
    let found = try Self.rebuilt((0..<40).map { (start: $0 / 4 * 3000 + $0 % 4 * 5, wait: 60, receive: 240, bytes: 15_000) })
    #expect(found.output.contains("user: the dwell is unknown"), "\(found.output)")
  }

  @Test func aNameLookupIsNoHandshake() throws {
    let found = try Self.rebuilt((0..<12).map { (start: $0 * 1200, wait: 60, receive: 240, bytes: 60_000) }, lookup: 80)
    #expect(found.sweep.contains("dns: \"80000us\""), "\(found.sweep)")
  }

  /// The user waits for lookups, and does not scroll later because of them.
  @Test func aDwellDoesNotDependOnLookups() throws {
    let found = try Self.rebuilt((0..<40).map { (start: $0 * 1500, wait: 60, receive: 240, bytes: 60_000) }, lookup: 900, lookups: 4)
    #expect(found.output.contains("the dwell is constant, 1500ms"), "\(found.output)")
  }

  /// Both dwells are multiples of a second, and one changes to the other.
  @Test(arguments: [(3000, 1000, 480), (1000, 3000, 80)])
  func aDwellThatChangesIsOneForEachItem(_ first: Int, _ second: Int, _ count: Int) throws {
    let half = count / 2
    let found = try Self.rebuilt(
      (0..<count).map { (start: min($0, half) * first + max(0, $0 - half) * second, wait: 60, receive: 40, bytes: 10_000) })
    let user = "user: \(count) items, of which requests show 100 % of the activations, each with its own dwell"
    #expect(found.output.contains(user), "\(found.output)")
  }

  /// A player that pauses reads slowly; over a faster link it would read no more.
  @Test func aPausedTransferEndsNoSession() throws {
    let images: [Request] = (0..<20).map { (start: $0 * 1500, wait: 50, receive: 12, bytes: 60_000) }
    let found = try Self.rebuilt(images[..<3] + [(start: 3100, wait: 50, receive: 20_000, bytes: 1_000_000)] + images[3...], cancelled: 3)
    #expect(found.output.contains("fitted to 21 requests"), "\(found.output)")
  }

  @Test func givenDwellsAreKeptToTheLastItem() throws {
    let found = try Self.rebuilt((0..<300).map { (start: $0 * 110, wait: 45, receive: 30, bytes: 10_000) }, dwellMs: 2000)
    #expect(found.visits.split(separator: "\n").count == 301, "\(found.sweep)")
  }

  @Test func hostsWithoutTimesOfConnectionsShowNoRate() throws {
    let bytes = [12_000, 9000, 14_000, 11_000, 8000, 13_000, 10_000, 14_000, 7000, 12_500]
    let found = try Self.rebuilt(
      bytes.enumerated().map { (start: $0 * 1500, wait: 100, receive: max(1, $1 / 1000), bytes: $1) }, connect: 0, hosts: 10)
    #expect(found.output.contains("the rate is unknown"), "\(found.output)")
  }

  /// Connections that were open before do not shift the trace, which begins with the recording.
  @Test(arguments: [40, 0]) func ratesThatMoveAreFoundSecondBySecond(_ connect: Int) throws {
    let requests = (0..<10).map { (start: $0 * 4000, wait: 50, receive: $0 % 2 == 0 ? 400 : 3200, bytes: 500_000) }
    let found = try Self.rebuilt(requests, connect: connect)
    #expect(found.sweep.contains("trace: \"s-trace.json\", up: \""), "\(found.sweep)")
    let rates = found.trace.matches(of: #/"bandwidth_kbps": ([0-9.]+)/#).compactMap { Double($0.1) }
    try #require(rates.count >= 40)
    // 10 Mbit/s and 1.25 Mbit/s, but for the slow start; a transfer shows the mean of its seconds only.
    for second in stride(from: 8, to: 36, by: 8) {
      let slow = rates[second + 4...second + 6].reduce(0, +) / 3
      #expect(rates[second] > 7000 && (1000..<1600).contains(slow), "\(second): \(rates)")
    }
  }

  /// An archive of four images, of which the client ended one and requested it again, and two pages.
  private static func archive() -> String {
    func entry(_ ms: Int, _ path: String, _ status: Int, _ bytes: Int, _ type: String, _ receive: Int) -> String {
      """
      {"startedDateTime":"2026-01-01T00:00:0\(ms / 1000).\("\(1000 + ms % 1000)".dropFirst())Z",
      "request":{"method":"GET","url":"https://h.example/\(path)","httpVersion":"h2"},
      "response":{"status":\(status),"httpVersion":"h2","content":{"size":\(bytes),"mimeType":"\(type)"},"bodySize":\(bytes)},
      "timings":{"send":0,"wait":50,"receive":\(receive)}}
      """
    }
    let entries = [
      entry(0, "v1/feed?page=1", 200, 900, "application/json", 1), entry(100, "a.jpg", 200, 20_000, "image/jpeg", 40),
      entry(1100, "b.jpg", 0, 0, "", 950), entry(2100, "b.jpg", 200, 30_000, "image/jpeg", 60),
      entry(3100, "v1/feed?page=2", 200, 900, "text/plain", 1), entry(3150, "v/list.m3u8", 200, 500, "application/vnd.apple.mpegurl", 1),
      entry(3200, "c.jpg", 200, 25_000, "image/jpeg", 40), entry(4200, "d.jpg", 200, 25_000, "image/jpeg", 40),
    ]
    return "{\"log\":{\"entries\":[\n\(entries.joined(separator: ",\n"))\n]}}\n"
  }

  @Test func cancelsAndPagesArePartsOfTheSession() throws {
    try BuiltTool.withFolder { folder in
      try Self.archive().write(to: folder.appendingPathComponent("s.har"), atomically: true, encoding: .utf8)
      try "item,dwellMs\n0,1000\n1,1000\n2,1000\n3,500\n".write(
        to: folder.appendingPathComponent("d.csv"), atomically: true, encoding: .utf8)
      let result = try BuiltTool.run(
        ["import", "s.har", "--scenario", "s.json5", "--api", "/v1/feed", "--dwells", "d.csv"], in: folder)
      #expect(result.status == 0, "\(result.errors)")
      #expect(result.output.contains(#/requests +7 /#) && result.output.contains(#/cancelled +1 /#))
      let feed = try String(contentsOf: folder.appendingPathComponent("s-feed.json"), encoding: .utf8)
      #expect(feed.components(separatedBy: "\"bytes\"").count == 5 && feed.contains("\"bytes\": 30000"))
      let sweep = try String(contentsOf: folder.appendingPathComponent("s.json5"), encoding: .utf8)
      #expect(sweep.contains("pages: { size: 2, bytes: \"900B\"") && sweep.contains("user: the dwells of --dwells"))
      #expect(sweep.contains("feed: 1 request for manifests or playlists"))
      #expect(try BuiltTool.run(["run", "s.json5", "--list"], in: folder).status == 0)
    }
  }

  @Test func waitsForConnectionsFailuresAndLongPausesAreNoRequests() throws {
    try BuiltTool.withFolder { folder in
      func rebuilt(_ archive: String) throws -> String {
        try archive.write(to: folder.appendingPathComponent("s.har"), atomically: true, encoding: .utf8)
        let result = try BuiltTool.run(["import", "s.har", "--scenario", "s.json5"], in: folder)
        #expect(result.status == 0, "\(result.errors)")
        return result.output
      }
      let archive = Self.archive()
      let output = try rebuilt(archive)
      // All wait equally: the session is the same, and begins later.
      #expect(try rebuilt(archive.replacing("\"timings\":{", with: "\"timings\":{\"blocked\":300,")) == output)
      let failed = archive.replacing(
        "\"entries\":[",
        with: """
          "entries":[
          {"startedDateTime":"2026-01-01T00:00:00.500Z","request":{"method":"GET","url":"https://h.example/x.jpg"},
          "response":{"status":-1,"content":{"size":0,"mimeType":"x-unknown"}},"timings":{"send":0,"wait":5,"receive":0}},
          """)
      #expect(try rebuilt(failed) == output)
      #expect(try rebuilt(archive.replacing("00:00:04.200", with: "02:30:04.200")).contains("requests"))
    }
  }

  @Test func mistakesAreNamedAndNothingIsWritten() throws {
    try BuiltTool.withFolder { folder in
      try Self.archive().write(to: folder.appendingPathComponent("s.har"), atomically: true, encoding: .utf8)
      try "item,dwellMs\n1,1000\n".write(to: folder.appendingPathComponent("d.csv"), atomically: true, encoding: .utf8)
      for (arguments, message) in [
        (["s.har", "--output", "f.json", "--api", "x"], "--api: has no effect without --scenario"),
        (["s.har", "--scenario", "s.json5", "--output", "f.json"], "--output: has no effect with --scenario"),
        (["s.har", "--scenario", "s.json5", "--dwells", "none.csv"], "none.csv: --dwells: there is no readable file"),
        (["s.har", "--scenario", "s.json5", "--dwells", "d.csv"], "d.csv: --dwells: has item 1 as visit 1"),
        (["s.har", "--scenario", "-"], "--scenario: writes several files"),
        (["d.csv", "--format", "session", "--scenario", "s.json5"], "--scenario: has no effect on --format session"),
      ] {
        let result = try BuiltTool.run(["import"] + arguments, in: folder)
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["d.csv", "s.har"])
    }
  }
}
