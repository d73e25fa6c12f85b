import Simulation
import TestSupport
import Testing

@testable import Base
@testable import Sweep

/// The network of a scenario: every key reaches the simulation, every default is recorded, every mistake has a location.
@Suite struct NetworkDecodingTests {
  /// Returns the network's text in a report's head.
  private static func words(_ network: String) throws -> String? {
    try decode(network)?.description.parts.first { $0.label == "network" }?.text
  }

  private static func decode(_ network: String, into sink: DiagnosticSink = DiagnosticSink()) throws -> DecodedScenario? {
    let text = "{ network: \(network), feed: { items: 10 }, user: { scroll: 10 }, prefetcher: \"none\" }"
    return ScenarioDecoder(files: InputFiles(folder: "")).decode(try parsed(text), into: sink)
  }

  private static func network(_ text: String) throws -> NetworkConfiguration {
    let sink = DiagnosticSink()
    let decoded = try decode(text, into: sink)
    try sink.throwIfAny()
    return try #require(decoded).scenario.network
  }

  private static func sweep(_ network: String, axes: String = "", more: String = "") throws -> ResolvedSweep {
    let text = """
      { sweep: "x", scenario: { network: \(network), feed: { items: 10 }, user: { scroll: 10 }, prefetcher: "none" },
        axes: { \(axes) }, repeats: 2, \(more) }
      """
    return try ResolvedSweep(file: InputFile(name: "f", bytes: Array(text.utf8)))
  }

  /// The frames of `stacks/hpack.csv`: 9 bytes and a header block.
  @Test func headersHaveTheSizesThatEncodersGiveThem() throws {
    let table = try String(contentsOf: Reference.measurements.appendingPathComponent("stacks/hpack.csv"), encoding: .utf8)
    let rows = table.split(separator: "\n").dropFirst().map { $0.split(separator: ",").map(String.init) }
    #expect(rows.count == 12)
    for row in rows {
      let server = row[1].hasPrefix("nghttpd") ? "nghttpd" : "nginx"
      let http = try Self.network("{ profile: \"3G\", http: \"2\", server: \"\(server)\" }").http
      let sizes = http.headerBytes(after: Int(row[2])! - 1)
      #expect((row[0] == "request" ? sizes.request : sizes.response) == 9 + Int(row[3])!)
    }
    // A size that is given is an upper bound of the later one, and HTTP/1.1 has no compression.
    let given = try Self.network("{ profile: \"3G\", http: \"2\", requestBytes: \"30B\", laterResponseHeaderBytes: \"15B\" }").http
    #expect(given.headerBytes(after: 1) == (30, 15))
    let plain = try Self.network("{ profile: \"3G\" }").http
    #expect(plain.headerBytes(after: 0) == (256, 256) && plain.headerBytes(after: 1) == (256, 256))
  }

  @Test func keysOfHTTP2ReachTheSimulationOrAreReportedWithoutIt() throws {
    let keys = "server: \"nghttpd\", streamWindow: \"64KiB\", connectionWindow: \"1MiB\", coalescing: true"
    let http = try Self.network("{ profile: \"3G\", http: \"2\", \(keys) }").http
    #expect(http.server == .nghttpd && http.streamWindow == 65_536 && http.connectionWindow == 1 << 20 && http.coalesces)
    let warning = try #require(try Self.sweep("{ profile: \"3G\", \(keys) }", more: "baseline: {}").warnings.first)
    for key in ["server", "streamWindow", "connectionWindow"] { #expect(warning.contains("network.\(key) (without HTTP/2)")) }
    #expect(warning.contains("network.coalescing (under HTTP/1.1)"))
  }

  @Test func everyKeyReachesTheSimulation() throws {
    let network = try Self.network(
      """
      { profile: "3G", http: "2", tls: "1.3", dns: "80ms", requestBytes: "142B", responseHeaderBytes: "246B", serverTime: "30ms",
        handshakeTime: "5ms", idleTimeout: "15s", slowStartAfterIdle: false, burstLoss: { enter: "1%", leave: 0.3, loss: 0.8 }, jitter: "20ms",
        outages: [{ at: "10s", for: "2s" }, { at: "20s", for: "500ms" }], radioPromotion: "1s", radioTail: "3s", queue: 100 }
      """)
    #expect(network.http.version == .http2)
    #expect(network.http.security == .tls13)
    #expect(network.http.dnsTime == .milliseconds(80))
    #expect(network.http.requestBytes == 142)
    #expect(network.http.responseHeaderBytes == 246)
    #expect(network.http.serverTime == .milliseconds(30))
    #expect(network.http.handshakeTime == .milliseconds(5))
    #expect(network.http.idleTimeout == .seconds(15))
    #expect(!network.http.slowStartAfterIdle)
    #expect(network.burstLoss == NetworkConfiguration.BurstLoss(enter: 0.01, leave: 0.3, loss: 0.8))
    #expect(network.jitter == .milliseconds(20))
    #expect(
      network.outages == [
        TimeSpan(start: .seconds(10), duration: .seconds(2)),
        TimeSpan(start: .seconds(20), duration: .milliseconds(500)),
      ])
    #expect(network.radioPromotion == .seconds(1))
    #expect(network.radioTail == .seconds(3))
    #expect(network.queuePackets == 100)
  }

  @Test func eachDirectionHasItsOwnQueue() throws {
    let network = try Self.network("{ profile: \"3G\", queue: 100, queueUp: 10 }")
    #expect(network.queueDown == 100 && network.queueUp == 10)
    // Absent keys are no part of a point's id.
    #expect(try #require(try Self.decode("\"3G\"")).lines.allSatisfy { !$0.contains("queueUp") && !$0.contains("queueDown") })
    #expect(try #require(try Self.decode("{ profile: \"3G\", queueDown: 7 }")).lines.contains("network.queueDown=7"))
  }

  @Test func aMinimalNetworkHasTheSimulationsDefaults() throws {
    #expect(try Self.network("\"3G\"").http == HTTPConfiguration())
  }

  @Test func everyDefaultIsWrittenDown() throws {
    let lines = try #require(try Self.decode("\"3G\"")).lines
    for line in [
      "network.http=1.1", "network.tls=none", "network.dns=0", "network.requestBytes=256", "network.responseHeaderBytes=256",
      "network.serverTime=0", "network.handshakeTime=0", "network.idleTimeout=0", "network.slowStartAfterIdle=true", "network.radio=preset",
      "network.radioTail=5000000000", "network.radioPromotion=0", "network.burstLoss=none", "network.jitter=0", "network.outages=none",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
  }

  @Test func aDefaultThatIsWrittenOutIsTheSamePoint() throws {
    let plain = try Self.decode("\"3G\"")?.point
    #expect(plain != nil)
    let written = "{ profile: \"3G\", http: \"1.1\", tls: \"none\", burstLoss: \"none\", outages: [], radio: \"preset\", dns: \"0s\" }"
    #expect(try Self.decode(written)?.point == plain)
    #expect(try Self.decode("{ profile: \"3G\", dns: \"1ms\" }")?.point != plain)
  }

  @Test(arguments: zip(["http: 2", "http: \"2\"", "http: 1.1", "tls: 1.2", "tls: \"resumed\""], ["2", "2", "1.1", "1.2", "resumed"]))
  func aVersionIsANumberOrAString(_ setting: String, _ name: String) throws {
    let lines = try #require(try Self.decode("{ profile: \"3G\", \(setting) }")).lines
    #expect(lines.contains("network.\(setting.prefix { $0 != ":" })=\(name)"))
  }

  @Test(
    arguments: zip(
      ["radio: \"none\"", "radio: \"3G\"", "radio: \"LTE\"", "radio: \"LTE\", radioTail: \"1s\""],
      [(0, 0), (5_000_000_000, 2_000_000_000), (11_576_000_000, 260_000_000), (1_000_000_000, 260_000_000)] as [(Int64, Int64)]))
  func aRadioSetsTailAndPromotionTogether(_ setting: String, _ figures: (tail: Int64, promotion: Int64)) throws {
    let network = try Self.network("{ profile: \"DSL\", \(setting) }")
    #expect(network.radioTail.nanoseconds == figures.tail)
    #expect(network.radioPromotion.nanoseconds == figures.promotion)
  }

  /// A measured radio sets all times, each of which a key overrides; other networks have neither cycles nor canonical lines of them.
  @Test func aMeasuredRadioHasCyclesThatKeysOverride() throws {
    let cycles = try Self.network("{ profile: \"LTE\", radio: \"5G SA T-Mobile\", drxCycle: \"1s\" }").radioCycles
    #expect(cycles.drxCycle == .seconds(1))
    #expect(cycles.pagingCycle == .milliseconds(1280) && cycles.drxInactivity > .zero && cycles.settling > .zero)
    #expect(try Self.network("{ profile: \"LTE\", radio: \"LTE\" }").radioCycles == RadioCycles())
    let keys = ["radioSettling", "drxInactivity", "drxCycle", "pagingCycle"]
    for (network, count) in [
      ("\"LTE\"", 0), ("{ profile: \"LTE\", radio: \"LTE\" }", 0), ("{ profile: \"LTE\", radio: \"5G SA T-Mobile\" }", 4),
    ] {
      let lines = try #require(try Self.decode(network)).lines
      #expect(lines.count { line in keys.contains { line.hasPrefix("network.\($0)=") } } == count)
    }
    #expect(
      try Self.words("{ profile: \"LTE\", radio: \"LTE Verizon\" }")?
        .contains("radio promotion 240ms, DRX cycle 320ms, paging cycle 1280ms;") == true)
    let fluid = try Self.sweep("{ profile: \"LTE\", radio: \"LTE Verizon\", transport: \"fluid\" }", more: "baseline: {}")
    #expect(fluid.warnings.first?.contains("network.drxCycle, network.pagingCycle") == true)
  }

  @Test func interruptionsAreDrawnForEachRepetition() throws {
    let text = "{ profile: \"LTE\", interruptions: { every: { distribution: \"exponential\", mean: \"6s\" }, for: \"100ms\" } }"
    let network = try Self.network(text)
    #expect(network.isRandom && network.outages.isEmpty)
    #expect(try !Self.network("{ profile: \"LTE\", interruptions: \"none\" }").isRandom)
    let plain = try Self.decode("\"LTE\"")?.point
    #expect(try Self.decode("{ profile: \"LTE\", interruptions: \"none\" }")?.point == plain)
    #expect(try Self.decode(text)?.point != plain)
    let sink = DiagnosticSink()
    let both = "{ profile: \"LTE\", outages: [{ at: \"1s\", for: \"1s\" }], interruptions: { every: \"1s\", for: \"100ms\" } }"
    _ = try Self.decode(both, into: sink)
    let problems = sink.sorted.map { "\($0)" }
    #expect(problems.contains { $0.contains("network.interruptions: conflicts with outages") }, "\(problems)")
  }

  @Test func interruptionsHaveAName() throws {
    let text = "{ profile: \"Wi-Fi\", interruptions: \"Wi-Fi 2.4 GHz\" }"
    let network = try Self.network(text)
    #expect(network.interruptions == .init(.wifi) && network.isRandom)
    #expect(try Self.decode(text)?.point != Self.decode("\"Wi-Fi\"")?.point)
    let sink = DiagnosticSink()
    _ = try Self.decode("{ profile: \"Wi-Fi\", interruptions: \"Wi-Fi 24 GHz\" }", into: sink)
    let problems = sink.sorted.map { "\($0)" }
    let problem = "network.interruptions: is unknown: \"Wi-Fi 24 GHz\"; did you mean \"Wi-Fi 2.4 GHz\"?"
    #expect(problems.contains { $0.contains(problem) }, "\(problems)")
  }

  @Test func noPresetPromotes() throws {
    for profile in NetworkProfile.all { #expect(try Self.network("\"\(profile.name)\"").radioPromotion == .zero) }
  }

  @Test func highLatencyDNSDelaysTheFirstRequest() throws {
    #expect(try Self.network("\"High Latency DNS\"").http.dnsTime == .seconds(3))
    #expect(try Self.network("{ profile: \"High Latency DNS\", dns: \"0s\" }").http.dnsTime == .zero)
  }

  @Test func prioritiesAreSentOnlyIfAsked() throws {
    #expect(try Self.network("{ profile: \"3G\", http: 2, priorities: true }").http.priorities)
    #expect(try !Self.network("{ profile: \"3G\", http: 2 }").http.priorities)
    #expect(try !Self.network("{ profile: \"3G\", priorities: false }").http.priorities)
  }

  @Test func http3HasTLSAndEarlyDataOfItsOwn() throws {
    let network = try Self.network("{ profile: \"3G\", http: 3, earlyData: true }")
    #expect(network.http.version == .http3)
    #expect(network.http.earlyData)
    #expect(try Self.network("{ profile: \"3G\", http: \"3\", tls: \"1.3\" }").http.earlyData == false)
    // TLS 1.3 is part of HTTP/3, whether the file says so or not.
    let points = try ["", ", tls: \"1.3\""].map { try Self.decode("{ profile: \"3G\", http: 3\($0) }")?.point }
    #expect(points[0] == points[1] && points[0] != nil)
    #expect(try Self.words("{ profile: \"3G\", http: 3 }")?.contains("HTTP/3, TLS 1.3") == true)
    #expect(try Self.words("{ profile: \"3G\", queue: 1 }")?.contains("queues of 1 packet;") == true)
  }

  /// Points that contradict themselves are left out by `where`; the message names the condition.
  @Test func contradictionsOfAxesAreExcludedByWhere() throws {
    let axes = "\"network.http\": [\"1.1\", \"2\", \"3\"], \"network.priorities\": [false, true], \"network.earlyData\": [false, true]"
    let conditions = ["network.priorities == false || network.http == '2'", "network.earlyData == false || network.http == '3'"]
    for found in 0..<conditions.count {
      let error = #expect(throws: InvalidInput.self) {
        try Self.sweep("\"3G\"", axes: axes, more: "where: [\"\(conditions[1 - found])\"]")
      }
      let messages = error?.diagnostics.map(\.description) ?? []
      #expect(
        messages.count == 1 && messages[0].hasSuffix("; to leave such points out, write where: [\"\(conditions[found])\"]"), "\(messages)")
    }
    let both = "where: [\(conditions.map { "\"\($0)\"" }.joined(separator: ", "))]"
    #expect(try Self.sweep("\"3G\"", axes: axes, more: both).pointCount == 5)
    // The keys may lie below an axis of whole networks.
    let whole = "network: [{ profile: \"3G\", http: \"2\" }, \"LTE\"], \"network.priorities\": [false, true]"
    #expect(try Self.sweep("{ profile: \"3G\", http: \"2\" }", axes: whole, more: "where: [\"\(conditions[0])\"]").pointCount == 3)
    // The points of a large grid are checked by the first with each value.
    let large = axes + ", \"user.scroll\": \"1...10\", \"network.queue\": \"1...700\""
    #expect(throws: InvalidInput.self) { try Self.sweep("\"3G\"", axes: large, more: "strata: [], where: [\"\(conditions[0])\"]") }
    #expect(try Self.sweep("\"3G\"", axes: large, more: "strata: [], " + both).pointCount == 35_000)
  }

  @Test(arguments: [
    (
      "http: \"3\", transport: \"tcp\"",
      "network.transport: is \"tcp\", which is no longer simulated; write \"packet\", which is closer to the kernel's TCP"
    ),
    ("http: \"3\", tls: \"1.2\"", "network.tls: is \"1.2\", but HTTP/3 always has TLS 1.3; write \"1.3\", or leave it out"),
    ("http: \"2\", earlyData: true", "network.earlyData: is true, but only HTTP/3 has 0-RTT data; leave it out, or set http to \"3\""),
    ("http: \"3\", priorities: true", "network.priorities: is true, but only HTTP/2 has them here; leave it out, or set http to \"2\""),
    ("priorities: true", "network.priorities: is true, but only HTTP/2 has them here; leave it out, or set http to \"2\""),
    ("http: 4", "network.http: is unknown: 4; write one of \"1.1\", \"2\", \"3\""),
  ])
  func contradictionsOfHTTPVersionsAreRefused(_ settings: String, _ message: String) throws {
    let sink = DiagnosticSink()
    _ = try Self.decode("{ profile: \"3G\", \(settings) }", into: sink)
    #expect(sink.sorted.contains { "\($0)".contains(message) }, "\(sink.sorted)")
  }

  @Test func mobileRatesAreDrawnForEachRepetitionUnlessTheyHaveASeed() throws {
    let drawn = try #require(try Self.decode("{ mobile: \"3G\", length: \"10min\", scale: 0.5 }")?.scenario)
    #expect(drawn.network.mobile == MobileRates(kind: .threeG, length: .seconds(600), scale: 0.5))
    #expect(drawn.network.delayDown == .milliseconds(50))
    #expect(!drawn.isDeterministic)
    let fixed = try Self.network("{ mobile: \"4G\", seed: 7, up: \"5Mbps\" }")
    #expect(fixed.mobile?.seed == 7)
    #expect(fixed.mobile?.coversUplink == false)
    #expect(fixed.delayUp == .milliseconds(10))
    #expect(!fixed.isRandom)
  }

  @Test func everyPointMeetsTheSameMobileRates() throws {
    let sweep = try Self.sweep("{ mobile: \"3G\" }", axes: "\"downloads.connections\": [1, 4]")
    let networks = try (0..<2).map { try sweep.decoded($0).scenario.network.drawn(runSeed: 9, startsAnywhere: false) }
    #expect(networks[0] == networks[1])
  }

  @Test(arguments: [
    "\"network.http\": [\"1.1\", 2]", "\"network.tls\": [\"none\", 1.2, \"1.3\", \"resumed\"]", "\"network.dns\": [\"0s\", \"80ms\"]",
    "\"network.requestBytes\": [\"142B\", \"1KB\"]", "\"network.responseHeaderBytes\": [\"246B\", \"500B\"]",
    "\"network.serverTime\": [\"0s\", \"30ms\"]",
    "\"network.handshakeTime\": [\"0s\", \"5ms\"]", "\"network.idleTimeout\": [\"0s\", \"15s\"]",
    "\"network.slowStartAfterIdle\": [true, false]", "\"network.burstLoss\": [\"none\", { enter: 0.01, leave: 0.3 }]",
    "\"network.burstLoss.enter\": [0.01, 0.02]", "\"network.burstLoss.loss\": [0.5, 1]", "\"network.jitter\": [\"0s\", \"5ms\"]",
    "\"network.outages.0.at\": [\"1s\", \"2s\"]", "\"network.outages\": [\"none\", [{ at: \"1s\", for: \"2s\" }]]",
    "\"network.radioPromotion\": [\"0s\", \"2s\"]", "\"network.radioTail\": [\"0s\", \"5s\"]",
    "\"network.server\": [\"nginx\", \"nghttpd\"]", "\"network.streamWindow\": [\"64KiB\", \"1MiB\"]",
    "\"network.connectionWindow\": [\"64KiB\", \"1MiB\"]", "\"network.coalescing\": [true, false]",
    "\"network.laterRequestBytes\": [\"40B\", \"50B\"]", "\"network.laterResponseHeaderBytes\": [\"40B\", \"50B\"]",
    "\"network.radio\": [\"none\", \"3G\", \"LTE\", \"LTE T-Mobile\", \"5G mmWave Verizon\"]",
    "\"network.radioSettling\": [\"0s\", \"2s\"]", "\"network.drxInactivity\": [\"0s\", \"200ms\"]",
    "\"network.drxCycle\": [\"0s\", \"320ms\"]", "\"network.pagingCycle\": [\"0s\", \"1280ms\"]",
  ])
  func everyScalarIsAnAxis(_ axis: String) throws {
    let sweep = try Self.sweep(
      "{ profile: \"3G\", burstLoss: { enter: 0.05, leave: 0.4 }, outages: [{ at: \"3s\", for: \"1s\" }] }", axes: axis)
    let points = try (0..<sweep.pointCount).map { try sweep.decoded($0).point }
    #expect(Set(points).count == points.count && points.count > 1)
  }

  @Test func ignoredSettingsAreOneFootnote() throws {
    let sweep = try Self.sweep(
      "{ profile: \"Very Bad Network\", transport: \"fluid\", jitter: \"5ms\" }", axes: "\"network.tls\": [\"none\", 1.2, 1.3]",
      more: "baseline: { \"network.queue\": 100 }")
    #expect(
      sweep.warnings.first
        == "The fluid transport ignores network.lossDown, network.lossUp, network.jitter, network.tls, network.queue: their effects are "
        + "missing in these figures; use \"packet\" to include them.")
  }

  @Test func thePacketTransportIgnoresNothingOfThese() throws {
    let sweep = try Self.sweep("{ profile: \"Very Bad Network\", jitter: \"5ms\" }", more: "baseline: { \"network.tls\": \"1.3\" }")
    #expect(!sweep.warnings.contains { $0.contains("ignores") })
  }

  @Test func fluidWithoutIgnoredSettingsHasNoFootnote() throws {
    let sweep = try Self.sweep("{ profile: \"3G\", transport: \"fluid\" }", more: "baseline: {}")
    #expect(!sweep.warnings.contains { $0.contains("ignores") })
  }

  @Test func theDescriptionShowsValuesUnlikeTheDefaults() throws {
    #expect(
      try Self.words("\"3G\"")
        == "3G: 780kbps down, 330kbps up, delay 100ms down and 100ms up; packet transport")
    #expect(
      try Self.words("{ profile: \"3G\", http: 2, tls: 1.3, dns: \"80ms\", lossDown: 0.07, radio: \"3G\" }")
        == "3G: 780kbps down, 330kbps up, delay 100ms down and 100ms up, 7 % and 0 % of packets lost, radio promotion 2s, HTTP/2, TLS 1.3, "
        + "DNS lookup 80ms; packet transport")
    #expect(
      try Self.words("{ mobile: \"4G\", seed: 3 }")
        == "mobile 4G: drawn down, drawn up, delay 10ms down and 10ms up, the trace of seed 3; packet transport")
  }
}
