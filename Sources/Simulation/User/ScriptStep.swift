// The steps of a user's script.

/// Something that the user, or the phone under them, does.
package indirect enum ScriptStep: Hashable, Sendable {
  /// So many items further (or back, where it is negative), one after another; with a dwell of its own where one is given.
  case scroll(Int, dwell: Distribution?)
  /// A fling that comes to rest so many items further (or back); what it passes is on screen for as long as it takes.
  case fling(Int, dwell: Distribution?)
  case abandon(Double)
  case memoryWarning
  /// The app is in the background for so long, in nanoseconds.
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

/// How far a script goes, found without running it.
package struct ScriptReach: Hashable, Sendable {
  /// The item at which it stands, −1 before the first.
  package private(set) var item = -1
  /// The last item that it comes to.
  package private(set) var furthest = -1
  /// The first item in the direction back that it would need and that does not exist is below 0.
  package private(set) var lowest = 0
  /// How many items become active; passing ones included.
  package private(set) var visits = 0
  /// How often the app goes to the background.
  package private(set) var pauses = 0

  /// The reach of some steps; a script that does not end within `limit` visits is only followed so far.
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
          // Steps that go nowhere go nowhere the next time.
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
