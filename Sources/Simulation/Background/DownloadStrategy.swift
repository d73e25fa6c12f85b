// How an app hands its slices to the daemon: every strategy is a choice of a few traits, as every prefetcher is.

/// A strategy for downloads that go on while the app sleeps.
package struct DownloadStrategy: Hashable, Sendable {
  /// How many tasks are created whenever all earlier ones are complete.
  package enum Batch: Hashable, Sendable {
    /// So many slices.
    case slices(Int)
    /// What is left of one resource.
    case resource
    /// Everything that is left.
    case everything
    /// So many tasks ahead at all times, topped up at each completion that the app is awake for.
    case window(Int)
  }

  /// Its name in sweep files.
  package var name: String
  package var batch: Batch
  /// `HTTPMaximumConnectionsPerHost` of its session; nil for the system's default.
  package var connections: Int?
  /// Whether a resource is one file instead of slices.
  package var isArchive = false
  /// Whether the process is kept from being suspended in the background.
  package var staysAwake = false
  /// Whether the app asks for a background task when it leaves the foreground.
  package var usesBackgroundTask = false
  /// Whether it never ends its background tasks, so that the system kills it when their time is up.
  package var leaksBackgroundTask = false
  /// What it takes the app to create one task: a message to the daemon and a write to its store. An assumption of ours.
  package var creation = Interval.milliseconds(10)
  /// Whether its tasks wait for an occasion that suits the system even when they are created in the foreground.
  package var isDiscretionary = false

  /// Four slices at each wake-up.
  package static let fourPerWake = DownloadStrategy(name: "fourPerWake", batch: .slices(4), connections: 4)

  /// All slices of one resource at each wake-up, over four connections.
  package static let resourcePerWake = DownloadStrategy(name: "resourcePerWake", batch: .resource, connections: 4)

  /// All slices of all resources up front; a background task keeps the app running until they are created.
  package static let allAtOnce = DownloadStrategy(name: "allAtOnce", batch: .everything, usesBackgroundTask: true)

  /// The process stays awake, as an app that plays music or follows the location does, and asks for the next slice at each completion.
  package static let keepAlive = DownloadStrategy(name: "keepAlive", batch: .window(8), staysAwake: true)

  /// One large file a resource, all asked for up front.
  package static let archive = DownloadStrategy(name: "archive", batch: .everything, isArchive: true)

  /// All slices of one resource at a time, first under a background task that is ended in time, then at each wake-up.
  package static let endedTask = DownloadStrategy(name: "endedTask", batch: .resource, connections: 4, usesBackgroundTask: true)

  /// The same, by an app that never ends its background tasks.
  package static let leakedTask = DownloadStrategy(
    name: "leakedTask", batch: .resource, connections: 4, usesBackgroundTask: true, leaksBackgroundTask: true)

  /// The strategies that sweep files name.
  package static let all = [fourPerWake, resourcePerWake, endedTask, leakedTask, allAtOnce, keepAlive, archive]
}
