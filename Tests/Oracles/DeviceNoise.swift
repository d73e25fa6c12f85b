// The noise of phones, drawn: what the runs of one device have beside their settings.

import Base
import Simulation

/// A law of the noise of successive runs on a device, as a share of their mean. Each has white noise of 2 %, the noise itself or beside it.
package enum DeviceNoise: String, CaseIterable, Sendable {
  case independent
  case linearDrift = "linear drift, 0.2 % a run"
  case warmUp = "warm-up, 20 % over 20 runs"
  case randomWalk = "random walk, 1 % a run"
  case throttling = "throttling, steps of 15 %"
  case correlated3 = "AR(1), 0.3"
  case correlated5 = "AR(1), 0.5"
  case correlated8 = "AR(1), 0.8"
  case heavyTails = "heavy tails, t with 2 degrees"
  case outliers = "outliers, 1 of 20 tenfold"
  case coldStart = "the first run of a block is 10 % slower"
  case rhythm = "a rhythm of 8 runs, 5 %"

  /// Returns the noise of `count` runs in a row.
  package func draw(_ count: Int, _ random: inout RandomStream) -> [Double] {
    let size = 0.02
    var (state, isHot) = (random.normal() * size, false)
    return (0..<count).map { run in
      let white = size * random.normal()
      switch self {
      case .independent: return white
      case .linearDrift: return white + 0.002 * Double(run)
      case .warmUp: return white + 0.2 * StableMath.exp(-Double(run) / 20)
      case .randomWalk:
        state += 0.01 * random.normal()
        return white + state
      case .throttling:
        if random.unit() < (isHot ? 1.0 / 12 : 1.0 / 30) { isHot.toggle() }
        return white + (isHot ? 0.15 : 0)
      case .correlated3, .correlated5, .correlated8:
        let share = self == .correlated3 ? 0.3 : self == .correlated5 ? 0.5 : 0.8
        state = share * state + (1 - share * share).squareRoot() * white
        return state
      // Student's t with 2 degrees of freedom: a normal over the root of an exponential of mean 1.
      case .heavyTails: return white / (-StableMath.log(1 - random.unit())).squareRoot()
      case .outliers: return random.unit() < 0.05 ? 10 * white : white
      case .coldStart: return white + (run.isMultiple(of: 4) ? 0.1 : 0)
      case .rhythm: return white + (run % 8 < 4 ? 0.05 : 0)
      }
    }
  }
}
