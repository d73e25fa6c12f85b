// Draws a run from a user script: its visits, motions and interruptions.

struct DrawnScript {
  var visits: ContiguousArray<Visit> = []
  var motions: ContiguousArray<Motion> = []
  var interruptions: ContiguousArray<Interruption> = []
}

extension UserScript {
  func draw(items: ContiguousArray<Item>, geometry: FeedGeometry, random: inout RandomStream) -> DrawnScript {
    if !recording.isEmpty { return withSwipes(DrawnScript(visits: recording), geometry) }
    let isPlain = dwellByKind.isEmpty && watchRatio == nil && back == 0 && flings == nil && leave == 0
    if steps.isEmpty, isPlain { return withSwipes(DrawnScript(visits: visits(random: &random)), geometry) }
    var drawing = ScriptDrawing(script: self, items: items, geometry: geometry)
    if steps.isEmpty { drawing.wander(random: &random) } else { drawing.draw(steps, random: &random) }
    return drawing.result
  }

  /// Adds a swipe before each visit but the first, if swipes take time.
  private func withSwipes(_ drawn: DrawnScript, _ geometry: FeedGeometry) -> DrawnScript {
    guard swipe > .zero else { return drawn }
    var drawn = drawn
    for visit in 1..<max(1, drawn.visits.count) { drawn.motions.append(swipeMotion(to: visit, of: drawn.visits, geometry)) }
    return drawn
  }

  fileprivate func swipeMotion(to visit: Int, of visits: ContiguousArray<Visit>, _ geometry: FeedGeometry) -> Motion {
    let time = min(swipe.nanoseconds, visits[visit - 1].dwell.nanoseconds)
    return Motion(
      from: geometry.top(visits[visit - 1].item), to: geometry.top(visits[visit].item), duration: time, lead: time, first: visit,
      last: visit, isFling: false)
  }
}

private struct ScriptDrawing {
  let script: UserScript
  let items: ContiguousArray<Item>
  let geometry: FeedGeometry
  var result = DrawnScript()
  var item = -1
  var isOver = false

  mutating func draw(_ steps: [ScriptStep], random: inout RandomStream) {
    for step in steps where !isOver {
      switch step {
      case .scroll(let count, let dwell):
        for _ in 0..<abs(count) { scroll(to: item + count.signum(), dwell: dwell, random: &random) }
      case .fling(let count, let dwell): fling(to: item + count, dwell: dwell, random: &random)
      case .abandon(let chance): isOver = result.visits.count > 0 && (chance >= 1 || (chance > 0 && random.unit() < chance))
      case .memoryWarning: result.interruptions.append(Interruption(visit: result.visits.count, kind: .memoryWarning))
      case .background(let time):
        result.interruptions.append(Interruption(visit: result.visits.count, kind: .background(time.draw(from: &random))))
      case .repeat(let times, let inner):
        for _ in 0..<times where !isOver { draw(inner, random: &random) }
      }
    }
  }

  /// Scrolls forward through the script's items, back at times, until the last has passed or the user leaves.
  mutating func wander(random: inout RandomStream) {
    let most = script.back > 0 ? script.scroll * UserScript.visitsPerItem : script.scroll
    while result.visits.count < most {
      let goesBack = script.back > 0 && item > 0 && random.unit() < script.back
      // The first item becomes active without a move.
      let way = item < 0 ? 1 : script.flings?.draw(from: &random) ?? 1
      var target = item + (goesBack ? -way : way)
      // A fling ends at the edge of the feed.
      if way > 1 { target = max(0, min(target, min(script.scroll, items.count) - 1)) }
      guard target != item, target < script.scroll, items.indices.contains(target) else { return }
      if way > 1 {
        fling(to: target, dwell: nil, isHeld: true, random: &random)
      } else {
        scroll(to: target, dwell: nil, random: &random)
      }
      if script.leave > 0, random.unit() < script.leave { return }
    }
  }

  private mutating func scroll(to target: Int, dwell: Distribution?, random: inout RandomStream) {
    guard items.indices.contains(target) else { return }
    item = target
    result.visits.append(Visit(item: target, dwell: drawDwell(at: target, dwell, random: &random)))
    if script.swipe > .zero, result.visits.count > 1, !isInterrupted(before: result.visits.count - 1) {
      result.motions.append(script.swipeMotion(to: result.visits.count - 1, of: result.visits, geometry))
    }
  }

  /// True if the app is in the background before a visit; then no swipe leads to it.
  private func isInterrupted(before visit: Int) -> Bool {
    // Interruptions are in order, so only the last ones can precede that visit.
    for interruption in result.interruptions.reversed() {
      if interruption.visit < visit { return false }
      if interruption.visit == visit, case .background = interruption.kind { return true }
    }
    return false
  }

  /// Adds a fling. An item is active while its upper edge is the nearest to the viewport's.
  /// The last one's dwell begins when the content has stopped or, if `isHeld`, when the item becomes active: then the next touch stops it.
  private mutating func fling(to target: Int, dwell: Distribution?, isHeld: Bool = false, random: inout RandomStream) {
    let target = max(0, min(target, items.count - 1))
    guard target != item else { return }
    // Without an earlier visit a fling has no start.
    guard item >= 0, !result.visits.isEmpty else { return scroll(to: target, dwell: dwell, random: &random) }
    // After a background time the user first sees the last item again, for 1 ns.
    if isInterrupted(before: result.visits.count) { result.visits.append(Visit(item: item, dwell: Interval(nanoseconds: 1))) }
    let last = result.visits.count - 1
    let step = target > item ? 1 : -1
    let from = geometry.top(item)
    let way = geometry.top(target) - from
    let lastDwell = drawDwell(at: target, dwell, random: &random).nanoseconds
    let duration = Motion.flingNanoseconds(way, of: way)
    let first = result.visits.count
    var lead: Int64 = 0
    var crossed: Int64 = 0
    while item != target {
      item += step
      let middle = (geometry.top(item) + geometry.top(item - step)) / 2
      let time = max(crossed, Motion.flingNanoseconds(middle - from, of: way))
      if result.visits.count == first {
        lead = time
        result.visits[last].dwell.nanoseconds += time
      } else {
        result.visits[result.visits.count - 1].dwell = Interval(nanoseconds: max(1, time - crossed))
      }
      crossed = time
      result.visits.append(Visit(item: item, dwell: Interval(nanoseconds: isHeld ? lastDwell : lastDwell + duration - time)))
    }
    // The next touch, which may be a swipe, comes within the last dwell.
    let held = crossed + max(0, lastDwell - script.swipe.nanoseconds - 1)
    result.motions.append(
      Motion(
        from: from, to: from + way, duration: isHeld ? min(duration, held) : duration, lead: lead, first: first,
        last: result.visits.count - 1, isFling: true))
  }

  private func drawDwell(at item: Int, _ dwell: Distribution?, random: inout RandomStream) -> Interval {
    if dwell == nil, let ratio = script.watchRatio, items[item].bitsPerSecond > 0 {
      let length = Double(items[item].bytes) * 8e9 / Double(items[item].bitsPerSecond)
      let watched = ratio.draw(length: length, from: &random)
      return Interval(nanoseconds: Int64(min(max(watched, 1e6), Double(script.longestDwell)))) + script.overhead
    }
    let kind = Int(items[item].kind.rawValue)
    let distribution = dwell ?? (script.dwellByKind.isEmpty ? script.dwell : script.dwellByKind[kind])
    return Interval(nanoseconds: distribution.draw(from: &random)) + script.overhead
  }
}
