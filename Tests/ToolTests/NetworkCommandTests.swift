import Foundation
import TestSupport
import Testing

/// `network` from the command line, and beside measurements of the kernel.
@Suite struct NetworkCommandTests {
  /// The setup of the kernel's tables: 142 bytes of request in 194 of packet, headers of 246, 5 ms for each TLS flight.
  private static let measured = [
    "--set", "network.requestBytes=142B", "--set", "network.responseHeaderBytes=246B", "--set", "network.handshakeTime=5ms",
  ]

  private static func csv(_ arguments: [String]) throws -> [[String: String]] {
    let result = try BuiltTool.run(["network", "--format", "csv"] + arguments)
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
    return lines.dropFirst().map { Dictionary(uniqueKeysWithValues: zip(lines[0], $0)) }
  }

  private static func ms(_ row: [String: String]?, _ column: String) throws -> Double {
    let text = try #require(row?[column])
    return try #require(Double(text))
  }

  // MARK: Output

  @Test func aTableDescribesTheNetworkAndHasALineForEachRequest() throws {
    let pattern = ["--get", "200KB", "--parallel", "3", "--over", "2"]
    let result = try BuiltTool.run(["network", "--transport", "fluid", "--profile", "DSL"] + pattern)
    #expect(
      result.output == """
        DSL: 2Mbps down, 256kbps up, delay 5ms down and 5ms up; fluid transport.

        request   bytes  connection  start  connect  first byte     end  received
        get 1    200000  –             0.0      0.0        10.0  1610.0    200000
        get 2    200000  –             0.0      0.0        10.0  1610.0    200000
        get 3    200000  –             0.0   1610.0      1620.0  2420.0    200000

        Times in ms from the request's start.
        The fluid transport has no connections: a request takes one round trip, then gets its share of the rate.

        """)
    #expect(result.errors.isEmpty)
    #expect(result.status == 0)
  }

  @Test func csvHasTheFiguresOfTheTable() throws {
    let rows = try Self.csv(["--transport", "fluid", "--profile", "DSL", "--get", "200KB", "--range", "50KB"])
    #expect(rows.map { $0["request"] } == ["prefix", "rest"])
    #expect(rows.map { $0["endMs"] } == ["210.000", "610.000"])
    #expect(rows.map { $0["startMs"] } == ["0.000", "210.000"])
    #expect(rows.map { $0["received"] } == ["50000", "150000"])
  }

  @Test func jsonHasTheNetworkAndTheWarnings() throws {
    let result = try BuiltTool.run(
      ["network", "--format", "json", "--profile", "Very Bad Network", "--transport", "fluid", "--get", "1KB"])
    let object = try #require(try JSONSerialization.jsonObject(with: Data(result.output.utf8)) as? [String: Any])
    #expect((object["warnings"] as? [String])?.contains { $0.contains("ignores network.lossDown, network.lossUp") } == true)
    #expect((object["requests"] as? [[String: Any]])?.count == 1)
    #expect((object["network"] as? String)?.hasPrefix("Very Bad Network: 1Mbps down") == true)
  }

  @Test(arguments: [
    ("10bps", "get is unfinished: after 24h of simulated time 108000 of 1000000 bytes had arrived."),
    ("1bps", "get is unfinished: after 24h of simulated time its connection was not open."),
  ])
  func anUnfinishedRequestHasAReason(_ rate: String, _ reason: String) throws {
    let words = ["network", "--down", rate, "--up", rate, "--get", "1MB"] + (rate == "1bps" ? [] : ["--transport", "fluid"])
    let result = try BuiltTool.run(words)
    #expect(result.output.contains(reason), "\(result.output)\(result.errors)")
  }

  @Test func newAndReusedConnectionsDiffer() throws {
    let warm = try Self.csv(["--profile", "3G", "--warm", "100KB", "--get", "100KB", "--parallel", "2"])
    #expect(warm.map { $0["connection"] } == ["new", "reused", "new"])
    #expect(warm[1]["connectMs"] == "0.000")
    let queued = try Self.csv(["--profile", "3G", "--get", "50KB", "--parallel", "4", "--over", "2"])
    #expect(queued.map { $0["connection"] } == ["new", "new", "reused", "reused"])
    let shared = try Self.csv(["--profile", "3G", "--http2", "--tls", "1.3", "--get", "50KB", "--parallel", "3"])
    #expect(shared.map { $0["connection"] } == ["new", "reused", "reused"])
    let cancelled = try Self.csv(["--profile", "3G", "--get", "1MB", "--cancel-after", "1s", "--then", "100KB"])
    #expect(cancelled.map { $0["connection"] } == ["new", "new"])
    #expect(cancelled.map { $0["cuts"] } == ["1", "0"])
  }

  @Test func randomNetworksAreRepeatedAndSeeded() throws {
    let pattern = ["--profile", "3G", "--loss", "3%", "--get", "200KB", "--repeats", "9"]
    let first = try Self.csv(pattern + ["--seed", "5"])
    #expect(try Self.csv(pattern + ["--seed", "5"]) == first)
    #expect(try Self.csv(pattern + ["--seed", "6"]) != first)
    #expect(first[0]["repeats"] == "9")
    #expect(try Self.ms(first[0], "endMsMin") < Self.ms(first[0], "endMs"))
    #expect(try Self.ms(first[0], "endMs") < Self.ms(first[0], "endMsMax"))
  }

  @Test func aTraceAndMobileRatesAreNetworksToo() throws {
    try BuiltTool.withFolder { folder in
      let trace = folder.appendingPathComponent("bus.txt")
      try "0 8\n10 8\n20 8\n".write(to: trace, atomically: true, encoding: .utf8)
      let options = [
        "--trace", trace.path, "--trace-format", "rows", "--set", "network.rowsApply=forward", "--set", "network.timeUnit=s",
        "--transport", "fluid",
      ]
      #expect(try Self.csv(options + ["--get", "1MB"])[0]["endMs"] == "1000.000")
    }
    let mobile = try Self.csv(["--mobile", "4G", "--get", "1MB"])
    #expect(mobile[0]["repeats"] == "15")
    #expect(try Self.ms(mobile[0], "endMsMin") < Self.ms(mobile[0], "endMsMax"))
  }

  // MARK: Refusals

  @Test(
    arguments: zip(
      [
        "--profile 3G", "--get 1KB", "--get 1KB --down 1Mbps", "--get 1KB --profile 3g", "--get 1KB LTE --profile 3G",
        "--get 1KX --profile 3G",
        "--get 1KB --profile 3G --loss 2", "--get 1KB --profile 3G --http2 --over 2", "--get 1KB --profile 3G --idle 3s",
        "--get 1KB --profile 3G --then 1KB", "--get 1KB --profile 3G --range 1KB", "--get 1KB --profile 3G --format xml",
        "--get 1KB --trace nope.json", "--get 1KB --trace Package.swift", "--get 1KB --profile 3G --set jitter=1ms",
        "--get 1KB --profile 3G --set network.jiter=1ms",
      ],
      [
        "--get: is missing; name the size of a response", "no network is named; write --profile 3G", "--up: is missing",
        "--profile: is unknown: \"3g\"; did you mean \"3G\"?",
        "--profile: does not go with PROFILE, which sets the same; remove one of the two",
        "--get: has the unknown unit \"KX\"; use one of",
        "--loss: is 2, which is not a probability", "--over: does not go with --http2", "--idle: has no request before it; add --warm",
        "--then: has no cancel before it; add --cancel-after", "--range: is not less than --get",
        "--format: is \"xml\"; write one of: table, csv, json", "--trace: there is no readable file \"nope.json\"; check the path",
        "--trace-format: is missing; write sabre, mahimahi, rows or csv",
        "--set: is \"jitter=1ms\"; write network.jitter=1ms", "--set network.jiter: unknown key; did you mean \"jitter\"?",
      ]))
  func aMistakeIsOneClearLine(_ arguments: String, _ message: String) throws {
    let result = try BuiltTool.run(["network"] + arguments.split(separator: " ").map(String.init).filter { !$0.isEmpty })
    #expect(result.status == 2)
    #expect(result.output.isEmpty)
    #expect(result.errors.hasPrefix("prefetch-sweep network: \(message)"), "\(result.errors)")
    #expect(result.errors.split(separator: "\n").count == 1)
  }

  @Test func allMistakesOfValuesAreReportedAtOnce() throws {
    let result = try BuiltTool.run(["network", "--profile", "3G", "--get", "1x", "--queue", "0", "--parallel", "six"])
    #expect(result.status == 2)
    #expect(result.errors.split(separator: "\n").count == 3)
  }

  // MARK: Against the kernel

  private static func isOn3G(_ row: [String: String]) -> Bool {
    row["profile"] == "nlc_3g" && row["queue_pkts"] == "50" && row["cc"] == "cubic"
  }

  @Test(
    arguments: [
      ("cold_http", [], 51_200), ("cold_http", [], 1_048_576), ("cold_tls12", ["--tls", "1.2"], 102_400),
      ("cold_tls13", ["--tls", "1.3"], 102_400), ("cold_h2", ["--tls", "1.3", "--http2"], 102_400),
      ("warm", ["--warm", "204800B"], 204_800),
      ("warm_after_3000ms", ["--warm", "204800B", "--idle", "3s"], 204_800),
    ] as [(String, [String], Int)])
  func aSingleTransferOn3GTakesAsLongAsTheKernels(_ kind: String, _ options: [String], _ size: Int) throws {
    let truth = try #require(
      try Reference.rows("kernel/single.csv").first { Self.isOn3G($0) && $0["conn"] == kind && $0["size"] == "\(size)" })
    let row = try #require(try Self.csv(["--profile", "3G", "--get", "\(size)B"] + options + Self.measured).last)
    for (ours, theirs) in [("endMs", "total_med"), ("firstByteMs", "ttfb_med")] {
      let (found, expected) = (try Self.ms(row, ours), try Self.ms(truth, theirs))
      #expect(abs(found / expected - 1) < (kind == "cold_h2" ? 0.03 : 0.01), "\(kind) \(size) \(ours): \(found) for \(expected)")
    }
  }

  @Test func aCancelAndTheNextRequestLastAsLongAsTheKernels() throws {
    let rows = try Reference.rows("kernel/cancel.csv").filter { Self.isOn3G($0) && $0["mode"] == "cancel_http" }
    #expect(rows.count == 3)
    for row in rows {
      let cancelMs = try #require(row["cancel_ms"])
      let pattern = ["--get", "1048576B", "--cancel-after", "\(cancelMs)ms", "--then", "102400B"]
      let then = try #require(try Self.csv(["--profile", "3G"] + pattern + Self.measured).last)
      let (found, expected) = (try Self.ms(then, "endMs"), try Self.ms(row, "after_total_med"))
      #expect(abs(found / expected - 1) < 0.01, "\(cancelMs): \(found) for \(expected)")
    }
  }

  @Test func aPrefixAndItsRestLastAsLongAsTheKernels() throws {
    let truth = try #require(try Reference.rows("kernel/range.csv").first(where: Self.isOn3G))
    let rows = try Self.csv(["--profile", "3G", "--get", "1048576B", "--range", "204800B"] + Self.measured)
    #expect(try abs(Self.ms(rows[0], "endMs") / Self.ms(truth, "prefix_total_med") - 1) < 0.01)
    #expect(try abs(Self.ms(rows[1], "endMs") / Self.ms(truth, "rest_total_med") - 1) < 0.01)
  }
}
