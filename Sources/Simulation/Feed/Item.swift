// An item of the feed.

/// The kind of an item.
public enum ItemKind: UInt8, Hashable, Sendable, CaseIterable {
  /// A still picture, ready when all its bytes are stored.
  case image
  /// A video, ready when its prefix is stored.
  case video
  /// An embedded page, ready when all its bytes are stored.
  case webApp
  /// A native advertisement, ready when all its bytes are stored.
  case nativeAd

  /// The name in sweep files.
  public var name: String {
    switch self {
    case .image: "image"
    case .video: "video"
    case .webApp: "webApp"
    case .nativeAd: "nativeAd"
    }
  }
}

/// An item of the feed: its kind and sizes.
public struct Item: Hashable, Sendable {
  /// The kind of the item.
  public let kind: ItemKind
  /// The height on the screen, in points; 0 if it fills the viewport.
  public package(set) var height: Int32 = 0
  /// The size, 1 to 10⁹ bytes.
  public let bytes: Int64
  /// The bytes that must be stored to show it: all, or a video's prefix.
  public let readyBytes: Int64
  /// The bit rate of a video, in bits a second; 0 for other kinds.
  public let bitsPerSecond: Int64

  /// Creates an item that is ready when all its bytes are stored.
  package init(kind: ItemKind, bytes: Int64) { self.init(kind: kind, bytes: bytes, readyBytes: bytes, bitsPerSecond: 0) }

  /// Creates a video that is ready with `prefixBytes`. It never stalls if `bitsPerSecond` is 0.
  package init(videoBytes: Int64, prefixBytes: Int64, bitsPerSecond: Int64) {
    self.init(kind: .video, bytes: videoBytes, readyBytes: min(prefixBytes, videoBytes), bitsPerSecond: bitsPerSecond)
  }

  init(kind: ItemKind, bytes: Int64, readyBytes: Int64, bitsPerSecond: Int64) {
    precondition(0 < readyBytes && readyBytes <= bytes && bytes <= Volume.limitBytes, "an item's sizes are out of bounds")
    (self.kind, self.bytes, self.readyBytes, self.bitsPerSecond) = (kind, bytes, readyBytes, bitsPerSecond)
  }
}
