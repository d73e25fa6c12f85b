// Interruptions fitted to measured logs. Scripts/fit mobile FOLDER --packets 10 prints the figures below with the quality of the fit.

extension NetworkConfiguration.Interruptions {
  /// The logs to which interruptions are fitted.
  package enum Kind: String, Hashable, Sendable, CaseIterable {
    /// Two logs of a packet every 10 ms over two hops of Wi-Fi, at least one of them at 2.4 GHz (16 min).
    case wifi = "Wi-Fi 2.4 GHz"
  }

  package init(_ kind: Kind) {
    switch kind {
    // Source of the logs: roc-streaming/qa, 20241230_gh674_clock_offset/02 and 20250210_gh712_peak_jitter/05 (no licence stated): every
    // second minute of them.
    case .wifi:
      self.init(
        gaps: [1, 1, 11, 46, 112, 189, 309, 573, 858, 1805, 2693, 3121, 3468, 4057, 5670],
        lengths: [35, 36, 37, 37, 40, 45, 48, 55, 68, 101, 133, 157, 192, 258, 931])
    }
  }

  /// Creates interruptions from the quantiles of their gaps and lengths at `shares`, in ms.
  package init(gaps: [Int64], lengths: [Int64]) {
    func quantiles(_ milliseconds: [Int64]) -> Distribution { .quantiles(milliseconds.map { $0 * 1_000_000 }, at: Self.shares) }
    self.init(gap: quantiles(gaps), length: quantiles(lengths))
  }

  package static let shares = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.97, 0.98, 0.99, 1]
}
