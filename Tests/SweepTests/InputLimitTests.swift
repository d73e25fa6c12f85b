import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Sweep

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A long text, named in the log of tests by its beginning.
struct LongText: CustomTestStringConvertible {
  let text: String

  var testDescription: String { "\(text.prefix(40))… (\(text.utf8.count) bytes)" }
}

/// Inputs that are too large, are no regular files, or would make a slow or harmful message.
@Suite struct InputLimitTests {
  private static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("limits-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }

  /// Returns the reason why a file is refused; empty if it is read.
  private func refusal(_ path: String, limit: Int = InputFile.sizeLimit) -> String {
    complaint { () throws(ValueProblem) in _ = try InputFile(path: path, name: "f", limit: limit) }
  }

  /// Returns the problems of a sweep with `parts` and a small scenario; nil if it is accepted.
  private func problems(_ parts: String, scenario: String = "user: { scroll: 5 }") -> InvalidInput? {
    let start = "{ sweep: 's', repeats: 1, scenario: { network: '3G', prefetcher: { kind: 'itemsAhead' }, feed: { items: 5 }"
    return refused("\(start), \(scenario) }, \(parts) }")
  }

  private func refused(_ text: String) -> InvalidInput? {
    do throws(InvalidInput) {
      _ = try ResolvedSweep(file: InputFile(name: "f", bytes: Array(text.utf8)))
      return nil
    } catch { return error }
  }

  private static func list(_ count: Int, _ element: (Int) -> String) -> String { (0..<count).map(element).joined(separator: ",") }

  // MARK: Files

  @Test func aFileIsReadUpToTheLimit() throws {
    try Self.withFolder { folder in
      let path = folder.appendingPathComponent("f").path
      for (size, isRead) in [(0, true), (9, true), (10, true), (11, false), (200_000, false)] {
        try Data(count: size).write(to: URL(fileURLWithPath: path))
        #expect(refusal(path, limit: 10).isEmpty == isRead, "\(size) bytes")
      }
      #expect(try InputFile(path: path).bytes.count == 200_000)
    }
  }

  @Test func aFileOfMoreThanTheLimitIsRefusedUnread() throws {
    try Self.withFolder { folder in
      let path = folder.appendingPathComponent("holes").path
      #expect(FileManager.default.createFile(atPath: path, contents: nil))
      // A sparse file: it takes no disk space but would take seconds to read.
      #expect(truncate(path, 3_000_000_000) == 0)
      #expect(refusal(path) == "\"f\" has 3000000000 bytes, more than 256000000; split or shorten it")
    }
  }

  @Test func anythingButARegularFileIsRefusedWithoutWaiting() throws {
    try Self.withFolder { folder in
      let pipe = folder.appendingPathComponent("pipe").path
      #expect(mkfifo(pipe, 0o600) == 0)
      let link = folder.appendingPathComponent("link").path
      #expect(symlink(pipe, link) == 0)
      for path in [pipe, link, "/dev/zero", "/dev/null", folder.path] {
        #expect(refusal(path).hasPrefix("\"f\" is not a regular file"), "\(path)")
      }
      #expect(refusal(folder.appendingPathComponent("none").path).hasPrefix("there is no readable file"))
      #expect(refusal("a\0b").hasPrefix("there is no readable file"))
    }
  }

  #if os(Linux)
    @Test func aFileWithAReportedSizeOf0IsReadToItsEnd() {
      #expect(refusal("/proc/self/status") == "")
      #expect(refusal("/proc/self/status", limit: 10).hasPrefix("\"f\" has more than 10 bytes"))
    }
  #endif

  // MARK: Grids

  @Test(arguments: [3, 4, 5, 20])
  func aGridOfAnySizeIsRefusedWithoutACrash(_ axes: Int) throws {
    let paths = ["network.queue", "feed.items", "user.scroll", "prefetcher.ahead", "downloads.connections"]
    let text = Self.list(axes) { "'\($0 < 5 ? paths[$0] : "network.outages.\($0).at")': '1...100000'" }
    guard let error = problems("axes: { \(text) }") else {
      Issue.record("nothing was refused")
      return
    }
    #expect(error.description.contains("more than 1000000"))
  }

  @Test func theProductOfAxesStopsAtTheLargestNumber() throws {
    let value = JSON5Value(kind: .null, location: SourceLocation(file: ""))
    func dimension(_ count: Int) -> Grid.Dimension {
      Grid.Dimension(paths: ["a"], values: [Array(repeating: value, count: count)], location: value.location)
    }
    #expect(Grid.combinations(of: []) == 1)
    #expect(Grid.combinations(of: [dimension(3), dimension(4)]) == 12)
    #expect(Grid.combinations(of: Array(repeating: dimension(100_000), count: 4)) == Int.max)
    #expect(Grid.combinations(of: Array(repeating: dimension(100_000), count: 4) + [dimension(0)]) == 0)
  }

  // MARK: Many problems

  @Test(
    arguments: [
      "user: { scroll: 5, \(list(100_000) { "k\($0): 1" }) }", "user: { scroll: 5 }, \(list(100_000) { "k\($0): 1" })",
    ].map(LongText.init))
  func oneHundredThousandUnknownKeysAreTwentyLinesAndACount(_ scenario: LongText) throws {
    let error = try #require(problems("", scenario: scenario.text))
    #expect(error.count == 100_000 && error.diagnostics.count == 20)
    let lines = error.description.split(separator: "\n")
    #expect(lines.count == 21 && lines.last == "… and 99980 more")
    #expect(lines[0].contains("unknown key; "))
  }

  @Test func unknownKeysDoNotHideAnotherMistake() throws {
    let error = try #require(problems("margin: true", scenario: "user: { scroll: 5, \(Self.list(5000) { "k\($0): 1" }), dwell: 1 }"))
    #expect(error.description.contains("user.dwell: is the number 1, which has no unit"))
    #expect(error.description.contains("margin: is true, not a margin"))
  }

  @Test(
    arguments: [
      "axes: { \(list(100_000) { "k\($0): [1]" }) }", "baseline: { \(list(100_000) { "k\($0): 1" }) }",
      "baseline: { \(list(100_000) { "'prefetcher.k\($0)': 1" }) }", "axes: { \(list(100_000) { "'prefetcher.k\($0)': [1]" }) }",
      "zip: [\(list(100_000) { "{ 'prefetcher.k\($0)': [1, 2] }" })]", "where: [\(list(100_000) { _ in "'a.b'" })]",
      "axes: { 'prefetcher.ahead': [\(list(100_000) { _ in "'x'" })] }", "strata: [\(list(100_000) { "'a.b\($0)'" })]",
      "population: [\(list(100_000) { "{ weight: 0.00001, name: 'n\($0)', 'user.dwell': '\($0 + 1)ms' }" })]",
    ].map(LongText.init))
  func oneHundredThousandOfAnythingAreRefusedBriefly(_ parts: LongText) throws {
    let error = try #require(problems(parts.text))
    #expect(error.description.split(separator: "\n").count <= InvalidInput.printedLimit + 1)
    #expect(error.description.utf8.count < 20_000)
  }

  @Test func oneHundredThousandValuesOfAnAxisAreRead() throws {
    #expect(problems("axes: { 'user.overhead': [\(Self.list(100_000) { "'\($0)us'" })] }") == nil)
  }

  @Test func settingsAreAppliedAllAtOnce() throws {
    let sink = DiagnosticSink()
    let base = try #require(JSON5Parser.parse("{ a: 1, b: { c: [1, 2] }, d: 'x' }", file: "f", into: sink))
    func number(_ text: String) -> JSON5Value { .scalar(fromCommandLine: text) }
    let settings = [
      ("b.c.1", number("5")), ("n.m", number("6")), ("a", number("7")), ("n.k", number("8")), ("d.e", number("9")),
      ("n", number("{ z: 1 }")),
      ("n.y", number("2")),
    ]
    let tree = try base.setting(settings) { path, value in
      path == "d" ? JSON5Value(kind: .object([]), location: value.location) : nil
    }
    #expect(tree.canonicalJSON == #"{"a":7,"b":{"c":[1,5]},"d":{"e":9},"n":{"z":1,"y":2}}"#)
    let many = (0..<100_000).map { ("p.k\($0 % 50_000)", number("1")) }
    #expect(try base.setting(many).lookup("p")?.members?.count == 50_000)
    #expect { _ = try base.setting([("b", number("1")), ("a.x", number("1"))]) } throws: { ($0 as? JSON5Value.SettingProblem)?.index == 1 }
  }

  // MARK: Shapes of one megabyte

  @Test(
    arguments: [
      String(repeating: "\\", count: 1_000_000), "{ " + String(repeating: "\\", count: 1_000_000),
      "{ sweep: \"" + String(repeating: "\\", count: 1_000_000) + "\" }", "[" + String(repeating: ",", count: 1_000_000) + "]",
      String(repeating: "[", count: 1_000_000), String(repeating: "{a:", count: 300_000),
      "{ a: " + String(repeating: "1", count: 1_000_000) + " }",
      "{ sweep: '" + String(repeating: "a", count: 1_000_000) + "' }", "{ \(list(100_000) { _ in "k: 1" }) }",
      "{ " + String(repeating: "k", count: 1_000_000) + ": 1 }", String(repeating: "/*", count: 500_000),
      String(repeating: "}", count: 1_000_000),
    ].map(LongText.init))
  func aMegabyteOfOneKindIsRefusedBriefly(_ text: LongText) throws {
    let error = try #require(refused(text.text))
    #expect(error.description.split(separator: "\n").allSatisfy { $0.count < 600 }, "\(error.description.prefix(1000))")
  }

  @Test func escapesAreReadAsWritten() throws {
    let sink = DiagnosticSink()
    let text = #"["a\n\t\b\f\v\0\x41\u00e9\u{1F600}" , '\uD83D\uDE00\q\'']"#.replacing("\\u{1F600}", with: "😀")
    let value = try #require(JSON5Parser.parse(text, file: "f", into: sink))
    #expect(value.elements?.map(\.text) == ["a\n\t\u{8}\u{C}\u{B}\0Aé😀", "😀q'"])
    let long = String(repeating: "\\n", count: 100_000)
    #expect(JSON5Parser.parse("'\(long)'", file: "f", into: sink)?.text == String(repeating: "\n", count: 100_000))
  }

  // MARK: Messages

  @Test(arguments: ["\u{202E}", "\u{85}", "\u{9B}", "\u{1B}[31m", "\n", "\u{2028}", "\u{2066}", "\u{200E}"])
  func noMessageCommandsATerminal(_ text: String) throws {
    let name = "a\(text)b"
    for parts in [
      "'\(name)': 1", "axes: { '\(name)': [1] }", "baseline: { '\(name)': 1 }", "where: ['\(name) = 1']", "margin: '\(name)'",
      "axes: { 'network.profile': ['\(name)'] }", "axes: { 'network.trace': { files: '\(name)/*' } }", "baseline: '\(name)'",
    ].map({ $0.replacing("\n", with: "\\n").replacing("\u{2028}", with: "\\u2028") }) {
      let error = try #require(problems(parts), "\(parts.debugDescription)")
      #expect(error.diagnostics.allSatisfy { isHarmless($0.description) }, "\(error.description.debugDescription)")
    }
    let location = SourceLocation(file: name)
    #expect(isHarmless(Diagnostic(location: location, key: name, problem: name, remedy: name).description))
  }

  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { ![.control, .format, .lineSeparator, .paragraphSeparator].contains($0.properties.generalCategory) }
  }

  @Test(arguments: ["\u{202E}", "\u{85}", "\u{9B}", "\u{2066}", "\u{7F}", "/", "\\\\"])
  func aSweepsNameIsPlain(_ text: String) throws {
    let error = try #require(refused("{ sweep: 'a\(text)b', scenario: { network: '3G', prefetcher: 'none' } }"))
    #expect(error.description.contains("sweep: is no name for a folder"))
  }

  @Test func aMessageRepeatsLittleOfTheInput() throws {
    let long = String(repeating: "y", count: 100_000)
    for parts in [
      "'\(long)': 1", "axes: { '\(long)': [1] }", "axes: { 'prefetcher.\(long)': [1] }", "baseline: { '\(long)': 1 }",
      "where: ['\(long)']",
      "where: ['\(long) = 1']", "margin: '\(long)'", "axes: { 'network.profile': ['\(long)'] }", "baseline: '\(long)'",
      "strata: ['\(long)']",
      "axes: { 'user.dwell': ['\(long)'] }", "axes: { 'user.dwell': ['1\(long)'] }", "seed: \(long)", "seed: '\(long)'",
      "search: '\(long)'",
      "axes: { 'network.trace': { files: '\(long)/*' } }", "axes: { 'prefetcher.ahead': '1...\(long)' }",
      "population: [{ '\(long)': 1 }]",
      "axes: { 'prefetcher.ahead': [{ '\(long)': 1 }] }", "zip: [{ '\(long)': [1], b: [2] }]", "axes: { feed: ['\(long)'] }",
    ] {
      let error = try #require(problems(parts), "\(parts.prefix(60))")
      for line in error.description.split(separator: "\n") {
        #expect(line.filter { $0 == "y" }.count <= 200, "\(line.count): \(line.prefix(900))")
      }
    }
  }
}
