// Movements of the content that take time: a swipe to the next page, a fling over many items.

/// One movement of the content from the moment at which the finger leaves the screen.
struct Motion: BitwiseCopyable, Hashable {
  /// The decay of a scroll view's speed: 0.998 a millisecond, so that 1/e of the way is left after so many nanoseconds
  /// (`UIScrollView.DecelerationRate.normal`).
  static let decayNanoseconds = 499.5e6

  /// Where it begins and ends, in points.
  var from: Double
  var to: Double
  /// How long it takes, in nanoseconds.
  var duration: Int64
  /// How long before the activation of its first visit it begins.
  var lead: Int64
  /// The visits that it brings, the last being that at which it comes to rest.
  var first: Int
  var last: Int
  /// Whether it slows down by itself, as a fling does; a swipe goes evenly.
  var isFling: Bool

  func offset(after nanoseconds: Int64) -> Double {
    if nanoseconds >= duration { return to }
    if !isFling { return from + (to - from) * (Double(nanoseconds) / Double(duration)) }
    return to - (to - from) * StableMath.exp(-Double(nanoseconds) / Motion.decayNanoseconds)
  }

  /// The speed so long after its beginning, in points a second.
  func velocity(after nanoseconds: Int64) -> Double {
    if nanoseconds >= duration { return 0 }
    if !isFling { return (to - from) * 1e9 / Double(duration) }
    return (to - from) * StableMath.exp(-Double(nanoseconds) / Motion.decayNanoseconds) * (1e9 / Motion.decayNanoseconds)
  }

  /// How long a fling takes to cover so much of a way; it ends within half a point of its target.
  static func flingNanoseconds(_ part: Double, of way: Double) -> Int64 {
    let rest = max(abs(way) - abs(part), 0.5)
    return Int64(Motion.decayNanoseconds * StableMath.log(max(abs(way), 0.5) / rest))
  }
}

/// Something that comes between two stays.
struct Interruption: BitwiseCopyable, Hashable {
  enum Kind: BitwiseCopyable, Hashable {
    case memoryWarning
    /// The app is in the background for so many nanoseconds.
    case background(Int64)
  }

  var visit: Int
  var kind: Kind
}
