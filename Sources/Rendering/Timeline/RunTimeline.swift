// One run as its picture needs it: what was on screen, what was asked for, and what the link carried.
// The Sweep library fills it, so that pictures know nothing of the simulator.

import Analysis

/// One run over time. All times are milliseconds from its start.
package struct RunTimeline: Sendable {
  /// The setting's name.
  package var setting: String
  /// The point's id.
  package var point: String
  /// The items of the feed that have been active, in order; an item that comes back has another stay.
  package var stays: [Stay]
  /// The requests in the order of asking.
  package var requests: [Request]
  /// What the link had offered and what had been read, by rising time; between two of them straight lines hold.
  package var volumes: [Volumes]
  /// What else happened.
  package var moments: [Moment]
  /// When the run ended.
  package var end: Double

  /// A run of the given parts.
  package init(
    setting: String, point: String, stays: [Stay], requests: [Request], volumes: [Volumes], moments: [Moment] = [], end: Double
  ) {
    (self.setting, self.point, self.end) = (setting, point, end)
    (self.stays, self.requests, self.volumes, self.moments) = (stays, requests, volumes, moments)
  }

  /// One item on screen.
  package struct Stay: Sendable {
    /// The item's place in the feed.
    package var item: Int
    /// What it shows, e.g. `video`.
    package var kind: String
    /// When it became active, and when it was left.
    package var from: Double, to: Double
    /// Why it was not ready when it became active; nil where it was.
    package var loader: Loader?

    /// A stay.
    package init(item: Int, kind: String, from: Double, to: Double, loader: Loader? = nil) {
      (self.item, self.kind, self.from, self.to, self.loader) = (item, kind, from, to, loader)
    }
  }

  /// The evidence of a loader.
  package struct Loader: Sendable {
    /// One of `Metric.reasons`.
    package var reason: Metric
    /// How long the item was not ready while active.
    package var wait: Double
    /// Whether it became ready while active.
    package var isShown: Bool
    /// When it was first asked for, and when its last transfer before its activation was cut; nil where that was not.
    package var asked: Double?, cut: Double?
    /// When it would have been ready, had it had the link to itself since it was asked for.
    package var readyAlone: Double

    /// A loader.
    package init(reason: Metric, wait: Double, isShown: Bool, asked: Double?, cut: Double?, readyAlone: Double) {
      (self.reason, self.wait, self.isShown, self.asked, self.cut) = (reason, wait, isShown, asked, cut)
      self.readyAlone = readyAlone
    }
  }

  /// One request.
  package struct Request: Sendable {
    /// What it brings.
    package enum Part: Sendable {
      /// What makes an item ready.
      case ready
      /// What follows a video's prefix.
      case rest
      /// A page of the feed.
      case page
    }

    /// How it ended.
    package enum End: Sendable {
      case finished, cut, unfinished
    }

    /// The item's place in the feed, or the page's number from 0.
    package var item: Int
    /// What the item shows; empty for a page.
    package var kind: String
    /// What it brings.
    package var part: Part
    /// When it was asked for.
    package var asked: Double
    /// When its first byte came; nil if none did.
    package var began: Double?
    /// When it ended.
    package var ended: Double
    /// How it ended.
    package var end: End
    /// The bytes asked for, and those that were read.
    package var bytes: Int64, received: Int64
    /// The item that was active when it was asked for; nil for a page.
    package var activeItem: Int?

    /// A request.
    package init(
      item: Int, kind: String, part: Part, asked: Double, began: Double?, ended: Double, end: End, bytes: Int64, received: Int64,
      activeItem: Int?
    ) {
      (self.item, self.kind, self.part, self.asked, self.began) = (item, kind, part, asked, began)
      (self.ended, self.end, self.bytes, self.received, self.activeItem) = (ended, end, bytes, received, activeItem)
    }
  }

  /// What the link had offered and the client had read by an instant, in bytes.
  package struct Volumes: Sendable {
    /// The instant.
    package var at: Double
    /// What the link could have carried.
    package var offered: Double
    /// The payload that was read.
    package var read: Double

    /// Volumes by an instant.
    package init(at: Double, offered: Double, read: Double) { (self.at, self.offered, self.read) = (at, offered, read) }
  }

  /// Something that happened besides.
  package struct Moment: Sendable {
    /// What, in a phrase.
    package var text: String
    /// When it began, and when it was over; the same for what takes no time.
    package var from: Double, to: Double

    /// A moment, or a stretch.
    package init(_ text: String, from: Double, to: Double) { (self.text, self.from, self.to) = (text, from, to) }
  }
}

extension RunTimeline {
  /// The places of the stays that began with a loader.
  var loaders: [Int] { stays.indices.filter { stays[$0].loader != nil } }

  /// The volumes by an instant. O(log volumes).
  func volumes(by instant: Double) -> Volumes {
    var low = 0
    var high = volumes.count
    while low < high {
      let middle = (low + high) / 2
      if volumes[middle].at <= instant { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return Volumes(at: instant, offered: 0, read: 0) }
    let before = volumes[low - 1]
    guard low < volumes.count else { return Volumes(at: instant, offered: before.offered, read: before.read) }
    let after = volumes[low]
    let share = (instant - before.at) / (after.at - before.at)
    return Volumes(
      at: instant, offered: before.offered + (after.offered - before.offered) * share,
      read: before.read + (after.read - before.read) * share)
  }
}

/// Runs of one sweep and one repetition beside each other: the same feed, network and thumb, other settings.
package struct TimelineStory: Sendable {
  /// The sweep's name.
  package var sweep: String
  /// The repetition and its seed.
  package var repetition: Int, seed: UInt64
  /// What made the runs.
  package var program: SweepDescription.Program
  /// One run, or two.
  package var runs: [RunTimeline]

  /// A story of one run or more.
  package init(sweep: String, repetition: Int, seed: UInt64, program: SweepDescription.Program, runs: [RunTimeline]) {
    precondition(!runs.isEmpty && runs.allSatisfy { !$0.stays.isEmpty }, "a run views at least one item")
    (self.sweep, self.repetition, self.seed, self.program, self.runs) = (sweep, repetition, seed, program, runs)
  }
}
