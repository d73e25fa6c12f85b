// CUBIC with HyStart: Ha, Rhee & Xu (2008), RFC 9438, Ha & Rhee (2011), with the constants and roundings of Linux.
// It sizes the window from acknowledgements; loss recovery may overrule it, and is elsewhere.

/// The congestion window of one sender, in segments.
struct CubicWindow {
  static let infinite = Int(Int32.max)
  static let initial = 10

  var size = CubicWindow.initial
  /// Below it the window doubles each round trip.
  var threshold = CubicWindow.infinite
  /// Acknowledged segments that have not yet grown the window.
  var credit = 0

  private var segmentsPerStep = 0
  private var mostBefore = 0
  private var lastSize = 0
  private var lastTime: Int64 = .min / 2
  private var origin = 0
  private var timeToOrigin: Int64 = 0
  private var epoch: Int64 = -1
  private var acknowledged = 0
  private var friendlySize = 0
  /// The smallest delay seen since the last time-out; 0 for none.
  private var leastDelayUs: Int64 = 0
  private var isFound = false
  private var roundStart: Int64 = 0
  private var lastAcknowledgement: Int64 = 0
  private var roundEnd = 0
  private var roundDelayUs = Int64.max
  private var samples = 0

  var isSlowStart: Bool { size < threshold }

  /// What the threshold should remember of the present window.
  var rememberedThreshold: Int { max(threshold, (size >> 1) + (size >> 2)) }

  /// Notes the delay of the newest acknowledged segment, and ends slow start where it or the train of acknowledgements says so.
  @inline(__always)
  mutating func note(delayUs: Int64, at now: Int64, unacknowledged: Int, next: Int) {
    if epoch >= 0, now - epoch < 1_000_000_000 { return }
    let delay = max(1, delayUs)
    if leastDelayUs == 0 || delay < leastDelayUs { leastDelayUs = delay }
    guard !isFound, isSlowStart else { return }
    if unacknowledged > roundEnd {
      roundStart = now
      lastAcknowledgement = now
      roundEnd = next
      roundDelayUs = .max
      samples = 0
    }
    if now - lastAcknowledgement <= 2_000_000 {
      lastAcknowledgement = now
      if now - roundStart > (leastDelayUs + 1000) * 500 { leaveSlowStart() }
    }
    roundDelayUs = min(roundDelayUs, delay)
    if samples < 8 {
      samples += 1
    } else if roundDelayUs > leastDelayUs + min(max(leastDelayUs >> 3, 4000), 16000) {
      leaveSlowStart()
    }
  }

  /// Grows by `count` newly acknowledged segments.
  @inline(__always)
  mutating func grow(_ count: Int, at now: Int64) {
    var count = count
    if isSlowStart {
      let grown = min(size + count, threshold)
      count -= grown - size
      size = grown
      if count == 0 { return }
    }
    update(count, at: now)
    advance(segmentsPerStep, count)
  }

  /// The threshold after a loss; remembers the window for the curve.
  mutating func thresholdAfterLoss() -> Int {
    epoch = -1
    mostBefore = size < mostBefore ? size * (1024 + 717) / 2048 : size
    return max(size * 717 / 1024, 2)
  }

  /// A time-out: everything that was learned is forgotten.
  mutating func forget(at now: Int64, next: Int) {
    segmentsPerStep = 0
    mostBefore = 0
    lastSize = 0
    lastTime = .min / 2
    origin = 0
    timeToOrigin = 0
    leastDelayUs = 0
    epoch = -1
    acknowledged = 0
    friendlySize = 0
    isFound = false
    roundStart = now
    lastAcknowledgement = now
    roundEnd = next
    roundDelayUs = .max
    samples = 0
  }

  /// The sender had nothing on the way since `idleSince`: the curve waits with it.
  mutating func resume(at now: Int64, idleSince: Int64) {
    if epoch >= 0, now > idleSince { epoch = min(now, epoch + now - idleSince) }
  }

  /// An idle sender's window halves for each time-out it slept.
  mutating func restart(idle: Int64, timeout: Int64) {
    threshold = rememberedThreshold
    let floor = min(CubicWindow.initial, size)
    var rest = idle - timeout
    while rest > 0, size > floor {
      size >>= 1
      rest -= timeout
    }
    size = max(size, floor)
  }

  /// Windows below 16 segments say too little.
  private mutating func leaveSlowStart() {
    guard size >= 16 else { return }
    isFound = true
    threshold = size
  }

  @inline(__always)
  private mutating func update(_ count: Int, at now: Int64) {
    acknowledged += count
    if lastSize == size, now - lastTime <= 31_250_000 { return }
    // The kernel's clock ticks every 4 ms; most acknowledgements are further apart.
    if epoch < 0 || now - lastTime >= 4_000_000 || now / 4_000_000 != lastTime / 4_000_000 {
      lastSize = size
      lastTime = now
      if epoch < 0 {
        epoch = now
        acknowledged = count
        friendlySize = size
        if mostBefore <= size {
          timeToOrigin = 0
          origin = size
        } else {
          // K = ∛((W_max − W) / 0.4 s³), in 1/1024 s.
          timeToOrigin = Int64(StableMath.cubeRoot(Double(mostBefore - size) * (1_099_511_627_776.0 / 410)))
          origin = mostBefore
        }
      }
      let elapsed = (now - epoch + leastDelayUs * 1000) / 1_000_000 * 1024 / 1000
      let offset = min((elapsed - timeToOrigin).magnitude, 300_000)
      let change = Int((410 * offset * offset * offset) >> 40)
      let target = elapsed < timeToOrigin ? origin - change : origin + change
      segmentsPerStep = target > size ? size / (target - size) : 100 * size
      if mostBefore == 0, segmentsPerStep > 20 { segmentsPerStep = 20 }
    }
    // Not slower than Reno with CUBIC's decrease would be.
    let step = (size * 15) >> 3
    while acknowledged > step {
      acknowledged -= step
      friendlySize += 1
    }
    if friendlySize > size { segmentsPerStep = min(segmentsPerStep, size / (friendlySize - size)) }
    segmentsPerStep = max(segmentsPerStep, 2)
  }

  @inline(__always)
  private mutating func advance(_ step: Int, _ count: Int) {
    if credit >= step {
      credit = 0
      size += 1
    }
    credit += count
    if credit >= step {
      // Nearly always one: a division costs as much as all the rest.
      let steps = credit < 2 * step ? 1 : credit / step
      credit -= steps * step
      size += steps
    }
  }
}
