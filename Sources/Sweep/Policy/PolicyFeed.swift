// The lines that a policy's program reads: protocol version 1.

import Base
import Simulation

/// Writes what the client knows as lines of JSON: all of it once, then only changes, so that a line's length does not depend on the feed's.
struct PolicyFeed: Sendable {
  static let version = 1

  /// The state of an item as the program knows it.
  private struct Sent: Equatable {
    var storedBytes: Int64 = 0
    var isReady = false, isInFlight = false
  }

  /// The number of the last plan of the run, from 1.
  private(set) var planNumber = 0
  private var isListed: [Bool] = []
  private var sent: [Int: Sent] = [:]
  /// The items whose state may differ from the sent one, ascending.
  private var candidates: [Int] = []
  private var losses = 0, listings = 0, transfers = 0, dwells = 0

  /// Returns the first line of a run: scenario, settings and the items listed so far.
  mutating func begin(_ view: borrowing FeedView, settings: String, scenario: String) -> String {
    let total = view.totalItems.map { "\($0)" } ?? "null"
    var line = "{\"type\":\"begin\",\"protocol\":\(Self.version),\"settings\":\(settings),\(scenario),"
    line += "\"network\":\"\(view.networkClass.rawValue)\",\"viewportHeight\":\(DecimalText.exact(view.viewportHeight)),"
    line += "\"totalItems\":\(total),\"items\":["
    addItems(to: &line, view)
    return line + "]}"
  }

  /// Returns the line that asks for a plan, with what has changed since the line before.
  mutating func plan(_ view: borrowing FeedView, on triggers: PlanTrigger) -> String {
    planNumber += 1
    var line = "{\"type\":\"plan\",\"id\":\(planNumber),\"time\":\(Self.seconds(view.now)),\"triggers\":\(triggers.text),"
    line += "\"activeItem\":\(view.activeItem),\"activeSince\":\(Self.seconds(view.activeSince)),\"direction\":\(view.direction),"
    line += "\"offset\":\(DecimalText.exact(view.contentOffset)),\"targetOffset\":\(DecimalText.exact(view.targetOffset)),"
    line += "\"velocity\":\(DecimalText.exact(view.velocity)),\"bufferedSeconds\":\(DecimalText.exact(view.bufferedSeconds)),"
    line += "\"foreground\":\(view.appState == .foreground),"
    line += "\"memoryWarning\":\(view.memoryWarning.map(Self.seconds) ?? "null"),\"items\":["
    if view.listings != listings { addItems(to: &line, view) }
    line += "],\"changes\":["
    addChanges(to: &line, view)
    line += "],\"transfers\":["
    addTransfers(to: &line, view)
    line += "],\"dwells\":["
    addDwells(to: &line, view)
    return line + "]}"
  }

  mutating func follow(_ plan: borrowing Plan, active: Int) {
    var items = candidates.filter { sent[$0]?.isInFlight == true } + [active]
    plan.forEachItem { items.append($0) }
    items.sort()
    candidates = []
    for item in items where item != candidates.last { candidates.append(item) }
  }

  private mutating func addItems(to line: inout String, _ view: borrowing FeedView) {
    listings = view.listings
    // Pages addressed by an offset leave holes; others only append.
    for item in (view.totalItems == nil ? isListed.count : 0)..<view.items.count {
      if item == isListed.count { isListed.append(false) }
      if isListed[item] || !view.isListed(item) { continue }
      isListed[item] = true
      let (object, height) = (view.items[item], DecimalText.exact(view.height(item)))
      Self.separate(&line)
      line += "{\"item\":\(item),\"kind\":\"\(object.kind.name)\",\"bytes\":\(object.bytes),\"readyBytes\":\(object.readyBytes),"
      line += "\"height\":\(height)"
      if object.bitsPerSecond > 0 { line += ",\"bitsPerSecond\":\(object.bitsPerSecond)" }
      line += "}"
    }
  }

  private mutating func addChanges(to line: inout String, _ view: borrowing FeedView) {
    var items = candidates
    if view.losses != losses {
      // Stored bytes were lost: any item whose state was sent may have changed.
      losses = view.losses
      items = Array(Set(candidates + sent.keys)).sorted()
    }
    for item in items where item < view.items.count {
      let now = Sent(storedBytes: view.storedBytes(item), isReady: view.isReady(item), isInFlight: view.isInFlight(item))
      if now == sent[item] ?? Sent() { continue }
      sent[item] = now
      Self.separate(&line)
      line += "{\"item\":\(item),\"storedBytes\":\(now.storedBytes),\"ready\":\(now.isReady),\"inFlight\":\(now.isInFlight)}"
    }
  }

  private mutating func addTransfers(to line: inout String, _ view: borrowing FeedView) {
    let count = min(view.throughputSamples.total - transfers, view.throughputSamples.count)
    transfers = view.throughputSamples.total
    for age in (0..<count).reversed() {
      let sample = view.throughputSamples[age]
      Self.separate(&line)
      line += "{\"bytes\":\(sample.bytes),\"requested\":\(Self.seconds(sample.requested)),"
      line += "\"finished\":\(Self.seconds(sample.finished)),\"concurrent\":\(sample.concurrent)}"
    }
  }

  private mutating func addDwells(to line: inout String, _ view: borrowing FeedView) {
    let count = min(view.dwellSamples.total - dwells, view.dwellSamples.count)
    dwells = view.dwellSamples.total
    for age in (0..<count).reversed() {
      Self.separate(&line)
      line += Self.seconds(view.dwellSamples[age].nanoseconds)
    }
  }

  /// Appends a comma, unless the list of `line` begins here.
  private static func separate(_ line: inout String) { if line.utf8.last != UInt8(ascii: "[") { line += "," } }

  private static func seconds(_ instant: Instant) -> String { seconds(instant.nanoseconds) }

  /// Returns nanoseconds as exact seconds, such as `1.25`.
  private static func seconds(_ nanoseconds: Int64) -> String {
    let whole = nanoseconds / 1_000_000_000
    var rest = nanoseconds % 1_000_000_000
    if rest == 0 { return "\(whole)" }
    var decimals = 9
    while rest.isMultiple(of: 10) { (rest, decimals) = (rest / 10, decimals - 1) }
    let digits = "\(rest)"
    return "\(whole)." + String(repeating: "0", count: decimals - digits.utf8.count) + digits
  }
}
