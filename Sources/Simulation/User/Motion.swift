// Movements of the content that take time: a swipe to the next item, a fling over several items.

import Base

/// One movement of the content, from the instant at which the finger leaves the screen.
struct Motion: BitwiseCopyable, Hashable {
  /// The time constant of a scroll view's deceleration: a rate of 0.998 per millisecond (`UIScrollView.DecelerationRate.normal`).
  static let decayNanoseconds = 499.5e6

  /// The offsets at its start and end, in points.
  var from: Double, to: Double
  /// The duration, in nanoseconds.
  var duration: Int64
  /// The time from its start to the activation of its first visit, in nanoseconds.
  var lead: Int64
  /// The first and the last visit during the movement; it ends at the last.
  var first: Int, last: Int
  /// True for a fling, which decelerates exponentially; a swipe has constant speed.
  var isFling: Bool

  func offset(after nanoseconds: Int64) -> Double {
    if nanoseconds >= duration { return to }
    if !isFling { return from + (to - from) * (Double(nanoseconds) / Double(duration)) }
    return to - (to - from) * StableMath.exp(-Double(nanoseconds) / Motion.decayNanoseconds)
  }

  /// Returns the velocity at a time after the start, in points a second.
  func velocity(after nanoseconds: Int64) -> Double {
    if nanoseconds >= duration { return 0 }
    if !isFling { return (to - from) * 1e9 / Double(duration) }
    return (to - from) * StableMath.exp(-Double(nanoseconds) / Motion.decayNanoseconds) * (1e9 / Motion.decayNanoseconds)
  }

  /// Returns the time in which a fling covers a part of its way; it stops within half a point of its target.
  static func flingNanoseconds(_ part: Double, of way: Double) -> Int64 {
    let rest = max(abs(way) - abs(part), 0.5)
    return Int64(Motion.decayNanoseconds * StableMath.log(max(abs(way), 0.5) / rest))
  }
}

struct Interruption: BitwiseCopyable, Hashable {
  enum Kind: BitwiseCopyable, Hashable {
    case memoryWarning
    /// The app is in the background for a number of nanoseconds.
    case background(Int64)
  }

  var visit: Int
  var kind: Kind
}
