// Sessions of which the repository has the dwells and the results of its script, without request logs, and their replay.

import Analysis
import Base
import Foundation
import Oracles
import Simulation

extension RealAppStudy {
  /// A session without request logs: its dwells, the stalls that the repository's script computed of it, and the shares of each video
  /// after which its swipe script swipes.
  struct Cell {
    let dwells: [Double], stalls: [Double], kilobytes: [Double], shares: [Double]

    var meanStall: Double { stalls.dropFirst().reduce(0, +) / Double(max(1, stalls.count - 1)) }
    /// The videos that the script found in no page that had arrived.
    var absent: [Int] { dwells.indices.dropFirst().filter { AppReplay.dwellWithoutVideo.contains(dwells[$0]) } }
    var meanDwell: Double { max(1, Sample(Array(dwells.dropFirst())).mean) }
  }

  /// The mean stalls of the sessions of a rate, in seconds: the repository's and ours, by swipe script.
  struct StallRow {
    let rate: String, log: [Int: Double], ours: [Int: Double]
    /// The videos of the even scripts of which the log has no byte before the swipe, those in no page, and all.
    let unseen: Int, absent: Int, videos: Int

    func mean(_ values: [Int: Double], odd: Bool) -> Double {
      Sample(values.filter { ($0.key % 2 == 1) == odd }.sorted { $0.key < $1.key }.map(\.value)).mean
    }
    /// The difference that the goal is about, over the even scripts.
    var difference: Double { mean(ours, odd: false) - mean(log, odd: false) }
    /// The standard error of that difference, from its scatter between the sessions of the rate.
    var error: Double {
      let differences = log.keys.sorted().map { (ours[$0] ?? 0) - (log[$0] ?? 0) }
      return Sample(differences).standardDeviation / 2.0.squareRoot()
    }
  }

  /// Networks that the repository's script treats alike.
  struct Batch {
    let name: String, networks: [String]
    /// The stalls of the videos that odd-numbered scripts show to their end: those of up to one first range, and larger ones.
    let small: [Double], large: [Double]

    /// True if the script takes the rest of a video for its first range, as if it did not begin at byte 1 024 000: then the end of the rest
    /// is the end of the stall.
    var restReplaces: Bool { AppReplay.median(large) > 0.1 }
  }

  /// Returns the rows of numbers of a file.
  /// - Throws: `StudyProblem` if a row has another number of cells, or a number beyond 86 400.
  private static func numbers(_ path: String, cells: Int) throws -> [[Double]] {
    let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let rows = text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ").map { Double($0) ?? .nan } }
    guard rows.count > 1, rows.allSatisfy({ $0.count == cells && $0.allSatisfy((0...86_400).contains) }) else {
      throw StudyProblem(description: "\(path): is no table of \(cells) numbers a row; take the file of the repository as it is")
    }
    return rows
  }

  /// - Throws: `StudyProblem` if a file is not of its form.
  private static func cell(_ folder: String, _ network: String, script: Int) throws -> Cell {
    let rows = try numbers("\(folder)/plot/qoe/\(network)-swipe-\(script).txt", cells: 4)
    let shares = try numbers("\(folder)/traces/swipe/swipe-\(script).txt", cells: 1).map { $0[0] }
    guard shares.count >= rows.count else {
      throw StudyProblem(
        description: "\(folder)/traces/swipe/swipe-\(script).txt: has too few rows; take the file of the repository as it is")
    }
    return Cell(dwells: rows.map { $0[3] }, stalls: rows.map { $0[0] }, kilobytes: rows.map { $0[1] }, shares: shares)
  }

  /// Returns the videos of a session by its swipes: the script swipes after a share of a video's length, and the ladder is that of the
  /// known video of the nearest length. Where the dwell does not determine the length, the video is the median of the known ones.
  private static func videos(of cell: Cell, _ known: [AppSession.Video]) -> [AppSession.Video] {
    let absent = cell.absent
    return zip(cell.dwells, cell.shares).enumerated().map { index, row in
      let (dwell, share) = row
      guard index > 0, dwell > AppReplay.shortestDwell, !absent.contains(index) else { return known[known.count / 2] }
      let seconds = (dwell - AppReplay.swipeSeconds) / share
      let next = known.firstIndex { $0.seconds >= seconds } ?? known.count - 1
      let near = next > 0 && seconds - known[next - 1].seconds < known[next].seconds - seconds ? next - 1 : next
      return AppSession.Video(seconds: seconds, bitsPerSecond: known[near].bitsPerSecond)
    }
  }

  /// Replays a session without request logs; `mbps` is the mean rate of the link. The first swipe is as long after the first response as in
  /// the log, and the renditions are those of the rule: three rounds.
  private static func replay(_ cell: Cell, _ known: [AppSession.Video], mbps: Double, link: LinkRate, restReplaces: Bool = false)
    -> AppMeasures
  {
    let (shown, absent) = (videos(of: cell, known), cell.absent)
    var throughput = [Double](repeating: mbps, count: shown.count)
    var (first, result): (Double?, AppMeasures?)
    for _ in 1...3 {
      let feed = zip(shown, throughput).map { video, mbps in
        let rendition = AppReplay.rendition(of: video.bitsPerSecond, mbps: mbps)
        return AppVideo(
          seconds: video.seconds, bytes: video.bytes(rendition: rendition), bitsPerSecond: video.bitsPerSecond[rendition])
      }
      let lead = cell.dwells[0] - cell.stalls[0]
      var activations = [0, lead <= 0 ? 0.001 : lead + (first ?? Double(feed[0].bytes) * 8 / 1e6 / mbps)]
      for dwell in cell.dwells.dropFirst() { activations.append((activations.last ?? 0) + dwell) }
      let transfers = AppReplay.run(feed, activations: activations, link: link).filter { !absent.contains($0.video) }
      result = AppMeasures(transfers, feed, activations: activations, restReplaces: restReplaces)
      throughput = AppReplay.throughput(transfers, videos: shown.count)
      first = transfers.first { $0.video == 0 }?.ended
    }
    return result ?? AppMeasures([], [], activations: [])
  }

  /// Returns the mean stalls of the sessions of each rate.
  /// - Throws: the errors of the files.
  static func stallRows(_ folder: String, _ known: [AppSession.Video]) throws -> [StallRow] {
    try ([5, 6, 7, 8, 9, 10] + stride(from: 15, through: 80, by: 5)).map { tenths in
      let rate = "\(tenths / 10).\(tenths % 10)"
      var (log, ours): ([Int: Double], [Int: Double]) = ([:], [:])
      var (unseen, absent, videos) = (0, 0, 0)
      for script in 2...5 {
        let cell = try cell(folder, "trace-\(rate)", script: script)
        let link = try AppReplay.link(trace: "\(folder)/traces/network/trace-\(rate).down", dwell: cell.meanDwell)
        log[script] = cell.meanStall
        if script % 2 == 0 {
          unseen += zip(cell.stalls, cell.dwells).dropFirst().count { $0 >= $1 }
          absent += cell.absent.count
          videos += cell.dwells.count - 1
        }
        ours[script] = replay(cell, known, mbps: Double(tenths) / 10, link: link).meanStall
      }
      return StallRow(rate: rate, log: log, ours: ours, unseen: unseen, absent: absent, videos: videos)
    }
  }

  /// - Throws: the errors of the files.
  static func readBatches(_ folder: String) throws -> [Batch] {
    let traces = ([5, 6, 7, 8, 9] + stride(from: 10, through: 200, by: 5)).map { "trace-\($0 / 10).\($0 % 10)" }
    return try [
      ("0.5–9.5 Mbps", traces.filter { $0.count < 10 }), ("10–20 Mbps", traces.filter { $0.count == 10 }),
      ("Wi-Fi 0–12", (0...12).map { "wifi-\($0)" }), ("Wi-Fi 20–25", (20...25).map { "wifi-\($0)" }),
    ].map { name, networks in
      var (small, large): ([Double], [Double]) = ([], [])
      for cell in try networks.flatMap({ network in try [3, 5].map { try cell(folder, network, script: $0) } }) {
        // A video that is shown to its end counts with all its bytes.
        for index in cell.dwells.indices.dropFirst() where cell.shares[index] == 1 && cell.kilobytes[index] > 0 {
          if Int64(cell.kilobytes[index] * 1000) > AppReplay.firstRange {
            large.append(cell.stalls[index])
          } else {
            small.append(cell.stalls[index])
          }
        }
      }
      return Batch(name: name, networks: networks, small: small, large: large)
    }
  }

  /// Returns the mean share of bytes watched over the cells of a table: the repository's and ours.
  /// - Throws: the errors of the files.
  static func shareRow(
    _ folder: String, _ table: String, _ name: String, _ known: [AppSession.Video], _ batches: [Batch]
  ) throws -> (name: String, cells: Int, log: Double, ours: Double) {
    let isWiFi = table.hasSuffix("wifi")
    // Cells of 0 have no logged downloads.
    let shares = try numbers("\(folder)/plot/\(table).txt", cells: 3).filter { $0[2] > 0 }.map { row in
      let network = isWiFi ? "wifi-\(Int(row[0]))" : "trace-\(DecimalText.fixed(row[0] / 2, decimals: 1))"
      let cell = try cell(folder, network, script: Int(row[1]))
      let link =
        isWiFi
        ? try AppReplay.link(trace: "\(folder)/traces/network/\(network).down", dwell: cell.meanDwell)
        : AppReplay.link(mbps: row[0] / 2, dwell: cell.meanDwell)
      let restReplaces = batches.contains { $0.restReplaces && $0.networks.contains(network) }
      return (row[2], replay(cell, known, mbps: isWiFi ? 8 : row[0] / 2, link: link, restReplaces: restReplaces).shareWatched)
    }
    return (name, shares.count, Sample(shares.map(\.0)).mean, Sample(shares.map(\.1)).mean)
  }
}
