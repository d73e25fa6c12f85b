// Videos with renditions beside the players and simulators that their rules come from.

import Analysis
import Base
import Oracles
import Simulation
import StudyParts
import SweepTool

package enum RenditionStudy {
  /// - Throws: `StudyProblem` or `InvalidInput` if the reference cannot be read.
  package static func run(_ arguments: Arguments) throws {
    let folder = "Tests/Reference/crosscheck"
    let (sabre, drawn) = (try sabreRows(folder), try drawnRows("\(folder)/sabre_drawn.csv"))
    let challenge = try challengeRows("\(folder)/svs_sessions.csv")
    print(
      try page(
        "renditions",
        [
          "sabre": unpaddedTable(
            texts: ["trace", "rule"], numbers: ["segments", "alike", "arrival µs", "buffer µs", "stalls µs", "stalls ms: Sabre", "ours"],
            sabre),
          "drawn": unpaddedTable(
            texts: ["rule"], numbers: ["sessions", "segments", "alike", "end µs", "stalls µs", "stalls s: Sabre", "ours"], drawn),
          "challenge": unpaddedTable(
            texts: ["policy"],
            numbers: [
              "link kbit/s", "sessions", "MB: theirs", "ours", "off", "stalled s: theirs", "ours", "off", "short-video-rounds MB",
              "stalled s",
            ], challenge),
        ]))
  }

  /// Returns a row for each trace and rule.
  /// - Throws: `StudyProblem` or `InvalidInput` if a table or trace cannot be read.
  private static func sabreRows(_ folder: String) throws -> [[String]] {
    try groups(try MeasurementTable(path: "\(folder)/sabre_buffer.csv").rows, by: ["trace", "rule"]).map { name, rows in
      guard let rule = RenditionChoice(rawValue: name[1]) else { throw StudyProblem(description: "\(folder): no rule is named \(name[1])") }
      let ours = try SabreVideo().play(over: try trace("\(folder)/\(name[0]).json", .sabre), rule)
      let pairs = Array(zip(rows, ours.segments))
      func largest(_ column: String, _ value: (SabreVideo.Segment) -> Double) -> String {
        decimals((pairs.map { abs($0.0.number(column) - value($0.1)) }.max() ?? .infinity) * 1000)
      }
      let alike = pairs.filter { SabreVideo().segmentBytes($0.0.whole("rendition")) == $0.1.bytes }.count
      return name + [
        "\(rows.count)", "\(alike)", largest("finished_ms", \.ended), largest("buffer_ms", \.buffered), largest("stalled_ms", \.stalled),
        decimals(rows.last?.number("stalled_ms") ?? 0), decimals(ours.stalledMs),
      ]
    }
  }

  /// Returns a row for each rule.
  /// - Throws: `StudyProblem` if the table cannot be read.
  private static func drawnRows(_ path: String) throws -> [[String]] {
    try groups(try MeasurementTable(path: path).rows, by: ["rule"]).map { name, rows in
      guard let rule = RenditionChoice(rawValue: name[0]) else { throw StudyProblem(description: "\(path): no rule is named \(name[0])") }
      var (segments, alike, end, stall, stalled) = (0, 0, 0.0, 0.0, 0.0)
      for row in rows {
        let (video, link) = try SabreVideo.drawn(row)
        let run = try video.play(over: link, rule)
        let renditions = row.text("renditions").split(separator: " ").compactMap { Int($0) }
        segments += renditions.count
        alike += zip(renditions, run.segments).filter { video.segmentBytes($0) == $1.bytes }.count
        end = max(end, abs((run.segments.last?.ended ?? .infinity) - row.number("finished_ms")))
        stall = max(stall, abs(run.stalledMs - row.number("stalled_ms")))
        stalled += run.stalledMs
      }
      return name + [
        "\(rows.count)", "\(segments)", "\(alike)", decimals(end * 1000), decimals(stall * 1000),
        decimals(rows.reduce(0) { $0 + $1.number("stalled_ms") } / 1000), decimals(stalled / 1000),
      ]
    }
  }

  /// Returns a row for each policy and link.
  /// - Throws: `StudyProblem` if the table cannot be read.
  private static func challengeRows(_ path: String) throws -> [[String]] {
    try groups(try MeasurementTable(path: path).rows, by: ["policy", "link_bps"]).map { name, rows in
      guard let prefetcher = ShortVideoChallenge.prefetcher(name[0]) else {
        throw StudyProblem(description: "\(path): no policy \(name[0])")
      }
      let sessions = rows.map(ShortVideoChallenge.init)
      let ours = try sessions.map { try $0.play(prefetcher) }
      let shipped = try sessions.map { try $0.play(standardPrefetcher("short-video-rounds")) }
      func off(_ column: String, _ values: [Double]) -> String {
        decimals((zip(rows, values).map { abs($1 / $0.number(column) - 1) }.max() ?? .infinity) * 100) + " %"
      }
      func sum(_ values: [Double], _ unit: Double) -> String { decimals(values.reduce(0, +) / unit) }
      let (bytes, stalls) = (ours.map { Double($0.bytes) }, ours.map(\.stalledMs))
      return [
        name[0], decimals((Double(name[1]) ?? .nan) / 1000), "\(rows.count)", sum(rows.map { $0.number("bytes") }, 1e6), sum(bytes, 1e6),
        off("bytes", bytes), sum(rows.map { $0.number("stalled_ms") }, 1000), sum(stalls, 1000), off("stalled_ms", stalls),
        sum(shipped.map { Double($0.bytes) }, 1e6), sum(shipped.map(\.stalledMs), 1000),
      ]
    }
  }

  private static func decimals(_ value: Double) -> String { DecimalText.fixed(value, decimals: 3) }

  /// Groups rows by the texts of some columns, in the order of their first rows.
  private static func groups(_ rows: [[String: String]], by columns: [String]) -> [(name: [String], rows: [[String: String]])] {
    var groups: [(name: [String], rows: [[String: String]])] = []
    for row in rows {
      let name = columns.map { row.text($0) }
      if let index = groups.firstIndex(where: { $0.name == name }) { groups[index].rows.append(row) } else { groups.append((name, [row])) }
    }
    return groups
  }
}
