// Several samples against one control: only for results with different seeds; paired results deserve a paired test.

/// Dunnett's test of several independent samples against a control (Dunnett 1955, doi:10.1080/01621459.1955.10501294), two-sided.
///
/// All samples are taken to have one variance. With the same seeds for all points this test has almost no power, as all unpaired ones.
package struct DunnettTest: Hashable, Sendable {
  /// The t statistic of each sample less the control, with the pooled variance; zeros where there is no spread.
  package let statistics: [Double]
  /// The p-value of each, corrected for all of them at once.
  package let pValues: [Double]
  /// The degrees of freedom of the pooled variance.
  package let degreesOfFreedom: Int

  private static let step = 1.0 / 8
  private static let reach = 9.0

  /// Compares samples with a control; all together have more values than there are samples, and none is empty.
  package init(control: [Double], samples: [[Double]]) {
    precondition(!control.isEmpty && samples.allSatisfy { !$0.isEmpty }, "a test needs values")
    let all = [control] + samples
    let degrees = all.reduce(0) { $0 + $1.count } - all.count
    precondition(degrees > 0, "a pooled variance needs more values than samples")
    let moments = all.map { Sample($0) }
    let squares = moments.reduce(0.0) { $0 + $1.standardDeviation * $1.standardDeviation * Double(max(0, $1.count - 1)) }
    let deviation = (squares / Double(degrees)).squareRoot()
    let n = Double(control.count)
    let errors = samples.map { deviation * (1 / Double($0.count) + 1 / n).squareRoot() }
    let statistics = zip(moments.dropFirst(), errors).map { $1 > 0 ? ($0.mean - moments[0].mean) / $1 : 0 }
    // The correlation of two statistics is the product of these.
    let loads = samples.map { (Double($0.count) / (Double($0.count) + n)).squareRoot() }
    self.statistics = statistics
    degreesOfFreedom = degrees
    pValues = statistics.map { min(1, max(0, DunnettTest.tail($0.magnitude, loads: loads, degrees: Double(degrees)))) }
  }

  /// The chance that the largest of the statistics' sizes exceeds `t`: one less the double integral over the control's mean z and the
  /// pooled deviation s of φ(z)·f(s)·Π [Φ((λz + ts)/√(1−λ²)) − Φ((λz − ts)/√(1−λ²))] (Dunnett 1955, formula 7).
  ///
  /// Both by the trapezoidal rule, which converges exponentially here (Trefethen & Weideman 2014, doi:10.1137/130932132): z as it is, s
  /// by its logarithm. About 1e-10; some 10⁴ evaluations of Φ a sample.
  private static func tail(_ t: Double, loads: [Double], degrees: Double) -> Double {
    let half = degrees / 2
    let norm = half * Elementary.log(half) - Elementary.logGamma(half) + Elementary.log(2)
    let spread = 1 / (2 * degrees).squareRoot()
    let stride = spread / 3
    let (low, high) = (-12 * spread - 40 / degrees, min(6, 12 * spread))
    var (inside, whole) = (0.0, 0.0)
    for place in 0...Int((high - low) / stride) {
      let logarithm = low + Double(place) * stride
      let s = Elementary.exp(logarithm)
      // f(s)·s, the density of log s.
      let density = Elementary.exp(norm + degrees * logarithm - half * s * s)
      guard density > 1e-18 else { continue }
      inside += density * within(t * s, loads: loads)
      whole += density
    }
    return 1 - inside / whole
  }

  /// The chance that none of the statistics exceeds `limit` where the deviation is known.
  private static func within(_ limit: Double, loads: [Double]) -> Double {
    var (inside, whole) = (0.0, 0.0)
    for place in 0...Int(2 * reach / step) {
      let z = -reach + Double(place) * step
      let density = Normal.density(z)
      var product = density
      for load in loads {
        let rest = (1 - load * load).squareRoot()
        product *= Normal.cumulative((load * z + limit) / rest) - Normal.cumulative((load * z - limit) / rest)
      }
      inside += product
      whole += density
    }
    return inside / whole
  }
}
