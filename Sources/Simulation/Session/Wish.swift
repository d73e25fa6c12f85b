// A transfer before it starts and while it is on the way.

/// What the loop remembers of a transfer on the way.
struct TransferProgress: BitwiseCopyable {
  /// The item, or the page.
  var item = 0
  /// What it brings, in nanobits.
  var volume: Int64 = 0
  var isRest = false
}

/// What a run that is not plain remembers of a transfer besides.
struct TransferStory: BitwiseCopyable {
  /// When it was asked for.
  var requestedAt: Int64 = 0
  /// Its number among all requests of the run, from 1; counted only where events are written down.
  var serial: Int32 = 0
}

/// A transfer that is wanted.
struct Wish: BitwiseCopyable {
  var item: Int
  var isRest: Bool
  /// Whether with it nothing more of that part can be wanted.
  var covers: Bool
  var volume: Int64
  var priority: Int
}

extension SessionLoop where Link: ~Copyable {
  /// The bytes that a wish asks for. Where a cut left a part of a byte, they begin with that byte.
  func part(of wish: Wish) -> RequestedPart {
    let item = view.items[wish.item]
    let progress = view.progress[wish.item]
    let offset = wish.isRest ? item.readyBytes + Volume(nanobits: progress.rest).bytes : Volume(nanobits: progress.head).bytes
    return RequestedPart(
      .item(wish.item), offset: offset, bytes: Volume(nanobits: wish.volume + 7_999_999_999).bytes, wholeBytes: item.bytes)
  }
}
