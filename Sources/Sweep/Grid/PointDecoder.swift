// Composes the points of a grid from parts that are decoded once. Neighbours mostly differ in one part, so a point costs
// a copy of its parts and a hash of their lines.

import Base
import Synchronization

/// A cache of decoded parts, shared by threads. A part takes some hundred bytes; beyond `memoryLimit` parts are decoded for each point.
final class DecodedParts: Sendable {
  /// A part with its lines of the point's id, each with a line feed, and its values for a command's program.
  final class Part: Sendable {
    let decoded: DecodedPart
    let lines: [UInt8]
    let values: [CanonicalSetting]

    init(_ decoded: DecodedPart, lines: [UInt8], values: [CanonicalSetting]) {
      (self.decoded, self.lines, self.values) = (decoded, lines, values)
    }
  }

  private struct Known {
    var parts: [[Int: Part]]
    var bytes = 0
    var ignored: [IgnoredSetting] = []
  }

  /// The estimated limit of the cache, in bytes.
  private static let memoryLimit = 48 << 20

  /// For each part and dimension, the difference in the part's number between neighbours; 0 if the dimension does not matter.
  let steps: [[Int]]
  let kind: ScenarioKind
  private let known: Mutex<Known>

  init(_ dimensions: [Grid.Dimension], of kind: ScenarioKind) {
    self.kind = kind
    steps = kind.parts.map { dimensions.steps(affecting: $0.dependsOn).steps }
    known = Mutex(Known(parts: [[Int: Part]](repeating: [:], count: steps.count)))
  }

  /// The settings without effect in any decoded point, each once.
  var ignored: [IgnoredSetting] { known.withLock { $0.ignored } }

  func note(_ ignored: [IgnoredSetting]) {
    if ignored.isEmpty { return }
    known.withLock { known in known.ignored += ignored.filter { !known.ignored.contains($0) } }
  }

  /// Returns a part by its number, at coordinates that have it; nil if it is invalid. Facts of `first`, the point's first part, are known to it.
  func part(_ index: Int, _ number: Int, of grid: Grid, _ coordinates: [Int], first: Part?) -> Part? {
    if let found = known.withLock({ $0.parts[index][number] }) { return found }
    let reader = kind.parts[index]
    guard let tree = try? grid.tree(coordinates, where: { $0.isPath(in: reader.key) }) else { return nil }
    let context = DecodingContext(names: ScenarioSchema.names)
    var object = ObjectReader(tree, context: context)
    var surroundings = grid.decoder.surroundings
    first?.decoded.surround(&surroundings)
    guard let decoded = reader.decode(&object, surroundings), context.sink.isEmpty else { return nil }
    var lines: [UInt8] = []
    for line in context.identity { lines += Array(line.utf8) + [UInt8(ascii: "\n")] }
    note(decoded.ignored)
    let isOfCommand = grid.decoder.backend.firstLines == nil
    let part = Part(decoded, lines: lines, values: isOfCommand ? context.settings : [])
    known.withLock { known in
      guard known.bytes < Self.memoryLimit else { return }
      known.bytes += (isOfCommand ? 3 : 1) * lines.count + (reader.key == "network" ? 1200 : 300)
      known.parts[index][number] = part
    }
    return part
  }
}

/// Decodes points of a grid. Each thread has its own decoder; decoded parts are shared by the grid.
package final class PointDecoder {
  private let grid: Grid
  /// True if points are composed of parts, as those of a grid of valid size are.
  private let isDivisible: Bool
  /// The numbers of the last point's parts, and the hash state before each part.
  private var lastNumbers: [Int]
  private var states: [ContentHash]
  private var found: [DecodedParts.Part] = []
  private lazy var texts = grid.dimensions.map { dimension in (0..<dimension.count).map(dimension.texts) }

  package init(_ grid: Grid) {
    self.grid = grid
    var start = ContentHash()
    isDivisible = (1...Grid.pointLimit).contains(grid.combinationCount)
    for line in (grid.decoder.backend.firstLines ?? []) + grid.parts.kind.settings.map(\.line) { start.update(line: line) }
    lastNumbers = [Int](repeating: -1, count: grid.parts.steps.count)
    states = [ContentHash](repeating: start, count: lastNumbers.count + 1)
  }

  /// Returns a point of the grid. O(parts) if its parts are cached.
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  package func point(_ index: Int) throws(InvalidInput) -> PreparedPoint {
    let coordinates = grid.coordinates(index)
    guard find(coordinates) else { return try whole(coordinates) }
    let text = try text(coordinates)
    let values = text.map(grid.decoder.backend.values) ?? [:]
    return PreparedPoint(scenario: grid.parts.kind.scenario(found.lazy.map(\.decoded)), id: id(text), values: values)
  }

  /// Returns the values of the found parts, from which a command's points have their ids; nil for other backends.
  /// - Throws: `InvalidInput` if a value cannot be set at its path.
  private func text(_ coordinates: [Int]) throws(InvalidInput) -> ScenarioText? {
    guard grid.decoder.backend.firstLines == nil else { return nil }
    return ScenarioText(tree: try grid.tree(coordinates), settings: grid.parts.kind.settings + found.flatMap(\.values))
  }

  private func id(_ text: ScenarioText?) -> UInt64 { text.map { grid.decoder.backend.pointNumber([], $0) } ?? states[found.count].highHalf }

  /// Returns a point's id.
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  package func id(_ index: Int) throws(InvalidInput) -> UInt64 { try id(coordinates: grid.coordinates(index)) }

  /// Returns a point's id and axis values as columns show them.
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  func cells(_ index: Int) throws(InvalidInput) -> [String] {
    let coordinates = grid.coordinates(index)
    return [PointID.text(try id(coordinates: coordinates))] + zip(texts, coordinates).flatMap { $0[$1] }
  }

  /// Returns the id of the point at some coordinates, even if conditions exclude it.
  /// - Throws: `InvalidInput` if the point's scenario is invalid.
  func id(coordinates: [Int]) throws(InvalidInput) -> UInt64 { find(coordinates) ? id(try text(coordinates)) : try whole(coordinates).id }

  /// Decodes the whole point at some coordinates.
  /// - Throws: `InvalidInput` with all problems of the scenario.
  func whole(_ coordinates: [Int]) throws(InvalidInput) -> PreparedPoint {
    let decoded = try grid.decoder.decoded(try grid.tree(coordinates))
    grid.parts.note(decoded.description.ignored)
    return decoded.ready
  }

  /// Finds a point's parts and updates the hash from the first new one; false if a part is invalid or the grid is too large.
  private func find(_ coordinates: [Int]) -> Bool {
    guard isDivisible else { return false }
    var isSame = true
    for part in lastNumbers.indices {
      var number = 0
      for (step, coordinate) in zip(grid.parts.steps[part], coordinates) { number += step * coordinate }
      isSame = isSame && number == lastNumbers[part]
      if isSame { continue }
      guard let known = grid.parts.part(part, number, of: grid, coordinates, first: found.first) else {
        // The hash states from here on are invalid.
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
