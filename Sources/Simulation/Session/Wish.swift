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
