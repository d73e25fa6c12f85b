import Base
import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

/// The formats of the gate's result, for constructed results.
@Suite struct GateRenderTests {
  static let nasty = "a<b>&\"c\" 'd' ]]> \u{1}\u{7F} {line\nbreak}\r\ttab | `code` ü→日本 \u{202E}"

  /// Returns a result of two guards over 200 pairs, with the candidate shifted by some per cent.
  static func result(
    loaders: Double, bytes: Double = 0.4, isStrict: Bool = false, sweep: String = "featured-3g", failures: [String] = []
  ) -> GateResult {
    let guards = [GateGuard(.loadersPer1000, .rise, by: .percent(2)), GateGuard(.bytesReceived, .rise, by: .percent(5))]
    let rule = GateRule(guards: guards)
    let wiggle: [Double] = [3, -5, 8, 1, -7, 4, -2, 6, -9, 1]
    let pairs = (1...200).map { repetition -> GateResult.Pair in
      var (first, second) = (RunMetrics(), RunMetrics())
      let noise = wiggle[repetition % 10]
      first[.loadersPer1000] = 135 + 2 * noise
      second[.loadersPer1000] = (135 + 2 * noise) * (1 + loaders / 100) + wiggle[repetition * 3 % 10] / 4
      first[.bytesReceived] = 61_000_000 + 100_000 * noise
      second[.bytesReceived] = (61_000_000 + 100_000 * noise) * (1 + bytes / 100) + 7777 * wiggle[repetition * 7 % 10]
      first[.waitMsMean] = 0.1 + noise * noise
      return GateResult.Pair(repetition: repetition, seed: UInt64(repetition), baseline: first, candidate: second)
    }
    return GateResult(
      program: .init(name: "prefetch-sweep", version: "1.0.0", modelVersion: "1"), sweep: sweep,
      head: [.init(label: "network", text: "3G: 780kbps down"), .init(label: "user", text: "1000 items, 1s each")],
      baseline: (source: "Sweeps/settings/production.json5", settings: "costBudget, maxCost 6", point: "00"),
      candidate: (source: "candidate.json5", settings: "costBudget, maxCost 5", point: "01"),
      changes: [.init(path: "prefetcher.maxCost", baseline: "6", candidate: "5")], seed: 2019, isStrict: isStrict, rule: rule, look: 1,
      strata: [.init(baseline: "00", candidate: "01", findings: findings(rule, pairs), pairs: pairs)], failures: failures)
  }

  @Test(arguments: [1, 300]) func theMarkdownFitsAComment(_ copies: Int) {
    var result = Self.stratified(loaders: 4, elsewhere: 1)
    let strata = result.strata
    result.strata = (0..<copies).flatMap { copy in
      strata.map { stratum in
        var stratum = stratum
        stratum.name = "\(stratum.name ?? "") \(copy) " + String(repeating: "x", count: 100)
        stratum.head = [.init(label: "network", text: String(repeating: "y", count: 100))]
        return stratum
      }
    }
    let text = GateMarkdown.text(result)
    #expect(text.utf16.count <= 65_536)
    #expect(text.contains("more comparison") == (copies > 1))
    #expect(text.components(separatedBy: "<details>").count == text.components(separatedBy: "</details>").count)
  }

  private static func findings(_ rule: GateRule, _ pairs: [GateResult.Pair], look: Int = 1) -> [GateFinding] {
    rule.guards.map { guarded in
      rule.finding(
        guarded, baseline: pairs.compactMap { $0.baseline[guarded.metric] },
        candidate: pairs.compactMap { $0.candidate[guarded.metric] }, look: look)
    }
  }

  /// Returns a result of two strata with different changes, and their weighted whole.
  static func stratified(loaders: Double, elsewhere: Double, names: [String] = ["3G", "WPT 4G"]) -> GateResult {
    var result = Self.result(loaders: loaders)
    let other = Self.result(loaders: elsewhere)
    let (first, second) = (result.strata[0].pairs, other.strata[0].pairs)
    func mean(_ left: RunMetrics, _ right: RunMetrics) -> RunMetrics {
      var mean = RunMetrics()
      for metric in Metric.allCases { mean[metric] = left[metric].flatMap { a in right[metric].map { (a + $0) / 2 } } }
      return mean
    }
    let whole = zip(first, second).map {
      GateResult.Pair(
        repetition: $0.repetition, seed: $0.seed, baseline: mean($0.baseline, $1.baseline), candidate: mean($0.candidate, $1.candidate))
    }
    let rule = GateRule(guards: result.rule.guards, comparisons: 6)
    result.rule = rule
    result.head = [.init(label: "user", text: "1000 items, 1s each")]
    result.strata = [.init(name: "all", isWhole: true, findings: findings(rule, whole), pairs: [])]
    for (name, pairs) in zip(names, [first, second]) {
      result.strata.append(
        .init(
          name: name, weight: 0.5, head: [.init(label: "network", text: "\(name) as measured")], baseline: "0\(name)",
          candidate: "1\(name)", findings: findings(rule, pairs), pairs: pairs))
    }
    return result
  }

  @Test(arguments: [("regression", 9.0), ("inconclusive", 2), ("passed", 0.3)])
  func theTextsAreTheGoldens(name: String, loaders: Double) throws {
    let result = Self.result(loaders: loaders)
    #expect(result.outcome.rawValue == name)
    try expectGolden(GateText.text(result), "gate-\(name).txt")
    try expectGolden(GateMarkdown.text(result), "gate-\(name).md")
  }

  @Test func theTextsOfStrataAreTheGoldens() throws {
    let result = Self.stratified(loaders: 0.3, elsewhere: 9)
    #expect(result.outcome == .regression)
    try expectGolden(GateText.text(result), "gate-strata.txt")
    try expectGolden(GateMarkdown.text(result), "gate-strata.md")
  }

  @Test func outcomesFollowTheFindings() {
    #expect(Self.result(loaders: 9).outcome == .regression)
    #expect(Self.result(loaders: 2).outcome == .inconclusive && Self.result(loaders: 2, isStrict: true).outcome == .inconclusive)
    #expect(Self.result(loaders: 0).outcome == .passed)
    #expect(Self.result(loaders: 0, bytes: 9).outcome == .regression)
    #expect(Self.result(loaders: 9, failures: ["The candidate failed."]).outcome == .failed)
  }

  @Test func colouredTextHasTheSameWords() {
    let result = Self.result(loaders: 9)
    let colored = GateText.text(result, isColored: true)
    #expect(colored.contains("\u{1B}[31mREGRESSION\u{1B}[0m"))
    // Of a row, only the verdict has a colour.
    for line in colored.split(separator: "\n").dropFirst() where line.contains("\u{1B}") {
      #expect(line.matches(of: /\x1B\[3\dm/).count == 1 && line.contains(/\x1B\[3\dm(worse|better) *\x1B/), "\(line)")
    }
    // Colours extend to the end of a table's columns.
    #expect(colored.replacing(#/\x1B\[\d+m/#, with: "").replacing(#/ +\n/#, with: "\n") == GateText.text(result))
  }

  @Test(arguments: [20, 40, 60])
  func proseKeepsToTheWidth(width: Int) {
    for text in [Self.result(loaders: 2), Self.stratified(loaders: 0.3, elsewhere: 9)].map({ GateText.text($0, width: width) }) {
      // The table needs some columns at least, the seed is one word.
      let lines = text.split(separator: "\n").map(String.init)
      let table = lines.filter { $0.contains("  ") && !$0.hasPrefix(" ") || $0.hasPrefix("---") }
      for line in lines where !table.contains(line) { #expect(line.count <= width, "\(line)") }
    }
  }

  /// The verdict has its column at every width.
  @Test(arguments: [40, 60, 80, 200]) func theTableShrinksToTheWidth(width: Int) throws {
    let result = Self.stratified(loaders: 0.3, elsewhere: 9)
    let lines = GateText.text(result, width: width).split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let first = try #require(lines.firstIndex { $0.hasPrefix("stratum ") && $0.hasSuffix("verdict") })
    let table = lines[first..<(first + 8)]
    #expect(table.allSatisfy { $0.count <= width }, "\(table)")
    #expect(table.dropFirst(2).allSatisfy { $0.contains(/(not worse|worse|better|identical|inconclusive)$/) }, "\(table)")
    #expect(lines.contains { $0.hasPrefix("Not shown in \(width) columns: baseline") } == (width < 200), "\(lines)")
  }

  // MARK: Strata

  @Test func oneStratumThatIsWorseIsARegressionAndIsNamedFirst() throws {
    let result = Self.stratified(loaders: 0.3, elsewhere: 9)
    #expect(result.outcome == .regression)
    let text = GateText.text(result)
    #expect(text.hasPrefix("REGRESSION: WPT 4G: loadersPer1000 rises by more than 2 %"))
    let rows = text.split(separator: "\n").filter { $0.contains("loadersPer1000 +2%") }
    #expect(rows.count == 3)
    #expect(rows[0].hasPrefix("WPT 4G"), "the worst first")
    #expect(text.replacing("\n", with: " ").contains("6 comparisons (2 guards in 2 strata and the weighted whole)"))
  }

  @Test func everyFormNamesTheStrata() throws {
    let result = Self.stratified(loaders: 0.3, elsewhere: 0.2)
    #expect(result.outcome == .passed)
    for form in [GateText.text(result), GateMarkdown.text(result), GateJSON.text(result, exitStatus: 0), JUnit.text(result)] {
      for name in ["3G", "WPT 4G", "all"] { #expect(form.contains(name)) }
    }
    let suite = try #require(XMLTree.root(of: JUnit.text(result))?.children.first)
    #expect(
      suite.all("testcase").map { $0.attributes["name"] }
        == ["all: ", "3G: ", "WPT 4G: "].flatMap {
          [$0 + "loadersPer1000 +2%", $0 + "bytesReceived +5%"]
        })
    let bench = BenchmarkGrammar(BenchmarkText.text(result))
    #expect(bench.faults == [])
    #expect(
      bench.results.map { $0.configuration["stratum"] } == [String?](repeating: "3G", count: 400)
        + [String?](repeating: "WPT 4G", count: 400)
    )
    #expect(bench.results.allSatisfy { $0.configuration["network"] == "\($0.configuration["stratum"] ?? "") as measured" })
    let form = try #require(try JSONSerialization.jsonObject(with: Data(GateJSON.text(result, exitStatus: 0).utf8)) as? [String: Any])
    let guards = try #require(form["guards"] as? [[String: Any]])
    #expect(guards.map { $0["stratum"] as? String } == ["all", "all", "3G", "3G", "WPT 4G", "WPT 4G"])
    let strata = try #require(form["strata"] as? [[String: Any]])
    #expect(strata.map { $0["outcome"] as? String } == ["passed", "passed", "passed"])
    #expect(strata.map { $0["pairs"] as? Int } == [0, 200, 200])
  }

  @Test func manyStrataAreATableOfTheWorst() throws {
    var result = Self.stratified(loaders: 0.3, elsewhere: 9)
    let (good, bad) = (result.strata[1], result.strata[2])
    result.strata =
      [result.strata[0]]
      + (1...199).map { index in
        var stratum = index == 150 ? bad : good
        stratum.name = "stratum \(index)"
        return stratum
      }
    let text = GateText.text(result)
    #expect(text.split(separator: "\n").count < 100)
    #expect(text.hasPrefix("REGRESSION: stratum 150: "))
    #expect(text.contains("360 more comparisons: 360 not worse; --json has them all."))
    #expect(XMLTree.root(of: JUnit.text(result))?.all("testcase").count == 400)
    #expect(GateMarkdown.text(result).contains("<details><summary>All 400 comparisons</summary>"))
  }

  @Test func namesOfStrataDoNotBreakAForm() throws {
    let result = Self.stratified(loaders: 0.3, elsewhere: 9, names: [Self.nasty, ""])
    #expect(XMLTree.root(of: JUnit.text(result))?.all("testcase").count == 6)
    #expect(BenchmarkGrammar(BenchmarkText.text(result)).faults == [])
    #expect(!GateText.text(result).contains("\u{202E}"))
  }

  @Test func equalMeansAllMetricsAndOtherwiseTheMetricIsNamed() {
    var result = Self.result(loaders: 0)
    func equal(_ change: (inout GateResult.Pair) -> Void) -> String {
      let rule = GateRule(guards: [GateGuard(.loadersPer1000, .rise, by: .percent(2))], limit: 200)
      result.rule = rule
      result.strata[0].pairs = result.strata[0].pairs.map { pair in
        var pair = pair
        pair.candidate = pair.baseline
        change(&pair)
        return pair
      }
      result.strata[0].findings = Self.findings(rule, result.strata[0].pairs)
      return GateSentence(result: result).headline
    }
    #expect(equal { _ in } == "The candidate equals the baseline in all 200 pairs.")
    #expect(
      equal { if $0.repetition == 7 { $0.candidate[.bytesReceived]? += 1 } }
        == "loadersPer1000 is equal in all 200 pairs; bytesReceived is not.")
    #expect(
      equal { pair in for metric in [Metric.bytesReceived, .waitMsMean, .cancels] { pair.candidate[metric] = 3 } }
        == "loadersPer1000 is equal in all 200 pairs; bytesReceived and 2 other metrics are not.")
  }

  // MARK: JUnit

  @Test(arguments: [(9.0, false, "failure"), (2, true, "failure"), (2, false, "skipped"), (0.3, false, "system-out")])
  func aParserReadsJUnit(loaders: Double, isStrict: Bool, element: String) throws {
    let root = try #require(XMLTree.root(of: JUnit.text(Self.result(loaders: loaders, isStrict: isStrict))))
    #expect(root.name == "testsuites")
    let suite = try #require(root.children.first)
    let cases = suite.all("testcase")
    #expect(cases.map { $0.attributes["name"] } == ["loadersPer1000 +2%", "bytesReceived +5%"])
    #expect(cases[0].children.map(\.name) == [element])
    #expect(cases[1].children.map(\.name) == ["system-out"])
    for level in [root, suite] {
      #expect(level.attributes["tests"] == "\(cases.count)")
      #expect(level.attributes["failures"] == "\(suite.all("failure").count)")
      #expect(level.attributes["skipped"] == "\(suite.all("skipped").count)")
      #expect(level.attributes["errors"] == "0")
    }
  }

  @Test func failedRunsAreErrorsInJUnit() throws {
    let root = try #require(XMLTree.root(of: JUnit.text(Self.result(loaders: 0, failures: [Self.nasty, "two"]))))
    #expect(root.attributes["errors"] == "2")
    #expect(root.all("error").count == 2)
  }

  @Test func foreignTextsSurviveXML() throws {
    var result = Self.result(loaders: 9, sweep: Self.nasty)
    result.candidate.source = Self.nasty
    result.changes = [.init(path: Self.nasty, baseline: nil, candidate: Self.nasty)]
    let root = try #require(XMLTree.root(of: JUnit.text(result)))
    let shown = SafeText.line(Self.nasty)
    let properties = root.all("property")
    #expect(properties.first { $0.attributes["name"] == "candidate" }?.attributes["value"] == shown)
    #expect(properties.first { $0.attributes["name"] == "change.\(shown)" }?.attributes["value"] == "none → \(shown)")
    #expect(root.all("testcase")[0].attributes["classname"] == "prefetch-sweep.\(shown)")
    #expect(XMLText.content("]]>") == "]]&gt;")
    // XML does not allow control characters.
    #expect(XMLTree.root(of: "<a>\(XMLText.content(Self.nasty))</a>")?.text == Self.nasty.replacing("\u{1}", with: "\u{FFFD}"))
  }

  @Test func theXMLParserRejectsMalformedText() {
    #expect(XMLTree.root(of: "<a b=\"1\"><c/></a>")?.children.first?.name == "c")
    for broken in ["<a>", "<a b=1/>", "<a>&</a>", "<a/><b/>", "<a>\u{1}</a>", ""] { #expect(XMLTree.root(of: broken) == nil, "\(broken)") }
  }

  // MARK: The Go benchmark format

  @Test func everyLineOfTheBenchmarkTextKeepsToTheGrammar() throws {
    let result = Self.result(loaders: 9)
    let file = BenchmarkGrammar(BenchmarkText.text(result))
    #expect(file.faults == [])
    #expect(file.results.count == 400)
    #expect(Set(file.results.map(\.name)) == ["BenchmarkFeatured3g"])
    for (index, run) in file.results.enumerated() {
      let pair = result.strata[0].pairs[index % 200]
      let side = index < 200 ? pair.baseline : pair.candidate
      #expect(run.configuration["settings"] == (index < 200 ? "baseline" : "candidate"))
      #expect(run.configuration["network"] == "3G: 780kbps down")
      // The text has every measured number to the last bit, and no other number.
      #expect(run.values["loaders/1000"] == side[.loadersPer1000])
      #expect(run.values["received-B/run"] == side[.bytesReceived])
      #expect(run.values["waitMean-ms/run"] == side[.waitMsMean])
      #expect(run.values.count == Metric.allCases.count { side[$0] != nil })
    }
    #expect(file.units["loaders/1000"] == ["better": "lower"])
  }

  @Test func theGrammarRejectsABrokenLine() {
    for line in [
      "Benchmark 1 2 x", "BenchmarkA 1 2", "BenchmarkA x 2 y", "BenchmarkA 1 two y", "Benchmarka 1 2 y", "BenchmarkA-8 1 2 y", "Key: value",
      "a key: value", "key:value", "Unit x", "Unit x better", "PASS",
    ] {
      #expect(BenchmarkGrammar(line + "\n").faults.count == 1, "\(line)")
    }
    #expect(BenchmarkGrammar("key:\nkey: a b\n\nUnit x better=lower\nBenchmarkA 1 2 x 3.5 y\n").faults.isEmpty)
  }

  @Test func foreignTextsDoNotBreakTheBenchmarkText() {
    for sweep in [Self.nasty, "x-3", "日本", "", "Benchmark", "a/b=c"] {
      var result = Self.result(loaders: 9, sweep: sweep)
      result.head = [.init(label: "Odd Label: 1", text: Self.nasty), .init(label: "", text: "")]
      #expect(BenchmarkGrammar(BenchmarkText.text(result)).faults == [], "\(sweep)")
    }
  }

  @Test func everyMetricHasAUnitOfItsOwn() {
    let units = Metric.allCases.map(\.benchmarkUnit)
    #expect(Set(units).count == units.count)
    #expect(units.allSatisfy { !$0.contains(where: \.isWhitespace) })
  }

  // MARK: JSON

  @Test func jsonHoldsTheNumbersOfTheTexts() throws {
    let result = Self.result(loaders: 9)
    let json = GateJSON.text(result, exitStatus: 3)
    let form = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    #expect(form["outcome"] as? String == "regression")
    #expect(form["exitStatus"] as? Int == 3)
    #expect(form["pairs"] as? Int == 200)
    let guards = try #require(form["guards"] as? [[String: Any]])
    #expect(guards.map { $0["outcome"] as? String } == ["worse", "not worse"])
    // Foundation may read a number of 17 digits with an error of one unit in the last digit.
    let difference = try #require(guards[0]["difference"] as? Double)
    #expect((difference - result.findings[0].difference).magnitude <= result.findings[0].difference.ulp)
    #expect((guards[0]["percentInterval"] as? [Double])?.count == 2)
    #expect(guards[0]["margin"] as? String == "+2%")
  }
}
