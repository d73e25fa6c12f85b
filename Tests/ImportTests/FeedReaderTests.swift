// Feed files, input files and content hashes.

import Foundation
import Simulation
import TestSupport
import Testing

@testable import Base
@testable import Import
@testable import Inputs

@Suite struct FeedReaderTests {
  static func read(_ text: String) throws -> ContiguousArray<Item>? {
    let sink = DiagnosticSink()
    let items = FeedReader.read(InputFile(name: "feed", bytes: Array(text.utf8)), into: sink)
    try sink.throwIfAny()
    return items
  }

  @Test func itemsGetTheirDefaults() throws {
    let items = try Self.read(
      """
      { items: [
        { id: "a", kind: "image", bytes: 60000 },
        { id: 7, kind: "video", bytes: "1.5MB", bitRateBps: 800000, durationMs: 12000 },
        { kind: "video", bytes: 150000, prefixBytes: null }, { kind: "video", bytes: 1000, prefixBytes: "1KB" },
        { kind: "webApp", bytes: 1 }, { kind: "nativeAd", bytes: 1000000000 } ] }
      """)
    #expect(
      items == [
        Item(kind: .image, bytes: 60_000), Item(videoBytes: 1_500_000, prefixBytes: 200_000, bitsPerSecond: 800_000),
        Item(videoBytes: 150_000, prefixBytes: 150_000, bitsPerSecond: 0), Item(videoBytes: 1000, prefixBytes: 1000, bitsPerSecond: 0),
        Item(kind: .webApp, bytes: 1), Item(kind: .nativeAd, bytes: 1_000_000_000),
      ])
  }

  @Test func everyProblemOfAFeedIsReportedAtOnce() {
    let text = """
      { items: [
        { id: "a", kind: "image", bytes: 0 },
        { id: "a", kind: "vidoe", bytes: 5, byts: 6 },
        { kind: "video", bytes: 5, prefixBytes: 6 },
        { kind: "image", bytes: 5, prefixBytes: 5 },
        { bytes: 2000000000, bitRateBps: "1Mbps", durationMs: 0 },
        5, { kind: 1, id: "" } ], itms: 1 }
      """
    #expect(
      messages { _ = FeedReader.read(InputFile(name: "feed", bytes: Array(text.utf8)), into: $0) } == """
        feed:2:36: items.0.bytes: is 0B, less than 1B; write a value from 1B to 1GB
        feed:3:9: items.1.id: is "a", as in line 2; give every item its own, or none
        feed:3:20: items.1.kind: is unknown: "vidoe"; did you mean "video"? choices: image, video, webApp, nativeAd
        feed:3:39: items.1.byts: unknown key; did you mean "bytes"? known keys: id, kind, bytes, prefixBytes, bitRateBps, durationMs, height
        feed:4:43: items.2.prefixBytes: is 6, more than the item's 5 bytes; write at most 5
        feed:5:43: items.3.prefixBytes: is given for "image"; remove it; only a video has a prefix
        feed:6:3: items.4.kind: is missing; add one of "image", "video", "webApp", "nativeAd"
        feed:6:12: items.4.bytes: is 2GB, more than 1GB; write a value from 1B to 1GB
        feed:6:36: items.4.bitRateBps: is the string "1Mbps", not a whole number; write a whole number such as 1
        feed:6:57: items.4.durationMs: is 0, less than 1; write a value from 1 to 604800000
        feed:7:3: items.5: is the number 5, not an object; write { kind: "image", bytes: 60000 }
        feed:7:6: items.6.bytes: is missing; add bytes: 60000
        feed:7:14: items.6.kind: is the number 1, not a name; write one of "image", "video", "webApp", "nativeAd"
        feed:7:21: items.6.id: is the string "", not a name; write a string of at least one letter, or leave it out
        feed:7:29: itms: unknown key; did you mean "items"? known keys: items
        """)
  }

  @Test(arguments: [
    ("[]", "feed:1:1: the feed is a list, not an object; write { items: [ … ] }"),
    ("{}", "feed:1:1: items: is missing; add items: [ … ]"),
    ("{ items: [] }", "feed:1:10: items: has 0 items; give at least 1 and at most 1000000"),
    ("{ items: 5 }", "feed:1:10: items: is the number 5, not a list; write [ … ]"),
    ("5", "feed:1:1: is the number 5, not an object; write { … }"),
  ])
  func aFeedWithoutItemsIsRefused(_ text: String, _ message: String) {
    #expect(messages { _ = FeedReader.read(InputFile(name: "feed", bytes: Array(text.utf8)), into: $0) } == message)
  }

  @Test func aHundredThousandItemsAreRead() throws {
    let item = "{\"id\":\"item-%\",\"kind\":\"video\",\"bytes\":1500000,\"prefixBytes\":200000,\"bitRateBps\":800000,\"durationMs\":15000}"
    let text = "{\"items\":[" + (0..<100_000).map { item.replacing("%", with: "\($0)") }.joined(separator: ",") + "]}"
    let items = try #require(try Self.read(text))
    #expect(items.count == 100_000 && items[99_999].kind == items[0].kind)
  }
}
