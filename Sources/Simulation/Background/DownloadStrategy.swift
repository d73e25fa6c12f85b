// Strategies of background downloads, each a combination of a few traits.

/// A strategy for downloads that continue while the app is suspended.
package struct DownloadStrategy: Hashable, Sendable {
  /// The number of tasks in a batch. Except for a window, a batch begins when all earlier tasks are complete.
  package enum Batch: Hashable, Sendable {
    case slices(Int)
    /// The remaining slices of one resource.
    case resource
    case everything
    /// A number of outstanding tasks, refilled at each completion while the app runs.
    case window(Int)
  }

  package var name: String
  package var batch: Batch
  /// `HTTPMaximumConnectionsPerHost` of its session; nil for the system's default.
  package var connections: Int?
  /// True if a resource is one file instead of slices.
  package var isArchive = false
  /// True if the process is never suspended in the background.
  package var staysAwake = false
  /// True if the app begins a background task when it leaves the foreground.
  package var usesBackgroundTask = false
  /// True if it never ends its background tasks, so that the system kills it at their deadline.
  package var leaksBackgroundTask = false
  /// The time to create one task: a message to the daemon and a write to its store. An assumption of this project.
  package var creation = Interval.milliseconds(10)
  /// True if tasks created in the foreground wait for suitable conditions too.
  package var isDiscretionary = false

  package static let fourPerWake = DownloadStrategy(name: "fourPerWake", batch: .slices(4), connections: 4)
  package static let resourcePerWake = DownloadStrategy(name: "resourcePerWake", batch: .resource, connections: 4)

  /// Creates all tasks at the start; a background task keeps the app running until they exist.
  package static let allAtOnce = DownloadStrategy(name: "allAtOnce", batch: .everything, usesBackgroundTask: true)

  /// Stays awake, like an app that plays music or tracks the location, and keeps eight tasks outstanding.
  package static let keepAlive = DownloadStrategy(name: "keepAlive", batch: .window(8), staysAwake: true)

  package static let archive = DownloadStrategy(name: "archive", batch: .everything, isArchive: true)

  /// Creates one resource at a time, first under a background task that ends in time, then at each wake-up.
  package static let endedTask = DownloadStrategy(name: "endedTask", batch: .resource, connections: 4, usesBackgroundTask: true)

  package static let leakedTask = DownloadStrategy(
    name: "leakedTask", batch: .resource, connections: 4, usesBackgroundTask: true, leaksBackgroundTask: true)

  /// All strategies, in the order of sweep files' documentation.
  package static let all = [fourPerWake, resourcePerWake, endedTask, leakedTask, allAtOnce, keepAlive, archive]
}
