// Traces of every format: their meaning, their mistakes, and real traces.

import Foundation
import Simulation
import TestSupport
import Testing

@testable import Base
@testable import Import
@testable import Inputs

@Suite struct TraceReaderTests {
  static func options(_ format: TraceOptions.Format, _ apply: TraceOptions.RowsApply? = nil, scale: String = "1") throws -> TraceOptions {
    var options = TraceOptions(format: format)
    options.rowsApply = apply
    options.scale = try ExactDecimal(json5: scale)
    if format == .csv {
      options.rateColumn = "rate"
      options.timeUnit = "ms"
      options.rateUnit = "KB/s"
      if apply == nil { options.durationColumn = "lasts" } else { options.timeColumn = "time" }
    }
    return options
  }

  static func read(_ text: String, _ options: TraceOptions) throws -> LinkRate? {
    let sink = DiagnosticSink()
    let link = TraceReader.read(InputFile(name: "t", bytes: Array(text.utf8)), options: options, into: sink)
    try sink.throwIfAny()
    return link
  }

  /// Returns the periods as "nanoseconds×bits a second", with a latency in nanoseconds if there is one.
  static func periods(_ text: String, _ options: TraceOptions) throws -> String {
    let periods = try read(text, options)?.periods ?? []
    return periods.map { "\($0.duration.nanoseconds)×\($0.bitsPerSecond)" + ($0.latency.map { "+\($0.nanoseconds)" } ?? "") }
      .joined(separator: " ")
  }

  static func complaints(_ text: String, _ options: TraceOptions) -> String {
    messages { _ = TraceReader.read(InputFile(name: "t", bytes: Array(text.utf8)), options: options, into: $0) }
  }

  @Test func sabrePeriodsAreRoundedToWholeUnits() throws {
    let text = """
      [ { "duration_ms": 1005, "bandwidth_kbps": 1600, "latency_ms": 100 },
        { "duration_ms": 0.0000015, "bandwidth_kbps": 0.0005, "latency_ms": 0.5 },
        { "duration_ms": 10.30000000000000004441, "bandwidth_kbps": 0, "extra": "x" } ]
      """
    #expect(try Self.periods(text, Self.options(.sabre)) == "1005000000×1600000+100000000 2×1+500000 10300000×0")
    #expect(try Self.periods(text, Self.options(.sabre, scale: "1.5")) == "1005000000×2400000+100000000 2×1+500000 10300000×0")
  }

  @Test(arguments: [
    ("1\n", "1000000×12000000"), ("2", "1000000×0 1000000×12000000"), ("1\n2\n3\n", "3000000×12000000"),
    ("1\n1\n2\r\n2\n5", "2000000×24000000 2000000×0 1000000×12000000"), ("0\n0\n3\n", "2000000×0 1000000×36000000"),
    ("0\n2\n2\n4\n\n", "1000000×0 1000000×24000000 1000000×0 1000000×24000000"),
  ])
  func mahimahiTimesArePacketsOfTheMillisecondThatEndsThere(_ text: String, _ periods: String) throws {
    #expect(try Self.periods(text, Self.options(.mahimahi)) == periods)
    #expect(try Self.read(text, Self.options(.mahimahi))?.opportunitiesMs.count == text.split(whereSeparator: \.isNewline).count)
  }

  @Test func scaledMahimahiTracesKeepTheirLength() throws {
    let text = (1...10).map(String.init).joined(separator: "\n")
    #expect(try Self.read(text, Self.options(.mahimahi, scale: "0.5"))?.opportunitiesMs == [2, 4, 6, 8, 10])
    #expect(try Self.read(text, Self.options(.mahimahi, scale: "0.01"))?.opportunitiesMs == [10])
    #expect(try Self.read("2\n4", Self.options(.mahimahi, scale: "2.5"))?.opportunitiesMs == [2, 2, 4, 4, 4])
    #expect(try Self.read(text, Self.options(.mahimahi, scale: "0.01"))?.length == .milliseconds(10))
  }

  @Test func rowsApplyToTheNamedSide() throws {
    let text = "# time rate\n0 1\n\n1.5\t2.5\r\n  2 0\n"
    #expect(try Self.periods(text, Self.options(.rows, .forward)) == "1500000000×1000000 500000000×2500000 500000000×0")
    #expect(throws: InvalidInput.self) { try Self.periods("0 0\n1 0\n", Self.options(.rows, .backward)) }
    #expect(try Self.periods(text, Self.options(.rows, .backward)) == "1500000000×2500000 500000000×0")
    #expect(try Self.periods("1 3\n2 4", Self.options(.rows, .backward, scale: "2")) == "1000000000×6000000 1000000000×8000000")
    #expect(try Self.periods("10 3\n12 4", Self.options(.rows, .forward)) == "2000000000×3000000 2000000000×4000000")
  }

  @Test func rowsThatMayHaveAnotherUnitAreAskedForIt() throws {
    var options = try Self.options(.rows, .forward)
    // A trace of Oboe: milliseconds and kbit/s.
    let text = "12.0 3738.838\n4010.0 3738.838\n25140.0 3748.9156\n"
    #expect(
      Self.complaints(text, options) == """
        t:1:1: timeUnit: is missing, and times 12564 apart may be in s or ms; write timeUnit: "s" or timeUnit: "ms" beside trace
        t:1:1: rateUnit: is missing, and rates up to 3748 may be in Mbps or kbps; write rateUnit: "Mbps" or rateUnit: "kbps" beside trace
        """)
    (options.timeUnit, options.rateUnit) = ("ms", "kbps")
    #expect(try Self.periods(text, options) == "3998000000×3738838 21130000000×3738838 21130000000×3748916")
    (options.timeUnit, options.rateUnit) = ("s", "Mbps")
    #expect(Self.complaints(text, options) == "")
  }

  @Test func columnsOfCSVAreFoundByName() throws {
    let durations = "note, rate ,\"lasts\"\n\"a, b\", 10, 500\n,\"0\",1.5\n\n"
    #expect(try Self.periods(durations, Self.options(.csv)) == "500000000×80000 1500000×0")
    let times = "\u{FEFF}time,rate\r\n0,1\r\n10,2\r\n"
    #expect(try Self.periods(times, Self.options(.csv, .forward)) == "10000000×8000 10000000×16000")
    #expect(try Self.periods(times, Self.options(.csv, .backward)) == "10000000×16000")
  }

  @Test(arguments: [
    ("", "t:1:1: there is no value; write { … }"),
    ("{}", "t:1:1: the trace is an object, not a list; write [ { duration_ms, bandwidth_kbps, latency_ms }, … ]"),
    ("[]", "t:1:1: the trace has no periods; name a trace with at least one"),
    ("[{duration_ms: 1, bandwidth_kbps: 0}]", "t:1:1: every rate of the trace is 0; name a trace with data"),
    (
      "[{duration_ms: 0, bandwidth_kbps: 1}]",
      "t:1:16: 0.duration_ms: lasts no time; remove the period, or write a duration of at least 1 ns"
    ),
    (
      "[{duration_ms: -5, bandwidth_kbps: NaN}, 7]",
      "t:1:16: 0.duration_ms: is -5, which is negative; write 0 or more\n"
        + "t:1:36: 0.bandwidth_kbps: is NaN, which is not finite; write a number such as 12.5\n"
        + "t:1:42: 1: is the number 7, not an object; write { duration_ms: 1000, bandwidth_kbps: 780, latency_ms: 100 }"
    ),
    (
      "[{duration_ms: \"5\", bandwith_kbps: 5}]",
      "t:1:16: 0.duration_ms: is the string \"5\", not a number; write a number without quotes\n"
        + "t:1:21: 0.bandwith_kbps: unknown key; did you mean \"bandwidth_kbps\"?"
    ),
    ("[{}]", "t:1:2: 0.duration_ms: is missing; add it to the period\nt:1:2: 0.bandwidth_kbps: is missing; add it to the period"),
    (
      "[{duration_ms: 1e12, bandwidth_kbps: 1e30}]",
      "t:1:16: 0.duration_ms: is 1000000000000, which is too large; check the unit and the scale\n"
        + "t:1:38: 0.bandwidth_kbps: is 1e30, which is out of range; write a number such as 12.5"
    ),
    (
      "[{duration_ms: 2e9, bandwidth_kbps: 1}, {duration_ms: 2e9, bandwidth_kbps: 1}]",
      "t:1:55: 1.duration_ms: makes the trace longer than 31 days; shorten the trace; if its times are dates, subtract the first one"
    ),
  ])
  func aBadSabreTraceIsReportedWithLocations(_ text: String, _ message: String) throws {
    #expect(Self.complaints(text, try Self.options(.sabre)) == message)
  }

  @Test(arguments: [
    ("", "t:1:1: the trace has no periods; name a trace with at least one"),
    ("0\n", "t:1:1: the trace ends at 0 ms; end it with a time above 0, which is its length"),
    ("5\n3\n", "t:2:1: 3 ms comes after 5 ms; sort the lines"),
    (
      "1\n -2\n1.5\n3 4",
      "t:2:2: \"-2\" is not a time in milliseconds; write a whole number from 0 to 2678400000\n"
        + "t:3:1: \"1.5\" is not a time in milliseconds; write a whole number from 0 to 2678400000\n"
        + "t:4:1: the line has 2 columns; write one whole number of milliseconds a line"
    ),
  ])
  func aBadMahimahiTraceIsReportedWithLocations(_ text: String, _ message: String) throws {
    #expect(Self.complaints(text, try Self.options(.mahimahi)) == message)
  }

  @Test func badRowsAreReportedWithLocations() throws {
    let forward = try Self.options(.rows, .forward)
    #expect(
      Self.complaints("time_s Mbps\n0 1\n0 2\n-1 inf\n2 1 1\n1 -3\n", forward) == """
        t:1:1: time: is "time_s", not a number; write a number such as 12.5
        t:1:8: rate: is "Mbps", not a number; write a number such as 12.5
        t:3:1: time: has the time of line 2; sort the rows by time, each time once
        t:4:1: time: is -1, which is negative; write 0 or more
        t:4:4: rate: is "inf", not a number; write a number such as 12.5
        t:5:1: the line has 3 columns, not two; write a time in seconds and a rate in Mbit/s, or use the format "csv"
        t:6:3: rate: is -3, which is negative; write 0 or more
        """)
    #expect(Self.complaints("3 1\n2 1", forward) == "t:2:1: time: is 2s, before line 1; sort the rows by time, each time once")
    #expect(Self.complaints("3 1\n", forward) == "t:1:1: there is one row, which has no length; add a row, or apply rows backward")
    #expect(Self.complaints("0 0\n1 0\n", forward) == "t:1:1: every rate of the trace is 0; name a trace with data")
    #expect(Self.complaints("", forward) == "t:1:1: the trace has no periods; name a trace with at least one")
    #expect(Self.complaints("1 1\n2 2", try Self.options(.rows)).hasPrefix("t:1:1: rowsApply: is missing; say \"forward\""))
    #expect(
      Self.complaints("1284367561 1\n1284367562 1", try Self.options(.rows, .backward))
        == "t:1:1: time: makes the trace longer than 31 days; shorten the trace; if its times are dates, subtract the first one")
  }

  @Test func badCSVIsReportedWithLocations() throws {
    let options = try Self.options(.csv)
    #expect(Self.complaints("", options) == "t:1:1: the trace has no header; begin it with the names of the columns")
    #expect(
      Self.complaints("last,speed\n1,2", options) == """
        t:1:1: there is no column "lasts"; did you mean "last"? columns: last, speed
        t:1:1: there is no column "rate"; columns: last, speed
        """)
    #expect(
      Self.complaints("lasts,rate\n1\n0,5\n,x\n1,2", options) == """
        t:2:1: the line has 1 cells, the header 2; write a cell for each column
        t:3:1: lasts: lasts no time; remove the period, or write a duration of at least 1 ns
        t:4:1: lasts: is empty; write a number such as 12.5
        t:4:2: rate: is "x", not a number; write a number such as 12.5
        """)
  }

  @Test func optionsAreReadAndRecorded() throws {
    func decode(_ text: String) throws -> (options: TraceOptions, said: String) {
      let context = DecodingContext()
      var reader = ObjectReader(try parsed(text), path: "network", context: context)
      let options = TraceOptions.decode(from: &reader)
      reader.finish()
      return (options, (context.sink.sorted.map(\.description) + context.settings.map(\.line)).joined(separator: "\n"))
    }
    #expect(try decode("{ format: 'sabre', scale: 0.50 }").said == "network.format=sabre\nnetwork.scale=0.5")
    #expect(
      try decode("{ format: 'rows', scale: -1 }").said == """
        f:1:1: network.rowsApply: is missing; add rowsApply: "forward"; choices: forward, backward
        f:1:26: network.scale: is the number -1, not a factor of rates; write a number above 0, at most 1000000, of at most nine digits, such as 1.5
        network.format=rows
        """)
    let csv = try decode("{ format: 'csv', timeColumn: 't', rateColumn: 'r', timeUnit: 's', rateUnit: 'Mbps', rowsApply: 'forward' }")
    #expect(csv.options.rowsApply == .forward && csv.options.timeColumn == "t" && csv.options.rateUnit == "Mbps")
    #expect(
      try decode("{ format: 'csv', rateColumn: 'r', timeUnit: 's', rateUnit: 'mbps' }").said.hasPrefix(
        """
        f:1:1: network.timeColumn: is missing, and so is durationColumn; give one of the two, as the file's header names it
        f:1:60: network.rateUnit: is unknown: "mbps"; did you mean "Mbps"?
        """))
  }

  @Test(
    .enabled(if: Reference.hasTraces, "needs the public logs and Mahimahi traces; PREFETCH_SWEEP_REFERENCE names their folder"),
    arguments: ["traces/3g", "traces/4g"])
  func realSabreTracesAreReadWhole(_ folder: String) throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Reference.publicFolder.path + "/" + folder).sorted()
    #expect(names.count == (folder == "traces/3g" ? 43 : 20))
    for name in names {
      let data = try Reference.data("\(folder)/\(name)")
      let link = try #require(try Self.read(String(decoding: data, as: UTF8.self), Self.options(.sabre)))
      let rows = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Double]])
      #expect(link.periods.map { Double($0.bitsPerSecond) } == rows.map { (($0["bandwidth_kbps"] ?? 0) * 1000).rounded() })
      #expect(link.periods.map { $0.duration.milliseconds } == rows.map { $0["duration_ms"] ?? 0 })
      #expect(link.periods.allSatisfy { $0.latency == .milliseconds(folder == "traces/3g" ? 100 : 20) })
    }
  }

  @Test(
    .enabled(if: Reference.hasTraces, "needs the public logs and Mahimahi traces; PREFETCH_SWEEP_REFERENCE names their folder"),
    arguments: ["TMobile-LTE-short.down", "TMobile-LTE-short.up", "const12M.down", "const780k.down"])
  func realMahimahiTracesHaveEveryPacket(_ name: String) throws {
    let text = String(decoding: try Reference.data("kernel/traces/\(name)"), as: UTF8.self)
    let stamps = text.split(separator: "\n").compactMap { Int64($0) }
    let link = try #require(try Self.read(text, Self.options(.mahimahi)))
    let bits = link.periods.reduce(0) { $0 + Int($1.bitsPerSecond / 1000) * Int($1.duration.nanoseconds / 1_000_000) }
    #expect(link.opportunitiesMs == stamps && bits == stamps.count * 12_000)
    #expect(link.length == .milliseconds(stamps.last ?? 0))
    #expect(zip(link.periods, link.periods.dropFirst()).allSatisfy { $0.bitsPerSecond != $1.bitsPerSecond })
  }
}
