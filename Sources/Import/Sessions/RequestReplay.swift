// The requests of a recorded session, played over a network that is tried.

import Base
import Simulation

/// Recorded requests, and the first of them that are compared. A request that started when another ended waits for that end, so that a rate
/// that is a little low does not open connections; all others start when they did.
struct RequestReplay {
  let requests: [RecordedRequest]
  /// The payload that the server sends for each request: what came, or if it was cancelled, what it asked for, up to 4 MB and four times
  /// what came.
  private let sizes: [Int64]
  private let hosts: [Int]
  /// The connections to each host that were open when the recording began, for the requests before the first that opened one.
  private let openConnections: [Int]
  /// The earlier request at whose end each request started; nil if at none.
  private let causes: [Int?]
  /// The seconds in which requests wait or receive.
  let busySeconds: [Int]
  /// The indices of the compared requests.
  private var compared: [Int]
  /// The last of their ends.
  private(set) var lastEnd: Int64
  /// The number of the first requests that are played.
  private var playedCount: Int

  /// The most requests that are played, and the most bytes unless the first request has more.
  private static let playedLimit = 200, playedBytes: Int64 = 150_000_000
  /// A start within this time of an end follows from it: archives have whole milliseconds.
  private static let precision: Int64 = 2_000_000

  init(_ session: RecordedSession) {
    var volume: Int64 = 0
    func size(_ request: RecordedRequest) -> Int64 {
      let asked = session.asked(request)
      if !request.isCancelled { return max(1, request.bytes) }
      // If nothing shows the size, it was more than what came; much more than that came only over links that are much too fast.
      return min(asked > request.bytes ? asked : 2 * request.bytes, 4 * request.bytes + 4_000_000)
    }
    let sorted = session.requests.map(\.afterLookup).sorted { $0.start < $1.start }
    let played = sorted.prefix(Self.playedLimit).prefix { request in
      // A cancel ends a request soon after what came.
      volume += request.isCancelled ? min(size(request), 2 * request.bytes + 1_000_000) : size(request)
      return volume < Self.playedBytes
    }
    let requests = played.isEmpty ? Array(sorted.prefix(1)) : Array(played)
    self.requests = requests
    sizes = requests.map(size)
    let names = requests.map(\.host).distinct
    hosts = requests.map { request in names.firstIndex(of: request.host) ?? 0 }
    openConnections = names.map { host in
      let own = requests.filter { $0.host == host }
      let first = own.first { $0.connecting != nil }?.start ?? .max
      return RecordedSession.concurrency(own.filter { $0.start < first && $0.bytes > 0 })
    }
    causes = requests.indices.map { index in
      let start = requests[index].start
      // Only of earlier requests: one that took no time would wait for itself.
      return requests[..<index].indices.filter {
        !requests[$0].isCancelled && (start - Self.precision...start).contains(requests[$0].end)
      }.max { requests[$0].end < requests[$1].end }
    }
    let second: Int64 = 1_000_000_000
    busySeconds = Set(requests.flatMap { $0.start / second...max($0.start, $0.end) / second }).sorted().map(Int.init)
    (compared, lastEnd, playedCount) = (Array(requests.indices), requests.map(\.end).max() ?? 0, requests.count)
  }

  /// The replay that compares only the requests that ended first, with those that started before the last of these ends.
  func first(_ number: Int) -> RequestReplay {
    var part = self
    part.lastEnd = requests.map(\.end).sorted().prefix(number).last ?? 0
    part.compared = requests.indices.filter { requests[$0].end <= part.lastEnd }
    part.playedCount =
      requests.indices.last { requests[$0].start < part.lastEnd || requests[$0].end <= part.lastEnd }.map { $0 + 1 } ?? 0
    return part
  }

  // MARK: Differences

  /// Returns the sum of the relative differences of ends and cancels and of half of those of connections and waits; 0 if all are the recorded
  /// ones. `beginsOpen` is true if connections were open when the recording began. O(packets).
  func error(over network: NetworkConfiguration, beginsOpen: Bool) -> Double {
    let played = play(network, beginsOpen: beginsOpen)
    return endsError(played) + cancelsError(played) + (setUpError(played) + waitsError(played)) / 2
  }

  /// Returns the relative differences of the end, of the wait and of the connection of each request, and of the bytes of a cancelled one.
  /// O(packets).
  func differences(over network: NetworkConfiguration, beginsOpen: Bool) -> [Double] {
    let played = play(network, beginsOpen: beginsOpen)
    return compared.flatMap { index -> [Double] in
      let (request, own) = (requests[index], played[index])
      func share(_ time: Int64, _ recorded: Int64) -> Double {
        recorded <= request.start ? 0 : min(1, max(-1, Double(time - recorded) / Double(recorded - request.start)))
      }
      let connection = request.connecting.flatMap { time in own.opened.map { share($0, request.start + time) } } ?? 0
      let end = request.isCancelled ? Double(own.bytes - request.bytes) / Double(sizes[index]) : share(own.end, request.end)
      let wait = request.isCancelled && request.bytes == 0 ? 0 : share(own.firstByte ?? own.end, request.firstByte)
      return [end, wait, connection]
    }
  }

  /// Returns the difference of the ends of complete requests as a share of their durations. Which of several transfers ends first depends on
  /// microseconds, so that the ends are compared in their order.
  private func endsError(_ played: [Played]) -> Double {
    let complete = compared.filter { !requests[$0].isCancelled && requests[$0].bytes > 0 }
    // Archives have whole milliseconds.
    let whole = complete.reduce(1.0) { $0 + Double(max(1_000_000, requests[$1].duration)) }
    let pairs = zip(complete.map { requests[$0].end }.sorted(), complete.map { played[$0].end }.sorted())
    return pairs.reduce(0.0) { $0 + abs(Double($1.0 - $1.1)) } / whole
  }

  /// Returns the difference of the bytes of all requests that had ended at each cancel, as a share of the larger of them.
  private func cancelsError(_ played: [Played]) -> Double {
    let times = compared.filter { requests[$0].isCancelled }.map { requests[$0].end }.distinct
    if times.isEmpty { return 0 }
    let recorded = requests.prefix(playedCount).map { ($0.end, $0.bytes) }.sorted { $0.0 < $1.0 }
    let own = played.map { ($0.end + $0.late, $0.bytes) }.sorted { $0.0 < $1.0 }
    var (one, other, sums, difference, whole) = (0, 0, (Int64(0), Int64(0)), 0.0, 1.0)
    for time in times.sorted() {
      while one < recorded.count, recorded[one].0 <= time + 1 { (sums.0, one) = (sums.0 + recorded[one].1, one + 1) }
      while other < own.count, own[other].0 <= time + 1 { (sums.1, other) = (sums.1 + own[other].1, other + 1) }
      (difference, whole) = (difference + abs(Double(sums.0 - sums.1)), whole + Double(max(sums.0, sums.1)))
    }
    return difference / whole
  }

  /// Returns the mean relative difference of the times of connections.
  private func setUpError(_ played: [Played]) -> Double {
    mean(
      compared.compactMap { index in
        requests[index].connecting.flatMap { time in
          played[index].opened.map { abs(Double($0 - requests[index].start - time)) / Double(time) }
        }
      })
  }

  /// Returns the mean relative difference of the waits for a first byte, of requests that start alone: others wait for each other.
  private func waitsError(_ played: [Played]) -> Double {
    var busy: Int64 = -1
    return mean(
      played.indices.compactMap { index in
        let (request, isAlone) = (requests[index], requests[index].start >= busy)
        busy = max(busy, request.end)
        let wait = request.firstByte - request.start
        guard isAlone, wait > 0, request.end <= lastEnd, let firstByte = played[index].firstByte else { return nil }
        return abs(Double(firstByte - request.firstByte)) / Double(wait)
      })
  }

  private func mean(_ shares: [Double]) -> Double { shares.isEmpty ? 0 : shares.reduce(0) { $0 + min(1, $1) } / Double(shares.count) }

  // MARK: Play

  /// A request that was played. Times are as if it had started when it did in the recording; it was `late` nanoseconds after that.
  private struct Played {
    var end: Int64
    var connected: Int64?, firstByte: Int64?
    var late: Int64 = 0, bytes: Int64 = 0
    var isStarted = false, isEnded = false

    /// The time of its new connection; the end if nothing came until then.
    var opened: Int64? { connected ?? (bytes == 0 ? end : nil) }
  }

  /// Plays the requests until the compared ones have ended, or a minute longer than in the recording. O(packets).
  private func play(_ network: NetworkConfiguration, beginsOpen: Bool) -> [Played] {
    var probe = NetworkProbe(network)
    if beginsOpen {
      // A request of one byte opens each connection; versions after HTTP/1.1 have one for each host.
      let hosts = openConnections.enumerated().flatMap { repeatElement($0, count: network.http.version == .http1 ? $1 : min(1, $1)) }
      for (index, host) in hosts.enumerated() { probe.start(requests.count + index, bytes: 1, host: host) }
      for _ in hosts { _ = probe.advance(until: Instant(nanoseconds: 3_600_000_000_000)) }
    }
    if !network.down.isConstant {
      // Waits for the next start of the trace, so that its rates begin with the recording.
      let length = network.down.length.nanoseconds
      _ = probe.advance(until: Instant(nanoseconds: (probe.now.nanoseconds + length - 1) / length * length))
    }
    let begin = probe.now.nanoseconds
    let limit = lastEnd + 60_000_000_000
    var (played, remaining) = ([Played](repeating: Played(end: limit), count: playedCount), compared.count)
    var waiting: [Int: [Int]] = [:]
    func start(_ index: Int, at time: Int64) {
      (played[index].isStarted, played[index].late) = (true, time - requests[index].start)
      probe.start(index, bytes: sizes[index], host: hosts[index])
    }
    func end(_ index: Int, at time: Int64, bytes: Int64) {
      let (late, times) = (played[index].late, played[index].isStarted ? probe.milestones(index) : (connected: nil, firstByte: nil))
      (played[index].isEnded, played[index].end, played[index].bytes) = (true, time - late, bytes)
      played[index].connected = times.connected.map { $0.nanoseconds - begin - late }
      played[index].firstByte = times.firstByte.map { $0.nanoseconds - begin - late }
      if requests[index].end <= lastEnd { remaining -= 1 }
    }
    func play(until time: Int64) {
      while remaining > 0, let event = probe.advance(until: max(probe.now, Instant(nanoseconds: begin + time))) {
        let (index, now) = (event.request, event.at.nanoseconds - begin)
        end(index, at: now, bytes: sizes[index])
        for next in waiting.removeValue(forKey: index) ?? [] where !played[next].isEnded { start(next, at: now) }
      }
    }
    var steps = played.indices.map { (requests[$0].start, 1, $0) }
    steps += played.indices.filter { requests[$0].isCancelled }.map { (max(requests[$0].end, requests[$0].start + 1), 0, $0) }
    steps.sort { ($0.0, $0.1, $0.2) < ($1.0, $1.1, $1.2) }
    for (time, isStart, index) in steps where remaining > 0 && time <= limit {
      play(until: time)
      if isStart == 1, let cause = causes[index], !played[cause].isEnded {
        waiting[cause, default: []].append(index)
      } else if isStart == 1 {
        start(index, at: time)
      } else if !played[index].isEnded {
        end(index, at: time, bytes: played[index].isStarted ? probe.received(index) : 0)
        if played[index].isStarted { probe.cancel(index) }
      }
    }
    play(until: limit)
    return played
  }
}
