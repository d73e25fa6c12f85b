// Glide's preloader of lists: a window ahead in the direction of the scroll, in a ring of targets that forget what they held.

/// What Glide's `ListPreloader` asks for as a list scrolls.
///
/// It loads up to `maxPreload` items beyond the screen, only those that its last step had not loaded yet, towards the side to which
/// the first visible item moved. A change of direction cancels all. It holds `maxPreload + 1` loads; one more lets go of the oldest.
package struct ListPreloader: Sendable {
  /// What one step does, each in its order.
  package struct Step: Hashable, Sendable {
    /// Items asked for.
    package var requested: [Int] = []
    /// Items let go of by a change of direction.
    package var cancelled: [Int] = []
    /// Items let go of because their place in the ring was needed.
    package var evicted: [Int] = []
  }

  /// How many items beyond the screen.
  package let maxPreload: Int
  /// The items that the ring holds, oldest first; nil for a place not used yet or let go of.
  private var ring: [Int?]
  private var oldest = 0
  /// The bounds of the last step, which may have crossed at the end of the list.
  private var lastStart = 0
  private var lastEnd = 0
  private var lastFirst = -1
  private var isForward = true

  /// A preloader of up to `maxPreload` items.
  package init(maxPreload: Int) {
    self.maxPreload = maxPreload
    ring = Array(repeating: nil, count: maxPreload + 1)
  }

  /// The items that it holds, whether they have come or not; oldest first.
  package var held: [Int] { ring.indices.compactMap { ring[(oldest + $0) % ring.count] } }

  /// The list has scrolled. O(items asked for).
  package mutating func scroll(firstVisible: Int, visibleCount: Int, itemCount: Int) -> Step {
    defer { lastFirst = firstVisible }
    guard firstVisible != lastFirst else { return Step() }
    var step = Step()
    let forward = firstVisible > lastFirst
    if forward != isForward {
      isForward = forward
      step.cancelled = held
      for place in ring.indices { ring[place] = nil }
    }
    let near = firstVisible + (forward ? visibleCount : 0)
    let start = forward ? max(lastEnd, near) : near - maxPreload
    let end = forward ? near + maxPreload : min(lastStart, near)
    lastStart = min(itemCount, max(0, start))
    lastEnd = min(itemCount, end)
    if lastStart < lastEnd {
      let items = lastStart..<lastEnd
      step.requested = forward ? Array(items) : items.reversed()
    }
    for item in step.requested { hold(item, &step) }
    return step
  }

  private mutating func hold(_ item: Int, _ step: inout Step) {
    if let old = ring[oldest] { step.evicted.append(old) }
    ring[oldest] = item
    oldest = (oldest + 1) % ring.count
  }
}
