// CUBIC with HyStart for whole runs of acknowledgements: the packet transport's window in a form that costs little a run.
// RFC 9438; Ha & Rhee (2011) for the end of slow start; constants as in Linux. Losses and time-outs call it from elsewhere.

import Base

/// The congestion window of a sender, in segments, grown by many acknowledgements at once.
struct FlowWindow: BitwiseCopyable {
  static let infinite = Int(Int32.max)
  static let initial = 10

  /// The congestion window.
  var size = FlowWindow.initial
  /// Below it the window doubles each round trip.
  var threshold = FlowWindow.infinite

  /// The part of a segment by which the window has grown, in 2⁻²⁰: integers need no branch to carry.
  private var credit = 0
  /// How much an acknowledged segment grows the window, in the same unit, and how many have since that was worked out.
  private var pace = 0
  private var pending = 0
  /// The window at the last loss (W_max), by which the curve is laid.
  private var most = 0.0
  /// Where the curve is flat, and how many seconds after the epoch's start.
  private var origin = 0.0
  private var secondsToOrigin = 0.0
  /// When growth by the curve began; negative where it has not.
  private var epoch: Int64 = -1
  /// The window that Reno would have (RFC 9438, 4.3).
  private var friendly = 0.0
  /// The smallest delay seen since the last time-out.
  private var leastDelay = Int64.max

  // HyStart.
  private var isFound = false
  private var roundStart: Int64 = 0
  private var lastAcknowledgement: Int64 = 0
  private var roundEnd = 0
  private var roundDelay = Int64.max
  private var samples = 0

  var isSlowStart: Bool { size < threshold }

  /// Whether slow start goes on and HyStart has not yet found its end.
  var listensForEnd: Bool { !isFound && size < threshold }

  /// Notes the least delay of some acknowledgements while nobody listens for slow start's end.
  @inline(__always)
  mutating func note(leastDelay delay: Int64) { if delay < leastDelay, epoch < 0 { leastDelay = delay } }

  /// Notes the delay of one acknowledgement in slow start, and ends it where the delay or the train of acknowledgements says so.
  mutating func note(delay: Int64, at now: Int64, acknowledged: Int, next: Int) {
    leastDelay = min(leastDelay, delay)
    if acknowledged > roundEnd {
      roundStart = now
      lastAcknowledgement = now
      roundEnd = next
      roundDelay = .max
      samples = 0
    }
    if now - lastAcknowledgement <= 2_000_000 {
      lastAcknowledgement = now
      if now - roundStart > (leastDelay + 1_000_000) / 2 { leaveSlowStart() }
    }
    roundDelay = min(roundDelay, delay)
    if samples < 8 {
      samples += 1
    } else if roundDelay > leastDelay + min(max(leastDelay / 8, 4_000_000), 16_000_000) {
      leaveSlowStart()
    }
  }

  /// Windows below 16 segments say too little.
  private mutating func leaveSlowStart() {
    guard size >= 16 else { return }
    isFound = true
    threshold = size
  }

  /// Grows by `count` acknowledged segments: one for each in slow start, then along the curve.
  @inline(__always)
  mutating func grow(_ count: Int, at now: Int64) {
    // What slow start takes, without a branch, and what is left for the curve.
    let doubled = smaller(count, (threshold &- size) & isLess(size, threshold))
    size &+= doubled
    let count = count &- doubled
    // The curve's slope is looked at every fourth window: its arithmetic for each run would be a tenth of a session. The one branch
    // is taken when that is over, or the curve has not begun, and something has grown.
    pending &+= count
    if ((4 &* size &- pending) | Int(epoch)) & (0 &- count) < 0 { followCurve(at: now) }
    credit &+= count &* pace
    size &+= credit >> 20
    credit &= 1 << 20 - 1
  }

  /// Works out how much each acknowledged segment grows the window now.
  @inline(never)
  private mutating func followCurve(at now: Int64) {
    if epoch < 0 { begin(at: now) }
    let window = Double(size)
    let perSegment = 1 / window
    let seconds = Double(now - epoch + leastDelay) * 1e-9 - secondsToOrigin
    let target = origin + 0.4 * seconds * seconds * seconds
    // At most every other acknowledged segment adds one.
    var pace = target > window ? target * perSegment - 1 : 0.01 * perSegment
    if most == 0, pace < 0.05 { pace = 0.05 }
    friendly += Double(pending) * perSegment * (8.0 / 15)
    pending = 0
    if friendly > window { pace = max(pace, friendly * perSegment - 1) }
    self.pace = Int(min(pace, 0.5) * 1_048_576)
  }

  /// The curve begins: K = ∛((W_max − W) / 0.4 s³).
  @inline(never)
  private mutating func begin(at now: Int64) {
    epoch = now
    let window = Double(size)
    friendly = window
    credit = 0
    origin = max(most, window)
    secondsToOrigin = most > window ? StableMath.cubeRoot((most - window) * 2.5) : 0
    if leastDelay == .max { leastDelay = 0 }
  }

  /// The threshold after a loss, 0.7 of the window; remembers the window for the curve, less where it was already falling.
  mutating func thresholdAfterLoss() -> Int {
    epoch = -1
    credit = 0
    pending = 0
    let window = Double(size)
    most = window < most ? window * (1024 + 717) / 2048 : window
    return max(size * 717 / 1024, 2)
  }

  /// A time-out: everything that was learned is forgotten.
  mutating func forget(at now: Int64, next: Int) {
    credit = 0
    pending = 0
    most = 0
    epoch = -1
    leastDelay = .max
    isFound = false
    roundStart = now
    lastAcknowledgement = now
    roundEnd = next
    roundDelay = .max
    samples = 0
  }

  /// The sender had nothing on the way since `idleSince`: the curve waits with it.
  @inline(__always)
  mutating func resume(at now: Int64, idleSince: Int64) {
    // A mask: whether the curve has begun is as good as chance.
    let idle = later(now &- idleSince, 0) & ~(epoch >> 63)
    epoch &+= min(idle, now &- epoch)
  }

  /// An idle sender's window halves for each time-out it slept (RFC 2861).
  mutating func restart(idle: Int64, timeout: Int64) {
    threshold = max(threshold, (size >> 1) + (size >> 2))
    // One halving for each time-out begun after the first; how many they are is nothing that a processor could predict in a loop.
    size = max(size >> min((idle - 1) / timeout, 62), min(FlowWindow.initial, size))
  }
}
