// The throughput as a player estimates it from its segments.

import Base

/// Estimates throughput and latency from finished segments.
/// Two exponential averages with half-lives of 3 and 8 s of download and of media, of which the worse counts (dash.js, Sabre's `Ewma`);
/// and the harmonic mean of the last five segments, lowered by its largest recent error (RobustMPC).
struct ThroughputEstimate {
  private static let halfLives = [8.0, 3.0]
  private static let window = 5

  private var throughputs = [0.0, 0.0], latencies = [0.0, 0.0]
  private var downloadSeconds = 0.0
  private var mediaSeconds = 0.0
  private var recent: [Double] = []
  private var errors: [Double] = []
  private var harmonicMean = 0.0

  /// The throughput between first and last byte, in bits a second; 0 before the first segment.
  private(set) var throughput = 0.0
  /// The time to the first byte, in seconds.
  private(set) var latency = 0.0

  var isKnown: Bool { !recent.isEmpty }

  /// The prediction of RobustMPC, in megabytes a second, times to the first byte included.
  var robustMegabytesPerSecond: Double { harmonicMean / (1 + (errors.max() ?? 0)) }

  /// Adds a finished segment; times are in nanoseconds.
  mutating func add(nanobits: Int64, requested: Int64, firstByte: Int64, finished: Int64, segment: Double) {
    let time = Double(max(1, finished - firstByte)) / 1e9
    let sample = Double(nanobits) / 1e9 / time
    let delay = Double(firstByte - requested) / 1e9
    downloadSeconds += time
    mediaSeconds += segment
    (throughput, latency) = (.infinity, 0)
    for (index, halfLife) in Self.halfLives.enumerated() {
      let kept = Self.halved(time / halfLife)
      throughputs[index] = kept * throughputs[index] + (1 - kept) * sample
      throughput = min(throughput, throughputs[index] / (1 - Self.halved(downloadSeconds / halfLife)))
      let keptLatency = Self.halved(segment / halfLife)
      latencies[index] = keptLatency * latencies[index] + (1 - keptLatency) * delay
      latency = max(latency, latencies[index] / (1 - Self.halved(mediaSeconds / halfLife)))
    }
    predict(Double(nanobits) / 8e15 / (Double(max(1, finished - requested)) / 1e9))
  }

  /// Adds a sample in megabytes a second to the last five, and its error to those of the last five predictions.
  private mutating func predict(_ sample: Double) {
    errors.append(isKnown ? abs(harmonicMean - sample) / sample : 0)
    recent.append(sample)
    if recent.count > Self.window { recent.removeFirst() }
    if errors.count > Self.window { errors.removeFirst() }
    harmonicMean = Double(recent.count) / recent.reduce(0) { $0 + 1 / $1 }
  }

  /// Returns one half to the power of `x`. Below 2⁻³⁰ it is not 1, so that its complement is not 0.
  private static func halved(_ x: Double) -> Double { StableMath.exp(-0.693_147_180_559_945_3 * max(x, 1e-9)) }
}
