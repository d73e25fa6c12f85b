// `merge`: the folders of shards in, the tables of the whole sweep out.

import Analysis
import Sweep

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

struct MergeCommand: Command {
  static let name = "merge"
  static let summary = "Puts the shards of a sweep together."
  static let options: [Option] = [.value("--output"), .flag("--any-build"), .flag("--quiet")]
  static let usage = """
    usage: prefetch-sweep merge FOLDER … [options]

    Reads the folders that `run --shard I/N` wrote, in any order, and writes what one `run` of the whole sweep would have written,
    byte for byte. Refused with status 2: a shard that is missing or has not ended, runs that failed, runs that stand in two
    folders with different rows, and folders of different programs or sweeps.

      --output FOLDER    where results go; by default Results/<sweep>
      --any-build        takes shards that different builds of the program made, as long as the version of its model is the same
      --quiet            no closing table
    """

  private let paths: [String]
  private let output: String?
  private let isAnyBuild: Bool
  private let isQuiet: Bool

  init(_ arguments: Arguments) throws {
    guard !arguments.words.isEmpty else { throw UsageProblem(description: "no folder was named; write those of all shards") }
    paths = arguments.words.map { $0.count > 1 && $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
    output = arguments.value("--output")
    isAnyBuild = arguments.has("--any-build")
    isQuiet = arguments.has("--quiet")
  }

  func run() throws -> ExitStatus {
    let started = Date()
    let merge = try ShardMerge(folders: paths, isAnyBuild: isAnyBuild)
    let path = output ?? "Results/\(merge.description.name)"
    guard !paths.contains(path) else { throw UsageProblem(description: "--output: \(path) is one of the shards; name another folder") }
    let folder = try ResultsFolder(path: path)
    Interruption.install()
    do {
      let lock = try folder.lock()
      defer { withExtendedLifetime(lock) {} }
      let publication = Publication(folder: folder, description: merge.description)
      let summary = try publication.addTables(of: merge)
      try folder.add("manifest.json", Manifest(merged: merge.description, shards: paths.count, started: started).json)
      if Interruption.signal != 0 { throw Interrupted() }
      try folder.publish()
      folder.remove("failures.csv")
      return isQuiet || publication.close([publication.closing(summary)]) ? .good : .failed
    } catch is Interrupted {
      folder.discard()
      printError("stopped; nothing was written, and the shards are as they were")
      return Interruption.signal == SIGTERM ? .terminated : .interrupted
    } catch {
      folder.discard()
      throw error
    }
  }
}
