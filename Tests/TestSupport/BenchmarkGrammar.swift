// A strict reader of the Go benchmark data format (https://go.dev/design/14313-benchmark-format).

/// A file in the Go benchmark data format. The format ignores lines of no known kind; this reader reports them as faults.
public struct BenchmarkGrammar {
  /// One result line.
  public struct Result {
    /// The name, with the prefix `Benchmark`.
    public var name: String
    /// The values by unit.
    public var values: [String: Double]
    /// The configuration lines above the result, by key.
    public var configuration: [String: String]
  }

  /// The results in the order of the file.
  public private(set) var results: [Result] = []
  /// The metadata of each unit, by key.
  public private(set) var units: [String: [String: String]] = [:]
  /// The lines that break the grammar, each after the reason.
  public private(set) var faults: [String] = []

  private var configuration: [String: String] = [:]

  /// Reads the text of a file.
  public init(_ text: String) {
    if !text.hasSuffix("\n") { faults.append("the last line is not ended") }
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast() {
      if let reason = read(String(line)) { faults.append("\(reason): \(line)") }
    }
  }

  private mutating func read(_ line: String) -> String? {
    if line.isEmpty { return nil }
    if line.hasPrefix("Benchmark") { return readResult(line) }
    let fields = line.split(whereSeparator: \.isWhitespace).map(String.init)
    if fields.first == "Unit" { return readUnit(fields) }
    return readConfiguration(line)
  }

  /// Reads `<name> <iterations> <value> <unit> [<value> <unit>...]` and returns a fault or nil.
  private mutating func readResult(_ line: String) -> String? {
    let fields = line.split(whereSeparator: \.isWhitespace).map(String.init)
    guard fields.count >= 4, fields.count.isMultiple(of: 2) else { return "a result has an even number of fields, at least four" }
    guard fields[0].dropFirst(9).first?.isUppercase ?? false else { return "a capital letter follows Benchmark" }
    guard fields[0].wholeMatch(of: #/.*-[0-9]+/#) == nil else { return "the name ends like a number of processors" }
    guard let iterations = Int(fields[1]), iterations > 0 else { return "the iterations are a whole number" }
    var values: [String: Double] = [:]
    for index in stride(from: 2, to: fields.count, by: 2) {
      guard let value = Double(fields[index]), value.isFinite else { return "\(fields[index]) is no number" }
      guard values.updateValue(value, forKey: fields[index + 1]) == nil else { return "\(fields[index + 1]) comes twice" }
    }
    results.append(Result(name: fields[0], values: values, configuration: configuration))
    return nil
  }

  /// Reads `Unit <unit> <key>=<value> [<key>=<value>...]` and returns a fault or nil.
  private mutating func readUnit(_ fields: [String]) -> String? {
    guard fields.count >= 3 else { return "a unit has metadata" }
    for field in fields.dropFirst(2) {
      let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, !parts[0].isEmpty else { return "metadata are key=value" }
      guard units[fields[1], default: [:]].updateValue(parts[1], forKey: parts[0]) == nil else { return "said twice" }
    }
    return nil
  }

  /// Reads `key: value` and returns a fault or nil. A key starts with a lower-case letter and has no space and no upper-case letter.
  private mutating func readConfiguration(_ line: String) -> String? {
    guard let colon = line.firstIndex(of: ":") else { return "neither result, unit, configuration nor blank" }
    let key = line[..<colon]
    guard let first = key.first, first.isLowercase, !key.contains(where: { $0.isWhitespace || $0.isUppercase }) else {
      return "no key of a configuration"
    }
    let rest = line[line.index(after: colon)...]
    guard rest.isEmpty || rest.first == " " || rest.first == "\t" else { return "a space follows the colon" }
    configuration[String(key)] = String(rest.drop { $0 == " " || $0 == "\t" })
    return nil
  }
}
