// Feeds drawn from a description: the number of items, their kinds and their sizes.

/// A description from which each repetition draws its feed.
/// With the default sizes and four images per video, a ready item needs about 60 KB on average: one item a second nearly fills a 3G link.
package struct FeedGenerator: Hashable, Sendable {
  package struct Sizes: Hashable, Sendable {
    package var bytes: Distribution
    /// The prefix that a video needs to start, in bytes; unused by other kinds.
    package var prefixBytes: Int64 = 200_000
    /// The bit rate of a video, in bits a second; unused by other kinds.
    package var bitsPerSecond: Int64 = 1_000_000
    package var decode = DecodeTime()
    /// The renditions of a video; nil for one encoding.
    package var renditions: Renditions?
    /// The height on the screen, in points; nil if it fills the viewport.
    package var height: Distribution?
  }

  package var count: Int
  /// The weight of each kind, in the order of `ItemKind`; not all zero.
  package var mix: [Double]
  /// The sizes of each kind, in the order of `ItemKind`.
  package var sizes: [Sizes]

  package init(count: Int, mix: [Double], sizes: [Sizes]) {
    precondition(mix.count == ItemKind.allCases.count && sizes.count == mix.count, "each kind needs one weight and one size")
    (self.count, self.mix, self.sizes) = (count, mix, sizes)
  }

  package var isConstant: Bool {
    mix.filter { $0 > 0 }.count == 1 && zip(mix, sizes).allSatisfy { $0 == 0 || ($1.bytes.isConstant && $1.height?.isConstant ?? true) }
  }

  package var hasHeights: Bool { zip(mix, sizes).contains { $0 > 0 && $1.height != nil } }

  /// Returns the default sizes of a kind: lognormal with medians of 21 KB, 1 MB, 60 KB and 30 KB.
  package static func defaultSizes(of kind: ItemKind) -> Sizes {
    switch kind {
    case .image: Sizes(bytes: .lognormal(median: 21_000, sigma: 0.6, minimum: 2000, maximum: 200_000))
    case .video: Sizes(bytes: .lognormal(median: 1_000_000, sigma: 0.5, minimum: 200_000, maximum: 8_000_000))
    case .webApp: Sizes(bytes: .lognormal(median: 60_000, sigma: 0.6, minimum: 5000, maximum: 500_000))
    case .nativeAd: Sizes(bytes: .lognormal(median: 30_000, sigma: 0.4, minimum: 5000, maximum: 200_000))
    }
  }

  /// Draws the feed of a run. Each kind has streams of its own, so that another share of videos changes as few items as possible.
  func draw(seed: UInt64) -> ContiguousArray<Item> {
    func streams(_ name: String) -> [RandomStream] {
      ItemKind.allCases.map { RandomStream(runSeed: seed, name: "feed.\(name).\($0.name)") }
    }
    var (kinds, ofSizes) = (RandomStream(runSeed: seed, name: "feed.kinds"), streams("sizes"))
    var total = 0.0
    let sums = mix.map { weight in
      total += weight
      return total
    }
    let allKinds = ItemKind.allCases
    var items = ContiguousArray<Item>(unsafeUninitializedCapacity: count) { items, drawn in
      for index in 0..<count {
        let kind = kind(at: kinds.unit() * total, in: sums)
        let bytes = sizes[kind].bytes.draw(from: &ofSizes[kind])
        items.initializeElement(at: index, to: item(of: allKinds[kind], bytes: bytes))
      }
      drawn = count
    }
    if !hasHeights { return items }
    var ofHeights = streams("heights")
    for index in items.indices {
      let kind = Int(items[index].kind.rawValue)
      if let height = sizes[kind].height { items[index].height = Int32(height.draw(from: &ofHeights[kind])) }
    }
    return items
  }

  /// Returns the index of the kind at a point of the weights' sums. It compares all of them: an early exit costs mispredicted branches.
  @inline(__always) private func kind(at share: Double, in sums: [Double]) -> Int {
    var index = 0
    for kind in 0..<sums.count - 1 { index += share >= sums[kind] ? 1 : 0 }
    while mix[index] == 0 { index -= 1 }
    return index
  }

  @inline(__always) private func item(of kind: ItemKind, bytes: Int64) -> Item {
    let isVideo = kind == .video
    let sizes = sizes[Int(kind.rawValue)]
    if isVideo, let renditions = sizes.renditions { return renditions.lowestItem(bytes: bytes, bitsPerSecond: sizes.bitsPerSecond) }
    return Item(
      kind: kind, bytes: bytes, readyBytes: min(isVideo ? sizes.prefixBytes : .max, bytes),
      bitsPerSecond: isVideo ? sizes.bitsPerSecond : 0)
  }
}
