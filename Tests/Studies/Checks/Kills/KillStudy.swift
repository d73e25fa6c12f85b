// `run-studies kills`: interrupts small sweeps and their histories by a drawn fault, continues them, and compares the files with those of an
// undisturbed run.

import Base
import Foundation
import Oracles
import Simulation
import StudyParts
import SweepTool

/// A fault; case `i` of a seed decides sweep, fault and moment.
enum Fault: CaseIterable {
  /// SIGKILL or another signal at a moment of the run.
  case killAtMoment, terminate
  /// SIGKILL before the k-th call that changes a file, or in the middle of its bytes.
  case killBeforeCall, killInCall
  /// An error of the k-th call and all later ones.
  case noSpace, inputOutputError, readOnly, badDescriptor
  /// Damage of the journal after a kill.
  case tornJournal, flippedBits
  /// Other times of all files after a kill, as if the clock had jumped.
  case clockJump
  case twoWriters, movedFolder, removedFolder, closedDescriptors, fullOutput

  /// The error number of a call that fails.
  var errorNumber: Int32? {
    switch self {
    case .noSpace: ENOSPC
    case .inputOutputError: EIO
    case .readOnly: EROFS
    case .badDescriptor: EBADF
    default: nil
    }
  }

  /// Returns the fault of the k-th call that changes a file.
  func fault(call: Int) -> FileFault {
    // Calls come one at a time: those of the journal under its lock, all others on the main thread.
    nonisolated(unsafe) var count = 0
    return { change in
      count += 1
      if count < call { return 0 }
      if count == call, case .write(let file, let bytes) = change, self == .killInCall || self == .noSpace {
        _ = write(file, bytes.baseAddress, bytes.count / 2)
      }
      if let number = errorNumber { return number }
      kill(getpid(), SIGKILL)
      return 0
    }
  }
}

/// The drawn parts of a case.
struct KillCase: CustomStringConvertible {
  let seed: UInt64, index: Int
  var random: RandomStream
  let sweep: String
  let faults: [Fault]

  init(seed: UInt64, index: Int, prefetcher: String) {
    (self.seed, self.index) = (seed, index)
    var random = RandomStream(sweepSeed: seed, repetition: index, name: "kills")
    func below(_ bound: Int) -> Int { Int(random.below(UInt64(bound))) }
    let plans = [
      "repeats: 3", "repeats: 6, confirm: { repeats: 3, best: 1 }", "repeats: { min: 2, max: 8, until: \"5%\" }",
      "repeats: 8, search: \"halving\"",
      "repeats: 8, search: \"racing\"",
    ]
    let background = "{ kind: \"backgroundDownload\", network: \"3G\", resources: { count: 2, slices: 3 }, strategy: \"fourPerWake\" }"
    let feed = "{ network: \"3G\", feed: { items: 20 }, user: { scroll: 20 }, prefetcher: \(prefetcher) }"
    if below(6) == 0 {
      sweep = "{ sweep: \"background\", repeats: 2, axes: { strategy: [\"fourPerWake\", \"archive\"] }, scenario: \(background) }"
    } else {
      // A history has equal runs of a name once, if they were made in the same second.
      let plan = below(plans.count), last = 1 + below(4)
      sweep = "{ sweep: \"feed-\(plan)-\(last)\", \(plans[plan]), axes: { \"prefetcher.ahead\": \"0...\(last)\" }, scenario: \(feed) }"
    }
    faults = (0...below(3)).map { _ in Fault.allCases[below(Fault.allCases.count)] }
    self.random = random
  }

  var description: String { "seed \(seed), case \(index): \(faults.map { "\($0)" }.joined(separator: ", then ")) on \(sweep)" }

  mutating func below(_ bound: Int) -> Int { Int(random.below(UInt64(bound))) }
}

package enum KillStudy {
  static let results = "results"

  /// - Throws: `UsageProblem` for invalid arguments, `StudyProblem` if results differ.
  package static func run(_ arguments: Arguments) throws {
    if let fault = arguments.value("--child") {
      let parts = fault.split(separator: " ")
      let kind = Fault.allCases.first { "\($0)" == parts.first ?? "" }
      let call = parts.count == 2 ? Int(parts[1]) : nil
      exit(SweepTool.run(arguments.words, fault: call.flatMap { call in kind?.fault(call: call) }))
    }
    guard arguments.words.isEmpty else { throw UsageProblem("\(arguments.words[0]): is one word too many; take it out") }
    let count = try arguments.integer("--count", in: 1...10_000_000) ?? 100
    let seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 1)
    let first = try arguments.integer("--first", in: 0...Int.max / 4) ?? 0
    // A prefetcher with the setting `ahead`, such as a command.
    let prefetcher = arguments.value("--prefetcher") ?? "{ kind: \"itemsAhead\" }"
    let working = FileManager.default.currentDirectoryPath
    try withScratchFolder { folder in
      chdir(folder)
      defer { chdir(working) }
      var (references, counts, stopped): ([String: String], [String: Int], Int) = ([:], [:], 0)
      var histories: [KnownHistory] = []
      for index in first..<first + count {
        var drawn = KillCase(seed: seed, index: index, prefetcher: prefetcher)
        try Data(drawn.sweep.utf8).write(to: URL(fileURLWithPath: "sweep.json5"))
        let reference = references[drawn.sweep] ?? "reference\(references.count)"
        if references.updateValue(reference, forKey: drawn.sweep) == nil {
          guard try tool(output: reference).status == 0 else { throw StudyProblem(description: "\(drawn): an undisturbed run fails") }
          histories.append(try KnownHistory(of: reference))
        }
        do {
          for fault in drawn.faults {
            if try disturb(fault, &drawn) { stopped += 1 }
            counts["\(fault)", default: 0] += 1
          }
          try finish()
          try compare(results, reference)
          for fault in try disturbHistories(histories, &drawn) { counts["\(fault) of a history", default: 0] += 1 }
        } catch let problem as StudyProblem {
          throw StudyProblem(
            description: "\(drawn)\n\(problem.description)\nrepeat it: run-studies kills --seed \(seed) --first \(index) --count 1")
        }
        try FileManager.default.removeItem(atPath: results)
      }
      let faults = counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
      print(
        "kills: \(count) cases of \(references.count) sweeps, the same bytes (seed \(seed)); \(stopped) starts did not end well: \(faults)")
    }
  }

  // MARK: Processes

  /// A running or ended tool.
  struct Child {
    let id: pid_t

    /// Waits for the end. Returns the exit status, or minus the signal.
    func wait() -> Int {
      var status: Int32 = 0
      while waitpid(id, &status, 0) < 0, errno == EINTR {}
      return status & 0x7F == 0 ? Int(status >> 8) : -Int(status & 0x7F)
    }
  }

  /// Starts the tool with a fault in its calls, and shell redirections such as `2>&-`.
  /// - Throws: `SpawnProblem` if the shell cannot be started.
  private static func start(_ words: [String] = [], output: String = results, fault: String = "none 0", redirections: String = "") throws
    -> Child
  {
    try start("run sweep.json5 --quiet --output \(output) --jobs 2 \(words.joined(separator: " ")) \(redirections)", fault: fault)
  }

  /// Starts the tool with words for the shell, and a fault in its calls.
  /// - Throws: `SpawnProblem` if the shell cannot be started.
  static func start(_ words: String, fault: String) throws -> Child {
    let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? CommandLine.arguments[0]
    guard let log = SystemFile(path: "errors", flags: O_WRONLY | O_CREAT | O_TRUNC) else {
      throw StudyProblem(description: SystemFile.message)
    }
    defer { log.close() }
    let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.map { "\($0)=\($1)" }
    let start = ProcessStart(
      path: "/bin/sh", arguments: ["sh", "-c", "exec \"$0\" kills --child \"$1\" -- \(words)", path, fault], environment: environment,
      descriptors: [(log.descriptor, 1), (log.descriptor, 2)])
    return Child(id: try Platform.spawn(start).get())
  }

  /// Runs the tool to its end. Returns its status and messages.
  /// - Throws: as `start`.
  private static func tool(_ words: [String] = [], output: String = results) throws -> (status: Int, errors: String) {
    let status = try start(words, output: output).wait()
    return (status, String(decoding: (try? SystemFile.contents("errors")) ?? [], as: UTF8.self))
  }

  // MARK: Faults

  /// Runs the tool with a fault. Returns true if it did not end with status 0.
  /// - Throws: `StudyProblem` if the tool ends in a way that the fault does not explain.
  private static func disturb(_ fault: Fault, _ drawn: inout KillCase) throws -> Bool {
    let call = 1 + drawn.below(drawn.below(3) == 0 ? 400 : 40)
    let microseconds = UInt32(1000 + drawn.below(120_000))
    switch fault {
    case .killBeforeCall, .killInCall, .noSpace, .inputOutputError, .readOnly, .badDescriptor:
      let status = try start(fault: "\(fault) \(call)").wait()
      let isExpected = fault.errorNumber == nil ? [0, -9].contains(status) || status == 2 : (0...2).contains(status)
      if !isExpected { throw ended(status, "\(fault) in call \(call)") }
      return status != 0
    case .killAtMoment, .terminate, .tornJournal, .flippedBits, .clockJump, .movedFolder, .removedFolder:
      let child = try start()
      usleep(microseconds)
      if fault == .movedFolder { rename(results, "moved") }
      if fault == .removedFolder { try? FileManager.default.removeItem(atPath: results) }
      let signal = fault == .terminate ? [SIGTERM, SIGINT, SIGHUP][drawn.below(3)] : SIGKILL
      if ![.movedFolder, .removedFolder].contains(fault) { kill(child.id, signal) }
      let status = child.wait()
      // A refusal is of the damage that an earlier fault did.
      if ![0, 1, 2, 128 + Int(signal), -Int(signal)].contains(status) { throw ended(status, "\(fault)") }
      if fault == .movedFolder, SystemFile.exists("moved") {
        try? FileManager.default.removeItem(atPath: results)
        rename("moved", results)
      }
      try damage(fault, &drawn)
      return status != 0
    case .twoWriters:
      let children = [try start(), try start()]
      if drawn.below(2) == 0 {
        usleep(microseconds)
        kill(children[0].id, SIGKILL)
      }
      let statuses = children.map { $0.wait() }
      for status in statuses where ![0, 2, -9].contains(status) { throw ended(status, "one of two writers") }
      return statuses != [0, 0]
    case .closedDescriptors, .fullOutput:
      let closed = ["0<&-", "1>&-", "2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"]
      let redirection =
        fault == .fullOutput ? ["1>/dev/full", "2>/dev/full", "1>/dev/full 2>/dev/full"][drawn.below(3)] : closed[drawn.below(5)]
      let status = try start(redirections: redirection).wait()
      if !(0...2).contains(status) { throw ended(status, redirection) }
      return status != 0
    }
  }

  static func ended(_ status: Int, _ cause: String) -> StudyProblem {
    let errors = String(decoding: (try? SystemFile.contents("errors")) ?? [], as: UTF8.self)
    return StudyProblem(description: "\(cause): ended with \(status < 0 ? "signal \(-status)" : "status \(status)"): \(errors)")
  }

  /// Damages the journal or changes the times of files.
  /// - Throws: any error of the file system.
  private static func damage(_ fault: Fault, _ drawn: inout KillCase) throws {
    let journal = "\(results)/.journal/runs"
    guard SystemFile.size(journal) > 0, var bytes = try? SystemFile.contents(journal) else { return }
    switch fault {
    case .tornJournal: bytes.removeLast(1 + drawn.below(bytes.count))
    case .flippedBits: for _ in 0...drawn.below(3) { bytes[drawn.below(bytes.count)] ^= UInt8(1 << drawn.below(8)) }
    case .clockJump:
      let jump = Double(drawn.below(2) == 0 ? 1 : -1) * [3600, 86_400, 3e8][drawn.below(3)]
      for name in try FileManager.default.subpathsOfDirectory(atPath: results) {
        try? FileManager.default.setAttributes([.modificationDate: Date.now + jump], ofItemAtPath: "\(results)/\(name)")
      }
      return
    default: return
    }
    try Data(bytes).write(to: URL(fileURLWithPath: journal))
  }

  // MARK: The comparison

  /// Continues the sweep to its end.
  /// - Throws: `StudyProblem` if it cannot be continued.
  private static func finish() throws {
    var (status, errors) = try tool()
    // Damage of the journal's head leaves the choice to the user.
    if status == 2, errors.contains("head of its journal is damaged") { (status, errors) = try tool(["--resume-anyway"]) }
    if status != 0 { throw StudyProblem(description: "cannot be continued, status \(status): \(errors)") }
  }

  /// Compares the files of two folders, except the manifest, which has times, and the journal.
  /// - Throws: `StudyProblem` if they differ.
  static func compare(_ folder: String, _ reference: String) throws {
    /// - Throws: any error of the file system.
    func names(_ folder: String) throws -> [String] {
      try FileManager.default.subpathsOfDirectory(atPath: folder).filter { $0 != "manifest.json" && !$0.hasPrefix(".journal") }.sorted()
    }
    let (own, other) = (try names(folder), try names(reference))
    guard own == other else { throw StudyProblem(description: "files differ: \(own) and \(other)") }
    for name in own where !SystemFile.isFolder("\(folder)/\(name)") {
      let isSame = try SystemFile.contents("\(folder)/\(name)") == SystemFile.contents("\(reference)/\(name)")
      if !isSame { throw StudyProblem(description: "\(name) differs") }
    }
  }
}
