// The decoder: canonical lines of valid files, golden messages for invalid ones, and overlays.

import TestSupport
import Testing

@testable import Base

@Suite struct ObjectReaderTests {
  enum Rule: String, CaseIterable { case drop, resume, keep }

  /// Reads a scenario of every type; returns messages and canonical lines.
  static func decode(_ text: String) throws -> (messages: String, lines: String) {
    let context = DecodingContext()
    var root = ObjectReader(try parsed(text), context: context)
    var prefetcher = root.objectOrEmpty("prefetcher")
    _ = prefetcher.integer("maxCost", default: 5, in: 1...1000)
    _ = prefetcher.number("factor", default: 0.5, in: 0...10)
    _ = prefetcher.boolean("activeCounts", default: false)
    _ = prefetcher.choice("kind", of: ["none", "itemsAhead", "costBudget"])
    prefetcher.finish()
    if var user = root.object("user", required: true) {
      _ = user.duration("dwell", default: 1_000_000_000, in: 1_000_000...3_600_000_000_000)
      _ = user.optional("patience") { $0.duration("patience") }
      _ = user.text("name", default: "finger")
      user.finish()
    }
    var network = root.objectOrEmpty("network")
    _ = network.rate("down", default: 780_000)
    _ = network.probability("lossDown", default: 0)
    _ = network.size("buffer", default: 64_000, in: 1...1_000_000)
    let rule: Rule = network.choice("cancel", default: .keep)
    _ = rule
    network.finish()
    _ = root.array("axes")
    root.finish()
    return (context.sink.sorted.map(\.description).joined(separator: "\n"), context.settings.map(\.line).joined(separator: "\n"))
  }

  @Test func everyScalarIsRecordedInReadingOrderWithItsDefault() throws {
    let (messages, lines) = try Self.decode(
      #"{ user: { patience: "8s", dwell: "1500 ms" }, network: { lossDown: "1%", buffer: "16B" }, prefetcher: { kind: "none", maxCost: 0x6 } }"#
    )
    #expect(messages == "")
    #expect(
      lines == """
        prefetcher.maxCost=6
        prefetcher.factor=0.5
        prefetcher.activeCounts=false
        prefetcher.kind=none
        user.dwell=1500000000
        user.patience=8000000000
        user.name=finger
        network.down=780000
        network.lossDown=0.01
        network.buffer=16
        network.cancel=keep
        """)
  }

  @Test func spellingsOfOneScenarioHaveEqualLines() throws {
    let one = try Self.decode(
      #"{ user: { dwell: "1s", patience: null }, prefetcher: { kind: "none", factor: 1 }, network: { buffer: "64KB" } }"#)
    let other = try Self.decode(#"{ network: { lossDown: 0.00 }, prefetcher: { factor: 1.00, kind: "none" }, user: { dwell: "1000ms" } }"#)
    #expect(one.messages == "" && one.lines == other.lines)
  }

  @Test func everyProblemOfAFileIsReportedAtOnce() throws {
    let text = """
      {
        prefetcher: { maxCots: 5, maxCost: "6", factor: -1, activeCounts: "yes", kind: "costbudget" },
        user: { dwell: 1, patience: "8 sec", name: 5 },
        network: { down: "2mbps", lossDown: 1.5, buffer: 0.5, cancel: "dorp" },
        axes: "1...10",
        sede: 2019,
      }
      """
    #expect(
      try Self.decode(text).messages == """
        f:2:17: prefetcher.maxCots: unknown key; did you mean "maxCost"? known keys: maxCost, factor, activeCounts, kind
        f:2:38: prefetcher.maxCost: is the string "6", not a whole number; write 6 without quotes
        f:2:51: prefetcher.factor: is -1, less than 0; write a value from 0 to 10
        f:2:69: prefetcher.activeCounts: is the string "yes", not true or false; write true or false
        f:2:82: prefetcher.kind: is unknown: "costbudget"; did you mean "costBudget"? choices: none, itemsAhead, costBudget
        f:3:18: user.dwell: is the number 1, which has no unit; write "1s"
        f:3:31: user.patience: has the unknown unit "sec"; did you mean "8s"? units: ns, us, ms, s, min, h
        f:3:46: user.name: is the number 5, not a string; put it in quotes: "5"
        f:4:20: network.down: has the unknown unit "mbps"; did you mean "2Mbps"? units: bps, kbps, Mbps, Gbps
        f:4:39: network.lossDown: is 1.5, which is not a probability; write "1.5%" for per cent
        f:4:52: network.buffer: is the number 0.5, which has no unit; write "0.5B"
        f:4:65: network.cancel: is unknown: "dorp"; did you mean "drop"? choices: drop, resume, keep
        f:5:9: axes: is the string "1...10", not a list; write [ … ]
        f:6:3: sede: unknown key; known keys: prefetcher, user, network, axes
        """)
  }

  @Test func missingAndMistypedObjectsAreReportedOnce() throws {
    #expect(
      try Self.decode("{ prefetcher: 5 }").messages == """
        f:1:1: user: is missing; add user: { … }
        f:1:15: prefetcher: is the number 5, not an object; write { … }
        """)
    #expect(
      try Self.decode(#"{ user: [], prefetcher: { kind: null, maxCost: 1.5, factor: Infinity } }"#).messages == """
        f:1:9: user: is a list, not an object; write { … }
        f:1:33: prefetcher.kind: is null, not a name; write one of "none", "itemsAhead", "costBudget"
        f:1:48: prefetcher.maxCost: is 1.5, not a whole number; write a whole number from 1 to 1000
        f:1:61: prefetcher.factor: is Infinity, which is not finite; write a finite number
        """)
  }

  @Test func limitsAreNamedInTheirUnits() throws {
    let text = #"{ prefetcher: { kind: "none", maxCost: 2000 }, user: { dwell: "2h" }, network: { buffer: "2MB", down: "0bps" } }"#
    #expect(
      try Self.decode(text).messages == """
        f:1:40: prefetcher.maxCost: is 2000, more than 1000; write a value from 1 to 1000
        f:1:63: user.dwell: is 2h, more than 1h; write a value from 1ms to 1h
        f:1:90: network.buffer: is 2MB, more than 1MB; write a value from 1B to 1MB
        f:1:103: network.down: is 0bps, less than 1bps; write a value from 1bps
        """)
  }

  @Test func aRecordedTextStaysOnOneLine() {
    let context = DecodingContext()
    context.record("name", "a\nprefetcher.kind=none")
    #expect(context.settings.map(\.line) == [#"name="a\nprefetcher.kind=none""#])
  }

  @Test func manyProblemsAreLimitedAndCounted() {
    let sink = DiagnosticSink()
    /// A word of its own for each number.
    func word(_ number: Int) -> String { String(String(number).map { Array("abcdefghij")[$0.wholeNumberValue ?? 0] }) }
    for line in (1...2000).reversed() {
      sink.report(at: SourceLocation(file: "f", line: line), key: "k", problem: "p\(word(line))", remedy: "r")
    }
    do {
      try sink.throwIfAny()
      Issue.record("nothing was thrown")
    } catch {
      let lines = error.description.split(separator: "\n")
      #expect(error.count == 2000 && error.diagnostics.count == DiagnosticSink.keptLimit)
      #expect(lines.count == InvalidInput.printedLimit + 1 && lines.last == "… and 1950 more")
      #expect(lines[0] == "f:1001:1: k: pbaab; r")
    }
  }
}

@Suite struct OverlayTests {
  static let scenario = #"{ prefetcher: "none", user: { dwell: "1s" }, list: [1, { a: 2 }] }"#

  @Test(arguments: [
    ("user.dwell", "2s", #"{"prefetcher":"none","user":{"dwell":"2s"},"list":[1,{"a":2}]}"#),
    ("user.scroll", "10", #"{"prefetcher":"none","user":{"dwell":"1s","scroll":10},"list":[1,{"a":2}]}"#),
    ("a.b.c", "true", #"{"prefetcher":"none","user":{"dwell":"1s"},"list":[1,{"a":2}],"a":{"b":{"c":true}}}"#),
    ("prefetcher", "{ kind: 'x' }", #"{"prefetcher":{"kind":"x"},"user":{"dwell":"1s"},"list":[1,{"a":2}]}"#),
    ("prefetcher.ahead", "3", #"{"prefetcher":{"kind":"none","ahead":3},"user":{"dwell":"1s"},"list":[1,{"a":2}]}"#),
    ("list.1.a", "null", #"{"prefetcher":"none","user":{"dwell":"1s"},"list":[1,{"a":null}]}"#),
  ])
  func aPathIsReplacedOrAdded(_ path: String, _ text: String, _ result: String) throws {
    let new = JSON5Value.scalar(fromCommandLine: text)
    let value = try parsed(Self.scenario).setting(path: path, to: new) { prefix, value in
      guard prefix == "prefetcher", case .string = value.kind else { return nil }
      let kind = JSON5Member(key: "kind", keyLocation: value.location, value: value)
      return JSON5Value(kind: .object([kind]), location: value.location)
    }
    #expect(value.canonicalJSON == result)
    #expect(value.lookup(path)?.location.file == "--set")
  }

  @Test func aValueThatBlocksAPathIsNamed() throws {
    let value = try parsed(Self.scenario)
    let new = JSON5Value.scalar(fromCommandLine: "1")
    #expect(
      complaint { () throws(ValueProblem) in _ = try value.setting(path: "user.dwell.x", to: new) }
        == #"cannot be set, because "user.dwell" is the string "1s", not an object; write "user.dwell" as { … }"#)
    #expect(complaint { () throws(ValueProblem) in _ = try value.setting(path: "user..x", to: new) }.hasPrefix("is not a path; "))
    #expect(complaint { () throws(ValueProblem) in _ = try value.setting(path: "list.2", to: new) }.hasPrefix("counts past the end"))
    #expect(value.lookup("user.scroll") == nil && value.lookup("prefetcher.kind") == nil && value.lookup("list.7") == nil)
  }

  @Test(arguments: [
    ("200KB", "200KB"), ("5", "5"), ("1e3", "1000"), ("true", "true"), ("null", "null"), ("'5'", "5"), ("", ""), ("a b", "a b"),
    ("{ kind: 'itemsAhead', ahead: 3.0 }", #"{"kind":"itemsAhead","ahead":3}"#), ("[1,", "[1,"), ("1...10", "1...10"),
  ])
  func commandLineValuesAreJSON5OrText(_ text: String, _ column: String) {
    #expect(JSON5Value.scalar(fromCommandLine: text).canonicalText == column)
  }

  /// Problems that differ in the values that they repeat alone have one wording.
  @Test func alikeProblemsAreTwentyLinesAndACount() throws {
    for problem in [
      { "is the number \($0), which has no unit" }, { "is unknown: \"kind\($0)\"" }, { "word\($0) is not a value" },
      { "is \($0).5MB, more than \($0 - 1)KB" },
    ] as [(Int) -> String] {
      let sink = DiagnosticSink()
      for line in 1...60 {
        sink.report(at: SourceLocation(file: "f", line: line), key: "k\(line)", problem: problem(line), remedy: "r\(line)")
      }
      sink.report(at: SourceLocation(file: "f", line: 99), key: "k", problem: "is another problem", remedy: "r")
      let lines = sink.found.description.split(separator: "\n")
      #expect(lines.count == 22 && lines.last == "… and 40 more" && lines[20].contains("is another problem"), "\(lines)")
    }
  }
}
