import Analysis
import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Sweep
@testable import SweepTool

/// The results in a device's output, and output without a result.
@Suite struct ResultReaderTests {
  @Test func truncatedSecretsAreMasked() {
    let kept = KeptOutput(secrets: ["hunter22"])
    func shown(_ text: String) -> String { String(decoding: kept.hiding(Array(text.utf8)), as: UTF8.self) }
    #expect(shown("login hunter22 and hunter22!") == "login ••• and •••!")
    #expect(shown("login hunter") == "login •••")
    #expect(shown("a hun") == "a hun", "three letters are everywhere")
    #expect(shown("hunter2 lives") == "hunter2 lives")
  }

  @Test(arguments: [
    "aHVudGVyMjI=", "aHVudGVyMjI", "Basic dXNlcjpodW50ZXIyMg==", "eHVzZXI6aHVudGVyMjI6eA==", "xhunter22x", "h%75nter22",
  ])
  func aSecretIsMaskedInsideBase64(text: String) {
    let shown = KeptOutput(secrets: ["hunter22"]).hiding(text)
    let isOther = text.hasPrefix("h%")
    #expect(shown.contains("•••") != isOther, "\(shown)")
    let rest = shown.split(separator: " ").last.map(String.init) ?? ""
    if !isOther { #expect(!rest.contains("VudGVy") && !rest.contains("udW50") && !rest.contains("odW50ZX"), "\(shown)") }
  }

  @Test func aSecretIsMaskedInURLsAndForms() {
    let secret = "p@ss w/+ü~\"1\"!"
    let kept = KeptOutput(secrets: [secret])
    for text in [
      "p%40ss%20w%2F%2B%C3%BC~%221%22%21", "p%40ss%20w%2f%2b%c3%bc~%221%22%21", "p%40ss+w%2F%2B%C3%BC%7E%221%22%21",
      "p%40ss%20w%2F%2B%C3%BC~%221%22!", "p@ss%20w/+%C3%BC~%221%22!", Data(secret.utf8).base64EncodedString(),
      Data(secret.utf8).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_"), secret,
    ] {
      #expect(kept.hiding("a=\(text)&b") == "a=•••&b", "\(text)")
      #expect(String(decoding: kept.hiding(Array("a=\(text)&b".utf8)), as: UTF8.self) == "a=•••&b", "\(text)")
    }
  }

  private func source(_ metric: Metric, _ selector: MetricSource.Selector, scale: Double = 1, isOptional: Bool = false) -> MetricSource {
    MetricSource(metric: metric, selector: selector, scale: scale, isOptional: isOptional)
  }

  private func read(
    _ output: String, _ sources: [MetricSource], marker: String? = nil
  ) throws(ResultReader.ResultProblem) -> [Metric: Double] {
    let row = try ResultReader(sources: sources, marker: marker).metrics(in: Array(output.utf8))
    return Dictionary(uniqueKeysWithValues: Metric.allCases.compactMap { metric in row[metric].map { (metric, $0) } })
  }

  private func reason(_ output: String, _ sources: [MetricSource], marker: String? = nil) -> String {
    do throws(ResultReader.ResultProblem) { return "read: \(try read(output, sources, marker: marker))" } catch { return error.reason }
  }

  private var loaders: [MetricSource] { [source(.loadersPer1000, .name("loaders"))] }

  @Test(arguments: [
    #"{"loaders": 25}"#, #"noise {"loaders": 25} noise"#, "loaders=25", "loaders: 25", "loaders = 25, viewed=1000", #""loaders":"25""#,
    "a=1 loaders=25\n", "{\n  \"loaders\": 25\n}\n", "loaders=3\nsomething else\nloaders=25\r\nbye", "myloaders=3 loaders=2.5e1",
    "noloaders: 7; loaders:25;", "loaders=+25|x",
  ])
  func aNumberIsFoundByItsName(_ output: String) throws {
    #expect(try read(output, loaders) == [.loadersPer1000: 25])
  }

  @Test func onlyTheLastLineWithANameIsTheResult() {
    #expect(reason("loaders=25\nloaders=", loaders).contains("is \"\", not a number"))
    #expect(reason("{\"loaders\": 25}\n{\"loaders\": ", loaders).contains("its JSON is incomplete"))
    #expect(reason("{\"loaders\": 25}\n{\"loaders\": 2x}", loaders).contains("its JSON cannot be parsed"))
  }

  @Test(arguments: [
    ("", "no line of it has \"loaders\""), ("viewed=1000", "no line of it has \"loaders\""), ("loaders=25ms", "is \"25ms\", not a number"),
    ("loaders=-1", "is \"-1\", not a number from 0 up"), ("loaders=nan", "not a number"), ("loaders=inf", "not a number"),
    ("loaders=0x10", "not a number"), ("loaders 25", "it has no loadersPer1000 (\"loaders\")"),
    (#"{"loaders": "many"}"#, "is the string \"many\", not a number"), (#"{"loaders": [1]}"#, "is a list, not a number"),
    (#"{"loaders": NaN}"#, "not a number"), (#"{"loaders": -2}"#, "not a number from 0 up"),
    (#"{"loaders": null}"#, "it has no loadersPer1000"),
    ("loaders=1e999", "not a number"),
  ])
  func invalidNumbersAreNoResult(_ output: String, _ says: String) {
    let reason = reason(output, loaders)
    #expect(reason.contains(says), "\(reason)")
  }

  @Test(arguments: [
    "loaders=31,5", "loaders: 1,234", "loaders=1,234,567 viewed=9", "\"loaders\":\"31,5\"", "loaders=1 234", "loaders=1\u{202F}234 ms",
    "loaders=1'234", "loaders=1_000", "loaders=31,5ms",
  ])
  func aNumberThatIsNotReadWholeIsNoResult(_ output: String) {
    #expect(!reason(output, loaders).hasPrefix("read"), "\(output)")
  }

  @Test(arguments: [
    ("wait ([0-9]+)", "wait 31.5"), ("wait ([0-9.]+)", "wait 31,5 ms"), ("([0-9.]+) ms", "wait 1,234 ms"), (".*([0-9]+) ms", "wait 25 ms"),
    ("([0-9]+)ms", "wait -5ms"), ("wait ([0-9.]+)", "wait 2.5e3"), ("[0-9]+", "wait 1 234 ms"), ("wait ([0-9]+).*", "wait 31.5 ms"),
  ])
  func aPatternThatMatchesAPartOfANumberIsNoResult(_ pattern: String, _ output: String) {
    let reason = reason(output, [source(.loadersPer1000, .pattern(pattern))])
    #expect(reason.contains("is not the whole number in"), "\(reason)")
  }

  @Test func separatorsBetweenNumbersEndThem() throws {
    #expect(try read("loaders=25, viewed=1000", loaders) == [.loadersPer1000: 25])
    #expect(try read("loaders=25,viewed=1000", loaders) == [.loadersPer1000: 25])
    #expect(try read("loaders=25 1000 items", loaders) == [.loadersPer1000: 25])
    #expect(try read("25,1000,3", [source(.loadersPer1000, .pattern("^([0-9]+),"))]) == [.loadersPer1000: 25])
    #expect(try read("run-25 of 300", [source(.loadersPer1000, .pattern("run-([0-9]+) of 300"))]) == [.loadersPer1000: 25])
    #expect(try read("wait 25.", [source(.loadersPer1000, .pattern("wait ([0-9]+)"))]) == [.loadersPer1000: 25])
  }

  @Test func onlyTextAfterTheMarkerCounts() throws {
    let output = "loaders=1\n12:00 app[7]: STATS loaders=25 of 1000\nloaders=3\n"
    #expect(try read(output, loaders, marker: "STATS") == [.loadersPer1000: 25])
    #expect(try read("STATS loaders=1\nSTATS loaders=25\n", loaders, marker: "STATS") == [.loadersPer1000: 25])
    #expect(reason("STATS loaders=1\nSTATS nothing\n", loaders, marker: "STATS").contains("it has no loadersPer1000"))
    #expect(reason("loaders=1", loaders, marker: "STATS") == "no line of it has \"STATS\"")
  }

  @Test func aPatternsCaptureOrMatchIsTheNumber() throws {
    let output = "shown 7 of 9\nshown 25 of 1000 in 12 s\n"
    #expect(try read(output, [source(.loadersPer1000, .pattern("shown ([0-9]+) of"))]) == [.loadersPer1000: 25])
    #expect(try read("a 25 b", [source(.loadersPer1000, .pattern("[0-9]+"))]) == [.loadersPer1000: 25])
    #expect(try read(output, [source(.loadersPer1000, .pattern("seen ([0-9]+)|shown ([0-9]+) of"))]) == [.loadersPer1000: 25])
    #expect(reason(output, [source(.loadersPer1000, .pattern("seen ([0-9]+)"))]).contains("it has no loadersPer1000 (pattern"))
  }

  @Test func numbersAreScaledAndConstantsAllowed() throws {
    let sources = [
      source(.loaders, .name("n.loaders")), source(.viewed, .constant(500)), source(.waitMsMean, .name("wait"), scale: 1000),
      source(.stalls, .name("stalls"), isOptional: true), source(.stallMs, .name("n.stall"), isOptional: true),
    ]
    let found = try read(#"{"n": {"loaders": 5, "stall": null}, "wait": 0.25}"#, sources)
    #expect(found == [.loaders: 5, .viewed: 500, .loadersPer1000: 10, .waitMsMean: 250])
    #expect(reason(#"{"n": {"loaders": 5}, "wait": 1}"#, [sources[0], source(.viewed, .constant(0))]) == "it says that no item was viewed")
  }

  @Test func invalidUTF8IsTolerated() throws {
    let row = try ResultReader(sources: loaders, marker: nil).metrics(in: [0xFF, 0xFE, 0x0A] + Array("loaders=25".utf8) + [0x0A, 0xC3])
    #expect(row[.loadersPer1000] == 25)
  }

  @Test func aLogIsReadFromItsOldEndOrWholeIfRewritten() throws {
    try JournalTests.withFolder { folder in
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let path = folder + "/log"
      func write(_ text: String) throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }
      func append(_ text: String) throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
      }
      func text(_ bytes: [UInt8]?) -> String? { bytes.map { String(decoding: $0, as: UTF8.self) } }
      let absent = ResultLog(path)
      #expect(absent.written(limit: 100) == nil)
      try write("first\n")
      #expect(text(absent.written(limit: 100)) == "first\n")
      let second = ResultLog(path)
      #expect(second.written(limit: 100) == nil)
      try append("second\n")
      #expect(text(second.written(limit: 100)) == "second\n")
      #expect(text(second.written(limit: 3)) == "nd\n", "its end, where there is too much")
      let third = ResultLog(path)
      try write("a longer one that was written anew\n")
      #expect(text(third.written(limit: 100)) == "a longer one that was written anew\n")
      let fourth = ResultLog(path)
      try write("short\n")
      #expect(text(fourth.written(limit: 100)) == "short\n")
    }
  }

  @Test func braceTwiceIsABrace() throws {
    let location = SourceLocation(file: "f")
    let template = try CommandTemplate("{{\"cost\": {prefetcher.maxCost}, \"of\": \"{device}\"}}", at: location, key: "k")
    #expect(template.names == ["prefetcher.maxCost", "device"])
    #expect(template.filled { $0 == "device" ? nil : "5" } == "{\"cost\": 5, \"of\": \"{device}\"}")
    for text in ["{", "}", "{}", "a{b", "a}b", "{a{b}", "\0"] {
      #expect(throws: ValueProblem.self, "\(text)") { try CommandTemplate(text, at: location, key: "k") }
    }
    #expect(try CommandTemplate("", at: location, key: "k").filled { _ in nil } == "")
  }
}
