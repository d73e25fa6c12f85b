// Replays the sessions of a real short-video app with the prefetcher `tiktok-2022`, and prints how far the replay is from the logs.

import Analysis
import Foundation
import Import
import Simulation
import SweepTool

/// The folder `reverse-tiktok` of Dashlet's repository, with `data/dataset1.zip` unpacked in its place.
enum RealAppStudy {
  /// Replays with the renditions of the log, and with those of the rule.
  private struct Comparison {
    let session: AppSession
    let log: AppMeasures, replay: AppMeasures
    let bytes: Double, replayed: Double, replayedByRule: Double
    /// Kendall's τ of the order of requests in both, and the share of all requests that are in both.
    let tau: Double, common: Double
    let renditionsByRule: Double
  }

  /// A measured session without request logs: its dwells, and the numbers that the repository's script computed of it.
  private struct Cell {
    let dwells: [Double], stalls: [Double]
    /// The lengths of the videos in seconds: a script swipes after a share of a video's length, so that the dwell gives the length. Where the
    /// share is too small to tell, the median of the others.
    let lengths: [Double]

    var meanStall: Double { stalls.dropFirst().reduce(0, +) / Double(max(1, stalls.count - 1)) }
  }

  /// The mean stall of a video at a rate: the repository's, ours, and ours on videos of the sessions' own lengths.
  private struct StallRow {
    let rate: String, log: Double, ours: Double, byLength: Double
  }

  /// The share of bytes watched over the cells of a table: the repository's, ours, and ours on videos of the sessions' own lengths.
  private struct ShareRow {
    let name: String, cells: Int, log: Double, ours: Double, byLength: Double
  }

  /// A session that was measured twice: the difference of its mean stalls in seconds.
  private struct Repeated {
    let name: String, difference: Double
  }

  private struct Goal {
    let what: String, aim: String, seen: String, isMet: Bool
  }

  /// - Throws: `UsageProblem` for invalid arguments, `StudyProblem` and `InvalidInput` for files that cannot be read.
  static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder")
    let sessions = try readSessions(folder)
    let fitted = try sessions.filter { $0.number % 2 == 1 }.map { try compare($0, folder) }
    let judged = try sessions.filter { $0.number % 2 == 0 }.map { try compare($0, folder) }
    guard !fitted.isEmpty, !judged.isEmpty else {
      throw StudyProblem(description: "\(folder)/data/dataset1: has no sessions of odd or of even number; both are needed")
    }
    let feeds = sessions.filter { $0.number % 2 == 1 }
    let lead = AppReplay.median(feeds.map { $0.activations[1] })
    let stalls = try stallRows(folder, feeds, lead: lead)
    let shares = try [("effect-download-tt", "10–20 Mbps, 84 cells"), ("effect-download-tt-wifi", "Wi-Fi")].map {
      try shareRow(folder, $0.0, $0.1, feeds, lead: lead)
    }
    let repeated = judged.compactMap { side -> Repeated? in
      let again = try? cell(folder, side.session.network, script: side.session.number)
      return again.map { Repeated(name: side.session.name, difference: abs($0.meanStall - side.log.meanStall)) }
    }
    print(report(fitted: fitted, judged: judged, repeated: repeated, stalls: stalls, shares: shares))
  }

  /// - Throws: `StudyProblem` with the problems of all sessions.
  static func readSessions(_ folder: String) throws -> [AppSession] {
    let parent = "\(folder)/data/dataset1"
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: parent), !names.isEmpty else {
      throw StudyProblem(
        description: "\(parent): is not there; FOLDER is reverse-tiktok of Dashlet's repository, with data/dataset1.zip unpacked in data")
    }
    var (sessions, problems): ([AppSession], [String]) = ([], [])
    for name in names.sorted() where name.contains("-swipe-") {
      do { sessions.append(try AppSession(folder: "\(parent)/\(name)")) } catch { problems.append("\(error)") }
    }
    guard problems.isEmpty else { throw StudyProblem(description: problems.joined(separator: "\n")) }
    return sessions
  }

  /// - Throws: `InvalidInput` if the session's network trace cannot be read.
  private static func compare(_ session: AppSession, _ folder: String) throws -> Comparison {
    let link = try AppReplay.link(trace: "\(folder)/traces/network/\(session.network).down")
    let (videos, activations, log) = (session.feed(), session.activations, session.transfers)
    let replay = AppReplay.run(videos, activations: activations, link: link)
    // Renditions follow the throughput, which follows the renditions: three rounds.
    var byRule = replay
    for _ in 1...3 {
      let ruled = session.feed(throughput: AppReplay.throughput(byRule, videos: videos.count, withPhone: true))
      byRule = AppReplay.run(ruled, activations: activations, link: link)
    }
    func total(_ transfers: [AppTransfer]) -> Double { transfers.reduce(0) { $0 + Double($1.bytes) } }
    let order = orderAgreement(log, replay)
    return Comparison(
      session: session, log: AppMeasures(log, videos, activations: activations),
      replay: AppMeasures(replay, videos, activations: activations), bytes: total(log), replayed: total(replay),
      replayedByRule: total(byRule), tau: order.tau, common: order.common,
      renditionsByRule: session.renditionsByRule)
  }

  /// Returns Kendall's τ of the order in which both sides first ask for each part of a video, over the parts that both ask for, and their
  /// share of all parts.
  static func orderAgreement(_ one: [AppTransfer], _ other: [AppTransfer]) -> (tau: Double, common: Double) {
    func order(_ transfers: [AppTransfer]) -> [[Int]: Double] {
      var order: [[Int]: Double] = [:]
      for (index, transfer) in transfers.enumerated() {
        let part = [transfer.video, transfer.isRest ? 1 : 0]
        if order[part] == nil { order[part] = Double(index) }
      }
      return order
    }
    let (first, second) = (order(one), order(other))
    let pairs = first.compactMap { part, rank in second[part].map { (rank, $0) } }.sorted { $0.0 < $1.0 }
    let all = first.count + second.count - pairs.count
    return (RankCorrelation.kendall(pairs.map(\.0), pairs.map(\.1)).value ?? 0, all == 0 ? 0 : Double(pairs.count) / Double(all))
  }

  // MARK: Sessions without request logs

  /// - Throws: `StudyProblem` if the file is not of the form `stall reward video dwell`.
  private static func cell(_ folder: String, _ network: String, script: Int) throws -> Cell {
    let name = "\(network)-swipe-\(script)"
    let shares = try shares(folder, script: script)
    let path = "\(folder)/plot/qoe/\(name).txt"
    guard let data = FileManager.default.contents(atPath: path) else {
      throw StudyProblem(description: "\(path): cannot be read; take the folder of the repository as it is")
    }
    let rows = try String(decoding: data, as: UTF8.self).split(whereSeparator: \.isNewline).enumerated().map { index, line in
      let row = line.split(separator: " ").compactMap { Double($0) }
      guard row.count == 4, row.allSatisfy(\.isFinite), (0...86_400).contains(row[3]) else {
        throw StudyProblem(description: "\(path):\(index + 1): is no row of stall, reward, video and dwell; repair it")
      }
      return row
    }
    guard rows.count > 1 else { throw StudyProblem(description: "\(path): has fewer than two videos; take the file of the repository") }
    // A swipe itself takes over half a second. The first dwell is not logged.
    let known = zip(rows, shares).dropFirst().map { row, share in row[3] > 1 && share > 0 ? row[3] / share : nil }
    let usual = AppReplay.median(known.compactMap { $0 })
    return Cell(dwells: rows.map { $0[3] }, stalls: rows.map { $0[0] }, lengths: [usual] + known.map { $0 ?? usual })
  }

  /// Returns the share of each video's length after which a script swipes.
  /// - Throws: `StudyProblem` if the file is no list of shares.
  private static func shares(_ folder: String, script: Int) throws -> [Double] {
    let path = "\(folder)/traces/swipe/swipe-\(script).txt"
    let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let shares = text.split(whereSeparator: \.isNewline).map { Double($0) ?? -1 }
    guard shares.count >= 80, shares.allSatisfy((0...1).contains) else {
      throw StudyProblem(description: "\(path): is no list of shares; take the file of the repository")
    }
    return shares
  }

  /// Replays a session without request logs on the videos of a session that has them, or on videos of its own lengths with their bit rates;
  /// `lead` is the dwell of the first video.
  private static func replay(_ cell: Cell, _ feed: AppSession, byLength: Bool = false, lead: Double, link: LinkRate) -> AppMeasures {
    let seen = feed.feed()
    let videos = cell.lengths.enumerated().map { index, seconds in
      let video = seen[index % seen.count]
      if !byLength { return video }
      let bytes = Int64(min(max(1, seconds * Double(video.bitsPerSecond) / 8), 1e9))
      return AppVideo(seconds: seconds, bytes: bytes, bitsPerSecond: video.bitsPerSecond)
    }
    var activations = [0, lead]
    for dwell in cell.dwells.dropFirst() { activations.append((activations.last ?? 0) + dwell) }
    return AppMeasures(AppReplay.run(videos, activations: activations, link: link), videos, activations: activations)
  }

  /// Returns the mean stall of a video over the even swipe scripts of each rate: the rate, the repository's, ours.
  /// - Throws: the errors of the files.
  private static func stallRows(_ folder: String, _ feeds: [AppSession], lead: Double) throws -> [StallRow] {
    let rates = [5, 6, 7, 8, 9, 10] + stride(from: 15, through: 80, by: 5)
    return try rates.map { tenths in
      let rate = "\(tenths / 10).\(tenths % 10)"
      let link = try AppReplay.link(trace: "\(folder)/traces/network/trace-\(rate).down")
      let cells = try [2, 4].map { try cell(folder, "trace-\(rate)", script: $0) }
      func mean(byLength: Bool) -> Double {
        Sample(cells.flatMap { cell in feeds.map { replay(cell, $0, byLength: byLength, lead: lead, link: link).meanStall } }).mean
      }
      return StallRow(
        rate: rate, log: Sample(cells.map(\.meanStall)).mean, ours: mean(byLength: false), byLength: mean(byLength: true))
    }
  }

  /// Returns the mean share of bytes watched over the cells of a table: the repository's and ours.
  /// - Throws: the errors of the files.
  private static func shareRow(
    _ folder: String, _ table: String, _ name: String, _ feeds: [AppSession], lead: Double
  ) throws -> ShareRow {
    let path = "\(folder)/plot/\(table).txt"
    let text = FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let rows = text.split(whereSeparator: \.isNewline).map { $0.split(separator: " ").compactMap { Double($0) } }
    guard !rows.isEmpty, rows.allSatisfy({ $0.count == 3 && $0.allSatisfy((0...1000).contains) }) else {
      throw StudyProblem(description: "\(path): is no table of network, swipes and share; take the file of the repository")
    }
    let isWiFi = table.hasSuffix("wifi")
    // Cells of 0 have no logged downloads.
    let shares = try rows.filter { $0[2] > 0 }.enumerated().map { index, row in
      let network = isWiFi ? "wifi-\(Int(row[0]))" : "trace-\(DecimalText.fixed(row[0] / 2, decimals: 1))"
      let link =
        isWiFi ? try AppReplay.link(trace: "\(folder)/traces/network/\(network).down") : AppReplay.link(mbps: row[0] / 2)
      let cell = try cell(folder, network, script: Int(row[1]))
      let feed = feeds[index % feeds.count]
      return (
        row[2], replay(cell, feed, lead: lead, link: link).shareWatched,
        replay(cell, feed, byLength: true, lead: lead, link: link).shareWatched
      )
    }
    return ShareRow(
      name: name, cells: shares.count, log: Sample(shares.map(\.0)).mean, ours: Sample(shares.map(\.1)).mean,
      byLength: Sample(shares.map(\.2)).mean)
  }
}

// MARK: The report

extension RealAppStudy {
  private static func text(_ value: Double, _ decimals: Int) -> String { DecimalText.fixed(value, decimals: decimals) }
  private static func percent(_ share: Double) -> String { "\(text(100 * share, 1)) %" }

  private static func error(_ ours: Double, _ log: Double) -> Double { abs(ours / log - 1) }

  private static func goals(
    _ judged: [Comparison], _ stalls: [StallRow], _ shares: [ShareRow]
  ) -> [Goal] {
    let bytes = AppReplay.median(judged.map { error($0.replayed, $0.bytes) })
    let ruled = AppReplay.median(judged.map { error($0.replayedByRule, $0.bytes) })
    let tau = AppReplay.median(judged.map(\.tau))
    let worst = judged.map(\.tau).min() ?? 0
    let near = stalls.filter { abs($0.ours - $0.log) <= 0.3 }.count
    var goals = [
      Goal(what: "bytes asked for, renditions as logged", aim: "median error ≤ 5 %", seen: percent(bytes), isMet: bytes <= 0.05),
      Goal(what: "bytes asked for, renditions by the rule", aim: "median error ≤ 5 %", seen: percent(ruled), isMet: ruled <= 0.05),
      Goal(
        what: "order of requests", aim: "Kendall's τ ≥ 0.9", seen: "median \(text(tau, 3)), lowest \(text(worst, 3))", isMet: tau >= 0.9),
      Goal(
        what: "mean stall of a video at 0.5–8 Mbps", aim: "within 0.3 s at every rate", seen: "at \(near) of \(stalls.count) rates",
        isMet: near == stalls.count),
    ]
    for share in shares {
      goals.append(
        Goal(
          what: "share of bytes watched, \(share.name)", aim: "\(text(share.log, 3)) ± 0.03", seen: text(share.ours, 3),
          isMet: abs(share.ours - share.log) <= 0.03))
    }
    return goals.filter { !$0.isMet } + goals.filter(\.isMet)
  }

  private static func report(
    fitted: [Comparison], judged: [Comparison], repeated: [Repeated], stalls: [StallRow], shares: [ShareRow]
  ) -> String {
    let goals = goals(judged, stalls, shares)
    let summary = [("odd (fitted)", fitted), ("even (judge)", judged)].map { name, rows in
      [
        name, "\(rows.count)", percent(AppReplay.median(rows.map { error($0.replayed, $0.bytes) })),
        percent(AppReplay.median(rows.map { error($0.replayedByRule, $0.bytes) })), text(AppReplay.median(rows.map(\.tau)), 3),
        percent(AppReplay.median(rows.map(\.common))), percent(Sample(rows.map(\.renditionsByRule)).mean),
        text(Sample(rows.map(\.log.shareWatched)).mean, 3), text(Sample(rows.map(\.replay.shareWatched)).mean, 3),
        text(Sample(rows.map(\.log.meanStall)).mean, 2), text(Sample(rows.map(\.replay.meanStall)).mean, 2),
      ]
    }
    let sessions = judged.sorted { error($0.replayed, $0.bytes) > error($1.replayed, $1.bytes) }.map {
      [
        $0.session.name, text($0.bytes / 1e6, 1), text($0.replayed / 1e6, 1), percent(error($0.replayed, $0.bytes)),
        text($0.replayedByRule / 1e6, 1), text($0.tau, 3), percent($0.common), text($0.log.shareWatched, 3),
        text($0.replay.shareWatched, 3), text($0.log.meanStall, 2), text($0.replay.meanStall, 2),
      ]
    }
    return """
      # A real short-video app, January 2022

      The prefetcher `tiktok-2022` beside the app whose logs it comes from. Sessions of odd number fitted its rules; the goals are judged on those of even
      number, which are the number of their swipe script. Made by `Scripts/real-app`; misses come first.

      \(unpaddedTable(texts: ["goal", "aim", "seen", "met"], numbers: [], goals.map { [$0.what, $0.aim, $0.seen, $0.isMet ? "yes" : "**no**"] }))

      ## Sessions with request logs

      \(judged.count + fitted.count) sessions of about 50 videos on 11 network traces of 4.5–9.5 Mbps (mean). *Bytes* are those of the ranges asked for, *by rule* with renditions that the
      replay chooses itself (the best up to 300 kbps and 42 kbps for each Mbps of the last five responses, else the lowest); all else has the renditions of the log. *Common* is the share of parts of videos
      that both sides ask for. *Watched* and *stall* are the formula of the repository's own script (`get_qoe_tt.py`), applied to both sides.

      \(unpaddedTable(texts: ["sessions"], numbers: ["number", "bytes off", "by rule", "τ", "common", "renditions by rule", "watched: log", "ours", "stall s: log", "ours"], summary))

      The judging sessions, the farthest first:

      \(unpaddedTable(texts: ["session"], numbers: ["MB: log", "ours", "off", "by rule", "τ", "common", "watched: log", "ours", "stall s: log", "ours"], sessions))

      ## Sessions without request logs

      Of these the repository has the dwells and the results of its script, and neither requests nor ladders. The replay shows the videos of the
      odd-numbered sessions above instead. Rates up to 8 Mbps have traces; the traces above 9.5 Mbps are not complete, so that those links are constant.
      Mean stall of a video in seconds, swipe scripts 2 and 4. A script swipes after a share of a video's length, so that dwells give the lengths; *by length* has
      videos of these lengths with the bit rates of the logged ones:

      \(unpaddedTable(texts: ["Mbps"], numbers: ["log", "ours", "difference", "by length"], stalls.map { [$0.rate, text($0.log, 2), text($0.ours, 2), text($0.ours - $0.log, 2), text($0.byLength, 2)] }))

      By length, \(stalls.count { abs($0.byLength - $0.log) <= 0.3 }) of \(stalls.count) rates are within 0.3 s. How well the app repeats its own stalls: \(repeated.count) of the judging sessions
      above were measured twice on the same trace with the same script. The two differ by \(text(Sample(repeated.map(\.difference)).mean, 2)) s in the mean, \(repeated.count { $0.difference > 0.3 }) of them by more than 0.3 s, the
      farthest\(repeated.max { $0.difference < $1.difference }.map { ", \($0.name), by \(text($0.difference, 2)) s" } ?? "").

      Share of the downloaded bytes that were watched, mean of the cells in which something was downloaded:

      \(unpaddedTable(texts: ["network"], numbers: ["cells", "log", "ours", "by length"], shares.map { [$0.name, "\($0.cells)", text($0.log, 3), text($0.ours, 3), text($0.byLength, 3)] }))

      Above 9.5 Mbps the log has stalls of about a second in most videos, as long as their first range takes at the link's rate: there the app prefetched next to nothing, and no
      log says why. By length too little is watched: of long videos the app must have fetched less than the logged sessions show.

      ## What the data cannot say

      - A session has no log of its network. The trace is that of its name; its position at the first request (\(AppReplay.traceOffset) s) is the one at which the odd-numbered
        sessions' transfers have the throughput of the trace; a few sessions would fit another position better.
      - The proxy passes a response on when it has all of it. The hop to the phone is not logged; \(text(AppReplay.phoneMbps, 1)) Mbps is the median of the pauses between requests.
      - Pages of the feed, previews and pictures share the link and are in no log: \(text(AppReplay.otherMbps, 1)) Mbps are taken off the link, a figure fitted to the odd-numbered
        scripts. Pages of \(AppReplay.pageSize) items are seen by their effect: prefetching ends at each tenth video until
        the user is two from it.
      - What the user saw is not logged: stalls on both sides are computed from requests, with the script's formula as it is.

      ## The data

      `reverse-tiktok` of the repository PrincetonUniversity/Dashlet. The repository names no licence for it, so none of it is here; this page has derived figures only.
      """
  }
}
