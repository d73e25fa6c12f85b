// Tests of the instrument: devices whose runs the gate must not judge by. All but that of null blocks compare a statistic with that of random
// signs, since the random mirror of the blocks gives their noise random signs, whatever the noise is.

import Base

extension GateBlocks {
  /// The probability that one test calls a sound instrument unfit at any look.
  package static let faultLevel = 0.001

  /// Returns the first flaw of the instrument, with a remedy, as a phrase; nil for none.
  func fault(of guarded: GateGuard, level: Double) -> String? {
    // A bound is about the candidate alone, in which devices may differ and drift.
    guard compared.count > 1, guarded.bound == nil else { return nil }
    let noise = noise
    if let size = nullFault(null.map(\.difference), earlier.map(\.difference), level) {
      return "\(null.count + earlier.count) blocks of production against production differ by \(amount(size)): something else than the "
        + "settings moves the runs; start every run from the same state (caches, account, app), and reboot the device"
    }
    let signs = compared.map { $0.isMirrored ? -1.0 : 1 }
    func position(_ values: [Double]) -> Double { zip(values, signs).reduce(0) { $0 + $1.0 * $1.1 } }
    if isRare(noise, level, { position($0).magnitude }) {
      return "the 2 runs in the middle of a block differ by \(amount(position(noise) / Double(noise.count))) from those at its ends: "
        + "devices change from run to run; let them cool down longer (backend.coolDown), and charge them"
    }
    if let fault = deviceFault(noise, level) { return fault }
    let middle = Double(noise.count - 1) / 2
    func trend(_ values: [Double]) -> Double { values.indices.reduce(0) { $0 + (Double($1) - middle) * values[$1] } }
    if isRare(noise, level, { trend($0).magnitude }) {
      let squares = noise.indices.reduce(0) { $0 + (Double($1) - middle) * (Double($1) - middle) }
      return "the difference drifts by \(amount(trend(noise) / squares * 2 * middle)) from the first block to the last: device or app "
        + "changed meanwhile; charge and cool the devices, and turn off updates"
    }
    let neighbours = neighbours
    guard isRare(noise, level, { values in neighbours.reduce(0) { $0 + values[$1.0] * values[$1.1] } }) else { return nil }
    return "the differences of successive blocks are alike: something that lasts longer than a block moves one side; let the devices cool "
      + "down longer (backend.coolDown), and keep their network to themselves"
  }

  /// The differences of the blocks less the candidate's mean effect, which is a share of production's level: slower devices have more of it.
  private var noise: [Double] {
    let values = compared.map(\.difference)
    let weights = baselineMean > 0 ? compared.map(\.baseline) : values.map { _ in 1.0 }
    let effect = values.reduce(0, +) / weights.reduce(0, +)
    return zip(values, weights).map { value, weight in
      let rest = value - effect * weight
      // What rounding leaves of equal values is no noise.
      return rest.magnitude > 1e-9 * (value.magnitude + weight.magnitude) ? rest : 0
    }
  }

  private func deviceFault(_ noise: [Double], _ level: Double) -> String? {
    let groups = devices.indices.map { device in compared.indices.filter { compared[$0].device == device } }.filter { !$0.isEmpty }
    func means(_ values: [Double]) -> [Double] { groups.map { group in Sample(group.map { values[$0] }).mean } }
    func disagreement(_ values: [Double]) -> Double {
      let mean = Sample(values).mean
      return zip(groups, means(values)).reduce(0) { $0 + Double($1.0.count) * ($1.1 - mean) * ($1.1 - mean) }
    }
    guard groups.count > 1, isRare(noise, level, disagreement) else { return nil }
    let found = zip(groups, means(noise)).map { (name: devices[compared[$0[0]].device], mean: $1) }
    let farthest = found.reduce(found[0]) { $1.mean.magnitude > $0.mean.magnitude ? $1 : $0 }
    let names = found.map { "\($0.name) \(amount($0.mean))" }.joined(separator: ", ")
    return "devices disagree (\(names), from the mean of all): check that they have one system and one app, or exclude \(farthest.name)"
  }

  /// The pairs of successive compared blocks of a device, by index.
  private var neighbours: [(Int, Int)] {
    compared.indices.compactMap { index in compared[..<index].lastIndex { $0.device == compared[index].device }.map { ($0, index) } }
  }

  /// Returns the mean difference of null blocks if Student's test rejects that it is 0; nil otherwise.
  private func nullFault(_ own: [Double], _ earlier: [Double], _ level: Double) -> Double? {
    guard !own.isEmpty || !earlier.isEmpty else { return nil }
    // Few blocks do not tell their noise. It is that of production, whose two runs in a block differ by √2 times as much, and by more if runs
    // drift. Blocks of other days have a noise of their own, and so have the few that are not 0 where most runs of production are equal.
    let isSparse = compared.count { $0.change != 0 } * 2 < compared.count
    let known = isSparse ? own : []
    let squares = compared.reduce(0) { $0 + $1.change * $1.change } / 2 + known.reduce(0) { $0 + $1 * $1 }
    let variance = squares / Double(compared.count + known.count)
    let error = (Double(own.count) * variance + earlier.reduce(0) { $0 + $1 * $1 }).squareRoot()
    let sum = (own + earlier).reduce(0, +)
    let critical = StudentT.criticalValue(alpha: level, degreesOfFreedom: Double(compared.count + known.count + earlier.count))
    return sum.magnitude > critical * error ? sum / Double(own.count + earlier.count) : nil
  }

  /// True if a statistic of the noise is at least that of random signs, but for a share of them of at most `level`.
  private func isRare(_ noise: [Double], _ level: Double, _ statistic: ([Double]) -> Double) -> Bool {
    RandomSigns.isRare(statistic(noise), level: level) { random in
      let drawn = noise.map { random.sign() * $0 }
      let mean = Sample(drawn).mean
      return statistic(drawn.map { $0 - mean })
    }
  }

  /// Returns a difference in per cent of production's mean, or as it is where that is 0.
  private func amount(_ size: Double) -> String {
    let mean = baselineMean
    let (value, unit) = mean > 0 ? (size / mean * 100, " %") : (size, "")
    return (value > 0 ? "+" : "") + DecimalText.fixed(value, decimals: 1) + unit
  }
}

private struct RandomSigns {
  private var numbers = TestNumbers()
  private static let fewestExtreme = 20

  mutating func sign() -> Double { numbers.next() & 1 == 0 ? 1 : -1 }

  /// True if at most a share `level` of random draws is at least as large as `observed`. Ends as soon as too many are
  /// (Besag & Clifford 1991, doi:10.1093/biomet/78.2.301).
  static func isRare(_ observed: Double, level: Double, _ draw: (inout RandomSigns) -> Double) -> Bool {
    guard observed > 0 else { return false }
    let limit = Int((Double(fewestExtreme) / level).rounded(.up))
    var (random, atLeast) = (RandomSigns(), 1)
    for _ in 0..<limit where draw(&random) >= observed * (1 - 1e-9) {
      atLeast += 1
      if Double(atLeast) > level * Double(limit + 1) { return false }
    }
    return true
  }
}
