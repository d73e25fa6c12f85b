// Traces of Sabre (UMass-LIDS/sabre): a JSON list of periods.

import Base

extension TraceReader {
  private static let keys = ["duration_ms", "bandwidth_kbps", "latency_ms"]

  /// Reads a list of { duration_ms, bandwidth_kbps, latency_ms? }. Fractions are rounded; other keys are ignored unless like a missing one.
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
    /// Returns a whole number of base units; nil if the key is absent, or after a report.
    func value(of key: String, unit: Int64, factor: ExactDecimal = ExactDecimal(1), limit: Int64) -> Int64? {
      let path = "\(index).\(key)"
      guard let value = element[key] else {
        if let similar = members.first(where: { !Self.keys.contains($0.key) && NearestName.suggestion(for: $0.key, among: [key]) != nil }) {
          let path = "\(index).\(similar.key)"
          sink.report(at: similar.keyLocation, key: path, problem: "unknown key", remedy: "did you mean \(quoted(key))?")
        } else if key != "latency_ms" {
          sink.report(at: element.location, key: path, problem: "is missing", remedy: "add it to the period")
        }
        return nil
      }
      guard case .number(let text) = value.kind else {
        sink.report(at: value.location, key: path, problem: "is \(value.found), not a number", remedy: "write a number without quotes")
        return nil
      }
      return whole(text, unit: unit, factor: factor, limit: limit, key: path) { value.location }
    }
    let durationNs = value(of: "duration_ms", unit: 1_000_000, limit: Self.lengthLimitNs)
    let bitsPerSecond = value(of: "bandwidth_kbps", unit: 1000, factor: options.scale, limit: Self.rateLimitBps)
    let latencyNs = value(of: "latency_ms", unit: 1_000_000, limit: Self.latencyLimitNs)
    guard let durationNs, let bitsPerSecond else { return }
    let location = element["duration_ms"]?.location ?? element.location
    append(durationNs: durationNs, bitsPerSecond: bitsPerSecond, latencyNs: latencyNs, at: location, key: "\(index).duration_ms")
  }
}
