import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import Base
@testable import Import
@testable import SweepTool

/// Telemetry of other programs: samples of the corpus, made after each format's documentation, and counts by hand.
@Suite struct TelemetryLogTests {
  private static func read(_ text: String, classKey: String? = nil) throws -> (networks: [NetworkTelemetry], notes: [String]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("telemetry-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("f")
    try text.write(to: file, atomically: false, encoding: .utf8)
    return try TelemetryLog.read(path: file.path, classKey: classKey)
  }

  private static func complaint(_ text: String, classKey: String? = nil) -> String {
    do {
      _ = try read(text, classKey: classKey)
      return ""
    } catch { return "\(error)" }
  }

  private static func sample(_ name: String) throws -> String {
    try String(contentsOf: Reference.packageRoot.appendingPathComponent("Tests/Corpus/telemetry-log/\(name)"), encoding: .utf8)
  }

  private struct Sample: CustomTestStringConvertible {
    let file: String
    var classKey: String?
    let classes: [String]
    let sessions: [Int]
    /// The numbers of times to the first byte and of throughputs.
    let values: [[Int]]
    var testDescription: String { file }
  }

  /// Counted in the samples with `grep -c` and `cut | sort -u`.
  private static let samples = [
    Sample(file: "app.csv", classes: ["LTE", "Wi-Fi"], sessions: [20, 30], values: [[20, 20], [40, 40]]),
    Sample(file: "ios.csv", classes: ["wifi", "cellular"], sessions: [20, 20], values: [[20, 18], [20, 16]]),
    Sample(file: "okhttp.csv", classes: ["WIFI", "LTE"], sessions: [10, 10], values: [[20, 15], [20, 12]]),
    Sample(file: "firebase.jsonl", classes: ["WIFI", "LTE"], sessions: [18, 18], values: [[18, 15], [18, 12]]),
    Sample(file: "firebase.csv", classes: ["WIFI", "LTE"], sessions: [18, 18], values: [[18, 15], [18, 12]]),
    Sample(file: "firebase-array.json", classes: ["WIFI", "LTE"], sessions: [14, 13], values: [[14, 11], [13, 9]]),
    Sample(
      file: "cmcd.log", classKey: "com.example-radio", classes: ["lte", "wifi"], sessions: [10, 10], values: [[20, 20], [20, 20]]),
    Sample(file: "cmcd-fields.log", classKey: "radio", classes: ["lte", "wifi"], sessions: [20, 20], values: [[20, 20], [20, 20]]),
    Sample(file: "cmcd-headers.log", classes: ["all"], sessions: [10], values: [[30, 30]]),
    Sample(file: "otlp-cumulative.json", classes: ["lte", "wifi"], sessions: [800, 900], values: [[800, 800], [900, 900]]),
    Sample(file: "otlp-exponential.jsonl", classes: ["cell", "wifi"], sessions: [600, 1000], values: [[600, 600], [1000, 1000]]),
  ]

  @Test(arguments: samples)
  private func eachSampleIsCountedByClass(_ sample: Sample) throws {
    let found = try Self.read(Self.sample(sample.file), classKey: sample.classKey).networks
    #expect(found.map(\.name) == sample.classes)
    #expect(found.map(\.sessions) == sample.sessions)
    #expect(found.map { [$0.timeToFirstByte.total, $0.throughput.total] } == sample.values)
  }

  @Test func eachFileOfTheCorpusIsASampleAndIsFittedFromTheCommandLine() throws {
    let folder = Reference.packageRoot.appendingPathComponent("Tests/Corpus/telemetry-log")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == Self.samples.map(\.file).sorted())
    for sample in Self.samples {
      let key = sample.classKey.map { ["--class", $0] } ?? []
      let result = try BuiltTool.run(["fit", folder.appendingPathComponent(sample.file).path] + key)
      #expect(result.status == 0, "\(sample.file): \(result.errors)")
      for name in sample.classes { #expect(result.output.contains("\n\(name) "), "\(sample.file)") }
    }
  }

  /// The bins of rows hold exactly the values between their edges, which lie between the values' steps of 1 ms and 1 kbit/s.
  @Test func binsHoldTheValuesBetweenTheirEdges() throws {
    let text = try Self.sample("app.csv")
    let rows = text.split(separator: "\n").dropFirst().map { $0.split(separator: ",").map(String.init) }
    for network in try Self.read(text).networks {
      let own = rows.filter { $0[0] == network.name }
      for (histogram, column, worth) in [
        (network.timeToFirstByte, 2, 1e6), (network.throughput, 3, 1e3), (try #require(network.dwell), 4, 1e6),
      ] {
        let values = try own.map { try #require(Double($0[column])) * worth }
        for (index, edge) in histogram.edges.enumerated() {
          #expect(histogram.counts[...index].reduce(0, +) == values.count { $0 < edge })
          #expect((edge / worth).truncatingRemainder(dividingBy: 1) == 0.5)
        }
        #expect(histogram.edges.count >= 8)
      }
      #expect(network.items == own.count, "each row is a view")
    }
  }

  private static func metrics(_ points: [String], temporality: Int, unit: String = "s") -> String {
    let rates = points.map { $0.replacing("[0.01,0.1,1]", with: "[1,2,5]") }
    return """
      {"resourceMetrics":[{"resource":{"attributes":[{"key":"network.connection.type","value":{"stringValue":"cell"}}]},"scopeMetrics":[{"metrics":[
      {"name":"http.client.request.duration","unit":"\(unit)","histogram":{"aggregationTemporality":\(temporality),"dataPoints":[\(points.joined(separator: ","))]}},
      {"name":"rate","unit":"Mbit/s","histogram":{"aggregationTemporality":\(temporality),"dataPoints":[\(rates.joined(separator: ","))]}}]}]}]}
      """
  }

  private static func point(_ counts: String, start: Int = 1, time: Int, bounds: String = "[0.01,0.1,1]") -> String {
    "{\"startTimeUnixNano\":\"\(start)\",\"timeUnixNano\":\(time),\"bucketCounts\":\(counts),\"explicitBounds\":\(bounds)}"
  }

  /// metrics.proto: a cumulative point holds everything since its start, a delta point what is new.
  @Test func cumulativePointsReplaceAndDeltaPointsAdd() throws {
    let points = [
      Self.point("[1,2,3,4]", time: 10), Self.point("[\"2\",\"4\",\"6\",\"8\"]", time: 20), Self.point("[1,0,0,0]", start: 30, time: 40),
    ]
    let cumulative = try #require(try Self.read(Self.metrics(points, temporality: 2)).networks.first)
    #expect(cumulative.timeToFirstByte == Histogram(edges: [1e7, 1e8, 1e9], counts: [3, 4, 6, 8]))
    #expect(cumulative.throughput.edges == [1e6, 2e6, 5e6] && cumulative.name == "cell" && cumulative.sessions == 21)
    let delta = try #require(try Self.read(Self.metrics(points, temporality: 1)).networks.first)
    #expect(delta.timeToFirstByte.counts == [4, 6, 9, 12])
    let older = try #require(try Self.read(Self.metrics(points, temporality: 1, unit: "ms")).networks.first)
    #expect(older.timeToFirstByte.edges == [1e4, 1e5, 1e6])
  }

  /// Bucket i of scale s holds values from 2^(i/2^s) to 2^((i+1)/2^s); halving the scale joins pairs of buckets.
  @Test func exponentialBucketsHaveTheirBoundsAndScalesAreJoined() throws {
    func document(_ scale: Int, _ offset: Int, _ counts: [Int]) -> String {
      let point = "{\"scale\":\(scale),\"positive\":{\"offset\":\(offset),\"bucketCounts\":\(counts)}}"
      return ["http.client.request.duration\",\"unit\":\"s", "rate\",\"unit\":\"Mbit/s"].map {
        "{\"name\":\"\($0)\",\"exponentialHistogram\":{\"aggregationTemporality\":1,\"dataPoints\":[\(point)]}}"
      }.joined(separator: ",")
    }
    let text = [(0, -2, [10, 20, 30, 5]), (1, -3, [1, 2, 3, 4, 5])].map {
      "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[\(document($0, $1, $2))]}]}]}"
    }.joined(separator: "\n")
    let found = try #require(try Self.read(text).networks.first).timeToFirstByte
    // Of scale 1, index −3 is half of −2, −2 and −1 make −1, 0 and 1 make 0.
    for (edge, counts) in zip(found.edges, [0.25, 0.5, 1, 2, 4]) { #expect(abs(edge / 1e9 - counts) < 1e-9) }
    #expect(found.counts == [0, 11, 25, 39, 5, 0])
  }

  @Test func whatAFormatDoesNotSayIsANote() throws {
    let notes = try Self.read(Self.sample("firebase.csv")).notes.joined(separator: "\n")
    for text in [
      "sessions are unknown: each request counts as one", "needs its own user.dwell", "9 responses below 100 kB", "5 rows without",
    ] {
      #expect(notes.contains(text), "\(notes)")
    }
    #expect(try Self.read(Self.sample("cmcd.log")).notes.contains { $0.contains("--class names the key") })
    #expect(!(try Self.read(Self.sample("app.csv")).notes.contains { $0.contains("sessions") }))
  }

  @Test(arguments: [
    ("ttfbMs,class\n10,a\n20,a\n", "has no throughput, without which no network can be fitted; add a column throughputKbps"),
    ("GET /v?CMCD=mtp%3D4000 200\n", "has no time to first byte, without which no network can be fitted; add a column ttfbMs"),
    ("ttfbMs,throughputKbps\n10,fast\n", "f:2:1: has \"fast\" for throughputKbps; write a number"),
    ("ttfbMs,throughputKbps\n10\n", "f:2:1: has 1 cells, the header 2"),
    ("hello\nworld\n", "f:1:1: has no telemetry of a known form"), ("", "f:1:1: has no telemetry of a known form"),
    ("ttfbMs,throughputKbps\n10,1000\n20,1000\n", "has no class of network with enough values"),
    ("{\"ttfbMs\": 1}\n{\"ttfbMs\": \n", "f:2:1: has no value"), ("[\n {\"ttfbMs\": \"x\"}\n]", "f:2:2: has \"x\" for ttfbMs"),
    (metrics([point("[1,2,3]", time: 1)], temporality: 1), "has 3 bucketCounts for 3 explicitBounds"),
    (metrics([point("[1,2,3,-4]", time: 1)], temporality: 1), "has the bucket count \"-4\""),
    (
      metrics([point("[1,2,3,4]", time: 1), point("[1,2,3,4]", time: 1, bounds: "[0.1,0.2,1]")], temporality: 1),
      "has histograms with other bounds than before"
    ),
  ])
  func aFileThatCannotBeFittedSaysWhy(_ text: String, _ message: String) {
    let found = Self.complaint(text)
    #expect(found.contains(message), "\(found)")
  }

  @Test func aRequestWithoutASessionIsOneOfItsOwn() throws {
    let text = try Self.sample("app.csv").replacing("s0,", with: ",")
    let found = try Self.read(text)
    #expect(found.networks.map(\.sessions).reduce(0, +) == 50 && found.networks.allSatisfy { $0.items == nil })
    #expect(found.notes.contains { $0.hasPrefix("the sessions of 2 requests are unknown") }, "\(found.notes)")
  }

  @Test func classesAreBounded() {
    let rows = (0...50).map { "c\($0),10,1000" }.joined(separator: "\n")
    #expect(
      Self.complaint("class,ttfbMs,throughputKbps\n\(rows)").contains("f:1:1: has more than 50 classes of network; name the class with"))
    #expect(Self.complaint("{ networks: { a: 1 } }", classKey: "x").contains("not an object"))
  }

  /// Returns OTLP with a histogram of times to the first byte and one of throughputs.
  private static func metrics(_ bounds: [Double], _ counts: [Int], unit: String = "s") -> String {
    func metric(_ name: String, _ unit: String, _ bounds: [Double], _ counts: [Int]) -> String {
      """
      {"name": "\(name)", "unit": "\(unit)", "histogram": {"aggregationTemporality": 1, "dataPoints": [
        {"timeUnixNano": "2", "count": "\(counts.reduce(0, +))", "explicitBounds": \(bounds), "bucketCounts": \(counts)}]}}
      """
    }
    return """
      {"resourceMetrics": [{"scopeMetrics": [{"metrics": [\(metric("http.client.request.duration", unit, bounds, counts)),
        \(metric("throughput", "bit/s", [1e6, 2e6, 4e6], [10, 40, 40, 10]))]}]}]}
      """
  }

  @Test func bucketsBelowZeroCountWithTheFirst() throws {
    let found = try Self.read(Self.metrics([0, 0.05, 0.1, 0.2], [40, 10, 30, 15, 5])).networks[0].timeToFirstByte
    #expect(found.edges == [5e7, 1e8, 2e8] && found.counts == [50, 30, 15, 5])
    #expect(Self.complaint(Self.metrics([0], [3, 5])).contains("has no"))
  }

  @Test func unitsAndFormsDoNotMix() throws {
    let nanoseconds = try Self.read(Self.metrics([5e7, 1e8, 2e8], [50, 30, 15, 5], unit: "ns")).networks[0]
    #expect(nanoseconds.timeToFirstByte.edges == [5e7, 1e8, 2e8])
    #expect(Self.complaint(Self.metrics([0.1, 0.2], [1, 2, 3], unit: "h")).contains("has no time to first byte"))
    let rows = (1...50).map { "{\"ttfbMs\": \($0 * 7), \"throughputKbps\": \($0 * 90)}" }.joined(separator: "\n")
    let line = Self.metrics([0.05, 0.1, 0.2], [50, 30, 15, 5]).replacing("\n", with: " ")
    #expect(Self.complaint("\(line)\n\(rows)\n").contains("in several forms"))
  }
}
