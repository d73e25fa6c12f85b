// shard.json: which part of which sweep a folder holds, so that `merge` can tell what fits.

import Import

/// What a shard's folder says of itself.
package struct ShardLabel: Codable, Hashable, Sendable {
  /// Its name.
  package static let fileName = "shard.json"

  /// The sweep file as it was named, and what the command line said over it: `merge` needs them where the winner is confirmed.
  package struct Source: Codable, Hashable, Sendable {
    /// The sweep file.
    package let path: String
    /// `--set`, each a path and a value.
    package let settings: [[String]]
    package let repeats: Int?
    package let seed: UInt64?

    /// A sweep file with what is laid over it.
    package init(path: String, overrides: SweepFile.Overrides) {
      self.path = path
      settings = overrides.settings.map { [$0.path, $0.value] }
      (repeats, seed) = (overrides.repeats, overrides.seed)
    }

    /// What the command line said.
    package var overrides: SweepFile.Overrides {
      var overrides = SweepFile.Overrides()
      overrides.settings = settings.filter { $0.count == 2 }.map { ($0[0], $0[1]) }
      (overrides.repeats, overrides.seed) = (repeats, seed)
      return overrides
    }
  }

  /// Which part.
  package let shard: String
  /// The hash of scenario, seed, files and program: shards of one sweep share it.
  package let identity: String
  /// The build of the program that ran it; nil where it did not say.
  package let build: String?
  /// How many rows its runs.csv has.
  package let rows: Int
  /// The runs that failed.
  let missing: [FailedRun]
  /// What the shard was cut from.
  package let source: Source?

  /// The label of a shard that has been run.
  package init(_ sweep: JournaledSweep, rows: Int, source: Source) {
    self.source = source
    shard = sweep.shard.text
    identity = SweepIdentity(sweep.runner.sweep).hash
    build = sweep.runner.build
    self.rows = rows
    missing = sweep.failures
  }

  /// The file.
  package var json: [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(self) else { preconditionFailure("text and numbers can always be encoded") }
    return [UInt8](data) + [UInt8(ascii: "\n")]
  }

  /// Reads what `json` wrote; nil if it is anything else.
  package init?(json bytes: [UInt8]) {
    guard let label = try? JSONDecoder().decode(ShardLabel.self, from: Data(bytes)) else { return nil }
    self = label
  }
}
