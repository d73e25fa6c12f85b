// What an app knows besides its feed: the time, its screen, its network, and what it has seen of both.

/// What a view has besides the feed.
struct FeedDetails: ~Copyable {
  /// Whether what follows is kept up to date.
  var isKept = true
  var occasion = PlanTrigger.activation
  var now = Instant.start
  var activeSince = Instant.start
  var viewportHeight = FeedGeometry.defaultViewportHeight
  var contentOffset = 0.0
  var targetOffset = 0.0
  var velocity = 0.0
  var geometry = FeedGeometry()
  var totalItems: Int?
  var networkClass = NetworkClass.wifi
  var appState = AppState.foreground
  var memoryWarning: Instant?
  let throughputSamples = Box(ThroughputSamples())
  let dwellSamples = Box(DwellSamples())
  /// Nanobits of the active video that are there beyond what has been played.
  var bufferedVolume: Int64 = 0
}

extension FeedView {
  /// The details, where they are kept.
  var told: UnsafeMutablePointer<FeedDetails> {
    precondition(details.value.isKept, "a prefetcher that reads this part of the view must not say readsDetails = false")
    return details.address
  }

  /// Why the prefetcher is asked.
  package var occasion: PlanTrigger { told.pointee.occasion }
  /// The time of the run.
  package var now: Instant { told.pointee.now }
  /// When the active item became that.
  package var activeSince: Instant { told.pointee.activeSince }

  /// The height of the viewport, in points.
  package var viewportHeight: Double { told.pointee.viewportHeight }
  /// How far the content has been scrolled: what stands at the viewport's upper edge, in points.
  package var contentOffset: Double { told.pointee.contentOffset }
  /// The offset at which the present movement will end; `contentOffset` while nothing moves.
  package var targetOffset: Double { told.pointee.targetOffset }
  /// How fast the content moves, in points a second; negative towards earlier items.
  package var velocity: Double { told.pointee.velocity }

  /// How many items there will be, if a client of such a feed knows it.
  package var totalItems: Int? { told.pointee.totalItems }
  /// What the operating system calls the network.
  package var networkClass: NetworkClass { told.pointee.networkClass }
  /// Whether the user sees the app.
  package var appState: AppState { told.pointee.appState }
  /// When memory was last reported short; nil if never.
  package var memoryWarning: Instant? { told.pointee.memoryWarning }

  /// The transfers that finished last.
  package var throughputSamples: ThroughputSamples {
    unsafeAddress { UnsafePointer(told.pointee.throughputSamples.address) }
  }
  /// How long the user stayed at the latest items.
  package var dwellSamples: DwellSamples {
    unsafeAddress { UnsafePointer(told.pointee.dwellSamples.address) }
  }
}
