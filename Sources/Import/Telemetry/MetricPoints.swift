// Reads histograms of metrics in OTLP JSON. Source: opentelemetry-proto, metrics.proto; semantic conventions of HTTP metrics.

import Base

/// The data points of a file; of a cumulative series the last one.
struct MetricPoints {
  struct Point {
    var className: String?
    var quantity: TelemetryCounts.Quantity
    /// The base units in a unit of the bounds.
    var worth: Double
    var bounds: [Double] = []
    var counts: [Int] = []
    /// The scale and the first index of an exponential histogram; nil for bounds.
    var scale: Int?
    var offset = 0
    fileprivate var time: UInt64 = 0
  }

  private static let countLimit: Int64 = 1_000_000_000_000
  private static let boundLimit = 1000
  private static let pointLimit = 200_000
  private static let units: [(unit: String, quantity: TelemetryCounts.Quantity, worth: Double)] = [
    ("bit/s", .throughput, 1), ("kbit/s", .throughput, 1e3), ("Mbit/s", .throughput, 1e6), ("By/s", .throughput, 8),
    ("kBy/s", .throughput, 8e3), ("MBy/s", .throughput, 8e6),
  ]

  private(set) var all: [Point] = []
  /// The index of each cumulative series since a start.
  private var series: [String: Int] = [:]
  private(set) var notes: [String] = []

  var isEmpty: Bool { all.isEmpty }

  fileprivate mutating func note(_ text: String) {
    if !notes.contains(text) { notes.append(text) }
  }

  /// - Throws: `ValueProblem` if there are too many points.
  fileprivate mutating func add(_ point: Point, series key: String?) throws(ValueProblem) {
    if let key, let index = series[key] {
      if point.time >= all[index].time { all[index] = point }
      return
    }
    guard all.count < Self.pointLimit else {
      throw ValueProblem("has more than \(Self.pointLimit) data points", remedy: "aggregate them over fewer attributes")
    }
    if let key { series[key] = all.count }
    all.append(point)
  }

  /// Returns what a metric measures; nil for metrics that do not count.
  fileprivate static func meaning(of metric: JSON5Value) -> (quantity: TelemetryCounts.Quantity, worth: Double)? {
    let (name, unit) = (metric["name"]?.text ?? "", metric["unit"]?.text ?? "")
    let time: Double? = ["": 1e9, "s": 1e9, "ms": 1e6, "us": 1e3, "µs": 1e3, "ns": 1][unit]
    if name == "http.client.request.duration" { return time.map { (.firstByte, $0) } }
    if name == "http.client.duration" { return time.map { (.firstByte, unit.isEmpty ? 1e6 : $0) } }
    if name.lowercased().contains("dwell") { return time.map { (.dwell, $0) } }
    return units.first { $0.unit == unit }.map { ($0.quantity, $0.worth) }
  }

  /// - Throws: `ValueProblem` if the point is malformed.
  fileprivate static func point(
    _ value: JSON5Value, _ meaning: (quantity: TelemetryCounts.Quantity, worth: Double), isExponential: Bool
  ) throws(ValueProblem) -> Point? {
    var point = Point(quantity: meaning.quantity, worth: meaning.worth)
    point.time = UInt64(clamping: try whole(value, "timeUnixNano", "time_unix_nano", in: 0...Int64.max) ?? 0)
    if isExponential {
      let bins = value["positive"]
      point.scale = Int(try whole(value, "scale", "scale", in: -10...20) ?? 0)
      point.offset = Int(
        try bins.flatMap { value throws(ValueProblem) in try whole(value, "offset", "offset", in: -(1 << 31)...1 << 31) } ?? 0)
      point.counts = try bins.map { value throws(ValueProblem) in try counts(value) } ?? []
    } else {
      point.counts = try counts(value)
      for bound in (value["explicitBounds"] ?? value["explicit_bounds"])?.elements ?? [] {
        guard let number = Double(bound.canonicalText), number.isFinite, point.bounds.last.map({ $0 < number }) ?? true else {
          throw ValueProblem("has explicitBounds that do not increase", remedy: "write numbers in increasing order")
        }
        point.bounds.append(number)
      }
      if point.counts.isEmpty, point.bounds.isEmpty { return nil }
      guard point.counts.count == point.bounds.count + 1, point.bounds.count <= boundLimit else {
        throw ValueProblem(
          "has \(point.counts.count) bucketCounts for \(point.bounds.count) explicitBounds", remedy: "give one count more than bounds")
      }
    }
    return point.counts.contains { $0 > 0 } ? point : nil
  }

  /// - Throws: `ValueProblem` if a count is malformed.
  private static func counts(_ value: JSON5Value) throws(ValueProblem) -> [Int] {
    let elements = (value["bucketCounts"] ?? value["bucket_counts"])?.elements ?? []
    var counts: [Int] = []
    for element in elements {
      guard let count = Int64(element.canonicalText), (0...countLimit).contains(count) else {
        throw ValueProblem("has the bucket count \(quoted(element.canonicalText))", remedy: "write whole numbers of at most 10¹²")
      }
      counts.append(Int(count))
    }
    return counts
  }

  /// - Throws: `ValueProblem` if the value is no whole number in the limits.
  fileprivate static func whole(
    _ value: JSON5Value, _ key: String, _ other: String, in limits: ClosedRange<Int64>
  ) throws(ValueProblem) -> Int64? {
    guard let text = (value[key] ?? value[other])?.canonicalText else { return nil }
    guard let number = Int64(text), limits.contains(number) else {
      throw ValueProblem("has \(quoted(text)) for \(key)", remedy: "write a whole number")
    }
    return number
  }
}

extension TelemetryCounts {
  /// Reads a document of metrics. A name of OTLP is in camel case or, as some exporters write it, with underscores.
  /// - Throws: `ValueProblem` if a data point is malformed.
  mutating func read(metrics document: JSON5Value) throws(ValueProblem) {
    func list(_ value: JSON5Value, _ key: String, _ other: String) -> [JSON5Value] { (value[key] ?? value[other])?.elements ?? [] }
    for resource in list(document, "resourceMetrics", "resource_metrics") {
      let shared = resource["resource"]?["attributes"]?.elements ?? []
      for scope in list(resource, "scopeMetrics", "scope_metrics") + list(resource, "instrumentationLibraryMetrics", "") {
        for metric in list(scope, "metrics", "") {
          guard let meaning = MetricPoints.meaning(of: metric) else { continue }
          let isExponential = metric["histogram"] == nil
          guard let data = metric["histogram"] ?? metric["exponentialHistogram"] ?? metric["exponential_histogram"] else { continue }
          let temporality = (data["aggregationTemporality"] ?? data["aggregation_temporality"])?.canonicalText ?? ""
          let isCumulative = temporality == "2" || temporality.hasSuffix("CUMULATIVE")
          if meaning.quantity == .firstByte {
            points.note("durations of requests are read as times to the first byte; those that include the body are too long")
          }
          for value in list(data, "dataPoints", "data_points") {
            let attributes = (value["attributes"]?.elements ?? []) + shared
            guard var point = try MetricPoints.point(value, meaning, isExponential: isExponential) else { continue }
            point.className = className(attributes)
            let start = try MetricPoints.whole(value, "startTimeUnixNano", "start_time_unix_nano", in: 0...Int64.max) ?? 0
            let key = "\(metric["name"]?.text ?? "") \(start) \(attributes.map(\.canonicalJSON).sorted().joined())"
            try points.add(point, series: isCumulative ? key : nil)
          }
        }
      }
    }
  }

  private func className(_ attributes: [JSON5Value]) -> String? {
    for key in classKey.map({ [$0] }) ?? Self.classNames {
      guard let value = attributes.first(where: { $0["key"]?.text == key })?["value"] else { continue }
      return value.members?.first?.value.canonicalText ?? value.canonicalText
    }
    return nil
  }
}
