// Parses a program's output into the metrics of a run. It is strict: a wrong number is worse than a failed run.

import Analysis
import Base
import _StringProcessing

package struct ResultReader {
  /// The reason for a missing result, as a phrase.
  package struct ResultProblem: Error, Hashable, CustomStringConvertible {
    let reason: String
    package var description: String { reason }
  }

  /// The longest line that patterns see; longer ones are truncated.
  private static let lineLimit = 100_000

  let sources: [MetricSource]
  let marker: String?

  init(sources: [MetricSource], marker: String?) { (self.sources, self.marker) = (sources, marker) }

  package init(_ backend: CommandBackend) { self.init(sources: backend.metrics, marker: backend.line) }

  /// Returns the metrics of a run. O(bytes) without patterns.
  /// - Throws: `ResultProblem` if the output has no result, or an impossible one.
  package func metrics(in output: [UInt8]) throws(ResultProblem) -> RunMetrics {
    var metrics = RunMetrics()
    let lines = try searched(output)
    let record = try record(lines, output)
    for source in sources {
      metrics[source.metric] = try value(of: source, record, lines).map { number in
        let value = number * source.scale
        // A scaled number, such as one in megabytes, is rounded to a whole one.
        return source.metric.isWhole && source.scale != 1 ? value.rounded() : value
      }
    }
    let isCounted = metrics[.loadersPer1000] == nil && metrics[.loaders] != nil
    if isCounted, metrics[.viewed] == 0 { throw ResultProblem(reason: "it says that no item was viewed") }
    if let violation = metrics.impossible { throw ResultProblem(reason: "its \(violation)") }
    if isCounted, let loaders = metrics[.loaders], let viewed = metrics[.viewed] { metrics[.loadersPer1000] = loaders / viewed * 1000 }
    return metrics
  }

  // MARK: Lines

  /// Returns the lines that may hold the result, the last first. With a marker, only the text after its last occurrence.
  /// - Throws: `ResultProblem` if the marker is missing.
  private func searched(_ output: [UInt8]) throws(ResultProblem) -> [Substring] {
    // Invalid UTF-8 is replaced: a device may print anything beside its numbers.
    let lines = String(decoding: output, as: UTF8.self).split(whereSeparator: \.isNewline).reversed().map { $0.prefix(Self.lineLimit) }
    guard let marker else { return lines }
    for line in lines {
      if let range = line.firstRange(of: marker) { return [line[range.upperBound...]] }
    }
    throw ResultProblem(reason: "no line of it has \(quoted(marker))")
  }

  // MARK: Names

  private enum Record {
    case none
    case object(JSON5Value)
    case line(Substring)
  }

  /// Returns the whole output if it is a JSON object, else the last line with one of the names.
  /// - Throws: `ResultProblem` if no line has a name, or its JSON is incomplete.
  private func record(_ lines: [Substring], _ output: [UInt8]) throws(ResultProblem) -> Record {
    let names = sources.compactMap { if case .name(let name) = $0.selector { name } else { nil } }
    guard !names.isEmpty else { return .none }
    if marker == nil, output.first(where: { $0 > 32 }) == UInt8(ascii: "{"), let whole = try Self.object(output) { return .object(whole) }
    let keys = names.map { $0.prefix { $0 != "." } }
    guard let line = marker == nil ? lines.first(where: { line in keys.contains { line.contains($0) } }) : lines.first else {
      throw ResultProblem(reason: "no line of it has \(names.map(quoted).joined(separator: " or "))")
    }
    guard let start = line.firstIndex(of: "{"), let end = line.lastIndex(of: "}"), start < end else {
      if line.contains("{") { throw ResultProblem(reason: "its JSON is incomplete: \(Self.shown(line))") }
      return .line(line)
    }
    guard let object = try Self.object(Array(line[start...end].utf8)) else {
      throw ResultProblem(reason: "its JSON cannot be parsed: \(Self.shown(line))")
    }
    return .object(object)
  }

  /// Parses a JSON object; nil for anything else.
  /// - Throws: `ResultProblem` if a key occurs twice.
  private static func object(_ bytes: [UInt8]) throws(ResultProblem) -> JSON5Value? {
    let sink = DiagnosticSink()
    let parsed = JSON5Parser.parse(bytes, file: "output", into: sink)
    if let twice = sink.sorted.first(where: { $0.code == .duplicateKey }) {
      throw ResultProblem(reason: "its JSON has the key \(quoted(twice.key)) twice")
    }
    guard let value = parsed, sink.isEmpty, value.members != nil else { return nil }
    return value
  }

  // MARK: Values

  /// - Throws: `ResultProblem` if the metric is missing, or is not a number.
  private func value(of source: MetricSource, _ record: Record, _ lines: [Substring]) throws(ResultProblem) -> Double? {
    let found: String?
    switch (source.selector, record) {
    case (.constant(let value), _): return value
    case (.pattern(let pattern), _): found = try Self.match(pattern, lines)
    case (.name(let name), .object(let object)):
      switch object.lookup(name)?.kind {
      case nil, .null: found = nil
      case .number(let text): found = text
      default: throw ResultProblem(reason: "\(quoted(name)) is \(object.lookup(name)?.found ?? "nothing"), not a number")
      }
    case (.name(let name), .line(let line)): found = try Self.value(of: name, in: line)
    case (.name, .none): found = nil
    }
    guard let found else {
      if source.isOptional { return nil }
      throw ResultProblem(reason: "it has no \(source.metric.rawValue)\(Self.described(source))")
    }
    guard let number = Self.number(found) else {
      throw ResultProblem(reason: "\(source.metric.rawValue)\(Self.described(source)) is \(Self.shown(found[...])), not a number from 0 up")
    }
    return number
  }

  private static func described(_ source: MetricSource) -> String {
    switch source.selector {
    case .name(let name): name == source.metric.rawValue ? "" : " (\(quoted(name)))"
    case .pattern(let pattern): " (pattern \(quoted(pattern)))"
    case .constant: ""
    }
  }

  /// Returns the first capture of the last line that matches a pattern; without a capture, the match.
  /// - Throws: `ResultProblem` if it is a part of a number.
  private static func match(_ pattern: String, _ lines: [Substring]) throws(ResultProblem) -> String? {
    guard let regex = try? Regex(pattern) else { return nil }
    for line in lines {
      guard let match = try? regex.firstMatch(in: line) else { continue }
      let captures = match.output.dropFirst().compactMap(\.substring)
      return try whole(captures.first ?? line[match.range], of: line, matched: match.range, by: pattern)
    }
    return nil
  }

  /// Returns the value after `name=`, `name:` or `"name":`, up to the next space or separator; nil if the name is missing.
  /// - Throws: `ResultProblem` if it is a part of a number.
  private static func value(of name: String, in line: Substring) throws(ResultProblem) -> String? {
    var rest = line
    while let range = rest.firstRange(of: name) {
      let isWhole = range.lowerBound == line.startIndex || !isOfName(line[line.index(before: range.lowerBound)])
      var tail = rest[range.upperBound...]
      if tail.first == "\"" { tail = tail.dropFirst() }
      tail = tail.drop { $0 == " " }
      if isWhole, tail.first == "=" || tail.first == ":" {
        tail = tail.dropFirst().drop { $0 == " " || $0 == "\"" }
        let value = tail.prefix { !" \t,;\"|)]".contains($0) }
        return try whole(value, of: line, matched: value.startIndex..<value.endIndex, by: "")
      }
      rest = rest[range.upperBound...]
    }
    return nil
  }

  /// Returns a text of a line, unless a number continues before or after it: "31" of "31,5", "1" of "1 234", "5" of "25" or "-5".
  /// A separator is none of the number's if the pattern itself has it.
  /// - Throws: `ResultProblem` if a number continues.
  private static func whole(
    _ found: Substring, of line: Substring, matched: Range<Substring.Index>, by pattern: String
  ) throws(ResultProblem) -> String {
    let before = Array(line[..<found.startIndex].suffix(2).reversed()), after = Array(line[found.endIndex...].prefix { $0 != "\t" })
    /// Returns true if the text beside the number begins with a digit, or with a separator and a digit.
    func continues(_ text: [Character], isMatched: Bool) -> Bool {
      guard let sign = text.first else { return false }
      guard ".,_'’·\u{A0}\u{202F}".contains(sign), text.count > 1, text[1].isNumber else { return sign.isNumber }
      return !isMatched || !pattern.contains(sign == "." ? "\\." : String(sign))
    }
    let isExponent = after.first == "e" || after.first == "E", exponent = after.dropFirst().first { !"+-".contains($0) }
    let group = after.dropFirst().prefix { !$0.isWhitespace && !",;".contains($0) }
    let isPartial =
      continues(after, isMatched: found.endIndex < matched.upperBound)
      || continues(before, isMatched: found.startIndex > matched.lowerBound) || isExponent && exponent?.isNumber == true
      || after.first == " " && found.endIndex == matched.upperBound && group.count == 3 && group.allSatisfy(\.isNumber)
      || before.first == "-" && found.startIndex == matched.lowerBound && before.last?.isLetter != true
    guard isPartial, number(String(found)) != nil else { return String(found) }
    throw ResultProblem(reason: "\(quoted(String(found))) is not the whole number in \(shown(line[found.startIndex...].prefix(40)))")
  }

  private static func isOfName(_ character: Character) -> Bool { character.isLetter || character.isNumber || "_.-".contains(character) }

  private static func number(_ text: String) -> Double? {
    let number = text.utf8.allSatisfy { "0123456789.eE+-".utf8.contains($0) } ? Double(text) : nil
    return number.flatMap { $0.isFinite && $0 >= 0 ? $0 : nil }
  }

  /// Returns an excerpt of output for a message: one line, at most 160 characters.
  private static func shown(_ text: Substring) -> String {
    let short = text.prefix(160)
    return quoted(String(short)) + (short.endIndex < text.endIndex ? " …" : "")
  }
}
