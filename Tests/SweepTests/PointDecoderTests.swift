import Analysis
import Foundation
import Testing

@testable import Base
@testable import Sweep

/// Points composed of cached parts equal points decoded as a whole.
@Suite struct PointDecoderTests {
  private static let text = """
    { sweep: "parts", repeats: 2,
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 30, pages: {} }, prefetcher: { kind: "itemsAhead", ahead: 2 } },
      axes: { "network": ["3G", { profile: "LTE", transport: "fluid" }], "feed.items": [20, 30], "user.dwell": ["1s", "2s", "500ms"],
        "downloads.connections": [1, 4], "downloads.cancel": ["keep", "drop"], "user.viewport": [500, 800],
        prefetcher: ["none", { kind: "costBudget", maxCost: 3 }, { kind: "adaptive" }] },
      zip: [{ "network.transport": ["fluid", "packet"], "feed.pages.size": [10, 30] }],
      where: ["downloads.connections >= 1", "feed.items >= 20"] }
    """

  /// Downloads in the background, whose kind adds a line to each id.
  private static let background = """
    { sweep: "background", repeats: 2, scenario: { kind: "backgroundDownload", network: "LTE" },
      axes: { strategy: ["fourPerWake", "archive"], network: ["3G", "LTE"], "mark": ["1h", "4h"], "energy.radio": [0.5, 1] } }
    """

  /// A program that receives a default, a value as the file writes it, and a whole part of the scenario.
  private static let command = """
    { sweep: "command", repeats: 2,
      backend: { command: ["true", "{user.dwell}", "{prefetcher.ahead}", "{network}", "{downloads.connections}"],
        metrics: { loadersPer1000: "loaders" } },
      scenario: { network: "3G", prefetcher: { kind: "itemsAhead" } },
      axes: { "prefetcher.ahead": [1, 2, 3], "user.dwell": ["1s", "1500ms"], network: ["3G", { profile: "LTE" }] } }
    """

  private func sweep(_ text: String = text) throws -> ResolvedSweep {
    try ResolvedSweep(file: InputFile(name: "parts.json5", bytes: Array(text.utf8)))
  }

  @Test(arguments: [#"network != \"3G\""#, "prefetcher == itemsAhead"])
  func aConditionOnAPartIgnoresSettingsBelowIt(condition: String) throws {
    let sweep = try sweep(
      """
      { sweep: "inside", repeats: 1, strata: [], scenario: { network: "LTE", feed: { items: 5 }, prefetcher: "itemsAhead" },
        axes: { "prefetcher.ahead": "1...3", "network.http": ["1.1", 2] }, where: ["\(condition)"] }
      """)
    #expect(sweep.pointCount == 6)
  }

  @Test func aConditionOfMillionsOfCharactersIsRefused() throws {
    #expect(throws: ValueProblem.self) { try WhereExpression.parse(String(repeating: "a", count: 12_000_000)) }
  }

  /// The 11th page arrives in the nanosecond in which the app goes to the background; it is handled on return.
  @Test func aPageThatArrivesInTheBackgroundIsHandledInTheForeground() throws {
    let sweep = try sweep(
      """
      { sweep: "tie", repeats: 1, axes: {}, scenario: {
        feed: { items: 60, mix: { image: 1 }, image: { bytes: "31250B" },
          pages: { size: 2, trigger: "itemsFromEnd", fromEnd: 5, bytes: "62500B" } },
        network: { down: "1Mbps", up: "1Mbps", delayDown: "0s", delayUp: "0s", transport: "fluid" },
        user: { dwell: "250ms", script: [{ scroll: 3 }, { background: "5s" }, { scroll: 3 }, { background: "5s" }, { scroll: 20 }] },
        prefetcher: "ifunny-five" } }
      """)
    let row = try sweep.decoded(0).scenario.metrics(seed: 1)
    #expect(row[.loaders] == 18)
  }

  @Test(arguments: [(text, 576), (background, 16), (command, 12)])
  func aPointComposedOfPartsEqualsTheDecodedPoint(text: String, count: Int) throws {
    let sweep = try sweep(text)
    #expect(sweep.pointCount == count)
    let forwards = PointDecoder(sweep.grid)
    let jumping = PointDecoder(sweep.grid)
    for step in 0..<sweep.pointCount {
      #expect(try forwards.point(step).id == sweep.decoded(step).ready.id)
      let index = step * 251 % sweep.pointCount
      let whole = try sweep.decoded(index)
      let point = try jumping.point(index)
      #expect(point.id == whole.ready.id && point.values == whole.ready.values)
      #expect(sweep.backend.isEmulated ? point.values.isEmpty : point.values.count == 4)
      #expect(try jumping.id(index) == whole.ready.id)
      if step % 7 == 0 {
        let (parts, all) = (try point.scenario.metrics(seed: 5), try whole.scenario.metrics(seed: 5))
        #expect(parts == all, "point \(index)")
      }
    }
  }

  @Test func anInvalidPointIsReportedEachTimeAndAffectsNoOther() throws {
    // Scrolling beyond the feed: two parts that are valid alone but not together. The grid is too large for full validation.
    let items = [200] + Array(1...199)
    let text = """
      { sweep: "bad", repeats: 2, scenario: { network: "3G", prefetcher: "none" },
        axes: { "feed.items": \(items), "user.scroll": "1...200" } }
      """
    let sweep = try sweep(text)
    let points = PointDecoder(sweep.grid)
    for (coordinate, scroll) in [(0, 1), (1, 1), (1, 2), (2, 2), (2, 3), (1, 1), (199, 199), (199, 200), (0, 200), (0, 1)] {
      let index = coordinate * 200 + scroll - 1
      if scroll <= items[coordinate] {
        #expect(try points.id(index) == sweep.decoded(index).ready.id)
      } else {
        #expect(throws: InvalidInput.self) { try points.id(index) }
      }
    }
  }

  @Test func pointsConvertToCoordinatesAndBack() throws {
    let text = """
      { sweep: "kept", scenario: { network: "3G", prefetcher: "none" }, where: ["user.scroll > 3", "feed.items < 15"],
        axes: { "user.scroll": "1...10", "feed.items": "10...20" } }
      """
    let grid = try sweep(text).grid
    #expect(grid.count == 7 * 5)
    for index in 0..<grid.count {
      let coordinates = grid.coordinates(index)
      #expect(coordinates == [3 + index / 5, index % 5] && grid.index(of: coordinates) == index)
    }
    #expect([[0, 0], [2, 4], [3, 5], [9, 10]].allSatisfy { grid.index(of: $0) == nil })
  }

  @Test(arguments: ["", "a", "foobar", "The quick brown fox\n"])
  func theHashDoesNotDependOnChunks(_ text: String) {
    let whole = ContentHash.of(Array(text.utf8))
    #expect(ContentHash.of(AnySequence(Array(text.utf8))) == whole)
    var hash = ContentHash()
    for byte in text.utf8 { hash.update(CollectionOfOne(byte)) }
    #expect(hash.hexadecimal == whole)
    #expect(whole.hasPrefix(PointID.text(hash.highHalf)))
  }

  /// From draft-eastlake-fnv, appendix C: FNV-1a with 128 bits of "foobar".
  @Test func theHashMatchesThePublishedValue() {
    #expect(ContentHash.of(Array("foobar".utf8)) == "343e1662793c64bf6f0d3597ba446f18")
  }
}
