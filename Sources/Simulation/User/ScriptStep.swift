// The steps of a user script.

package indirect enum ScriptStep: Hashable, Sendable {
  /// Scrolls a number of items forward, or back if negative, one after another; an optional dwell overrides the script's.
  case scroll(Int, dwell: Distribution?)
  /// Flings over a number of items forward, or back if negative. Each item passed is active while it passes.
  case fling(Int, dwell: Distribution?)
  case abandon(Double)
  case memoryWarning
  /// Sends the app to the background for a time in nanoseconds.
  case background(Distribution)
  case `repeat`(Int, [ScriptStep])

  var isConstant: Bool {
    switch self {
    case .scroll(_, let dwell), .fling(_, let dwell): dwell?.isConstant ?? true
    case .abandon(let chance): chance <= 0 || chance >= 1
    case .memoryWarning: true
    case .background(let time): time.isConstant
    case .repeat(_, let steps): steps.allSatisfy(\.isConstant)
    }
  }
}

/// The range of items that a script visits, computed without running it.
package struct ScriptReach: Hashable, Sendable {
  /// The last active item; −1 before the first.
  package private(set) var item = -1
  package private(set) var furthest = -1
  /// The lowest item index; negative if the script scrolls back beyond the first item.
  package private(set) var lowest = 0
  /// The number of visits, including those of a fling.
  package private(set) var visits = 0
  package private(set) var pauses = 0

  /// Creates the reach of some steps. It stops counting after `limit` visits.
  package init(_ steps: [ScriptStep], limit: Int) { follow(steps, limit: limit) }

  private mutating func follow(_ steps: [ScriptStep], limit: Int) {
    for step in steps where visits <= limit {
      switch step {
      case .scroll(let count, _), .fling(let count, _):
        item += count
        visits += abs(count)
        furthest = max(furthest, item)
        lowest = min(lowest, item)
      case .repeat(let times, let inner):
        var turn = 0
        while turn < times, visits <= limit {
          let (visitsBefore, pausesBefore) = (visits, pauses)
          follow(inner, limit: limit)
          turn += 1
          guard visits == visitsBefore else { continue }
          // Steps without a visit have none in later rounds either.
          let (more, overflow) = (pauses - pausesBefore).multipliedReportingOverflow(by: times - turn)
          pauses = overflow || more > limit - pauses ? limit : pauses + more
          turn = times
        }
      case .background: pauses += 1
      case .abandon, .memoryWarning: break
      }
    }
  }
}
