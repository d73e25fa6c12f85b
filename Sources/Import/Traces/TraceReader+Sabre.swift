// Traces of Sabre (UMass-LIDS/sabre): a JSON list of periods.

import Base

extension TraceReader {
  private static let keys = ["duration_ms", "bandwidth_kbps", "latency_ms"]

  /// Reads a list of { duration_ms, bandwidth_kbps, latency_ms? }. Fractions are rounded to whole nanoseconds and bits a second.
  /// Other keys are ignored, unless they look like a missing one.
  mutating func readSabre() {
    guard let root = JSON5Parser.parse(file.bytes, file: file.name, into: sink) else { return }
    guard case .array(let elements) = root.kind else {
      return sink.report(
        at: root.location, problem: "the trace is \(root.found), not a list",
        remedy: "write [ { duration_ms, bandwidth_kbps, latency_ms }, … ]")
    }
    for (index, element) in elements.enumerated() { readPeriod(element, index: index) }
  }

  private mutating func readPeriod(_ element: JSON5Value, index: Int) {
    guard let members = element.members else {
      return sink.report(
        at: element.location, key: "\(index)", problem: "is \(element.found), not an object",
        remedy: "write { duration_ms: 1000, bandwidth_kbps: 780, latency_ms: 100 }")
    }
    let durationNs = value(of: "duration_ms", unit: 1_000_000, limit: Self.lengthLimitNs, in: element, members, index)
    let bitsPerSecond = value(of: "bandwidth_kbps", unit: 1000, limit: Self.rateLimitBps, in: element, members, index)
    let latencyNs = value(of: "latency_ms", unit: 1_000_000, limit: Self.latencyLimitNs, in: element, members, index)
    guard let durationNs, let bitsPerSecond else { return }
    let location = element["duration_ms"]?.location ?? element.location
    append(durationNs: durationNs, bitsPerSecond: bitsPerSecond, latencyNs: latencyNs, at: location, key: "\(index).duration_ms")
  }

  private func value(
    of key: String, unit: Int64, limit: Int64, in element: JSON5Value, _ members: [JSON5Member], _ index: Int
  ) -> Int64? {
    let path = "\(index).\(key)"
    guard let value = element[key] else {
      let similar = members.first { !Self.keys.contains($0.key) && NearestName.suggestion(for: $0.key, among: [key]) != nil }
      if let similar {
        sink.report(at: similar.keyLocation, key: "\(index).\(similar.key)", problem: "unknown key", remedy: "did you mean \(quoted(key))?")
      } else if key != "latency_ms" {
        sink.report(at: element.location, key: path, problem: "is missing", remedy: "add it to the period")
      }
      return nil
    }
    guard case .number(let text) = value.kind else {
      sink.report(at: value.location, key: path, problem: "is \(value.found), not a number", remedy: "write a number without quotes")
      return nil
    }
    let factor = key == "bandwidth_kbps" ? options.scale : ExactDecimal(1)
    return whole(text, unit: unit, factor: factor, limit: limit, key: path) { value.location }
  }
}
