import Base
import SampleSweeps
import Sweep
import Testing

@testable import Analysis

@Suite struct PointNameTests {
  private let prefetchers = [
    "adaptive", "uikit-1", #"{"kind":"uikit-1","cancel":"never"}"#, #"{"kind":"costBudget","maxCost":5,"overflow":"stop"}"#,
    #"{"kind":"ifunny-five","ahead":8,"scope":"all"}"#, #"{"kind":"ifunny-five","ahead":3,"scope":"all"}"#,
  ]

  /// Returns the names for axes with values as columns show them.
  private static func names(_ paths: [String], _ values: [[String]]) -> PointNames {
    PointNames(paths: paths, values: values, objects: Samples.objects(in: values.joined()))
  }

  @Test func objectsHaveTheirKindFirstAndOnlyTheSettingsThatDiffer() {
    let names = Self.names(["downloads.cancel", "prefetcher"], [["keep", "drop"], prefetchers])
    #expect(
      prefetchers.map { names.point(["keep", $0]) }
        == ["adaptive", "uikit-1", "uikit-1, cancel never", "costBudget", "ifunny-five, ahead 8", "ifunny-five, ahead 3"]
        .map { $0 + ", cancel keep" })
  }

  @Test func objectsWithoutAKindShowWhatDiffers() {
    let networks = [#"{"mobile":"3G","loss":"1%"}"#, #"{"mobile":"4G","loss":"1%"}"#, "Wi-Fi"]
    let names = Self.names(["network", "prefetcher.ahead"], [networks, ["1", "3"]])
    #expect(networks.map { names.point([$0, "1"]) } == ["mobile 3G, ahead 1", "mobile 4G, ahead 1", "Wi-Fi, ahead 1"])
    let user = #"{"scroll":150,"dwell":{"distribution":"exponential","mean":"4s","min":"300ms"},"list":["a",{"b":1}]}"#
    let alone = Self.names(["user"], [[user]])
    #expect(alone.point([user]) == "scroll 150, dwell exponential, mean 4s, min 300ms, list [a, {b: 1}]")
  }

  @Test func aValueAloneInItsKindHasItsSettingsInFullElsewhere() throws {
    #expect(
      prefetchers.map(Self.names(["prefetcher"], [prefetchers]).full).suffix(3) == [
        "costBudget, maxCost 5, overflow stop", "ifunny-five, ahead 8, scope all", "ifunny-five, ahead 3, scope all",
      ])
    var samples = Samples.usual
    samples.axes = ["prefetcher", "downloads.cancel"]
    for (index, value) in [0, 1, 2, 3].map({ prefetchers[[3, 1, 1, 0][$0]] }).enumerated() { samples.points[index].values[0] = value }
    let report = try samples.report
    #expect(report["report.md"]?.contains("- **full settings**: costBudget, maxCost 5, overflow stop\n") == true)
    #expect(report["report.html"]?.contains("<dt>full settings</dt><dd><bdi>costBudget, maxCost 5, overflow stop</bdi></dd>") == true)
  }

  @Test func axesInWhichNoPointsDifferAreLeftOut() {
    let names = Self.names(["a.x", "b.x", "c.y"], [["1", "2"], ["5"], ["7", "8"]])
    #expect(names.point(["1", "5", "8"]) == "a.x 1, y 8")
    #expect(names.shared([["1", "5", "8"], ["2", "5", "8"]]) == [2])
    #expect(names.point(["1", "5", "8"], omitting: [2]) == "a.x 1")
    #expect(Self.names(["c.y"], [["7"]]).point(["7"]) == "y 7")
  }

  @Test func namesAreDistinctWhateverTheValues() {
    let values = ["1", "{}", #"{"kind":"a"}"#, "a", #"{"kind":"a","b":{"c":1}}"#, #"{"kind":"a","d":{"c":1}}"#, "{", #"{"a":}"#, #""a""#]
    let names = Self.names(["prefetcher"], [values])
    let shown = values.map { names.point([$0]) }
    #expect(shown == ["1", "defaults", "a", "a (2)", "a, c 1", "a, c 1 (2)", "{", "{\"a\":}", "\"a\""])
  }
}
