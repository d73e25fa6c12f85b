// Presets of the scripted user, fitted to public logs by Scripts/fit people.

package enum People: String, CaseIterable, Sendable {
  /// One dwell of 1 s, forward to the end: a UI test.
  case none
  /// Swipes of 32 sessions of a short-video app, 5 min each by design (PrincetonUniversity/Dashlet, 2022).
  case shortVideo = "short-video"
  /// Visits of 153 participants to 40 posts with pictures each (Howquez/DICE, meme feed of 2024).
  case imageFeed = "image-feed"
  /// Stops and flings of the participants of `imageFeed`: a post that was in view for less than 0.4 s was passed.
  case imageFlings = "image-flings"
  /// The visits of `imageFeed`, and videos by the watch ratios of a study.
  case mixedFeed = "mixed-feed"
  /// Articles read by 22 users of a newspaper (EB-NeRD, 2023).
  case reader

  static let probabilities: [Double] = [
    0, 0.01, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9, 0.95, 0.98, 0.99, 1,
  ]

  /// The dwell of an item, in nanoseconds.
  package var dwell: Distribution {
    let milliseconds: [Int64]
    switch self {
    case .none: return .constant(1_000_000_000)
    case .shortVideo:
      milliseconds = [
        475, 720, 1067, 1547, 2094, 2492, 2918, 3375, 3843, 4360, 5037, 5748, 6379, 7115, 7910, 9012, 10_010, 11_233, 12_830, 15_881,
        20_372, 32_222, 38_808, 87_405,
      ]
    case .imageFeed, .mixedFeed:
      milliseconds = [
        1, 27, 91, 194, 303, 453, 624, 829, 1032, 1282, 1544, 1767, 2069, 2425, 2806, 3266, 3750, 4339, 5073, 6127, 8111, 12_422, 17_094,
        171_248,
      ]
    case .imageFlings:
      milliseconds = [
        400, 419, 504, 634, 781, 960, 1195, 1476, 1785, 2134, 2492, 2831, 3220, 3577, 3994, 4478, 4998, 5549, 6387, 7661, 10_288, 15_407,
        23_449, 342_079,
      ]
    case .reader:
      milliseconds = [
        1, 74, 369, 1680, 2909, 3952, 5069, 6372, 7886, 9753, 12_034, 15_225, 18_366, 23_123, 28_955, 36_312, 45_986, 58_979, 76_138,
        103_900, 156_592, 255_865, 376_640, 1_692_000,
      ]
    }
    return .quantiles(milliseconds.map { $0 * 1_000_000 }, at: Self.probabilities)
  }

  /// The probability that a move goes back one item.
  package var back: Double {
    switch self {
    case .imageFeed, .mixedFeed: 0.159
    case .imageFlings: 0.114
    case .none, .shortVideo, .reader: 0
    }
  }

  /// The flings between stops; nil where the log has no items that users only pass.
  package var flings: Flings? { self == .imageFlings ? .memes : nil }

  /// The dwell of a video as a share of its length; nil for the dwell of other items.
  package var watchRatio: WatchRatio? { self == .mixedFeed ? .study : nil }

  /// The probability that the user leaves after an item; 0 where the study ended the sessions.
  package var leave: Double { self == .reader ? 0.253 : 0 }
}

/// Flings at random: moves over several items at once.
package struct Flings: Hashable, Sendable {
  package var probability: Double
  /// The items of a fling: the whole part of a draw.
  package var items: Distribution

  package init(probability: Double, items: Distribution) { (self.probability, self.items) = (probability, items) }

  /// Returns the items of the next move: 1, or those of a fling.
  func draw(from random: inout RandomStream) -> Int { random.unit() < probability ? max(1, Int(items.draw(from: &random))) : 1 }

  /// 611 flings among 5651 moves of 153 participants (Howquez/DICE, meme feed of 2024), by Scripts/fit people.
  static let memes = Flings(
    probability: 0.108,
    items: .quantiles([2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 40], at: [0, 0.574, 0.668, 0.735, 0.769, 0.820, 0.854, 0.894, 0.921, 0.967, 1]))
}
