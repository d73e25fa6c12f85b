// One item of a feed file, checked.

/// An item as a feed file describes it.
package struct FeedItemRecord: Hashable, Sendable {
  /// What kind of thing it is.
  package enum Kind: String, CaseIterable, Sendable {
    case image, video, webApp, nativeAd
  }

  /// Its name, unique in the file.
  package var id: String?
  /// What it is.
  package var kind: Kind
  /// All its bytes, 1 ... 1 000 000 000.
  package var bytes: Int64
  /// The bytes that make it ready: the prefix of a video, all of anything else.
  package var prefixBytes: Int64
  /// A video's bit rate in bits a second.
  package var bitRateBps: Int64?
  /// A video's length in milliseconds.
  package var durationMs: Int64?
  /// Its height on the screen in points; nil if it fills the viewport.
  package var height: Int64?
}
