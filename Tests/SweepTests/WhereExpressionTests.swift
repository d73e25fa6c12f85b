// Conditions on points.

import TestSupport
import Testing

@testable import Base
@testable import Sweep

@Suite struct WhereExpressionTests {
  static func evaluate(_ text: String) throws -> Bool {
    let scenario = try parsed(
      """
      { prefetcher: { kind: "costBudget", videoCost: 2, imageCost: 1.0, stop: true }, user: { dwell: "1s", patience: "none" },
        network: { loss: "1%", trace: "5s.json", http: "2" }, feed: { bytes: 200000, list: [] } }
      """)
    return try WhereExpression.parse(text).evaluate { scenario.lookup($0) }
  }

  @Test(arguments: [
    ("prefetcher.videoCost >= prefetcher.imageCost", true), ("prefetcher.videoCost<prefetcher.imageCost", false),
    ("prefetcher.imageCost == 1", true), ("prefetcher.imageCost != 1.00", false), ("2 <= prefetcher.videoCost", true),
    ("prefetcher.videoCost > 1.999999999999999999", true), ("prefetcher.kind == costBudget", true), ("prefetcher.kind != 'none'", true),
    ("prefetcher.stop == true", true), ("user.dwell == 1000ms", true), ("user.dwell >= 0.5s", true), ("user.dwell < \"2 s\"", true),
    ("feed.bytes == 200KB", true), ("feed.bytes < 200KiB", true), ("network.loss == 0.01", true), ("network.loss <= 2%", true),
    ("user.patience == none", true), ("user.patience != \"8s\"", true), ("network.trace == \"5s.json\"", true),
    ("user.dwell != null", true),
    ("network.trace == 'a >= b'", false), ("prefetcher.videoCost == 3 || user.dwell == 1s", true),
    ("prefetcher.videoCost == 3 || user.dwell == 2s||prefetcher.stop == false", false), ("network.http == 2", true),
    ("network.http == '2'", true), ("network.http > 1.1", true), ("network.trace == 'a || b' || network.http != 2", false),
  ])
  func conditionsCompareInBaseUnits(_ text: String, _ holds: Bool) throws {
    #expect(try Self.evaluate(text) == holds)
  }

  @Test(arguments: [
    ("prefetcher.videoCost", #""prefetcher.videoCost" has no comparison; write "path >= value", such as "prefetcher.videoCost >= 2""#),
    ("a.b => 2", #""a.b => 2" compares with =>; did you mean >=?"#),
    ("a.b = 2", #""a.b = 2" compares with =; did you mean ==?"#),
    ("a.b & 2", #""a.b & 2" compares with &; use one of ==, !=, <=, >=, <, >"#),
    ("a.b | 2", #""a.b | 2" compares with |; did you mean ||?"#),
    ("a.b == 1 ||", #""a.b == 1 ||" has "", which has no comparison; write "path >= value""#),
    ("a.b == 1 || c.d", #""a.b == 1 || c.d" has "c.d", which has no comparison; write "path >= value""#),
    ("a.b >= ", #""a.b >= " lacks its right side; write a path or a value there"#),
    ("1 == 1", #""1 == 1" names no path; write "path >= value", such as "prefetcher.videoCost >= 2""#),
    ("a.b == 5 apples", #""a.b == 5 apples" has "5 apples", which is no value: it has the unknown unit "apples"; "#),
    ("a.b == b c", #""a.b == b c" has "b c", which is no path; write a path, or put text in quotes"#),
    ("a..b == 1", #""a..b == 1" has "a..b", which is no path; write a path, or put text in quotes"#),
    ("a.b == 1 && c.d == 2", #""a.b == 1 && c.d == 2" compares with &&; write one comparison a string; all must hold"#),
    ("a.b == 1 | c.d == 2", #""a.b == 1 | c.d == 2" compares with |; did you mean ||?"#),
    ("1 < a.b < 3", #""1 < a.b < 3" has several comparisons; write one comparison a string; all must hold"#),
  ])
  func invalidConditionsHaveARemedy(_ text: String, _ message: String) {
    #expect(complaint { () throws(ValueProblem) in _ = try WhereExpression.parse(text) }.hasPrefix(message))
  }

  @Test(arguments: [
    (
      "user.dwell >= 1",
      #""user.dwell >= 1" compares a duration (user.dwell) with a number (1); compare values of one type; give both a unit or neither"#
    ),
    (
      "user.dwell >= 1KB",
      #""user.dwell >= 1KB" compares a duration (user.dwell) with a size ("1KB"); compare values of one type; give both a unit or neither"#
    ),
    ("prefetcher.kind > none", #""prefetcher.kind > none" asks for the order of text; use == or !="#),
    (
      "prefetcher.stop == 1",
      #""prefetcher.stop == 1" compares true (prefetcher.stop) with a number (1); compare values of one type; give both a unit or neither"#
    ),
    (
      "feed.list == 1",
      #""feed.list == 1" compares a list (feed.list) with a number (1); compare values of one type; give both a unit or neither"#
    ),
    ("a.b == 1", #""a.b == 1" names "a.b", which has no value; name a path of the scenario; put text in quotes"#),
  ])
  func valuesThatDoNotCompareAreRefused(_ text: String, _ message: String) {
    #expect(
      complaint { () throws(ValueProblem) in
        do { _ = try Self.evaluate(text) } catch let problem as ValueProblem { throw problem } catch {}
      } == message)
  }

  @Test func pathsAreNamedForTheCaller() throws {
    #expect(try WhereExpression.parse("a.b < c.d").paths == ["a.b", "c.d"])
    #expect(try WhereExpression.parse("2 < c.d").paths == ["c.d"])
  }
}

@Suite struct NearestNameTests {
  @Test(arguments: [
    ("maxCots", "maxCost"), ("MAXCOST", "maxCost"), ("imagecost", "imageCost"), ("vidoeCost", "videoCost"), ("ahed", "ahead"),
    ("window", nil), ("", nil), ("x", nil),
  ])
  func onlyNearNamesAreSuggested(_ name: String, _ suggestion: String?) {
    #expect(NearestName.suggestion(for: name, among: ["kind", "maxCost", "imageCost", "videoCost", "ahead"]) == suggestion)
  }
}
