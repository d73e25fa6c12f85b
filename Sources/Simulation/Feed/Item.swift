// One entry of the feed.

/// What an item of the feed shows.
package enum ItemKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A still picture: ready when all of it is there.
  case image
  /// A video: ready when its prefix is there.
  case video
  /// An embedded page: ready when all of it is there.
  case webApp
  /// A native advertisement: ready when all of it is there.
  case nativeAd

  /// Its name in sweep files.
  package var name: String {
    switch self {
    case .image: "image"
    case .video: "video"
    case .webApp: "webApp"
    case .nativeAd: "nativeAd"
    }
  }
}

/// One entry of the feed: its kind and sizes.
package struct Item: Hashable, Sendable {
  /// What it shows.
  package let kind: ItemKind
  /// How high it stands on the screen, in points; 0 if it fills the viewport.
  package var height: Int32 = 0
  /// The size of all of it, 1 … `Volume.limitBytes`.
  package let bytes: Int64
  /// The bytes that must be there to show it: all, or a video's prefix.
  package let readyBytes: Int64
  /// Bits a second that a video plays; 0 for the rest.
  package let bitsPerSecond: Int64

  /// An item that needs all its bytes.
  package init(kind: ItemKind, bytes: Int64) {
    self.init(kind: kind, bytes: bytes, readyBytes: bytes, bitsPerSecond: 0)
  }

  /// A video that starts with `prefixBytes` and plays `bitsPerSecond` (0: it is never judged for stalls).
  package init(videoBytes: Int64, prefixBytes: Int64, bitsPerSecond: Int64) {
    self.init(kind: .video, bytes: videoBytes, readyBytes: min(prefixBytes, videoBytes), bitsPerSecond: bitsPerSecond)
  }

  init(kind: ItemKind, bytes: Int64, readyBytes: Int64, bitsPerSecond: Int64) {
    precondition(0 < readyBytes && readyBytes <= bytes && bytes <= Volume.limitBytes, "an item's sizes are out of bounds")
    self.kind = kind
    self.bytes = bytes
    self.readyBytes = readyBytes
    self.bitsPerSecond = bitsPerSecond
  }
}
