// What a prefetcher wants: an ordered list that the session empties and fills again at each activation.

/// An ordered list of wishes: items and amounts, the most urgent first.
public struct Plan: ~Copyable {
  /// One wish: the first `bytes` of an item.
  public struct Entry: Hashable, Sendable, BitwiseCopyable {
    /// The item's place in the feed.
    public var item: Int
    /// How many bytes from its start; at least its size means all of it.
    public var bytes: Int64
    /// Lower is more urgent; only HTTP/2 uses it.
    public var priority: Int
  }

  /// How many wishes there are.
  public private(set) var count = 0
  private var entries = FixedArray(repeating: Entry(item: 0, bytes: 0, priority: 0), count: 16)

  /// An empty plan.
  public init() {}

  /// The wish at a place, 0 ..< `count`.
  public subscript(index: Int) -> Entry { entries[index] }

  /// Wishes for the first `bytes` of `item`, after all that is wished for already.
  @inline(__always)
  public mutating func fetch(_ item: Int, bytes: Int64 = .max, priority: Int = 0) {
    if count == entries.count { grow() }
    entries[count] = Entry(item: item, bytes: bytes, priority: priority)
    count += 1
  }

  mutating func removeAll() { count = 0 }

  @inline(never)
  private mutating func grow() {
    var larger = FixedArray(repeating: Entry(item: 0, bytes: 0, priority: 0), count: 2 * entries.count)
    for index in 0..<count { larger[index] = entries[index] }
    entries = larger
  }
}
