// Gives the points of a grid, each part of their scenarios decoded once. Neighbours differ in one part, mostly in one number of it: what is
// left of a point is to put five parts together and to hash their lines.

import Import
import Simulation
import Synchronization

/// The parts of a grid's points that were decoded; shared by threads. A part takes some hundred bytes, and all of them `memoryLimit`: parts
/// beyond it are decoded whenever a point has them.
final class DecodedParts: Sendable {
  /// A part and its lines of the point's id, each with its line feed.
  final class Part: Sendable {
    let decoded: DecodedPart<Scenario>
    let lines: [UInt8]

    init(_ decoded: DecodedPart<Scenario>, lines: [UInt8]) { (self.decoded, self.lines) = (decoded, lines) }
  }

  private struct Known {
    /// By part and number.
    var parts = [[Int: Part]](repeating: [:], count: Scenario.parts.count)
    var bytes = 0
    var ignored: [IgnoredSetting] = []
  }

  /// The most bytes of parts that are remembered, as estimated.
  private static let memoryLimit = 48 << 20

  /// For each part and dimension what a step along the dimension adds to the part's number; 0 if it does not matter to the part.
  let steps: [[Int]]
  private let known = Mutex(Known())

  init(_ dimensions: [Grid.Dimension]) {
    steps = Scenario.parts.map { dimensions.steps(affecting: $0.dependsOn).steps }
  }

  /// What some point that was decoded sets without effect; each once.
  var ignored: [IgnoredSetting] { known.withLock { $0.ignored } }

  func note(_ ignored: [IgnoredSetting]) {
    if ignored.isEmpty { return }
    known.withLock { known in known.ignored += ignored.filter { !known.ignored.contains($0) } }
  }

  /// A part by its number, at a place of each dimension; nil if it is not valid. `feed` is the feed beside it.
  func part(_ index: Int, _ number: Int, of grid: Grid, _ coordinates: [Int], feed: Part?) -> Part? {
    if let found = known.withLock({ $0.parts[index][number] }) { return found }
    let reader = Scenario.parts[index]
    guard let tree = try? grid.tree(coordinates, where: { $0.isPath(in: reader.key) }) else { return nil }
    let context = DecodingContext(names: ScenarioSchema.names)
    var object = ObjectReader(tree, context: context)
    var surroundings = grid.decoder.surroundings
    feed?.decoded.surround(&surroundings)
    guard let decoded = reader.decode(&object, surroundings), context.sink.isEmpty else { return nil }
    var lines: [UInt8] = []
    for line in context.identity { lines += Array(line.utf8) + [UInt8(ascii: "\n")] }
    note(decoded.ignored)
    let part = Part(decoded, lines: lines)
    known.withLock { known in
      guard known.bytes < Self.memoryLimit else { return }
      known.bytes += lines.count + (reader.key == "network" ? 1200 : 300)
      known.parts[index][number] = part
    }
    return part
  }
}

/// Gives the points of a grid one after the other. Each thread has one of its own; what they decode is the grid's.
package final class PointDecoder {
  package struct Point: Sendable {
    package var scenario: any Model
    /// Its id as a number: the 16 hexadecimal digits of `DecodedScenario.point`.
    package var id: UInt64
  }

  private let grid: Grid
  /// False for scenarios of other kinds, which are small; where a command makes runs, whose ids are made of what it is given; and for axes
  /// that are refused for their values, of which no point has a number.
  private let isDivisible: Bool
  /// The numbers of the last point's parts, and the hash of its lines before each of them.
  private var lastNumbers: [Int]
  private var states: [ContentHash]
  private var found: [DecodedParts.Part] = []
  /// The values of each dimension's paths as columns show them.
  private lazy var texts = grid.dimensions.map { dimension in (0..<dimension.count).map(dimension.texts) }

  package init(_ grid: Grid) {
    self.grid = grid
    var start = ContentHash()
    if case .command = grid.decoder.backend {
      isDivisible = false
    } else {
      isDivisible = (1...Grid.pointLimit).contains(grid.combinationCount) && ScenarioKind.of(grid.base) == .feed
      for line in grid.decoder.backend.pointLines([], tree: grid.base, decoded: []) { start.update(line: line) }
    }
    lastNumbers = [Int](repeating: -1, count: Scenario.parts.count)
    states = [ContentHash](repeating: start, count: Scenario.parts.count + 1)
  }

  /// A point of the grid. O(parts) where its parts are known.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func point(_ index: Int) throws(InvalidInput) -> Point {
    let coordinates = grid.coordinates(index)
    guard find(coordinates) else { return try whole(coordinates) }
    var scenario = Scenario.blank
    for part in found { part.decoded.assign(&scenario) }
    return Point(scenario: scenario, id: states[found.count].highHalf)
  }

  /// A point's id alone.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  package func id(_ index: Int) throws(InvalidInput) -> UInt64 { try id(coordinates: grid.coordinates(index)) }

  /// A point's id and its values of the axes, as columns show them.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  func cells(_ index: Int) throws(InvalidInput) -> [String] {
    let coordinates = grid.coordinates(index)
    return [PointID.text(try id(coordinates: coordinates))] + zip(texts, coordinates).flatMap { $0[$1] }
  }

  /// The id of the point at a place of each dimension, whether or not conditions leave it out.
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario.
  func id(coordinates: [Int]) throws(InvalidInput) -> UInt64 {
    find(coordinates) ? states[found.count].highHalf : try whole(coordinates).id
  }

  /// The point at a place of each dimension, decoded as a whole.
  ///
  /// - Throws: `InvalidInput` with all that is wrong with it.
  func whole(_ coordinates: [Int]) throws(InvalidInput) -> Point {
    let decoded = try grid.decoder.decoded(try grid.tree(coordinates))
    grid.parts.note(decoded.description.ignored)
    return Point(scenario: decoded.scenario, id: decoded.pointNumber)
  }

  /// Finds the parts of the point at `places`, and hashes what is not as in the last one; false if it has none that are valid.
  private func find(_ coordinates: [Int]) -> Bool {
    guard isDivisible else { return false }
    var isSame = true
    for part in lastNumbers.indices {
      var number = 0
      for (step, coordinate) in zip(grid.parts.steps[part], coordinates) { number += step * coordinate }
      isSame = isSame && number == lastNumbers[part]
      if isSame { continue }
      guard let known = grid.parts.part(part, number, of: grid, coordinates, feed: found.first) else {
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
