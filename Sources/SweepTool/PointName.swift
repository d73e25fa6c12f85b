// Finds the point that --point names: by its id, by the first digits of that, or by values of axes.

import Base
import Sweep

extension ResolvedSweep {
  /// Returns the id of the point that the values of an option name. O(points).
  /// - Throws: `UsageProblem` if they name no point, or several; `InvalidInput` if a point is no valid scenario.
  func pointID(named names: [String], option: String) throws -> String {
    if names == ["baseline"] { return PointID.text(try id(pointIndex(ofBaseline: 0), PointDecoder(grid))) }
    guard names.contains(where: { $0.contains("=") }) else {
      guard names.count == 1, names[0] != "" else {
        throw UsageProblem("\(option): \(names.count > 1 ? "is given twice" : "is empty"); write one ID, or PATH=VALUE of each axis")
      }
      return try pointID(startingWith: names[0], option: option)
    }
    let settings = try names.map { name throws(UsageProblem) in
      let parts = name.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else { throw UsageProblem("\(option): is \"\(shown(name))\"; write PATH=VALUE, or an ID alone") }
      guard let axis = grid.paths.firstIndex(of: parts[0]) else {
        let remedy = NearestName.remedy(for: parts[0], among: grid.paths, what: "axes")
        throw UsageProblem("\(option): \(shown(parts[0])) is no axis of \(shown(path)); \(remedy)")
      }
      let column = grid.dimensions.flatMap(\.values)[axis].map(\.canonicalText)
      let extra = baselines.indices.map { axisValues(pointIndex(ofBaseline: $0))[axis] }
      return (axis: axis, texts: Set((column + extra).filter { Self.isSame($0, parts[1]) }))
    }
    let named = Set(settings.map(\.axis))
    let matching = (0..<pointCount).filter { index in
      let values = axisValues(index)
      return settings.allSatisfy { $0.texts.contains(values[$0.axis]) }
    }
    // Other axes have the value of the stratum's baseline.
    let usual = matching.filter { index in
      let (values, baseline) = (axisValues(index), axisValues(pointIndex(ofBaseline: stratum(of: index))))
      return values.indices.allSatisfy { named.contains($0) || values[$0] == baseline[$0] }
    }
    let found = matching.count == 1 ? matching : usual
    if found.count == 1 { return PointID.text(try id(found[0], PointDecoder(grid))) }
    let text = shown(names.joined(separator: ", "))
    if matching.isEmpty { throw UsageProblem("\(option): no point of \(shown(path)) has \(text); run SWEEP --list prints them") }
    let others = grid.paths.indices.filter { !named.contains($0) }.map { grid.paths[$0] }.joined(separator: ", ")
    let remedy = others.isEmpty ? "write an ID; run SWEEP --list prints them" : "name a value of \(others) too"
    throw UsageProblem("\(option): \(matching.count) points have \(text); \(remedy)")
  }

  /// True if two texts are one value: 1000ms is 1s, and 0.02 is 2%.
  static func isSame(_ text: String, _ other: String) -> Bool {
    func amount(_ text: String) -> (number: ExactDecimal, dimension: Dimension?)? {
      if let quantity = try? Quantity(text) {
        if quantity.dimension == .percent { return (try? quantity.fraction()).map { ($0, nil) } }
        return (try? quantity.baseValue()).map { (ExactDecimal($0), quantity.dimension) }
      }
      return (try? ExactDecimal(json5: text)).map { ($0, nil) }
    }
    let texts = [text, other].map { JSON5Value.scalar(fromCommandLine: $0).canonicalText }
    guard texts[0] != texts[1], let one = amount(texts[0]), let two = amount(texts[1]) else { return texts[0] == texts[1] }
    return one.dimension == two.dimension && one.number == two.number
  }

  /// Returns the only id that begins with some hexadecimal digits.
  /// - Throws: `UsageProblem` if there is none, or more than one; `InvalidInput` if a point is no valid scenario.
  func pointID(startingWith digits: String, option: String) throws -> String {
    let decoder = PointDecoder(grid)
    var found: [String] = []
    for index in 0..<pointCount where found.count < 4 {
      let id = PointID.text(try id(index, decoder))
      if id.hasPrefix(digits.lowercased()), !found.contains(id) { found.append(id) }
    }
    if found.count == 1 { return found[0] }
    if found.isEmpty {
      throw UsageProblem(
        "\(option): no point of \(shown(path)) has an id that begins with \"\(shown(digits))\"; run SWEEP --list prints them")
    }
    let ids = found.prefix(3).joined(separator: ", ") + (found.count > 3 ? " and others" : "")
    throw UsageProblem("\(option): \"\(shown(digits))\" is the beginning of \(ids); write more digits")
  }
}
