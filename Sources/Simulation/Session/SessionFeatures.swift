// What a run may have beyond a known list of items that are looked at one after another.

/// The parts of a run that most runs do without. Without them the loop takes its short ways.
struct SessionFeatures {
  /// How the feed comes in pages; nil for one list, known from the start.
  var pages: PageSettings?
  /// Movements that take time, in order.
  var motions: ContiguousArray<Motion> = []
  /// What comes between the user's stays, in order.
  var interruptions: ContiguousArray<Interruption> = []
  /// Where the items stand.
  var geometry = FeedGeometry()
  /// The height of the viewport, in points.
  var viewportHeight = FeedGeometry.defaultViewportHeight
  /// What the app is told of its network.
  var networkClass = NetworkClass.wifi
  /// How long the radio stays in its active state after the last byte.
  var radioTail = Interval.zero
  /// Where items and pages come from.
  var hosts = FeedHosts()
  /// Whether every event is written down.
  var isLogged = false
}
