// manifest.json: when, where and how long. The only file that may differ between two runs of one sweep; it is not committed.

import Sweep

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// What is known of the making of a folder of results.
struct Manifest: Codable {
  var program: String
  var modelVersion: String
  var host: String
  var started: String
  var seconds: Double
  var jobs: Int
  /// Runs of this folder, and those of them that an earlier start had done.
  var runs: Int
  var resumedRuns: Int
  var failedRuns: Int

  init(_ sweep: JournaledSweep, started: Date) {
    program = Program.name
    modelVersion = Program.modelVersion
    host = ProcessInfo.processInfo.hostName
    self.started = started.ISO8601Format()
    seconds = Date().timeIntervalSince(started)
    jobs = sweep.runner.jobs
    runs = sweep.total
    resumedRuns = sweep.resumedCount
    failedRuns = sweep.progress.failed
  }

  /// The file.
  var json: Data {
    get throws {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      return try encoder.encode(self) + Data("\n".utf8)
    }
  }
}
