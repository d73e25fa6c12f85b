// Decodes the points of a grid one after the other. Neighbours differ in one part of their scenario, mostly in one number of it, so
// parts are remembered: what is left of a point is to put five parts together and to hash them.

import Import
import Simulation

/// Points of a grid, ready to run. It remembers what it decoded, so each thread has one of its own.
///
/// Memory is `entryLimit` parts of each kind, whatever the size of the grid.
package final class PointDecoder {
  /// A point.
  package struct Point: Sendable {
    package var scenario: any SweptScenario
    /// Its id as a number: the 16 hexadecimal digits of `DecodedScenario.point`.
    package var id: UInt64
  }

  /// One part of a scenario as it was decoded, whatever the others were.
  private final class Part {
    /// A scenario that has this part.
    let scenario: Scenario
    /// Its canonical lines, each with its line feed.
    let lines: [UInt8]

    init(scenario: Scenario, lines: [UInt8]) {
      self.scenario = scenario
      self.lines = lines
    }
  }

  /// The most parts of a kind that are remembered.
  private static let entryLimit = 4096
  /// A part is decided by the axes in it; the user's also by the feed's, because nobody scrolls farther than the feed goes.
  private static let decidedBy: [(part: String, by: [String])] =
    ScenarioDecoder.keys.map { ($0, $0 == "user" ? ["user", "feed"] : [$0]) }

  /// Sees each scenario that is decoded as a whole: every part of every point is in one of them.
  var willKeep: (DecodedScenario) -> Void = { _ in }

  private let grid: Grid
  private let memory = PartMemory()
  /// For each part and dimension what a step along the dimension adds to the part's number; 0 if it does not matter to the part.
  private let steps: [[Int]]
  private var known: [[Int: Part]]
  /// The numbers of the last point's parts, and the hash of its lines before each of them.
  private var lastNumbers: [Int]
  private var states: [ContentHash]
  private var found: [Part] = []
  private var numbers: [Int]
  /// False once a scenario's lines did not come part by part; then each point is decoded as a whole.
  private var isDivisible: Bool

  /// A decoder that remembers nothing yet.
  package init(_ grid: Grid) {
    self.grid = grid
    steps = Self.decidedBy.map { _, keys in
      var step = 1
      return grid.dimensions.map { dimension in
        let matters = dimension.paths.contains { path in keys.contains { path == $0 || path.hasPrefix($0 + ".") } }
        defer { if matters { step *= dimension.count } }
        return matters ? step : 0
      }
    }
    // What else makes runs has ids of its own.
    isDivisible = grid.decoder.backend.isEmulated
    let count = Self.decidedBy.count
    known = [[Int: Part]](repeating: [:], count: count)
    numbers = [Int](repeating: -1, count: count)
    lastNumbers = numbers
    var start = ContentHash()
    start.update("model=\(Program.modelVersion)\n".utf8)
    states = [ContentHash](repeating: start, count: count + 1)
  }

  /// A point of the grid. O(parts) where its parts are known.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func point(_ index: Int) throws(InvalidInput) -> Point {
    guard find(index) else { return try decoded(index) }
    var scenario = found[0].scenario
    for part in found.indices.dropFirst() { Self.take(part, of: found[part].scenario, into: &scenario) }
    return Point(scenario: scenario, id: states[found.count].highHalf)
  }

  /// A point's id alone.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func id(_ index: Int) throws(InvalidInput) -> UInt64 {
    find(index) ? states[found.count].highHalf : try decoded(index).id
  }

  /// Finds the parts of a point and hashes what is not as in the last one; false if one of them is not known.
  private func find(_ index: Int) -> Bool {
    for part in numbers.indices { numbers[part] = 0 }
    grid.forEachPlace(index) { dimension, place in
      for part in numbers.indices { numbers[part] += place * steps[part][dimension] }
    }
    guard isDivisible else { return false }
    var isSame = true
    for part in numbers.indices {
      isSame = isSame && numbers[part] == lastNumbers[part]
      if isSame { continue }
      guard let known = known[part][numbers[part]] else {
        // Neither it nor what comes after has a state any more.
        lastNumbers[part] = -1
        return false
      }
      if part < found.count { found[part] = known } else { found.append(known) }
      states[part + 1] = states[part]
      states[part + 1].update(known.lines)
      lastNumbers[part] = numbers[part]
    }
    return true
  }

  private static func take(_ part: Int, of donor: Scenario, into scenario: inout Scenario) {
    switch decidedBy[part].part {
    case "network": (scenario.network, scenario.startsAnywhere) = (donor.network, donor.startsAnywhere)
    case "downloads": scenario.downloads = donor.downloads
    case "user": (scenario.user, scenario.viewportHeight) = (donor.user, donor.viewportHeight)
    case "prefetcher": scenario.prefetcher = donor.prefetcher
    default: (scenario.feed, scenario.pages, scenario.hosts) = (donor.feed, donor.pages, donor.hosts)
    }
  }

  /// Decodes a point as a whole and remembers its parts.
  private func decoded(_ index: Int) throws(InvalidInput) -> Point {
    let decoded = try grid.decoder.decoded(try grid.scenario(index), memory: memory)
    remember(decoded)
    return Point(scenario: decoded.scenario, id: decoded.pointNumber)
  }

  private func remember(_ decoded: DecodedScenario) {
    willKeep(decoded)
    guard isDivisible else { return }
    guard var scenario = decoded.scenario as? Scenario else {
      // Scenarios of other kinds are small, and have other parts.
      isDivisible = false
      return
    }
    var lines = [[UInt8]](repeating: [], count: numbers.count)
    var part = 0
    for line in decoded.identity {
      while part < lines.count, !line.hasPrefix(Self.decidedBy[part].part + ".") { part += 1 }
      guard part < lines.count else {
        isDivisible = false
        return
      }
      if known[part][numbers[part]] != nil { continue }
      lines[part] += line.utf8
      lines[part].append(UInt8(ascii: "\n"))
    }
    // What is known of it already stands in for its own copy, so that a trace or a feed is held once.
    for part in numbers.indices {
      if let found = known[part][numbers[part]] { Self.take(part, of: found.scenario, into: &scenario) }
    }
    for part in numbers.indices where known[part][numbers[part]] == nil {
      if known[part].count >= Self.entryLimit { known[part].removeAll(keepingCapacity: true) }
      known[part][numbers[part]] = Part(scenario: scenario, lines: lines[part])
    }
  }
}
