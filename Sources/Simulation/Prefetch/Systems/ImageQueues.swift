// The image libraries of iOS: queues of low priority that an app fills with what its list is about to show.

extension PrefetchSystem where Window == ItemWindow {
  /// NSOperationQueue: first in, first out with priorities, so many at once, each cancelled by itself on demand. Nothing that was
  /// enqueued is taken out here.
  package static func operationQueue(ahead: Int = 5, concurrency: Int = 4) -> Self {
    queue(ahead: ahead, concurrency: concurrency, cancels: false)
  }

  /// Nuke's ImagePrefetcher at c4fc70af: two at once, below what is visible; what leaves the window is cancelled, queued or running,
  /// and Nuke resumes what it has in part.
  package static func nuke(ahead: Int = 5) -> Self {
    var system = queue(ahead: ahead, concurrency: 2, cancels: true)
    system.keepsPartial = true
    return system
  }

  /// Kingfisher's ImagePrefetcher at 410984bf: five at once, in the list's order; all or nothing can be stopped, and here nothing is.
  package static func kingfisher(ahead: Int = 5) -> Self { queue(ahead: ahead, concurrency: 5, cancels: false) }

  /// SDWebImagePrefetcher at 36e79ba4: three at once, of low priority, first in, first out; cancelled by its token.
  package static func sdWebImage(ahead: Int = 5) -> Self { queue(ahead: ahead, concurrency: 3, cancels: true) }

  /// How far ahead is the app's choice, not the library's; five is what the original team found best.
  private static func queue(ahead: Int, concurrency: Int, cancels: Bool) -> Self {
    var system = Self(window: ItemWindow(ahead: ahead))
    system.amount = .ready
    system.concurrency = concurrency
    system.cancelRule = .keep
    system.memory = cancels ? .none : .untilDone
    return system
  }
}

extension PrefetcherDefinition {
  static let operationQueue = PrefetcherDefinition(
    "operation-queue", "A queue of so many operations, first in, first out, nothing cancelled.",
    settings: [.ahead(5), .integer("concurrency", default: 4, in: 1...256, "Operations at once.")]
  ) { PrefetchSystem.operationQueue(ahead: $0.integer("ahead"), concurrency: $0.integer("concurrency")) }

  static let nuke = PrefetcherDefinition(
    "nuke", "Nuke's prefetcher: two at once, cancelled when out of the window.", settings: [.ahead(5)]
  ) { PrefetchSystem.nuke(ahead: $0.integer("ahead")) }

  static let kingfisher = PrefetcherDefinition(
    "kingfisher", "Kingfisher's prefetcher: five at once, nothing cancelled.", settings: [.ahead(5)]
  ) { PrefetchSystem.kingfisher(ahead: $0.integer("ahead")) }

  static let sdWebImage = PrefetcherDefinition(
    "sdwebimage", "SDWebImage's prefetcher: three at once, cancelled by token.", settings: [.ahead(5)]
  ) { PrefetchSystem.sdWebImage(ahead: $0.integer("ahead")) }
}
