// Numbers with units: "500ms", "780kbps", "200KB", "2%". They are exact: a value that is no whole number of base units is refused.

/// A number and its unit. Spaces between them are allowed: "200 KB".
package struct Quantity: Hashable, Sendable {
  package var number: ExactDecimal
  package var unit: QuantityUnit
  package var dimension: Dimension { unit.dimension }

  /// Reads a number with a unit. With `dimension`, only units of that dimension are accepted.
  /// - Throws: `ValueProblem` if there is no number, or a unit that is unknown or of another dimension.
  package init(_ text: some StringProtocol, dimension: Dimension? = nil) throws(ValueProblem) {
    let trimmed = trimmingSpaces(text)
    let example = dimension?.example ?? "\"1s\""
    guard let split = Self.split(trimmed) else {
      throw ValueProblem(
        "is \(quoted(trimmed)), which does not start with a number", remedy: "write a number and a unit, such as \(example)")
    }
    guard !split.unit.isEmpty else {
      let unit = dimension.map { $0.units[$0 == .duration || $0 == .rate ? 2 : 0].name } ?? "s"
      throw ValueProblem("is \(quoted(trimmed)), which has no unit", remedy: "add one: \(quoted(trimmed + unit))")
    }
    guard let unit = QuantityUnit.named(split.unit) else { throw Self.unknownUnit(split, dimension: dimension) }
    if let dimension, unit.dimension != dimension {
      let names = dimension.units.map(\.name).joined(separator: ", ")
      throw ValueProblem(
        "is \(quoted(trimmed)), \(unit.dimension.described), not \(dimension.described)", remedy: "use one of the units \(names)",
        code: .unquoted)
    }
    self.unit = unit
    do { number = try ExactDecimal(json5: split.number) } catch {
      throw error == .outOfRange
        ? ValueProblem(
          "is \(quoted(trimmed)), which has more than 18 digits", remedy: "write fewer digits or a larger unit", code: .unquoted)
        : ValueProblem(
          "is \(quoted(trimmed)), and \(quoted(split.number)) is not a number", remedy: "write a number and a unit, such as \(example)")
    }
  }

  package init(number: ExactDecimal, unit: QuantityUnit) { (self.number, self.unit) = (number, unit) }

  /// Returns the value in base units (nanoseconds, bits a second, bytes). Percentages have `fraction` instead.
  /// - Throws: `ValueProblem` if the value is no whole number of base units, or too large.
  package func baseValue() throws(ValueProblem) -> Int64 {
    guard let exact = number.multiplied(by: ExactDecimal(unit.worth)) else {
      throw ValueProblem("is \(description), which is out of range", remedy: "write a smaller \(dimension.rawValue)", code: .unquoted)
    }
    guard let whole = exact.whole else {
      let base = dimension.units[0].name
      throw ValueProblem("is \(description), which is not a whole number of \(base)", remedy: "round it to whole \(base)", code: .unquoted)
    }
    return whole
  }

  /// Returns the fraction of a percentage: 0.02 for "2%".
  /// - Throws: `ValueProblem` if the unit is not %.
  package func fraction() throws(ValueProblem) -> ExactDecimal {
    guard let fraction = ExactDecimal(coefficient: Int128(number.coefficient), scale: number.scale + 2) else {
      throw ValueProblem("is \(description), which has too many decimals", remedy: "write at most 16 decimals")
    }
    return fraction
  }

  /// The number followed by its unit, without a space.
  package var description: String { number.description + unit.name }

  /// Returns the nanoseconds of "500ms", "1.5s", "2min" or "8h".
  /// - Throws: `ValueProblem` if the text is no duration of whole nanoseconds.
  package static func duration(_ text: String) throws(ValueProblem) -> Int64 { try Quantity(text, dimension: .duration).baseValue() }

  /// Returns the shortest spelling of a value in base units, for messages: 1 500 000 000 ns is "1.5s".
  package static func described(_ baseValue: Int64, _ dimension: Dimension) -> String {
    let exact = ExactDecimal(baseValue)
    let decimal = dimension.units.filter { !["KiB", "MiB", "GiB"].contains($0.name) }
    let spellings = decimal.reversed().compactMap { unit in exact.divided(by: unit.worth).map { Quantity(number: $0, unit: unit) } }
    let whole = spellings.first { $0.number.whole ?? 0 != 0 }
    let short = spellings.first { $0.number.coefficient.magnitude >= ExactDecimal.power(of10: $0.number.scale) && $0.number.scale <= 1 }
    return (short ?? whole ?? Quantity(number: exact, unit: dimension.units[0])).description
  }

  /// Splits a text into number and unit; nil if it does not start with a number.
  private static func split(_ text: String) -> (number: String, unit: String)? {
    let isNumeric = { (scalar: Unicode.Scalar) in ("0"..."9").contains(scalar) || scalar == "." || scalar == "_" || scalar == "," }
    let scalars = text.unicodeScalars
    var end = scalars.startIndex
    if let sign = scalars.first, sign == "+" || sign == "-" { end = scalars.index(after: end) }
    let digits = scalars[end...].prefix(while: isNumeric)
    guard digits.contains(where: { ("0"..."9").contains($0) }) else { return nil }
    end = digits.endIndex
    if let mark = scalars[end...].first, mark == "e" || mark == "E" {
      let after = scalars[scalars.index(after: end)...]
      let unsigned = after.first == "+" || after.first == "-" ? after.dropFirst() : after
      let exponent = unsigned.prefix { ("0"..."9").contains($0) }
      if !exponent.isEmpty { end = exponent.endIndex }
    }
    return (String(scalars[..<end]), trimmingSpaces(String(scalars[end...])))
  }

  private static func unknownUnit(_ split: (number: String, unit: String), dimension: Dimension?) -> ValueProblem {
    let bytes = QuantityUnit.all.first {
      $0.dimension == .size && [$0.name + "ps", $0.name + "/s"].contains(split.unit.replacing("k", with: "K"))
    }
    if dimension ?? .rate == .rate, let bytes,
      let number = try? ExactDecimal(json5: split.number).multiplied(by: ExactDecimal(8 * bytes.worth)), let bits = number.whole
    {
      return ValueProblem(
        "has the unit \(quoted(split.unit)), bytes a second", remedy: "write bits a second: \(quoted(described(bits, .rate)))")
    }
    let known = (dimension?.units ?? QuantityUnit.all).map(\.name).joined(separator: ", ")
    let nearest = QuantityUnit.nearest(to: split.unit, in: dimension)
    let remedy = nearest.map { "did you mean \(quoted(split.number + $0))? units: \(known)" } ?? "use one of the units \(known)"
    return ValueProblem("has the unknown unit \(quoted(split.unit))", remedy: remedy, code: nearest == nil ? .unquoted : nil)
  }
}

/// Returns the text without spaces and tabs at its ends.
package func trimmingSpaces(_ text: some StringProtocol) -> String {
  let isSpace = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
  var rest = String(text).unicodeScalars[...].drop(while: isSpace)
  while let last = rest.last, isSpace(last) { rest.removeLast() }
  return String(rest)
}

/// The kind of a quantity: a duration, a rate, a size or a percentage.
package enum Dimension: String, CaseIterable, Sendable {
  case duration, rate, size, percent

  package var described: String { self == .percent ? "a percentage" : "a \(rawValue)" }

  /// A valid quantity in quotes, for remedies.
  package var example: String {
    switch self {
    case .duration: "\"1s\""
    case .rate: "\"780kbps\""
    case .size: "\"200KB\""
    case .percent: "\"2%\""
    }
  }

  /// The units, smallest first. The first is the base unit.
  package var units: [QuantityUnit] { QuantityUnit.all.filter { $0.dimension == self } }
}

/// A unit and its worth in base units: nanoseconds, bits a second, bytes, hundredths.
package struct QuantityUnit: Hashable, Sendable {
  /// The spelling in files. Case matters: Mbps is not mbps.
  package let name: String
  package let dimension: Dimension
  package let worth: Int64

  /// All units; within a dimension, smallest first.
  package static let all =
    units(
      .duration,
      [("ns", 1), ("us", 1000), ("ms", 1_000_000), ("s", 1_000_000_000), ("min", 60_000_000_000), ("h", 3_600_000_000_000)])
    + units(.rate, [("bps", 1), ("kbps", 1000), ("Mbps", 1_000_000), ("Gbps", 1_000_000_000)])
    + units(
      .size,
      [("B", 1), ("KB", 1000), ("KiB", 1024), ("MB", 1_000_000), ("MiB", 1_048_576), ("GB", 1_000_000_000), ("GiB", 1_073_741_824)])
    + units(.percent, [("%", 1)])

  private static func units(_ dimension: Dimension, _ units: [(name: String, worth: Int64)]) -> [QuantityUnit] {
    units.map { QuantityUnit(name: $0.name, dimension: dimension, worth: $0.worth) }
  }

  /// Common spellings of units that have another name here.
  private static let otherNames: [(other: String, name: String)] = [
    ("sec", "s"), ("second", "s"), ("seconds", "s"), ("m", "min"), ("minutes", "min"), ("hours", "h"), ("msec", "ms"), ("µs", "us"),
    ("μs", "us"), ("kbit/s", "kbps"), ("Mbit/s", "Mbps"), ("Gbit/s", "Gbps"), ("bit/s", "bps"), ("bytes", "B"), ("K", "KB"), ("M", "MB"),
  ]

  package static func named(_ name: some StringProtocol) -> QuantityUnit? { all.first { $0.name == name } }

  /// Returns the name of the unit of `dimension` (of any if nil) nearest to `name`.
  package static func nearest(to name: String, in dimension: Dimension?) -> String? {
    let known = all.filter { dimension == nil || $0.dimension == dimension }.map(\.name)
    let other = otherNames.first { $0.other.lowercased() == name.lowercased() }?.name
    if let other, known.contains(other) { return other }
    return known.first { $0.lowercased() == name.lowercased() } ?? NearestName.suggestion(for: name, among: known)
  }
}
