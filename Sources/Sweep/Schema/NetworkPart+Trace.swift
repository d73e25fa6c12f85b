// Reads the files of rates of a network, and reports keys that only other networks have.

import Base
import Inputs

extension NetworkPart {
  /// Reads `trace`: a file for both directions, or one for each.
  mutating func readTrace(_ reader: inout ObjectReader, _ files: InputFiles) {
    guard case .object? = reader.value("trace")?.kind, var pair = reader.object("trace") else {
      name = name ?? reader.value("trace")?.text
      let path = Self.tracePath("trace", &reader)
      guard let options = traceOptions(&reader, [path]), let path else { return }
      trace = reader.contents(of: "trace", at: path, in: files, reading: "\(options)") { TraceReader.read($0, options: options, into: $1) }
      return
    }
    let keys = ["down", "up"]
    let paths = keys.map { Self.tracePath($0, &pair) }
    pair.finish { Self.reach.map(\.key).contains($0) ? "write it beside trace, not in it" : nil }
    name = name ?? paths.compactMap(\.self).joined(separator: " and ")
    guard let options = traceOptions(&reader, paths) else { return }
    let traces = zip(keys, paths).map { key, path in
      path.flatMap { pair.contents(of: key, at: $0, in: files, reading: "\(options)") { TraceReader.read($0, options: options, into: $1) } }
    }
    (trace, traceUp) = (traces[0], traces[1])
  }

  private static func tracePath(_ key: String, _ reader: inout ObjectReader) -> String? {
    guard let value = reader.value(key) else {
      reader.reportMissing(key, example: "\"FILE\", or write trace: \"FILE\" for both directions")
      return nil
    }
    if let path = value.text, !path.isEmpty { return reader.text(key) }
    reader.report(
      key, problem: value.text == nil ? "is \(value.found), not the path of a trace" : "is empty",
      remedy: "write the path of a file of rates" + (key == "trace" ? ", or { down: \"FILE\", up: \"FILE\" }" : ""), code: .noPath)
    return nil
  }

  /// Returns how to read traces; nil after a report, since wrong options would give false problems. Only JSON needs no named format.
  private func traceOptions(_ reader: inout ObjectReader, _ paths: [String?]) -> TraceOptions? {
    let known = paths.compactMap(\.self)
    let isSabre = known.count == paths.count && known.allSatisfy { $0.hasSuffix(".json") }
    if isSabre || reader.has("format") {
      let problems = reader.context.sink.count
      let options = TraceOptions.decode(from: &reader, defaultFormat: isSabre ? .sabre : nil)
      if reader.context.sink.count == problems { return options }
    } else if let path = known.first {
      let guess = path.hasSuffix(".csv") ? "csv" : path.hasSuffix(".txt") ? "rows" : path.hasSuffix(".json") ? "sabre" : "mahimahi"
      let formats = TraceOptions.Format.allCases.map(\.rawValue).joined(separator: ", ")
      reader.context.sink.report(
        at: reader.location(of: "trace"), key: reader.path(of: "format"), problem: "is missing",
        remedy: "add format: \(quoted(guess)) beside trace; formats: \(formats)", code: .missing(example: quoted(guess)))
    }
    for (key, _) in Self.reach { _ = reader.has(key) }
    return nil
  }

  /// The keys that only some networks read, and those networks.
  private static let reach: [(key: String, networks: String)] =
    [("format", "a trace"), ("scale", "a trace, or mobile"), ("length", "mobile"), ("seed", "mobile")]
    + [("rowsApply", "a trace in rows with times")]
    + ["timeColumn", "durationColumn", "rateColumn"].map { ($0, "a trace of the format csv") }
    + ["timeUnit", "rateUnit"].map { ($0, "a trace of the format rows or csv") }

  /// Reports the keys in the file that this network does not read.
  func reportUnread(_ reader: inout ObjectReader) {
    for (key, networks) in Self.reach where given.contains(key) && !reader.isKnown(key) {
      _ = reader.has(key)
      reader.report(key, problem: "has no effect here, only with \(networks)", remedy: "leave it out")
    }
  }
}
