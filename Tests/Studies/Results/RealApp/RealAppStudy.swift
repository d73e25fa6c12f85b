// Replays the sessions of a real short-video app with the prefetcher `tiktok-2022`, and prints how far the replay is from the logs.

import Analysis
import Base
import Foundation
import Oracles
import Simulation
import StudyParts
import SweepTool

/// The folder `reverse-tiktok` of Dashlet's repository, with `data/dataset1.zip` unpacked in its place.
package enum RealAppStudy {
  /// Replays with the renditions of the log, and with those of the rule.
  private struct Comparison {
    let session: AppSession
    let log: AppMeasures, replay: AppMeasures
    let bytes: Double, replayed: Double, replayedByRule: Double
    /// Kendall's τ of the order of requests in both, and the share of all requests that are in both.
    let tau: Double, common: Double
    let renditionsByRule: Double
  }

  private struct Goal {
    let what: String, aim: String, seen: String, isMet: Bool
  }

  /// - Throws: `UsageProblem` for invalid arguments, `StudyProblem` and `InvalidInput` for files that cannot be read.
  package static func run(_ arguments: Arguments) throws {
    let folder = try arguments.onlyWord("folder")
    let sessions = try readSessions(folder)
    let fitted = try sessions.filter { $0.number % 2 == 1 }.map { try compare($0, folder) }
    let judged = try sessions.filter { $0.number % 2 == 0 }.map { try compare($0, folder) }
    guard !fitted.isEmpty, !judged.isEmpty else {
      throw StudyProblem(description: "\(folder)/data/dataset1: has no sessions of odd or of even number; both are needed")
    }
    let feeds = sessions.filter { $0.number % 2 == 1 }
    let known = feeds.flatMap(\.videos).sorted { $0.seconds < $1.seconds }
    let stalls = try stallRows(folder, known)
    let batches = try readBatches(folder)
    let shares = try [("effect-download-tt", "10–20 Mbps, 84 cells"), ("effect-download-tt-wifi", "Wi-Fi")].map {
      try shareRow(folder, $0.0, $0.1, known, batches)
    }
    print(try report(fitted: fitted, judged: judged, stalls: stalls, batches: batches, shares: shares))
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
    let (videos, activations, log) = (session.feed(), session.activations, session.transfers)
    let dwell = ((activations.last ?? 0) - activations[1]) / Double(max(1, activations.count - 2))
    let link = try AppReplay.link(trace: "\(folder)/traces/network/\(session.network).down", dwell: max(1, dwell))
    let replay = AppReplay.run(videos, activations: activations, link: link)
    // Renditions follow the throughput, which follows the renditions: three rounds.
    var byRule = replay
    for _ in 1...3 {
      let ruled = session.feed(throughput: AppReplay.throughput(byRule, videos: videos.count))
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

  /// Returns the rests of videos that sessions request, and how many of them end after the swipe from their video.
  private static func rests(_ sessions: [AppSession]) -> (all: Int, later: Int) {
    let late = sessions.flatMap { session in
      let shown = session.activations
      return session.transfers.filter { $0.isRest && $0.video + 2 < shown.count }.map { $0.ended > shown[$0.video + 1] }
    }
    return (late.count, late.count { $0 })
  }

  /// Returns the requests of whole files, and how many of them come after the swipe to their video, to 0.1 s.
  private static func wholes(_ sessions: [AppSession]) -> (all: Int, shown: Int) {
    let areShown = sessions.flatMap { session in
      let shown = session.activations
      return session.requests.filter { $0.range == nil }.map {
        $0.video < shown.count && shown[$0.video] <= $0.requested - session.start + 0.1
      }
    }
    return (areShown.count, areShown.count { $0 })
  }
}

// MARK: The report

extension RealAppStudy {
  private static func text(_ value: Double, _ decimals: Int) -> String { DecimalText.fixed(value, decimals: decimals) }
  private static func percent(_ share: Double) -> String { "\(text(100 * share, 1)) %" }

  private static func error(_ ours: Double, _ log: Double) -> Double { abs(ours / log - 1) }

  private static func goals(
    _ judged: [Comparison], _ fitted: [Comparison], _ stalls: [StallRow],
    _ shares: [(name: String, cells: Int, log: Double, ours: Double)]
  ) -> [Goal] {
    let bytes = AppReplay.median(judged.map { error($0.replayed, $0.bytes) })
    let ruled = AppReplay.median(judged.map { error($0.replayedByRule, $0.bytes) })
    let tau = AppReplay.median(judged.map(\.tau))
    let worst = judged.map(\.tau).min() ?? 0
    let near = stalls.filter { abs($0.difference) <= 0.3 }.count
    var goals = [
      Goal(what: "bytes asked for, renditions as logged", aim: "median error ≤ 5 %", seen: percent(bytes), isMet: bytes <= 0.05),
      Goal(what: "bytes asked for, renditions by the rule", aim: "median error ≤ 5 %", seen: percent(ruled), isMet: ruled <= 0.05),
      Goal(
        what: "order of requests", aim: "Kendall's τ ≥ 0.9", seen: "median \(text(tau, 3)), lowest \(text(worst, 3))", isMet: tau >= 0.9),
      Goal(
        what: "mean stall of a video at 0.5–8 Mbps", aim: "within 0.3 s at every rate", seen: "at \(near) of \(stalls.count) rates",
        isMet: near == stalls.count),
    ]
    func stall(_ rows: [Comparison], _ side: (Comparison) -> AppMeasures) -> Double { Sample(rows.map { side($0).meanStall }).mean }
    let pairs = [("even", judged), ("odd", fitted)].map { (name: $0, ours: stall($1, \.replay), log: stall($1, \.log)) }
    goals.append(
      Goal(
        what: "mean stall of a video, sessions with request logs", aim: "within 0.3 s of the log",
        seen: pairs.map { "\($0.name): \(text($0.ours, 2)) s against \(text($0.log, 2)) s" }.joined(separator: "; "),
        isMet: pairs.allSatisfy { abs($0.ours - $0.log) <= 0.3 }))
    for share in shares {
      goals.append(
        Goal(
          what: "share of bytes watched, \(share.name)", aim: "\(text(share.log, 3)) ± 0.03", seen: text(share.ours, 3),
          isMet: abs(share.ours - share.log) <= 0.03))
    }
    return goals.filter { !$0.isMet } + goals.filter(\.isMet)
  }

  private static func cells(_ row: StallRow) -> [String] {
    let means = [row.mean(row.log, odd: false), row.mean(row.ours, odd: false), row.difference, row.error].map { text($0, 2) }
    let odd = [row.mean(row.log, odd: true), row.mean(row.ours, odd: true)].map { text($0, 2) }
    return [row.rate] + means + ["\(row.videos)", "\(row.unseen)", "\(row.absent)"] + odd
  }

  /// Returns a sentence on the rates that miss the goal, and on how sure the log's own scatter lets anyone be.
  private static func verdict(_ stalls: [StallRow]) -> String {
    let missed = stalls.filter { abs($0.difference) > 0.3 }
    let unsure = missed.filter { abs($0.difference) <= 2 * $0.error }
    // A normal error of this size misses by more than 0.3 s this often, even if the replay is right.
    let expected = stalls.reduce(0) { $0 + ($1.error > 0 ? 2 * (1 - Normal.cumulative(0.3 / $1.error)) : 0) }
    func both(_ values: [Int: Double]) -> String { [2, 4].map { text(values[$0] ?? 0, 2) }.joined(separator: " and ") }
    let rates = missed.map { "\($0.rate) Mbps (log \(both($0.log)), ours \(both($0.ours)))" }
    return """
      Missed, with scripts 2 and 4: \(rates.joined(separator: ", ")). At \(unsure.count) of these \(missed.count) rates the difference is at most 2 standard errors. Two sessions a rate
      are too few for 0.3 s there: with errors of the table's size a replay that is right on average misses at \(text(expected, 1)) rates.
      """
  }

  /// - Throws: `StudyProblem` if the page cannot be read.
  private static func report(
    fitted: [Comparison], judged: [Comparison], stalls: [StallRow], batches: [Batch],
    shares: [(name: String, cells: Int, log: Double, ours: Double)]
  ) throws -> String {
    let goals = goals(judged, fitted, stalls, shares)
    let (rests, whole) = (rests(fitted.map(\.session)), wholes(fitted.map(\.session)))
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
    return try page(
      "real-app",
      [
        "goals": unpaddedTable(
          texts: ["goal", "aim", "seen", "met"], numbers: [], goals.map { [$0.what, $0.aim, $0.seen, $0.isMet ? "yes" : "**no**"] }),
        "count": "\(judged.count + fitted.count)",
        "sessions": unpaddedTable(
          texts: ["sessions"],
          numbers: ["number", "bytes off", "by rule", "τ", "common", "renditions by rule", "watched: log", "ours", "stall s: log", "ours"],
          summary),
        "judged": unpaddedTable(
          texts: ["session"],
          numbers: ["MB: log", "ours", "off", "by rule", "τ", "common", "watched: log", "ours", "stall s: log", "ours"], sessions),
        "later": "\(rests.later)", "rests": "\(rests.all)", "shown": "\(whole.shown)", "whole": "\(whole.all)",
        "kilobytes": "\(Int(AppReplay.otherBytes / 1000))",
        "stalls": unpaddedTable(
          texts: ["Mbps"], numbers: ["log", "ours", "difference", "standard error", "videos", "unseen", "no page", "odd: log", "ours"],
          stalls.map(cells)),
        "verdict": verdict(stalls),
        "shares": unpaddedTable(
          texts: ["network"], numbers: ["cells", "log", "ours"], shares.map { [$0.name, "\($0.cells)", text($0.log, 3), text($0.ours, 3)] }),
        "batches": unpaddedTable(
          texts: ["networks"], numbers: ["small videos", "median stall s", "large videos", "median stall s"],
          batches.map {
            [$0.name, "\($0.small.count)", text(AppReplay.median($0.small), 2), "\($0.large.count)", text(AppReplay.median($0.large), 2)]
          }),
        "offset": "\(AppReplay.traceOffset)", "hop": text(AppReplay.phoneMbps, 1), "pageSize": "\(AppReplay.pageSize)",
      ])
  }
}
