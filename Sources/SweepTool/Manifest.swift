// manifest.json: when, where and how long. The only file that may differ between two runs of one sweep; it is not committed.

import Import
import Sweep

/// What is known of the making of a folder of results.
struct Manifest: Codable {
  var program: String
  var modelVersion: String
  var host: String
  var started: String
  var seconds: Double
  /// Threads; nil where shards were merged, and where devices made the runs.
  var jobs: Int?
  /// Devices; nil where the emulator made the runs.
  var devices: Int?
  /// How many shards were merged; nil where runs were made.
  var mergedShards: Int?
  /// Runs of this folder, and those of them that an earlier start had done.
  var runs: Int
  var resumedRuns: Int?
  var failedRuns: Int?

  /// Of runs that were made here.
  init(_ sweep: JournaledSweep, started: Date) {
    // Where results decide who goes on, what was planned is the most, and what was made is what counts.
    let isPlanned = sweep.runner.isDeterministic || !sweep.runner.sweep.plan.needsResults
    self.init(runs: isPlanned ? sweep.total : sweep.progress.done + sweep.progress.failed, started: started)
    devices = sweep.runner.laneCount
    jobs = devices == nil ? sweep.runner.jobs : nil
    resumedRuns = sweep.resumedCount
    failedRuns = sweep.progress.failed
  }

  /// Of shards that were put together.
  init(_ merge: ShardMerge, shards: Int, started: Date) {
    self.init(runs: merge.total, started: started)
    mergedShards = shards
    failedRuns = merge.failedCount > 0 ? merge.failedCount : nil
  }

  private init(runs: Int, started: Date) {
    program = Sweep.Program.name
    modelVersion = Sweep.Program.modelVersion
    host = ProcessInfo.processInfo.hostName
    self.started = started.ISO8601Format()
    seconds = Date().timeIntervalSince(started)
    self.runs = runs
  }

  /// The file.
  /// - Throws: `EncodingError` if a number is not finite.
  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }
}
