// The times at which items become active, as a recording shows them.

import Base
import Simulation

/// The times at which the items become active, in nanoseconds from the first request, and what is known of them.
struct Activations: Hashable, Sendable {
  var times: [Int64]
  /// The dwell of the last item, and of all if it is constant.
  var dwell: Int64
  var isConstant: Bool
  /// The share of the activations that the recording shows.
  var knownShare: Double
  /// The number of the last activations that only follow from the dwells before.
  private var appended = 0

  init(times: [Int64], dwell: Int64, isConstant: Bool, knownShare: Double) {
    (self.times, self.dwell, self.isConstant, self.knownShare) = (times, dwell, isConstant, knownShare)
  }

  /// True if they come from the recording and not from the usual dwell.
  var isKnown: Bool { knownShare > 0 }

  /// The visits from the first item on.
  var visits: ContiguousArray<Visit> {
    ContiguousArray(
      times.indices.map { index in
        let end = index + 1 < times.count ? times[index + 1] : times[index] + dwell
        return Visit(item: index, dwell: Interval(nanoseconds: max(1, end - times[index])))
      })
  }
}

extension Activations {
  /// Appends activations up to a number of items, with the mean dwell of the last twenty.
  mutating func extend(to count: Int) {
    let (last, recent) = (times.last ?? 0, times.suffix(21))
    let dwell = recent.count > 1 ? max(1, (last - recent[recent.startIndex]) / Int64(recent.count - 1)) : dwell
    appended = max(0, count - times.count)
    times += (0..<appended).map { last + Int64($0 + 1) * dwell }
  }

  /// Removes appended activations after a time.
  mutating func end(at time: Int64) {
    let count = max(times.count - appended, times.count { $0 <= time })
    (appended, times) = (appended - (times.count - count), Array(times.prefix(count)))
  }

  /// Returns activations with a constant dwell, if nearly all times that only an activation explains are multiples of one.
  static func lattice(_ session: RecordedSession) -> Activations? {
    let times = session.activationTimes
    guard times.count >= 6, let first = times.first, let last = times.last else { return nil }
    var best: (dwell: Double, hits: Int)?
    let gaps = zip(times, times.dropFirst()).map { Double($1 - $0) }.filter { $0 > 20e6 }
    for gap in gaps.prefix(60) {
      for part in 1...3 {
        // The gap is exact to a millisecond; the multiple that is farthest away makes the dwell exact.
        var dwell = gap / Double(part)
        for time in times {
          let count = (Double(time - first) / dwell).rounded()
          if count > 0, abs(Double(time - first) - count * dwell) < 2.5e6 { dwell = Double(time - first) / count }
        }
        let hits = times.count { time in
          let count = (Double(time - first) / dwell).rounded()
          return abs(Double(time - first) - count * dwell) < 2.5e6
        }
        // A short dwell meets times by chance.
        let chance = min(1, 5e6 / dwell)
        // The user sees no more items than there are.
        guard dwell > 50e6, Double(last - first) < (Double(session.items.count) + 1.5) * dwell,
          Double(hits) > Double(times.count) * max(0.85, min(0.98, chance * 3))
        else { continue }
        if best.map({ dwell > $0.dwell * 1.05 && hits * 20 >= $0.hits * 19 || hits * 19 > $0.hits * 20 }) ?? true { best = (dwell, hits) }
      }
    }
    guard let best else { return nil }
    let dwell = Int64((best.dwell / 1e6).rounded()) * 1_000_000
    var slots = Int(((Double(last - first)) / best.dwell).rounded()) + 1
    // What is cancelled last ends with the session, at the end of a visit.
    if let end = session.requests.max(by: { $0.end < $1.end }), end.isCancelled {
      slots = max(slots, Int((Double(end.end - first) / best.dwell).rounded()))
    }
    let count = min(session.items.count, slots)
    return Activations(
      times: (0..<count).map { first + Int64($0) * dwell }, dwell: dwell, isConstant: true,
      knownShare: min(1, Double(best.hits) / Double(slots)))
  }

  /// Derives the activations that the recording shows, if the policy is the replay's: the starts of what the replay requests at each
  /// activation, and the ends of what it cancels there; nil if there are too few.
  init?(_ session: RecordedSession, _ replay: SessionExplanation, _ found: Reproduction) {
    var activated: [Int: Int64] = [:]
    var order: [Int64: Int] = [:]
    for event in replay.events {
      if case .activated(let item, _) = event.event {
        activated[item] = event.at.nanoseconds
        order[event.at.nanoseconds] = item
      }
    }
    let ends = session.ends
    var known: [Int: Int64] = [:]
    for (recorded, replayed) in found.pairs {
      let (seen, played) = (session.requests[recorded], replay.requests[replayed])
      if played.trigger.contains(.activation), activated[played.activeItem] == played.requested.nanoseconds,
        !RecordedSession.follows(seen.start, ends)
      {
        known[played.activeItem] = min(known[played.activeItem] ?? .max, seen.start)
      }
      if played.end == .cancelled, seen.isCancelled, let item = order[played.ended.nanoseconds] {
        known[item] = min(known[item] ?? .max, seen.end)
      }
    }
    var points: [(item: Int, time: Int64)] = []
    for (item, time) in known.sorted(by: { $0.key < $1.key }) where time > points.last?.time ?? -1 { points.append((item, time)) }
    guard points.count > 2, let last = points.last else { return nil }
    let half = points.count / 2
    let slope = points.indices.dropLast(half).map { index in
      Double(points[index + half].time - points[index].time) / Double(points[index + half].item - points[index].item)
    }.median
    // Archives have milliseconds.
    let dwell = Int64((max(slope, 1e6) / 1e6).rounded()) * 1_000_000
    let starts = points.map { Double($0.time) - Double($0.item) * slope }.median
    let isConstant = points.allSatisfy {
      abs(Double($0.time) - Double($0.item) * slope - starts) < max(2.5e6, slope * 0.003)
    }
    let count = min(session.items.count, last.item + 1)
    let base = session.requests.first { !$0.isPage }?.start ?? 0
    let share = Double(points.count) / Double(count)
    if isConstant {
      self.init(times: (0..<count).map { base + Int64($0) * dwell }, dwell: dwell, isConstant: true, knownShare: share)
      return
    }
    var times: [Int64] = []
    var next = 0
    for item in 0..<count {
      while next < points.count, points[next].item < item { next += 1 }
      let after = next < points.count ? points[next] : last
      let before = next > 0 ? points[next - 1] : (item: 0, time: base)
      let perItem = after.item > before.item ? (after.time - before.time) / Int64(after.item - before.item) : dwell
      times.append(after.item == item ? after.time : before.time + perItem * Int64(item - before.item))
    }
    self.init(times: times, dwell: dwell, isConstant: false, knownShare: share)
  }
}
