// A folder that a shard, or a whole sweep, has left.

import Analysis
import Import

/// What a folder holds, as far as its small files say.
struct ShardFolder {
  package let path: String
  package let description: SweepDescription
  package let shard: Shard
  /// Nil for the folder of a whole sweep.
  package let label: ShardLabel?

  /// Reads a folder's labels.
  ///
  /// - Throws: `Refusal` where the folder holds no finished results, `InvalidInput` where its description is malformed.
  package init(path: String) throws {
    self.path = path
    let name = shortened(path, to: 200)
    guard let json = try Self.contents("\(path)/sweep.json"), SystemFile.exists("\(path)/runs.csv") else {
      throw Refusal(
        SystemFile.exists("\(path)/\(ResultsFolder.journalName)")
          ? "\(name): this shard has not ended; its command goes on where it stopped"
          : "\(name): holds no results; name folders that `prefetch-sweep run … --shard I/N` wrote")
    }
    description = try SweepDescription(json: json, file: "\(path)/sweep.json")
    guard let bytes = try Self.contents("\(path)/\(ShardLabel.fileName)") else {
      (label, shard) = (nil, .whole)
      return
    }
    guard let label = ShardLabel(json: bytes), let shard = Shard(label.shard) else {
      throw Refusal("\(path)/\(ShardLabel.fileName): is not what `prefetch-sweep run … --shard I/N` writes; run the shard again")
    }
    (self.label, self.shard) = (label, shard)
  }

  /// In what this folder cannot be put together with another; nil if it can. Builds of the program that name the same version of its
  /// model may differ where `isAnyBuild`.
  package func difference(from other: ShardFolder, isAnyBuild: Bool) -> String? {
    let (mine, its) = (description, other.description)
    let places: [(String, String, String)] = [
      ("program", "\(mine.program.name), model \(mine.program.modelVersion)", "\(its.program.name), model \(its.program.modelVersion)"),
      ("sweep", mine.name, its.name), ("seed", "\(mine.seed)", "\(its.seed)"), ("repetitions", "\(mine.repeats)", "\(its.repeats)"),
      ("axes", mine.axes.map(\.path).joined(separator: ", "), its.axes.map(\.path).joined(separator: ", ")),
      ("number of points", "\(mine.pointCount)", "\(its.pointCount)"), ("baseline", mine.baseline.point, its.baseline.point),
    ]
    for (what, here, there) in places where here != there { return "the \(what) is \(here) here and \(there) in \(other.path)" }
    if mine != its { return "its sweep.json differs from that of \(other.path)" }
    guard let label, let otherLabel = other.label else { return nil }
    if label.identity != otherLabel.identity { return "its scenario, or a file that this names, is not the one of \(other.path)" }
    guard !isAnyBuild, let build = label.build, let otherBuild = otherLabel.build, build != otherBuild else { return nil }
    return
      "build \(build) of the program made it, and build \(otherBuild) made \(other.path); run its command again with one program, which "
      + "looks whether the rows are the same, or merge with --any-build"
  }

  /// The contents of a file; nil where there is none.
  ///
  /// - Throws: `Refusal` where something else stands in its place.
  private static func contents(_ path: String) throws(Refusal) -> [UInt8]? {
    do { return try SystemFile.contents(path) } catch {
      guard SystemFile.exists(path) else { return nil }
      throw Refusal("\(path): \(error.problem); run the shard again")
    }
  }
}
