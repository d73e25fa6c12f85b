// Which combinations of a grid satisfy its conditions: a bit each, so that a million of them take 128 KB.

/// A growing set of combinations, asked by place: a bit each, and a count for every 512 of them.
package struct CombinationSet: Sendable {
  private static let wordsPerBlock = 8

  private var words: [UInt64] = []
  /// How many combinations of the set stand before each block of words.
  private var before: [UInt32] = []
  /// How many there are.
  private(set) var count = 0

  /// The combinations below `limit` that `holds` takes. O(limit).
  package init(limit: Int, holds: (Int) -> Bool) {
    words = [UInt64](repeating: 0, count: (limit + 63) / 64)
    before.reserveCapacity(words.count / Self.wordsPerBlock + 1)
    for word in words.indices {
      if word % Self.wordsPerBlock == 0 { before.append(UInt32(count)) }
      for bit in 0..<min(64, limit - word * 64) where holds(word * 64 + bit) {
        words[word] |= 1 << UInt64(bit)
        count += 1
      }
    }
  }

  /// The combination at a place of the set, counted from 0. O(log limit).
  package subscript(place: Int) -> Int {
    precondition((0..<count).contains(place), "a place of the set")
    var (low, high) = (0, before.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if Int(before[middle]) <= place { low = middle } else { high = middle }
    }
    var rest = place - Int(before[low])
    var word = low * Self.wordsPerBlock
    while rest >= words[word].nonzeroBitCount {
      rest -= words[word].nonzeroBitCount
      word += 1
    }
    var bits = words[word]
    for _ in 0..<rest { bits &= bits - 1 }
    return word * 64 + bits.trailingZeroBitCount
  }

  /// The place of a combination; nil if it is not in the set. O(1).
  package func place(of combination: Int) -> Int? {
    let (word, bit) = (combination / 64, UInt64(combination % 64))
    guard words.indices.contains(word), words[word] >> bit & 1 == 1 else { return nil }
    let block = word / Self.wordsPerBlock
    var place = Int(before[block])
    for earlier in block * Self.wordsPerBlock..<word { place += words[earlier].nonzeroBitCount }
    return place + (words[word] & ((1 << bit) - 1)).nonzeroBitCount
  }
}
