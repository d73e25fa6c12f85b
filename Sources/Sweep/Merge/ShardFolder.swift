// The folder of a shard or a whole sweep, and shard.json, which identifies what can be merged.

import Analysis
import Base

struct ShardFolder {
  let path: String
  let description: SweepDescription
  let shard: Shard
  /// The label of a shard; nil for a whole sweep.
  let label: ShardLabel?

  /// Reads a folder's labels.
  /// - Throws: `Refusal` if the folder has no finished results; `InvalidInput` if its description is malformed.
  init(path: String) throws {
    self.path = path
    let name = shortened(path, to: 200)
    guard let json = try Self.contents("\(path)/sweep.json"), SystemFile.exists("\(path)/runs.csv") else {
      throw Refusal(
        SystemFile.exists("\(path)/\(ResultsFolder.journalName)")
          ? "\(name): this shard is unfinished; run its command again, without --fresh, to resume it"
          : "\(name): holds no results; "
            + InputFile.remedy(for: path, otherwise: "name folders that `prefetch-sweep run … --shard I/N` wrote"))
    }
    description = try SweepDescription(json: json, file: "\(path)/sweep.json")
    guard let bytes = try Self.contents("\(path)/\(ShardLabel.fileName)") else {
      (label, shard) = (nil, .whole)
      return
    }
    let points = 0..<description.pointCount, repetitions = 1...RunReader.repetitionLimit
    guard let label = ShardLabel(json: bytes), let shard = Shard(label.shard),
      label.missing.allSatisfy({ points.contains($0.point) && repetitions.contains($0.repetition) })
    else {
      throw Refusal("\(path)/\(ShardLabel.fileName): is not what `prefetch-sweep run … --shard I/N` writes; run the shard again")
    }
    if let written = label.rowsHash, let hash = ContentHash.quick(ofFile: "\(path)/runs.csv"), hash != written {
      throw Refusal("\(path)/runs.csv: is not the file that this shard wrote; restore it, or run the shard again")
    }
    (self.label, self.shard) = (label, shard)
  }

  /// Returns the difference that prevents merging with another folder; nil for none. With `isAnyBuild`, builds of one model may differ.
  func difference(from other: ShardFolder, isAnyBuild: Bool) -> String? {
    var (mine, its) = (description, other.description)
    if isAnyBuild { its.program.version = mine.program.version }
    let comparisons: [(String, String, String)] = [
      ("program", mine.program.description, its.program.description),
      ("sweep", mine.name, its.name), ("seed", "\(mine.seed)", "\(its.seed)"), ("repetitions", "\(mine.repeats)", "\(its.repeats)"),
      ("axes", mine.axes.map(\.path).joined(separator: ", "), its.axes.map(\.path).joined(separator: ", ")),
      ("number of points", "\(mine.pointCount)", "\(its.pointCount)"), ("baseline", mine.baseline.point, its.baseline.point),
    ]
    for (what, here, there) in comparisons where here != there {
      return "the \(what) is \(SafeText.bounded(here)) here and \(SafeText.bounded(there)) in \(other.path)"
    }
    if mine.withoutWords != its.withoutWords { return "its sweep.json differs from that of \(other.path)" }
    guard let label, let otherLabel = other.label else { return nil }
    if label.identity != otherLabel.identity {
      let (version, otherVersion) = (description.program.version, other.description.program.version)
      if version != otherVersion {
        return "version \(SafeText.bounded(version)) of the program ran it, and version \(SafeText.bounded(otherVersion)) \(other.path); "
          + "run all shards with one version"
      }
      return "its scenario, or a file that this names, is not the one of \(other.path)"
    }
    guard !isAnyBuild, let build = label.build, let otherBuild = otherLabel.build, build != otherBuild else { return nil }
    return
      "build \(SafeText.bounded(build)) of the program wrote it, and build \(SafeText.bounded(otherBuild)) wrote \(other.path); run its command again with one program, which "
      + "checks that the rows are the same, or merge with --any-build"
  }

  /// Returns a file's contents; nil if it does not exist.
  /// - Throws: `Refusal` if it is no readable file.
  private static func contents(_ path: String) throws(Refusal) -> [UInt8]? {
    do { return try SystemFile.contents(path) } catch {
      guard SystemFile.exists(path) else { return nil }
      throw Refusal("\(path): \(error.problem); run the shard again")
    }
  }
}

package struct ShardLabel: Codable, Hashable, Sendable {
  package static let fileName = "shard.json"

  let shard: String
  /// The hash of the sweep's identity, common to its shards.
  let identity: String
  /// The build that ran the shard; nil in labels without one.
  let build: String?
  let rows: Int
  /// The hash of runs.csv; nil in labels of version 1.0.0.
  let rowsHash: String?
  let missing: [FailedRun]

  package init(_ sweep: JournaledSweep, rows: Int, rowsHash: String?) {
    self.rowsHash = rowsHash
    shard = sweep.shard.text
    identity = SweepIdentity(sweep.runner.sweep).hash
    build = sweep.runner.build
    self.rows = rows
    missing = sweep.failures
  }

  /// Returns the number of rows of the shard in a folder; nil if there is no shard.
  package static func rowCount(of folder: String) -> Int? {
    (try? SystemFile.contents("\(folder)/\(fileName)")).flatMap { ShardLabel(json: $0) }?.rows
  }
}
