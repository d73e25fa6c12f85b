// Rules that choose the rendition of a video's next segment (adaptive bit rate).

import Base

/// The state in which a rendition is chosen, at the request of a segment.
struct RenditionState {
  let renditions: Renditions
  /// The index of the segment in its video, and the number of segments.
  let segment: Int, segments: Int
  /// The rendition of the video's segment before.
  let previous: Int
  /// The media that is stored and not played, in seconds.
  let buffered: Double
  /// The most media that the player stores of a video, in seconds.
  let bufferLimit: Double
  /// True if the video is on screen, so that an empty buffer stalls it.
  let isActive: Bool
  let estimate: ThroughputEstimate

  /// Returns the highest rendition of which a segment arrives within its duration, at a throughput in bits a second; the lowest if none.
  func sustainable(_ throughput: Double) -> Int {
    var rendition = 0
    while rendition + 1 < renditions.count,
      estimate.latency + renditions.segmentSeconds * Double(renditions.bitsPerSecond[rendition + 1]) / throughput
        <= renditions.segmentSeconds
    { rendition += 1 }
    return rendition
  }
}

extension RenditionChoice {
  /// Returns the index of a segment's rendition. All but the fixed choices need a throughput that was measured at least once.
  func rendition(in state: RenditionState) -> Int {
    switch self {
    case .lowest: 0
    case .highest: state.renditions.count - 1
    case .throughput: state.byThroughput
    case .bola: state.byBuffer
    case .mpc: state.byPrediction
    }
  }
}

extension RenditionState {
  private static let gamma = 5.0
  /// Megabits a second that a second of stall costs in RobustMPC, and the segments that it looks ahead.
  private static let stallPenalty = 4.3, horizon = 5

  /// The rendition by the measured throughput, and less if the buffer could run empty: dash.js's rules, as in Sabre (`ThroughputRule`).
  fileprivate var byThroughput: Int {
    var rendition = sustainable(estimate.throughput * 0.9)
    guard isActive else { return rendition }
    // The insufficient-buffer rule trusts the buffer less with each segment.
    var safety = 0.9
    for _ in 1..<max(1, min(segment, 8)) { safety = max(0.5, safety * 0.9) }
    let safeBits = safety * (buffered - estimate.latency) * estimate.throughput
    for next in 0..<rendition where Double(renditions.bitsPerSecond[next + 1]) * renditions.segmentSeconds > safeBits {
      rendition = next
      break
    }
    return rendition
  }

  /// The rendition by the buffer level: BOLA-U (Spiteri, Urgaonkar and Sitaraman, 2016), as in Sabre (`Bola`) with its default γp of 5.
  fileprivate var byBuffer: Int {
    let rates = renditions.bitsPerSecond.map { Double($0) }
    let utilities = rates.map { StableMath.log($0) - StableMath.log(rates[0]) }
    let duration = renditions.segmentSeconds
    // Near the ends of a video the buffer is small.
    let near = max(Double(min(segment, segments - segment)) / 2, 3) * duration
    let weight = (min(bufferLimit, near) - duration) / (utilities[rates.count - 1] + Self.gamma)
    var (best, bestScore) = (0, -Double.infinity)
    for rendition in rates.indices {
      let score = (weight * (utilities[rendition] + Self.gamma) - buffered) / rates[rendition]
      if score > bestScore { (best, bestScore) = (rendition, score) }
    }
    guard best > previous else { return best }
    let sustainable = sustainable(estimate.throughput)
    if best <= sustainable { return best }
    return previous > sustainable ? previous : sustainable + 1
  }

  /// The rendition by the best sum over five segments at a predicted throughput: RobustMPC (Yin et al., 2015), as in Pensieve's `mpc.py`.
  fileprivate var byPrediction: Int {
    let rates = renditions.bitsPerSecond.map { Double($0) / 1000 }
    let duration = renditions.segmentSeconds
    var search = PlanSearch(
      rates: rates, times: rates.map { $0 * duration / 8000 / estimate.robustMegabytesPerSecond }, duration: duration,
      stallPenalty: Self.stallPenalty)
    search.explore(min(Self.horizon, max(1, segments - segment)), PlanSearch.Path(first: 0, previous: previous, buffer: buffered))
    return search.best
  }
}

/// A search of all sequences of renditions, cut where even the highest rates could not reach the best sum so far.
private struct PlanSearch {
  /// A sequence of renditions: its first and last one, and what it costs.
  struct Path {
    var first: Int
    var previous: Int
    var buffer: Double
    var stalled = 0.0
    var rateSum = 0.0
    var changes = 0.0
  }

  /// The rates in kilobits a second, and the time to download a segment of each, in seconds.
  let rates: [Double], times: [Double]
  let duration: Double
  let stallPenalty: Double
  var best = 0
  var bestSum = -Double.infinity
  var depth = 0

  /// Tries all continuations of a path by `remaining` segments. Of equal sums the last sequence counts.
  mutating func explore(_ remaining: Int, _ path: Path) {
    if remaining == 0 {
      let sum = path.rateSum / 1000 - stallPenalty * path.stalled - path.changes / 1000
      if sum >= bestSum { (best, bestSum) = (path.first, sum) }
      return
    }
    let most = path.rateSum + Double(remaining) * rates[rates.count - 1]
    // The slack covers rounding.
    if most / 1000 - stallPenalty * path.stalled - path.changes / 1000 + 1e-9 < bestSum { return }
    depth += 1
    for rendition in rates.indices {
      var next = path
      if depth == 1 { next.first = rendition }
      let time = times[rendition]
      if next.buffer < time {
        next.stalled += time - next.buffer
        next.buffer = 0
      } else {
        next.buffer -= time
      }
      next.buffer += duration
      next.rateSum += rates[rendition]
      next.changes += abs(rates[rendition] - rates[next.previous])
      next.previous = rendition
      explore(remaining - 1, next)
    }
    depth -= 1
  }
}
