// The row of the picture that an item has. A short stretch has a row an item; a long one uses its rows again from the top, so that
// a thousand items are no higher than a few dozen.

/// The rows of one run within a stretch.
struct TimelineRows {
  /// An item from its first request to the end of its stay.
  struct Life {
    let item: Int, kind: String
    var from: Double, to: Double
    /// The end of its stay, from which on nothing more belongs to it.
    var closed = Double.infinity
    var hasLoader = false
    /// The indices of its requests and stays.
    var requests: [Int] = [], stays: [Int] = []
    /// From 0.
    var row = 0
  }

  /// Up to so many items have a row each.
  static let itemLimit = 40
  /// Rows before they are used again, at least.
  private static let rowsLeast = 24
  /// Beyond so many rows, an item's wait for its stay has no place in its row.
  private static let rowLimit = 64

  /// By rising time.
  private(set) var lives: [Life]
  /// How many rows there are.
  private(set) var count = 0

  /// The lives that touch a stretch. `room` is what a life needs before and after it for its words, in milliseconds; `loaderRoom` what
  /// one with a loader needs after it besides.
  init(_ run: RunTimeline, from: Double, to: Double, room: Double, loaderRoom: Double) {
    lives = Self.lives(run, from: from, to: to, splits: false)
    place(room: room, loaderRoom: loaderRoom)
    guard count > Self.rowLimit else { return }
    lives = Self.lives(run, from: from, to: to, splits: true)
    place(room: room, loaderRoom: loaderRoom)
  }

  /// Puts together what belongs to one life of an item; if it `splits`, what is fetched and waits for its stay begins another. O(n log n).
  private static func lives(_ run: RunTimeline, from: Double, to: Double, splits: Bool) -> [Life] {
    typealias Part = (from: Double, to: Double, item: Int, kind: String, request: Int?, stay: Int?)
    var parts: [Part] = run.requests.enumerated().filter { $1.part != .page }.map { ($1.asked, $1.ended, $1.item, $1.kind, $0, nil) }
    parts += run.stays.enumerated().map { ($1.from, $1.to, $1.item, $1.kind, nil, $0) }
    parts.sort { ($0.from, $0.item, $0.stay ?? -1) < ($1.from, $1.item, $1.stay ?? -1) }
    var lives: [Life] = []
    var open: [Int: Int] = [:]
    for part in parts {
      var place = open[part.item]
      if let known = place, part.from >= lives[known].closed || (splits && part.from > lives[known].to) { place = nil }
      let life = place ?? lives.count
      if place == nil { lives.append(Life(item: part.item, kind: part.kind, from: part.from, to: part.to)) }
      open[part.item] = life
      lives[life].to = max(lives[life].to, part.to)
      if let request = part.request { lives[life].requests.append(request) }
      if let stay = part.stay {
        lives[life].stays.append(stay)
        lives[life].closed = part.to
        if run.stays[stay].loader != nil { lives[life].hasLoader = true }
      }
    }
    return lives.filter { $0.to > from && $0.from < to }
  }

  /// Gives each life a row.
  private mutating func place(room: Double, loaderRoom: Double) {
    let items = Set(lives.map(\.item)).sorted()
    if items.count <= Self.itemLimit {
      let rows = Dictionary(uniqueKeysWithValues: zip(items, 0...))
      for place in lives.indices { lives[place].row = rows[lives[place].item] ?? 0 }
      count = items.count
      return
    }
    // The next free row after the last one used, so that items in order go down the picture and start at the top again.
    var free = [Double](repeating: -.infinity, count: Self.rowsLeast)
    var last = -1
    for place in lives.indices {
      let life = lives[place]
      let found = (1...free.count).map { (last + $0) % free.count }.first { free[$0] <= life.from - room }
      let row = found ?? free.count
      if found == nil { free.append(0) }
      free[row] = life.to + room + (life.hasLoader ? loaderRoom : 0)
      lives[place].row = row
      last = row
    }
    count = free.count
  }
}
