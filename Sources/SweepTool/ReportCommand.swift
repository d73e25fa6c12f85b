// `report`: makes the tables and charts again from runs.csv and sweep.json, without simulating.

import Analysis
import Sweep

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

struct ReportCommand: Command {
  static let name = "report"
  static let summary = "Makes the tables and charts again from runs.csv and sweep.json."
  static let options: [Option] = [.value("--output")]
  static let usage = """
    usage: prefetch-sweep report FOLDER [--output FOLDER]

    Reads runs.csv and sweep.json of a folder of results, and confirmation.csv if the winner was confirmed, and writes summary.csv, report.md, report.html and the charts, there or to another folder.
    """

  private let path: String
  private let output: String

  init(_ arguments: Arguments) throws {
    path = try arguments.onlyWord("folder of results")
    output = arguments.value("--output") ?? path
  }

  func run() throws -> ExitStatus {
    let sweep = try SweepDescription(json: try contents("sweep.json"), file: "\(path)/sweep.json")
    let runs = try RunTable(csv: try contents("runs.csv"), file: "\(path)/runs.csv")
    let name = RunTable.confirmationName
    let confirmation = sweep.confirm == nil ? nil : try RunTable(csv: try contents(name), file: "\(path)/\(name)")
    let report = try Report.make(runs: runs, confirmation: confirmation, sweep: sweep)
    let folder = try ResultsFolder(path: output)
    do {
      for file in report.files { try folder.add(file.name, file.contents.utf8) }
      try folder.publish()
      report.absent.forEach(folder.remove)
    } catch {
      folder.discard()
      throw error
    }
    return .good
  }

  private func contents(_ name: String) throws -> [UInt8] {
    let file = "\(path)/\(name)"
    guard let data = FileManager.default.contents(atPath: file) else {
      throw InvalidInput(diagnostics: [
        Diagnostic(
          location: SourceLocation(file: file), key: "", problem: "cannot be read", remedy: "name a folder that `prefetch-sweep run` wrote")
      ])
    }
    return [UInt8](data)
  }
}
