import Base
import SampleSweeps
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct RenderTests {
  @Test(
    arguments: zip(
      [(36.12, 5.6), (36.12, 1.2), (36.12, 0.36), (36.12, 0.034), (446, 8.6), (1234, 40), (1234, 300), (0.5, 0.0)],
      ["36", "36.1", "36.1", "36.12", "446", "1234", "1234", "0.5"]))
  func digitsFollowTheInterval(value: (Double, Double), text: String) {
    let interval = ConfidenceInterval(low: value.0 - value.1, high: value.0 + value.1)
    #expect(Precision.text(value.0, interval, limit: 2) == text)
  }

  @Test func nonZeroValuesHaveASign() {
    #expect(Precision.signed(0.13, 1) == "+0.1")
    #expect("\(ShownNumber.change(0.1, ConfidenceInterval(low: -0.04, high: 0.3), 2))" == "+0.10 [-0.04, +0.30]")
    #expect(Precision.signed(-30, 0) == "-30")
    #expect(Precision.signed(nil, 2).isEmpty)
  }

  @Test(arguments: [
    ("a|b", "a\\|b"), ("max_cost _x_", "max_cost \\_x\\_"), ("<b>&amp; & co", "&lt;b>&amp;amp; & co"), ("[^1] [a](b)", "\\[^1] [a\\](b)"),
    ("a\r\nb\tc", "a b c"), ("\u{1B}[31mred", "\u{FFFD}[31mred"), ("x@y @me", "x@y &#64;me"), ("-6.7 [-8.1, -5.3]", "-6.7 [-8.1, -5.3]"),
  ])
  func markdownShowsTheTextItself(text: String, markdown: String) {
    #expect(SafeText.markdown(text) == markdown)
  }

  @Test(arguments: [("# a", "\\# a"), ("1. a", "1\\. a"), ("2019) a", "2019\\) a"), ("- a", "\\- a"), ("> a", "\\> a"), ("a. b", "a. b")])
  func aParagraphStaysAParagraph(text: String, markdown: String) {
    #expect(SafeText.markdown(text, opensBlock: true) == markdown)
  }

  @Test func widthsAreThoseOfATerminal() {
    #expect(DisplayWidth.of("abc") == 3)
    #expect(DisplayWidth.of("日本") == 4)
    #expect(DisplayWidth.of("e\u{301}") == 1)
    #expect(DisplayWidth.of("🚀") == 2)
    #expect(DisplayWidth.truncated("日本語", to: 5) == "日本…")
    #expect(DisplayWidth.truncated("abcdef", to: 4) == "abc…")
  }

  @Test func oneTableHasThreeForms() {
    var table = Table(columns: [.init("name"), .init("n", .right)])
    var marked = Table.Cell("7")
    marked.footnotes = [2]
    table.append([.init("a|\"b\"", style: .strong), marked])
    table.append([.init("日本"), .init("")])
    let lines = [
      #"| name       |     n |"#, "| ---------- | ----: |", #"| **a\|"b"** | 7[^2] |"#, "| 日本       |       |",
    ]
    #expect(table.markdown == lines.joined(separator: "\n") + "\n")
    #expect(table.csv == "name,n\n\"a|\"\"b\"\"\",7\n日本,\n")
    #expect(table.plainText() == "name   n\n-----  -\na|\"b\"  7\n日本\n")
    #expect(table.plainText(hasRule: false) == "name   n\na|\"b\"  7\n日本\n")
    #expect(table.plainWidth == 8)
    #expect(table.plainText(isColored: true).contains("\u{1B}[1ma|\"b\"\u{1B}[0m"))
  }

  @Test func aFenceIsLongerThanAnyInTheCommand() throws {
    let samples = Samples.usual
    var sweep = samples.sweep
    sweep.source?.file = "```"
    let markdown = try Report.make(runs: samples.table, sweep: sweep)["report.md"] ?? ""
    #expect(markdown.contains("````sh\nprefetch-sweep run '```' --point "))
  }
}

@Suite struct SkewedSampleTests {
  @Test func aSkewedSampleIsDetected() {
    #expect(Sample([0, 0, -1, 0, 0, -1, 0, 0, 0, -40]).isSkewed)
    #expect(!Sample([1, 2, 3, 4, 5, 6, 7, 8]).isSkewed && !Sample([1, 2, 3]).isSkewed)
    #expect(Sample([4, 4, 4, 4, 4, 4]).skewness == nil)
  }

  @Test func aFamilyBeyondTheExactTestGivesAWarning() throws {
    var samples = Samples.usual
    samples.points += (5...60).map { (Samples.id($0), ["\($0)", "keep"], samples.points[0].loaders) }
    #expect(
      try samples.table.columns.summary(sweep: samples.sweep).warnings.contains(
        "With 10 repetitions the exact sign-flip test cannot reach 0.05 for 59 comparisons at once, whatever the data; "
          + "it needs 12 repetitions."))
    samples.points = samples.points.map { ($0.id, $0.values, [$0.loaders[0]]) }
    #expect(
      try samples.table.columns.summary(sweep: samples.sweep).warnings
        == ["One repetition cannot show noise; an exact paired test at 0.05 needs at least 6."])
  }
}
