// The points of a grid, each part of their scenarios decoded once. Neighbours differ in one part, mostly in one number of it: what is left
// of a point is to put five parts together and to hash their lines.

import Import
import Simulation
import Synchronization

/// What is known of the points of a grid; shared by threads. A part takes some hundred bytes, and all of them `memoryLimit`: parts beyond it
/// are decoded whenever a point has them.
package final class GridPoints: Sendable {
  /// One part of a scenario as it was decoded, whatever the others are.
  final class Part: Sendable {
    /// Puts the part into a scenario.
    let place: @Sendable (inout Scenario) -> Void
    /// Its lines of the point's id, each with its line feed.
    let lines: [UInt8]
    /// Of a feed: how many items it has, and its pages.
    let count: Int?
    let pages: PageSettings?

    init(lines: [UInt8], count: Int? = nil, pages: PageSettings? = nil, place: @escaping @Sendable (inout Scenario) -> Void) {
      (self.lines, self.count, self.pages, self.place) = (lines, count, pages, place)
    }
  }

  private struct Known {
    /// By part and number.
    var parts: [[Int: Part]]
    var bytes = 0
    /// Points without parts, by their combinations.
    var wholes: [Int: PointDecoder.Point] = [:]
    var ignored: [IgnoredSetting] = []

    mutating func note(_ settings: [IgnoredSetting]) {
      for setting in settings where !ignored.contains(setting) { ignored.append(setting) }
    }
  }

  /// The parts in the order of canonical lines, each with the paths that decide it: nobody scrolls farther than the feed goes, and a
  /// prefetcher's `maxSize` holds pages.
  static let parts: [(key: String, decidedBy: [String])] = [
    ("feed", ["feed"]), ("network", ["network"]), ("downloads", ["downloads"]), ("user", ["user", "feed"]),
    ("prefetcher", ["prefetcher", "feed.pages"]),
  ]
  /// The most bytes of parts that are remembered, as estimated.
  private static let memoryLimit = 48 << 20
  /// The most points that are remembered where they have no parts.
  private static let wholeLimit = 4096

  let base: JSON5Value
  let dimensions: [Grid.Dimension]
  let laid: [(path: String, value: JSON5Value)]
  let decoder: ScenarioDecoder
  /// For each part and dimension what a step along the dimension adds to the part's number; 0 if it does not matter to the part.
  let steps: [[Int]]
  /// False for scenarios of other kinds, which are small, and where a command makes runs, whose ids are made of what it is given.
  let isDivisible: Bool
  private let isNumbered: Bool
  private let known = Mutex(Known(parts: Array(repeating: [:], count: GridPoints.parts.count)))

  /// The points that some dimensions make over a scenario; none of them is decoded yet.
  init(
    base: JSON5Value, dimensions: [Grid.Dimension], laid: [(path: String, value: JSON5Value)], decoder: ScenarioDecoder
  ) {
    (self.base, self.dimensions, self.laid, self.decoder) = (base, dimensions, laid, decoder)
    steps = Self.parts.map { _, keys in
      var step = 1
      return dimensions.map { dimension in
        let matters = dimension.paths.contains { path in
          keys.contains { path == $0 || path.hasPrefix($0 + ".") || $0.hasPrefix(path + ".") }
        }
        defer { if matters { step &*= dimension.count } }
        return matters ? step : 0
      }
    }
    // Of axes that are refused for their values, no point has a number.
    isNumbered = (1...Grid.pointLimit).contains(Grid.combinations(of: dimensions))
    if case .command = decoder.backend { isDivisible = false } else { isDivisible = isNumbered && ScenarioKind.of(base) == .feed }
  }

  /// What some point that was decoded sets without effect; each once.
  var ignored: [IgnoredSetting] { known.withLock { $0.ignored } }

  /// The scenario at a place of each dimension, as a tree.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  func tree(_ places: [Int]) throws(InvalidInput) -> JSON5Value {
    try Grid.overlay(settings(places) { _ in true }, on: base)
  }

  private func settings(_ places: [Int], where isWanted: (String) -> Bool) -> [(String, JSON5Value)] {
    var settings: [(String, JSON5Value)] = []
    for (dimension, place) in zip(dimensions, places) {
      for (path, values) in zip(dimension.paths, dimension.values) where isWanted(path) && !values.isEmpty {
        settings.append((path, values[min(place, values.count - 1)]))
      }
    }
    for (path, value) in laid where isWanted(path) { settings.append((path, value)) }
    return settings
  }

  /// The point at a place of each dimension, decoded as a whole.
  ///
  /// - Throws: `InvalidInput` with all that is wrong with it.
  func whole(_ places: [Int]) throws(InvalidInput) -> PointDecoder.Point {
    let number = zip(places, dimensions).reduce(0) { $0 &* $1.1.count &+ $1.0 }
    if let point = known.withLock({ $0.wholes[number] }) { return point }
    let decoded = try decoder.decoded(try tree(places))
    let point = PointDecoder.Point(scenario: decoded.scenario, id: decoded.pointNumber)
    known.withLock { known in
      known.note(decoded.description.ignored)
      if !isDivisible, isNumbered, known.wholes.count < Self.wholeLimit { known.wholes[number] = point }
    }
    return point
  }

  /// A part by its number, at a place of each dimension; nil if it is not valid. `feed` is the feed beside it.
  func part(_ part: Int, _ number: Int, _ places: [Int], feed: Part?) -> Part? {
    if let found = known.withLock({ $0.parts[part][number] }) { return found }
    guard let (decoded, ignored) = decode(part, places, feed: feed) else { return nil }
    known.withLock { known in
      known.note(ignored)
      if known.bytes < Self.memoryLimit {
        known.bytes += decoded.lines.count + (part == 1 ? 1200 : 300)
        known.parts[part][number] = decoded
      }
    }
    return decoded
  }

  private func decode(_ part: Int, _ places: [Int], feed: Part?) -> (Part, ignored: [IgnoredSetting])? {
    let key = Self.parts[part].key
    let settings = settings(places) { $0 == key || $0.hasPrefix(key + ".") }
    guard let tree = try? Grid.overlay(settings, on: base) else { return nil }
    let context = DecodingContext(names: ScenarioSchema.names)
    var reader = ObjectReader(tree, context: context)
    var (feedCount, pages, ignored): (Int?, PageSettings?, [IgnoredSetting]) = (nil, nil, [])
    var place: (@Sendable (inout Scenario) -> Void)?
    switch key {
    case "feed":
      if let part = decoder.feed(&reader), let source = part.source {
        (feedCount, pages) = (part.count, part.pages)
        place = { [pages = part.pages, hosts = part.hosts] in ($0.feed, $0.pages, $0.hosts) = (source, pages, hosts) }
      }
    case "network":
      if let part = decoder.network(&reader) {
        ignored = part.ignored
        place = { [network = part.network, anywhere = part.startsAnywhere] in ($0.network, $0.startsAnywhere) = (network, anywhere) }
      }
    case "downloads":
      let downloads = decoder.downloads(&reader)
      place = { $0.downloads = downloads }
    case "user":
      if let part = decoder.user(&reader, feedCount: feed?.count) {
        place = { [user = part.user, viewport = part.viewport ?? Self.blank.viewportHeight] in
          ($0.user, $0.viewportHeight) = (user, viewport)
        }
      }
    default:
      if let prefetcher = decoder.prefetcher(&reader)?.prefetcher {
        decoder.checkMaxSize(of: prefetcher, feed?.pages, reader)
        place = { $0.prefetcher = prefetcher }
      }
    }
    guard context.sink.isEmpty, let place else { return nil }
    var lines: [UInt8] = []
    for line in context.identity { lines += Array(line.utf8) + [UInt8(ascii: "\n")] }
    return (Part(lines: lines, count: feedCount, pages: pages, place: place), ignored)
  }

  /// What parts are put into.
  static let blank = Scenario(
    feed: .fixed([]),
    network: NetworkConfiguration(down: LinkRate(constant: 1), up: LinkRate(constant: 1), delayDown: .zero, delayUp: .zero),
    downloads: DownloadSettings(), user: UserScript(scroll: 1, dwell: .constant(1)), prefetcher: ItemsAhead(ahead: 0))
}

/// Gives the points of a grid one after the other. Each thread has one of its own; what they decode is the grid's.
package final class PointDecoder {
  /// A point, ready to run.
  package struct Point: Sendable {
    package var scenario: any SweptScenario
    /// Its id as a number: the 16 hexadecimal digits of `DecodedScenario.point`.
    package var id: UInt64
  }

  private let grid: Grid
  private let points: GridPoints
  /// The numbers of the last point's parts, and the hash of its lines before each of them.
  private var lastNumbers: [Int]
  private var states: [ContentHash]
  private var found: [GridPoints.Part] = []
  private var places: [Int]

  /// A decoder of a grid's points.
  package init(_ grid: Grid) {
    (self.grid, points) = (grid, grid.points)
    let count = GridPoints.parts.count
    lastNumbers = [Int](repeating: -1, count: count)
    places = [Int](repeating: 0, count: points.dimensions.count)
    var start = ContentHash()
    if points.isDivisible {
      for line in points.decoder.backend.pointLines([], tree: points.base, decoded: []) { start.update(line: line) }
    }
    states = [ContentHash](repeating: start, count: count + 1)
  }

  /// A point of the grid. O(parts) where its parts are known.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func point(_ index: Int) throws(InvalidInput) -> Point {
    grid.forEachPlace(index) { places[$0] = $1 }
    guard find() else { return try points.whole(places) }
    var scenario = GridPoints.blank
    for part in found { part.place(&scenario) }
    return Point(scenario: scenario, id: states[found.count].highHalf)
  }

  /// A point's id alone.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func id(_ index: Int) throws(InvalidInput) -> UInt64 {
    grid.forEachPlace(index) { places[$0] = $1 }
    return try find() ? states[found.count].highHalf : points.whole(places).id
  }

  /// The id of the point at a place of each dimension, whether or not conditions leave it out.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  func id(places: [Int]) throws(InvalidInput) -> UInt64 {
    self.places = places
    return try find() ? states[found.count].highHalf : points.whole(places).id
  }

  /// Finds the parts of the point at `places`, and hashes what is not as in the last one; false if it has none that are valid.
  private func find() -> Bool {
    guard points.isDivisible else { return false }
    var isSame = true
    for part in lastNumbers.indices {
      var number = 0
      for (step, place) in zip(points.steps[part], places) { number += step * place }
      isSame = isSame && number == lastNumbers[part]
      if isSame { continue }
      guard let known = points.part(part, number, places, feed: found.first) else {
        // Neither it nor what comes after has a state any more.
        lastNumbers[part] = -1
        return false
      }
      if part < found.count { found[part] = known } else { found.append(known) }
      states[part + 1] = states[part]
      states[part + 1].update(known.lines)
      lastNumbers[part] = number
    }
    return true
  }
}
