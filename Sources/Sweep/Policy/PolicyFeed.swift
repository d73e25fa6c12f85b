// The lines that a policy's program reads: protocol version 1.

import Base
import Simulation

/// Writes what the client knows as lines of JSON: all of it once, then only changes, so that a line's length does not depend on the feed's.
struct PolicyFeed: Sendable {
  static let version = 1

  /// The state of an item as the program knows it.
  private struct Sent: Equatable {
    var storedBytes: Int64 = 0
    var isReady = false
    var isInFlight = false
  }

  /// The number of the last plan of the run, from 1.
  private(set) var planNumber = 0
  private var isListed: [Bool] = []
  private var sent: [Int: Sent] = [:]
  /// The items whose state may differ from the sent one, ascending.
  private var candidates: [Int] = []
  private var losses = 0
  private var listings = 0
  private var transfers = 0
  private var dwells = 0

  /// Returns the first line of a run: scenario, settings and the items listed so far.
  mutating func begin(_ view: borrowing FeedView, settings: String, scenario: String) -> String {
    let total = view.totalItems.map { "\($0)" } ?? "null"
    return "{\"type\":\"begin\",\"protocol\":\(Self.version),\"settings\":\(settings),\(scenario),"
      + "\"network\":\"\(view.networkClass.rawValue)\",\"viewportHeight\":\(DecimalText.exact(view.viewportHeight)),"
      + "\"totalItems\":\(total),\"items\":\(newItems(view))}"
  }

  /// Returns the line that asks for a plan, with what has changed since the line before.
  mutating func plan(_ view: borrowing FeedView, on triggers: PlanTrigger) -> String {
    planNumber += 1
    let isGrown = view.listings != listings
    var line = "{\"type\":\"plan\",\"id\":\(planNumber),\"time\":\(Self.seconds(view.now)),\"triggers\":\(triggers.text),"
    line += "\"activeItem\":\(view.activeItem),\"activeSince\":\(Self.seconds(view.activeSince)),\"direction\":\(view.direction),"
    line += "\"offset\":\(DecimalText.exact(view.contentOffset)),\"targetOffset\":\(DecimalText.exact(view.targetOffset)),"
    line += "\"velocity\":\(DecimalText.exact(view.velocity)),\"bufferedSeconds\":\(DecimalText.exact(view.bufferedSeconds)),"
    line += "\"foreground\":\(view.appState == .foreground),"
    line += "\"memoryWarning\":\(view.memoryWarning.map(Self.seconds) ?? "null"),"
    line += "\"items\":\(isGrown ? newItems(view) : "[]"),\"changes\":\(changes(view)),\"transfers\":\(newTransfers(view)),"
    line += "\"dwells\":\(newDwells(view))}"
    return line
  }

  /// Notes the items that a plan may change.
  mutating func follow(_ plan: borrowing Plan, active: Int) {
    var items = candidates.filter { sent[$0]?.isInFlight == true } + [active]
    plan.forEachItem { items.append($0) }
    items.sort()
    candidates = []
    for item in items where item != candidates.last { candidates.append(item) }
  }

  private mutating func newItems(_ view: borrowing FeedView) -> String {
    listings = view.listings
    var texts: [String] = []
    // Pages addressed by an offset leave holes; others only append.
    for item in (view.totalItems == nil ? isListed.count : 0)..<view.items.count {
      if item == isListed.count { isListed.append(false) }
      if isListed[item] || !view.isListed(item) { continue }
      isListed[item] = true
      texts.append(Self.text(of: item, view))
    }
    return "[" + texts.joined(separator: ",") + "]"
  }

  private static func text(of index: Int, _ view: borrowing FeedView) -> String {
    let item = view.items[index]
    let rate = item.bitsPerSecond > 0 ? ",\"bitsPerSecond\":\(item.bitsPerSecond)" : ""
    return "{\"item\":\(index),\"kind\":\"\(item.kind.name)\",\"bytes\":\(item.bytes),\"readyBytes\":\(item.readyBytes),"
      + "\"height\":\(DecimalText.exact(view.height(index)))\(rate)}"
  }

  private mutating func changes(_ view: borrowing FeedView) -> String {
    var items = candidates
    if view.losses != losses {
      // Stored bytes were lost: any item whose state was sent may have changed.
      losses = view.losses
      items = Array(Set(candidates + sent.keys)).sorted()
    }
    var texts: [String] = []
    for item in items where item < view.items.count {
      let now = Sent(storedBytes: view.storedBytes(item), isReady: view.isReady(item), isInFlight: view.isInFlight(item))
      if now == sent[item] ?? Sent() { continue }
      sent[item] = now
      texts.append(
        "{\"item\":\(item),\"storedBytes\":\(now.storedBytes),\"ready\":\(now.isReady),\"inFlight\":\(now.isInFlight)}")
    }
    return "[" + texts.joined(separator: ",") + "]"
  }

  private mutating func newTransfers(_ view: borrowing FeedView) -> String {
    let count = min(view.throughputSamples.total - transfers, view.throughputSamples.count)
    transfers = view.throughputSamples.total
    var texts: [String] = []
    for age in (0..<count).reversed() {
      let sample = view.throughputSamples[age]
      texts.append(
        "{\"bytes\":\(sample.bytes),\"requested\":\(Self.seconds(sample.requested)),\"finished\":\(Self.seconds(sample.finished)),"
          + "\"concurrent\":\(sample.concurrent)}")
    }
    return "[" + texts.joined(separator: ",") + "]"
  }

  private mutating func newDwells(_ view: borrowing FeedView) -> String {
    let count = min(view.dwellSamples.total - dwells, view.dwellSamples.count)
    dwells = view.dwellSamples.total
    var texts: [String] = []
    for age in (0..<count).reversed() { texts.append(Self.seconds(view.dwellSamples[age].nanoseconds)) }
    return "[" + texts.joined(separator: ",") + "]"
  }

  private static func seconds(_ instant: Instant) -> String { seconds(instant.nanoseconds) }

  /// Returns nanoseconds as exact seconds, such as `1.25`.
  private static func seconds(_ nanoseconds: Int64) -> String {
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    if rest == 0 { return "\(whole)" }
    var digits = Array("\(rest + 1_000_000_000)".utf8.dropFirst())
    while digits.last == UInt8(ascii: "0") { digits.removeLast() }
    return "\(whole).\(String(decoding: digits, as: UTF8.self))"
  }
}
