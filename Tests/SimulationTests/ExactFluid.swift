// The fluid transport in rational arithmetic: an oracle with the same rules and another algorithm.
// It follows every transfer from event to event, without virtual time, nanoseconds and rounding.

/// A fraction in lowest terms; broken if it needs more than 128 bits.
struct Rational: Comparable {
  private(set) var numerator: Int128
  private(set) var denominator: Int128

  init(_ value: Int) { (numerator, denominator) = (Int128(value), 1) }

  private init(_ numerator: Int128, over denominator: Int128, isWhole: Bool = true) {
    let divisor = isWhole ? Rational.commonDivisor(numerator.magnitude, denominator.magnitude) : 0
    self.numerator = divisor == 0 ? 0 : numerator / divisor
    self.denominator = divisor == 0 ? 0 : denominator / divisor
  }

  var isBroken: Bool { denominator == 0 }
  /// The largest whole number at or below it.
  var floor: Int { Int(numerator >= 0 ? numerator / denominator : -((denominator - 1 - numerator) / denominator)) }

  private static func commonDivisor(_ left: UInt128, _ right: UInt128) -> Int128 {
    if left <= UInt64.max, right <= UInt64.max {
      var (a, b) = (UInt64(left), UInt64(right))
      while b != 0 { (a, b) = (b, a % b) }
      return Int128(a)
    }
    var (a, b) = (left, right)
    while b != 0 { (a, b) = (b, a % b) }
    return Int128(truncatingIfNeeded: a)
  }

  static func + (left: Rational, right: Rational) -> Rational {
    guard !left.isBroken, !right.isBroken else { return Rational(0, over: 0, isWhole: false) }
    let shared = commonDivisor(left.denominator.magnitude, right.denominator.magnitude)
    let (first, isFirstLost) = left.numerator.multipliedReportingOverflow(by: right.denominator / shared)
    let (second, isSecondLost) = right.numerator.multipliedReportingOverflow(by: left.denominator / shared)
    let (sum, isSumLost) = first.addingReportingOverflow(second)
    let (all, isAllLost) = left.denominator.multipliedReportingOverflow(by: right.denominator / shared)
    return Rational(sum, over: all, isWhole: !isFirstLost && !isSecondLost && !isSumLost && !isAllLost)
  }

  static func * (left: Rational, right: Rational) -> Rational {
    guard !left.isBroken, !right.isBroken else { return Rational(0, over: 0, isWhole: false) }
    let (above, isAboveLost) = left.numerator.multipliedReportingOverflow(by: right.numerator)
    let (below, isBelowLost) = left.denominator.multipliedReportingOverflow(by: right.denominator)
    return Rational(above, over: below, isWhole: !isAboveLost && !isBelowLost)
  }

  static func - (left: Rational, right: Rational) -> Rational { left + right * Rational(-1) }
  /// `right` is above zero.
  static func / (left: Rational, right: Int) -> Rational { left * Rational(1, over: Int128(right)) }

  static func < (left: Rational, right: Rational) -> Bool {
    if left.denominator == right.denominator { return left.numerator < right.numerator }
    return (left - right).numerator < 0
  }
}

/// A session over the fluid transport in rational arithmetic: it fetches the active item and the next ones in order.
struct ExactFluid {
  /// A scenario in round numbers.
  struct Point {
    /// The periods of the trace, in milliseconds and kbit/s.
    var periods: [(ms: Int, kbps: Int)]
    var offsetMs = 0
    var latencyMs: Int
    var bytes: [Int]
    var dwellMs: Int
    var connections: Int
    var ahead: Int
    var rule: Rule
  }

  enum Rule: CaseIterable { case drop, resume, keep, keepPartial, never }

  struct Outcome: Equatable {
    var loaders: [Int] = []
    var requests = 0
    var cancels = 0
    var bytesReceived = 0
    var bytesCancelled = 0
  }

  private struct Transfer {
    var item: Int
    var total: Rational
    var left: Rational
    var joins: Rational
  }

  private let point: Point
  private var now = Rational(0)
  private var period = 0
  private var periodEnd = Rational(0)
  /// The stored bits of each item.
  private var stored: [Rational]
  private var isReady: [Bool]
  private var transfers: [Transfer] = []
  private var outcome = Outcome()

  private init(_ point: Point) {
    self.point = point
    stored = point.bytes.map { _ in Rational(0) }
    isReady = point.bytes.map { _ in false }
    var start = point.offsetMs % point.periods.reduce(0) { $0 + $1.ms }
    while start >= point.periods[period].ms {
      start -= point.periods[period].ms
      period += 1
    }
    periodEnd = Rational(point.periods[period].ms - start)
  }

  /// Plays a point; nil if its fractions need more than 128 bits.
  static func outcome(of point: Point) -> Outcome? {
    var exact = ExactFluid(point)
    for item in point.bytes.indices {
      exact.activate(item)
      if !exact.pass(until: Rational((item + 1) * point.dwellMs), active: item) { return nil }
    }
    for transfer in exact.transfers { exact.outcome.bytesReceived += ((transfer.total - transfer.left) / 8).floor }
    for bits in exact.stored { exact.outcome.bytesReceived += (bits / 8).floor }
    return exact.outcome
  }

  private func plan(_ active: Int) -> Range<Int> { active..<min(point.bytes.count, active + point.ahead + 1) }

  private mutating func activate(_ item: Int) {
    if !isReady[item] { outcome.loaders.append(item) }
    switch point.rule {
    case .drop, .resume: for transfer in transfers { cancel(transfer) }
    case .keep, .keepPartial: for transfer in transfers where !plan(item).contains(transfer.item) { cancel(transfer) }
    case .never: break
    }
    fill(item)
  }

  private mutating func cancel(_ transfer: Transfer) {
    transfers.removeAll { $0.item == transfer.item }
    outcome.cancels += 1
    let received = transfer.total - transfer.left
    if point.rule == .resume || point.rule == .keepPartial {
      stored[transfer.item] = stored[transfer.item] + received
    } else {
      outcome.bytesReceived += (received / 8).floor
      outcome.bytesCancelled += (received / 8).floor
    }
  }

  private mutating func fill(_ active: Int) {
    for item in plan(active) where transfers.count < point.connections {
      guard !isReady[item], !transfers.contains(where: { $0.item == item }) else { continue }
      let total = Rational(point.bytes[item] * 8) - stored[item]
      transfers.append(Transfer(item: item, total: total, left: total, joins: now + Rational(point.latencyMs)))
      outcome.requests += 1
    }
  }

  /// Moves to `end`; transfers that end exactly then are complete and start no others. False if 128 bits are not enough.
  private mutating func pass(until end: Rational, active: Int) -> Bool {
    while now < end {
      let rate = point.periods[period].kbps
      let sharing = transfers.indices.filter { transfers[$0].joins <= now }
      var next = min(end, periodEnd)
      for transfer in transfers where transfer.joins > now { next = min(next, transfer.joins) }
      if rate > 0 { for index in sharing { next = min(next, now + transfers[index].left * Rational(sharing.count) / rate) } }
      if next.isBroken { return false }
      if !sharing.isEmpty {
        let share = (next - now) * Rational(rate) / sharing.count
        for index in sharing { transfers[index].left = transfers[index].left - share }
      }
      now = next
      if now == periodEnd {
        period = (period + 1) % point.periods.count
        periodEnd = periodEnd + Rational(point.periods[period].ms)
      }
      if transfers.contains(where: \.left.isBroken) { return false }
      let complete = transfers.filter { $0.left == Rational(0) }
      for transfer in complete {
        stored[transfer.item] = stored[transfer.item] + transfer.total
        isReady[transfer.item] = true
        transfers.removeAll { $0.item == transfer.item }
      }
      if !complete.isEmpty, now < end { fill(active) }
    }
    return true
  }
}
