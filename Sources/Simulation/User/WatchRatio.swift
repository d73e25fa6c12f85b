// How much of a video its viewers watch, by its length.

package struct WatchRatio: Hashable, Sendable {
  /// Videos up to a length, and the shares of them that are watched.
  package struct Class: Hashable, Sendable {
    /// The length that all videos of the class are shorter than; nil for no limit.
    package var below: Interval?
    /// The share, in millionths.
    package var ratio: Distribution

    package init(below: Interval? = nil, ratio: Distribution) { (self.below, self.ratio) = (below, ratio) }
  }

  /// The classes by rising lengths; the last has no limit.
  package let classes: [Class]

  package init(_ classes: [Class]) {
    precondition(classes.last.map { $0.below == nil } ?? false, "the last class has no limit")
    self.classes = classes
  }

  /// Creates one law for all lengths.
  package init(_ ratio: Distribution) { classes = [Class(ratio: ratio)] }

  package var isConstant: Bool { classes.allSatisfy(\.ratio.isConstant) }

  /// Returns the time that a viewer watches a video of so many nanoseconds, in nanoseconds.
  func draw(length: Double, from random: inout RandomStream) -> Double {
    let own = classes.first { $0.below.map { length < Double($0.nanoseconds) } ?? true } ?? classes[classes.count - 1]
    return Double(own.ratio.draw(from: &random)) / 1e6 * length
  }

  /// Users of Kuaishou (KuaiRec, 2020): the 80th percentiles of 29 classes of length, of 9.7 million views, and one shape for all classes
  /// by the histogram of 12.4 million views, in thousandths of the class's percentile (Scripts/fit people).
  package static let kuaishou: WatchRatio = {
    let shape: [Int64] = [
      0, 11, 55, 116, 189, 269, 340, 423, 494, 558, 609, 658, 698, 745, 808, 877, 942, 999, 1091, 1226, 1668, 2045, 2480, 6000,
    ]
    let ends: [Int64] = [
      3485, 4008, 4609, 5300, 6095, 7009, 8061, 9270, 10_660, 12_259, 14_098, 16_213, 18_645, 21_441, 24_657, 28_356, 32_609, 37_501,
      43_126, 49_595, 57_034, 65_589, 75_428, 86_742, 114_716, 131_924, 151_712, 174_469,
    ]
    let percentiles: [Int64] = [
      3089, 2622, 2307, 2056, 1862, 1690, 1486, 1295, 1143, 1029, 913, 784, 664, 571, 488, 423, 366, 305, 276, 246, 211, 191, 163, 140,
      109, 96, 77, 72, 51,
    ]
    return WatchRatio(
      percentiles.enumerated().map { index, percentile in
        Class(
          below: index < ends.count ? .milliseconds(ends[index]) : nil,
          ratio: .quantiles(shape.map { $0 * percentile }, at: People.probabilities))
      })
  }()

  /// Viewers of a study who could swipe: 647 of its 1291 videos (PrincetonUniversity/Dashlet, 2022), by Scripts/fit people.
  package static let study = WatchRatio([
    studied(below: 8, toEnd: 0.602, [0, 181, 274, 357, 432, 507, 586, 672, 770, 878]),
    studied(below: 12, toEnd: 0.506, [0, 128, 211, 284, 354, 428, 509, 601, 708, 834]),
    studied(below: 16, toEnd: 0.411, [0, 96, 166, 229, 291, 359, 436, 528, 644, 794]),
    studied(below: 25, toEnd: 0.339, [0, 77, 138, 194, 250, 313, 385, 475, 591, 746]),
    studied(below: 40, toEnd: 0.260, [0, 57, 104, 148, 194, 245, 305, 381, 489, 666]),
    studied(below: 80, toEnd: 0.205, [0, 38, 71, 104, 139, 178, 227, 291, 389, 573]),
    studied(below: nil, toEnd: 0.172, [0, 28, 53, 79, 107, 140, 180, 232, 314, 497]),
  ])

  /// Returns a class of the study: the share of viewers who watch to the end, and tenths of the others by the thousandths that they watch.
  private static func studied(below seconds: Int64?, toEnd: Double, _ thousandths: [Int64]) -> Class {
    let at = thousandths.indices.map { Double($0) / Double(thousandths.count) * (1 - toEnd) }
    let values = thousandths.map { $0 * 1000 } + [1_000_000, 1_000_000]
    return Class(below: seconds.map(Interval.seconds), ratio: .quantiles(values, at: at + [1 - toEnd, 1]))
  }
}
