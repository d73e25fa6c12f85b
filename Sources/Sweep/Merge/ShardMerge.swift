// Merges shards: every run of the sweep once, in the order of the table, or a refusal that names the misfit.

import Analysis
import Base
import Simulation

/// Folders of one sweep, checked against each other and read side by side, a chunk each. Time is O(runs · distinct shard counts).
package final class ShardMerge: RowSequence {
  /// The most folders, all open at once.
  package static let folderLimit = 1000
  package let description: SweepDescription
  private let folders: [ShardFolder]
  /// The number of failed runs without a row in any folder; valid after all rows are read.
  package private(set) var failedCount = 0
  /// The first failed runs in the order of the table, at most `FailedRun.limit`; valid after all rows are read.
  package private(set) var failedRuns: [FailedRun] = []
  package var total: Int { description.pointCount * repeats }
  private var repeats: Int { description.deterministic ? 1 : description.repeats }

  /// True if the results of a round decided the runs of the next.
  package var hasRounds: Bool { !description.deterministic && (description.search != nil || description.sequential != nil) }

  /// The sweep of the shards if they read it from standard input; nil if it is a file.
  package var standardInput: [UInt8]? {
    guard description.source?.file == ResolvedSweep.keptInputName else { return nil }
    return folders.lazy.compactMap { try? SystemFile.contents("\($0.path)/\(ResolvedSweep.keptInputName)") }.first
  }

  /// True if a folder holds a shard instead of a whole sweep.
  package func isShard(_ path: String) -> Bool { folders.contains { $0.path == path && $0.label != nil } }

  /// Refuses a sweep other than the shards', so that the confirmation fits their rows.
  /// - Throws: `Refusal` if it is another sweep or another version ran it, `InvalidInput` if its baseline cannot be decoded.
  package func check(_ runner: SweepRunner, overrides: SweepOverrides) throws {
    let labels = folders.compactMap { $0.label?.identity }
    let isSame = try SweepDescription(runner, overrides: overrides).withoutWords == description.withoutWords
    guard isSame, labels.allSatisfy({ $0 == SweepIdentity(runner.sweep).hash }) else {
      let version = description.program.version
      if version != Program.version {
        throw Refusal(
          "\(folders[0].path): version \(SafeText.bounded(version)) of the program ran this shard; merge it with that version, or run the shards "
            + "again")
      }
      throw Refusal("\(runner.sweep.path): is not the sweep of the shards; name that file with --sweep")
    }
  }

  /// Reads the folders' descriptions and labels. With `isAnyBuild`, builds of one model version may differ, as on different machines.
  /// - Throws: `Refusal` if a folder is unfinished, missing, or belongs to another sweep.
  package init(folders paths: [String], isAnyBuild: Bool = false) throws {
    guard let first = paths.first, paths.count <= Self.folderLimit else {
      throw Refusal("merge: takes 1 to \(Self.folderLimit) folders, and \(paths.count) were named")
    }
    var problems: [String] = []
    var folders: [ShardFolder] = []
    for path in paths {
      do { folders.append(try ShardFolder(path: path)) } catch let refusal as Refusal { problems.append(refusal.description) }
    }
    for folder in folders.dropFirst() {
      if let difference = folder.difference(from: folders[0], isAnyBuild: isAnyBuild) { problems.append("\(folder.path): \(difference)") }
    }
    problems += Self.absent(folders)
    if !problems.isEmpty { throw Refusal(problems.joined(separator: "\n")) }
    // The results do not depend on the order of the words.
    let sorted = folders.map { ($0, [$0.shard.count, $0.shard.index], String(decoding: $0.description.json, as: UTF8.self)) }.sorted {
      $0.1 == $1.1 ? $0.2 < $1.2 : $0.1.lexicographicallyPrecedes($1.1)
    }
    guard let folder = sorted.first?.0 else { throw Refusal("\(first): holds no results") }
    self.folders = sorted.map(\.0)
    description = folder.description
  }

  /// Returns a line about missing shards if all folders have the same shard count.
  private static func absent(_ folders: [ShardFolder]) -> [String] {
    guard let count = folders.first?.shard.count, folders.allSatisfy({ $0.shard.count == count }) else { return [] }
    let found = Set(folders.map(\.shard.index))
    let absent = (0..<count).filter { !found.contains($0) }
    if absent.isEmpty { return [] }
    let names = absent.prefix(20).map { "\($0)/\(count)" }.joined(separator: ", ") + (absent.count > 20 ? ", …" : "")
    return ["\(absent.count == 1 ? "shard \(names) is" : "shards \(names) are") missing; run or name \(absent.count == 1 ? "it" : "them")"]
  }

  /// Calls `receive` with every run of the sweep once, in the order of the table.
  /// - Throws: `Refusal` if a run is missing without a failure, has two different rows, or is in the wrong shard.
  package func forEachRow(_ receive: (RunRow) throws -> Void) throws {
    let pointCount = description.pointCount
    let sources = try folders.map { (folder) throws(Refusal) in try RunReader(path: "\(folder.path)/runs.csv", sweep: description) }
    let owners = Owners(folders, pointCount)
    (failedRuns, failedCount) = ([], 0)
    var missingCount = 0
    for point in 0..<pointCount {
      var id: String?
      for repetition in 1...repeats {
        var taken: (row: RunRow, source: Int)?
        var failure: FailedRun?
        for source in owners.folders(of: (repetition - 1) * pointCount + point) {
          if let failed = owners.failure(of: source, point, repetition) {
            failure = failure ?? failed
            continue
          }
          guard let row = try sources[source].row() else { throw Refusal("\(sources[source].name): ends too early; run the shard again") }
          do { try check(row, point: point, id: id, repetition: repetition, sources[source].name) } catch {
            try sources[source].checkRest()
            throw error
          }
          id = row.point
          if let taken, taken.row != row {
            throw Refusal(
              "point \(row.point), repetition \(repetition): \(sources[taken.source].name) and \(sources[source].name) have "
                + "different rows; run one of the shards again with --fresh, on the machine of the other")
          }
          taken = taken ?? (row, source)
        }
        if let taken {
          try receive(taken.row)
        } else if let failure {
          failedCount += 1
          if failedRuns.count < FailedRun.limit { failedRuns.append(failure) }
        } else {
          missingCount += 1
        }
      }
    }
    for source in sources where try source.row() != nil { throw Refusal("\(source.name): has rows that are not its shard's; run it again") }
    if missingCount > 0 {
      throw Refusal("\(missingCount) \(missingCount == 1 ? "run is" : "runs are") missing; run the shards again that should have them")
    }
  }

  /// - Throws: `Refusal` if the row is not the expected one.
  private func check(_ row: RunRow, point: Int, id: String?, repetition: Int, _ name: String) throws(Refusal) {
    guard row.repetition == repetition, row.seed == RandomStream.seed(sweepSeed: description.seed, repetition: repetition) else {
      throw Refusal(
        "\(name): point \(row.point), repetition \(row.repetition), is where repetition \(repetition) of point \(point + 1) "
          + "belongs; run the shard again")
    }
    if let id, id != row.point {
      throw Refusal("\(name): point \(point + 1) is \(row.point) here and \(id) in another shard; their scenarios differ")
    }
  }
}

private struct Owners {
  private let parts: [(count: Int, folders: [Int: [Int]])]
  /// The failures in the labels, by folder and run index.
  private var failed: [[Int: FailedRun]] = []
  /// The folders without a row. A label lists at most `FailedRun.limit` failures, so all their runs count as failed.
  private var failedWhole: Set<Int> = []
  private let pointCount: Int

  init(_ folders: [ShardFolder], _ pointCount: Int) {
    self.pointCount = pointCount
    let byCount = Dictionary(grouping: folders.indices) { folders[$0].shard.count }.sorted { $0.value[0] < $1.value[0] }
    parts = byCount.map { count, indices in (count, Dictionary(grouping: indices) { folders[$0].shard.index }) }
    for (index, folder) in folders.enumerated() {
      let missing = (folder.label?.missing ?? []).map { (($0.repetition - 1) * pointCount + $0.point, $0) }
      failed.append(Dictionary(missing) { $1 })
      if folder.label?.rows == 0, !missing.isEmpty { failedWhole.insert(index) }
    }
  }

  func folders(of run: Int) -> [Int] {
    if parts.count == 1 { return parts[0].folders[run % parts[0].count] ?? [] }
    return parts.flatMap { $0.folders[run % $0.count] ?? [] }
  }

  /// Returns a folder's failure of a run; nil if the folder should have its row.
  func failure(of source: Int, _ point: Int, _ repetition: Int) -> FailedRun? {
    if let listed = failed[source][(repetition - 1) * pointCount + point] { return listed }
    return failedWhole.contains(source) ? FailedRun(point: point, repetition: repetition, reason: "failed like all runs of its shard") : nil
  }
}
