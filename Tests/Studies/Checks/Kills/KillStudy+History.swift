// Faults while lines are added to a history: in the end it has each line once, byte for byte, whatever happened.

import Base
import Foundation
import Oracles

extension KillStudy {
  /// The folder of undisturbed results, and the line that an undisturbed `history add` writes for it.
  struct KnownHistory {
    let folder: String, line: Data

    /// - Throws: `StudyProblem` if the results cannot be added.
    init(of folder: String) throws {
      self.folder = folder
      let file = "\(folder).history"
      let status = try add(folder, to: file).wait()
      if status != 0 { throw ended(status, "adding \(folder) to a new history") }
      line = Data(try SystemFile.contents(file))
    }
  }

  private static let history = "history.jsonl"
  /// The faults of a writer of a history.
  private static let historyFaults: [Fault] = [
    .killBeforeCall, .killInCall, .noSpace, .inputOutputError, .readOnly, .badDescriptor, .tornJournal, .twoWriters,
  ]

  /// Starts `history add`.
  /// - Throws: `SpawnProblem` if it cannot be started.
  private static func add(_ folder: String, to history: String = history, fault: String = "none 0") throws -> Child {
    try start("history add \(folder) --history \(history) >/dev/null", fault: fault)
  }

  /// Adds the results of at most 3 sweeps to a history under drawn faults, then again without. Returns the faults.
  /// - Throws: `StudyProblem` if a line is missing, twice there or another, or a writer ends in a way that no fault explains.
  static func disturbHistories(_ known: [KnownHistory], _ drawn: inout KillCase) throws -> [Fault] {
    defer { try? FileManager.default.removeItem(atPath: history) }
    let known = known.suffix(3), faults = (0...drawn.below(3)).map { _ in historyFaults[drawn.below(historyFaults.count)] }
    for fault in faults {
      let subject = known[known.startIndex + drawn.below(known.count)]
      let before = (try? SystemFile.contents(history)) ?? []
      var children: [Child] = []
      switch fault {
      case .twoWriters: children = try known.map { try add($0.folder) } + [add(subject.folder)]
      case .tornJournal:
        // The cut is within the last line.
        let last = before.dropLast().split(separator: 0x0A).last?.count ?? 0
        if last > 0 { try Data(before.dropLast(1 + drawn.below(last))).write(to: URL(fileURLWithPath: history)) }
      default: children = [try add(subject.folder, fault: "\(fault) \(1 + drawn.below(8))")]
      }
      for status in children.map({ $0.wait() }) where !(fault.errorNumber == nil ? [0, -9] : [0, 1, 2]).contains(status) {
        throw ended(status, "\(fault) of a history")
      }
      let whole = before[..<((before.lastIndex(of: 0x0A) ?? -1) + 1)]
      if fault != .tornJournal, !((try? SystemFile.contents(history)) ?? []).starts(with: whole) {
        throw StudyProblem(description: "\(fault) of a history: a line before was lost")
      }
    }
    for subject in known {
      let status = try add(subject.folder).wait()
      if status != 0 { throw ended(status, "adding \(subject.folder) to a history after \(faults)") }
    }
    let lines = try SystemFile.contents(history).split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    let (own, all) = (lines.map { String(decoding: $0, as: UTF8.self) + "\n" }, known.map { String(decoding: $0.line, as: UTF8.self) })
    guard own.sorted() == all.sorted() else {
      throw StudyProblem(description: "the history has other lines after \(faults): \(lines.count) for \(known.count) results")
    }
    return faults
  }
}
