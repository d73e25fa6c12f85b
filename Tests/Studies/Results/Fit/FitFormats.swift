// The trials of `fit` through each format of telemetry: planted worlds are written as a file of the format and read back.

import Analysis
import Base
import Import
import Oracles
import Simulation
import SweepTool

extension FitStudy {
  /// A format, with one request a session.
  private enum Format: String, CaseIterable {
    case bounds = "OTLP, histograms with bounds"
    case exponential = "OTLP, exponential histograms"
    case firebase = "Firebase, rows in JSON"
    case clientData = "CMCD in a CDN's log"
    case rows = "CSV of an app"

    /// The class key of the log.
    var classKey: String? { self == .clientData ? "com.example-radio" : nil }
    var hasDwell: Bool { self != .firebase && self != .clientData }
  }

  /// Returns the table of formats: the share of intervals that hold the planted value.
  /// - Throws: `InvalidInput` if telemetry is refused.
  static func formats(worlds: Int, seed: UInt64) throws -> [String] {
    var lines = [
      "## Through each format", "",
      "\(worlds) planted worlds a format, with one request a session: written as a file of the format and read by the command. Rows have whole "
        + "milliseconds and kbit/s, Firebase's microseconds and bytes, CMCD's throughput is rounded to 100 kbit/s.", "",
      "| format | weights | medians | sigmas | all | values | a warning |", "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for format in Format.allCases {
      var random = RandomStream(runSeed: seed, name: format.rawValue)
      var (weights, medians, sigmas, misfits, values) = (Tally(), Tally(), Tally(), 0, 0)
      for index in 0..<worlds {
        let size = sizes[index % sizes.count]
        let total = Int(logUniform(Double(size.0), Double(size.1), &random))
        guard let (truths, text) = world(total, format, &random) else { continue }
        values += total
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("telemetry-\(UUID().uuidString)").path
        guard FileManager.default.createFile(atPath: file, contents: Data(text.utf8)) else {
          throw StudyProblem(description: "\(file): not written")
        }
        defer { try? FileManager.default.removeItem(atPath: file) }
        let fitted = FittedWorld(try TelemetryLog.read(path: file, classKey: format.classKey).networks)
        guard fitted.networks.count == truths.count else { continue }
        for (network, truth) in zip(fitted.networks, truths) {
          weights.add(network.weightInterval, truth.share)
          for quantity in network.quantities {
            guard let planted = truth.planted.first(where: { $0.name == quantity.name }) else { continue }
            medians.add(quantity.fit.medianInterval, planted.median)
            sigmas.add(quantity.fit.sigmaInterval, planted.sigma)
            misfits += quantity.fit.isMisfit ? 1 : 0
          }
        }
      }
      var all = Tally()
      (all.held, all.all) = (weights.held + medians.held + sigmas.held, weights.all + medians.all + sigmas.all)
      let warned = "\(String(tenths: Double(misfits) / Double(max(1, medians.all)) * 100)) %"
      lines.append(
        "| \(format.rawValue) | \(weights.text) | \(medians.text) | \(sigmas.text) | \(all.text) | \(values) | \(warned) |")
    }
    return lines
  }

  /// Draws a world and returns what is planted by class and the file; nil if a class is too small.
  private static func world(
    _ total: Int, _ format: Format, _ random: inout RandomStream
  ) -> (truths: [(share: Double, planted: [Planted])], text: String)? {
    let raw = (0..<2 + Int(random.below(4))).map { _ in 0.1 + random.unit() }
    let sum = raw.reduce(0, +)
    var sessions = [Int](repeating: 0, count: raw.count)
    for _ in 0..<total {
      var (left, index) = (random.unit() * sum, 0)
      while index < raw.count - 1, left >= raw[index] { (left, index) = (left - raw[index], index + 1) }
      sessions[index] += 1
    }
    guard sessions.allSatisfy({ $0 >= 20 }) else { return nil }
    var truths: [(share: Double, planted: [Planted])] = []
    var lines: [String] = format == .rows ? ["class,session,ttfbMs,throughputKbps,dwellMs"] : []
    for (index, count) in sessions.enumerated() {
      let quantities = [
        quantity("timeToFirstByte", .duration, 20e6...400e6, 0.2...1, &random),
        quantity("throughput", .rate, format == .clientData ? 3e6...5e7 : 3e5...5e7, 0.3...1.2, &random),
        quantity("dwell", .duration, 1e9...2e10, 0.3...1.5, &random),
      ].prefix(format.hasDwell ? 3 : 2)
      truths.append((raw[index] / sum, Array(quantities)))
      let values = quantities.map { planted in (0..<count).map { _ in planted.median * StableMath.exp(planted.sigma * normal(&random)) } }
      switch format {
      case .bounds, .exponential: lines.append(document(Array(quantities), values, "class \(index)", isExponential: format == .exponential))
      default:
        for row in 0..<count { lines.append(line(values.map { $0[row] }, format, "class-\(index)", "\(index)-\(row)")) }
      }
    }
    return (truths, lines.joined(separator: "\n"))
  }

  /// Returns the row of a request.
  private static func line(_ values: [Double], _ format: Format, _ name: String, _ session: String) -> String {
    func whole(_ value: Double) -> Int { Int(value.rounded()) }
    switch format {
    case .firebase:
      let first = whole(values[0] / 1e3)
      return "{\"radio_type\":\"\(name)\",\"event_type\":\"NETWORK_REQUEST\",\"network_info\":{\"response_code\":\"200\","
        + "\"response_payload_bytes\":\"400000\",\"response_initiated_time_us\":\"\(first)\","
        + "\"response_completed_time_us\":\"\(first + max(1, whole(3.2e12 / values[1])))\"}}"
    case .clientData:
      let data =
        "com.example-radio%3D%22\(name)%22%2Cmtp%3D\(whole(values[1] / 1e5) * 100)%2Csid%3D%22\(session)%22%2Cttfb%3D\(whole(values[0] / 1e6))"
      return "192.0.2.1 \"GET /v.m4s?CMCD=\(data) HTTP/1.1\" 200 400000"
    default: return "\(name),\(session),\(whole(values[0] / 1e6)),\(whole(values[1] / 1e3)),\(whole(values[2] / 1e6))"
    }
  }

  /// Returns the metrics of a class, one document.
  private static func document(_ quantities: [Planted], _ values: [[Double]], _ name: String, isExponential: Bool) -> String {
    let names = ["timeToFirstByte": "http.client.request.duration", "throughput": "app.download.rate", "dwell": "app.item.dwell"]
    let metrics = zip(quantities, values).map { planted, values in
      let worth = planted.dimension == .rate ? 1 : 1e9
      var data: String
      if isExponential {
        let indices = values.map { Int((StableMath.log($0 / worth) / StableMath.log(2) * 8).rounded(.up)) - 1 }
        let low = indices.min() ?? 0
        var counts = [Int](repeating: 0, count: (indices.max() ?? 0) - low + 1)
        for index in indices { counts[index - low] += 1 }
        data = "\"scale\":3,\"positive\":{\"offset\":\(low),\"bucketCounts\":\(counts)}"
      } else {
        var counts = [Int](repeating: 0, count: planted.edges.count + 1)
        for value in values { counts[planted.edges.count { Double($0) < value }] += 1 }
        let bounds = planted.edges.map { ExactDecimal.text($0, decimals: planted.dimension == .rate ? 0 : 9) }
        data =
          "\"bucketCounts\":[\(counts.map { "\"\($0)\"" }.joined(separator: ","))],\"explicitBounds\":[\(bounds.joined(separator: ","))]"
      }
      data += ",\"attributes\":[{\"key\":\"network.connection.type\",\"value\":{\"stringValue\":\"\(name)\"}}]"
      return "{\"name\":\"\(names[planted.name] ?? "")\",\"unit\":\"\(planted.dimension == .rate ? "bit/s" : "s")\","
        + "\"\(isExponential ? "exponentialHistogram" : "histogram")\":{\"aggregationTemporality\":1,\"dataPoints\":[{\(data)}]}}"
    }
    return "{\"resourceMetrics\":[{\"scopeMetrics\":[{\"metrics\":[\(metrics.joined(separator: ","))]}]}]}"
  }
}
