// The winner's curse: the best of many looks better than it is, and by how much.

/// How much better than it is the best of many equal settings looks.
package enum SelectionBias {
  /// The expected advance of the best of `count` equal settings over the baseline, whose difference has the standard error given.
  ///
  /// E[max of K normals]·SE/√2 (David & Nagaraja 2003, Order Statistics, 3.1.1): half of a difference's variance is the baseline's,
  /// which all differences share (the correlation ½ of Dunnett 1955, doi:10.1080/01621459.1955.10501294), so that only the other half
  /// is selected from. For 100 equal settings that is 1.8 standard errors.
  package static func expected(ofBest count: Int, standardError: Double) -> Double {
    count < 2 ? 0 : Normal.expectedMaximum(of: count) * standardError / 2.0.squareRoot()
  }
}
