// `run-studies fuzz`: gives mutated inputs to every reader in child processes, and keeps each input with a finding.

import Base
import Foundation
import Oracles
import Simulation
import StudyParts
import Sweep
import SweepTool

/// A target with its corpus. Input `i` is a function of target, corpus, seed and `i`; the first are the files of the corpus.
private struct Fuzzer {
  let target: FuzzTarget
  let seed: UInt64
  private let files: [[UInt8]]
  private let mutator: Mutator
  private let drawing: ScenarioDrawing?

  /// Reads the corpus; the working folder is the scratch folder.
  /// - Throws: `StudyProblem` if there is no file in the corpus.
  init(_ target: FuzzTarget, seed: UInt64) throws {
    (self.target, self.seed) = (target, seed)
    let folder = "corpus/\(target.name)"
    let names = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).sorted()
    files = try names.map { try SystemFile.contents("\(folder)/\($0)") } + target.prepare()
    if files.isEmpty { throw StudyProblem(description: "\(folder): has no file to start from") }
    mutator = Mutator(files)
    let trees = files.compactMap { JSON5Parser.parse($0, file: "", into: DiagnosticSink()) }
    drawing = target.name == FuzzTarget.scenarioName ? ScenarioDrawing(folder: "", trees: trees) : nil
  }

  func input(_ index: Int) -> [UInt8] {
    if index < files.count { return files[index] }
    var random = RandomStream(sweepSeed: seed, repetition: index, name: "fuzz \(target.name)")
    guard let drawing else { return target.complete(mutator.input(&random), &random) }
    return drawing.scenario(&random).map { Array($0.tree.canonicalJSON.utf8) } ?? []
  }

  /// Reads an input. Returns true if it was accepted, and the problem of a message.
  func read(_ index: Int) -> (isAccepted: Bool, problem: String?) {
    let file = InputFile(name: "input", bytes: input(index))
    do {
      try target.read(file)
      return (true, nil)
    } catch { return (false, MessageForm.problem(of: error, in: file)) }
  }
}

package enum FuzzStudy {
  /// The inputs of one child process.
  private static let batch = 50_000
  private static let findingLimit = 20
  private static let progressName = "progress", messagesName = "messages", errorsName = "errors"

  private struct Options {
    var target = FuzzTarget.selfTest
    var seed: UInt64 = 1
    var first = 0
    var inputs = Int.max
    /// The processor time of an input in seconds, and the memory in megabytes.
    var limits = (seconds: 2, megabytes: 300)
    var corpus = "", kept = ""
    var end = Date.distantFuture
  }

  /// - Throws: `UsageProblem` for invalid arguments, `StudyProblem` after a finding.
  package static func run(_ arguments: Arguments) throws {
    guard let name = arguments.words.first else { throw UsageProblem("no target was named") }
    let targets = name == "all" ? FuzzTarget.all : (FuzzTarget.all + [.selfTest]).filter { $0.name == name }
    guard !targets.isEmpty else {
      throw UsageProblem("there is no target \"\(name)\"; write all or \(FuzzTarget.all.map(\.name).joined(separator: ", "))")
    }
    var options = Options()
    let seconds = try arguments.integer("--seconds", in: 1...10_000_000)
    options.seed = UInt64(try arguments.integer("--seed", in: 0...Int.max) ?? 1)
    options.first = try arguments.integer("--first", in: 0...Int.max / 4) ?? 0
    options.inputs = try arguments.integer("--inputs", in: 1...Int.max / 4) ?? (seconds == nil ? 1000 : Int.max / 4)
    options.limits.seconds = try arguments.integer("--hang", in: 1...1000) ?? options.limits.seconds
    options.limits.megabytes = try arguments.integer("--memory", in: 1...1_000_000) ?? options.limits.megabytes
    let working = FileManager.default.currentDirectoryPath
    options.corpus = InputFile.path(arguments.value("--corpus") ?? "Tests/Corpus", in: working)
    options.kept = InputFile.path(arguments.value("--keep") ?? ".build/findings", in: working)
    let end = seconds.map { Date.now + Double($0) }
    if let folder = arguments.value("--child") {
      options.end = end ?? options.end
      options.target = targets[0]
      chdir(folder)
      return try runBatch(options)
    }
    var findings = 0
    for (index, target) in targets.enumerated() {
      options.target = target
      options.end = end.map { .now + $0.timeIntervalSinceNow / Double(targets.count - index) } ?? options.end
      findings += try run(options)
    }
    if findings > 0 { throw StudyProblem(description: "\(findings) findings; the inputs are in \(options.kept)") }
  }

  // MARK: The parent

  /// Runs batches in child processes until inputs or time end. Returns the number of findings.
  /// - Throws: `StudyProblem` if a child cannot be started.
  private static func run(_ options: Options) throws -> Int {
    try withScratchFolder { folder in
      var (next, accepted, findings) = (options.first, 0, 0)
      let last = options.first + options.inputs
      while next < last, options.end.timeIntervalSinceNow > 0, findings < findingLimit {
        let end = try child(options, next..<min(last, next + batch), in: folder)
        let progress = progress(in: folder)
        accepted += progress.accepted
        var messages = (try? SystemFile.contents("\(folder)/\(messagesName)")).map { String(decoding: $0, as: UTF8.self) } ?? ""
        if let end { messages += "\(progress.index)\t\(end)\n" }
        for line in messages.split(separator: "\n") {
          let parts = line.split(separator: "\t", maxSplits: 1)
          guard parts.count == 2, let index = Int(parts[0]) else { continue }
          findings += 1
          try keep(index, options, String(parts[1]), in: folder)
        }
        next = progress.index + 1
      }
      print("\(options.target.name): \(next - options.first) inputs, \(accepted) accepted, \(findings) findings (seed \(options.seed))")
      return findings
    }
  }

  /// Runs one batch in a child process. Returns the reason if it ended early; nil at its end.
  /// - Throws: `StudyProblem` if it cannot be started.
  private static func child(_ options: Options, _ range: Range<Int>, in folder: String) throws -> String? {
    for name in [progressName, messagesName] { unlink("\(folder)/\(name)") }
    symlink(options.corpus, "\(folder)/corpus")
    guard let errors = SystemFile(path: "\(folder)/\(errorsName)", flags: O_WRONLY | O_CREAT | O_TRUNC) else {
      throw StudyProblem(description: "\(folder): \(SystemFile.message)")
    }
    defer { errors.close() }
    var words = ["run-studies", "fuzz", options.target.name, "--child", folder, "--seed", "\(options.seed)"]
    words += ["--first", "\(range.lowerBound)", "--inputs", "\(range.count)"]
    words += ["--hang", "\(options.limits.seconds)", "--memory", "\(options.limits.megabytes)"]
    if options.end < .distantFuture { words += ["--seconds", "\(max(1, Int(options.end.timeIntervalSinceNow)))"] }
    let environment = ProcessInfo.processInfo.environment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }.map { "\($0)=\($1)" }
    let start = ProcessStart(
      path: Platform.executablePath ?? "", arguments: words, environment: environment,
      descriptors: [(errors.descriptor, 1), (errors.descriptor, 2)])
    let id = try Platform.spawn(start).get()
    var (status, waited, seen) = (Int32(0), 0, -1)
    while waitpid(id, &status, WNOHANG) == 0 {
      usleep(20_000)
      let index = progress(in: folder).index
      waited = index == seen ? waited + 1 : 0
      seen = index
      // An input that waits needs no processor time; a minute of it is a hang too.
      if waited > 3000 { kill(id, SIGKILL) }
    }
    let signal = status & 0x7F
    if signal == 0 { return status >> 8 == 0 ? nil : "ended with status \(status >> 8): \(lastLine(folder))" }
    return signal == SIGPROF || signal == SIGKILL
      ? "hang: needs too much processor time" : "trap: signal \(signal): \(lastLine(folder))"
  }

  private static func lastLine(_ folder: String) -> String {
    let text = (try? SystemFile.contents("\(folder)/\(errorsName)")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let lines = text.split(separator: "\n")
    return String(lines.first { $0.contains("Fatal error") || $0.contains("ERROR:") } ?? lines.last ?? "no message")
  }

  private static func progress(in folder: String) -> (index: Int, accepted: Int) {
    let bytes = (try? SystemFile.contents("\(folder)/\(progressName)")) ?? []
    guard bytes.count == 16 else { return (-1, 0) }
    return bytes.withUnsafeBytes { ($0.loadUnaligned(as: Int.self), $0.loadUnaligned(fromByteOffset: 8, as: Int.self)) }
  }

  /// Saves an input with a finding and prints the command that repeats it.
  /// - Throws: any error of the file system.
  private static func keep(_ index: Int, _ options: Options, _ problem: String, in folder: String) throws {
    let path = "\(options.kept)/\(options.target.name)-\(options.seed)-\(index)"
    try FileManager.default.createDirectory(atPath: options.kept, withIntermediateDirectories: true)
    let working = FileManager.default.currentDirectoryPath
    chdir(folder)
    defer { chdir(working) }
    try Data(try Fuzzer(options.target, seed: options.seed).input(index)).write(to: URL(fileURLWithPath: path))
    print("\(path): \(problem)\n  run-studies fuzz \(options.target.name) --seed \(options.seed) --first \(index) --inputs 1")
  }

  // MARK: The child

  /// Reads the inputs of a batch. A trap or a hang ends the process; the parent then knows the input's index.
  /// - Throws: `StudyProblem` if there is no corpus.
  private static func runBatch(_ options: Options) throws {
    let fuzzer = try Fuzzer(options.target, seed: options.seed)
    guard let progress = SystemFile(path: progressName, flags: O_WRONLY | O_CREAT),
      let messages = SystemFile(path: messagesName, flags: O_WRONLY | O_CREAT | O_APPEND)
    else { throw StudyProblem(description: "the scratch folder cannot be written: \(SystemFile.message)") }
    var (state, findings) = ((options.first, 0), 0)
    for index in options.first..<options.first + options.inputs {
      state.0 = index
      _ = withUnsafeBytes(of: &state) { pwrite(progress.descriptor, $0.baseAddress, $0.count, 0) }
      ProcessLimits.limitProcessorTime(seconds: options.limits.seconds * options.target.timeFactor)
      let (isAccepted, problem) = fuzzer.read(index)
      if isAccepted { state.1 += 1 }
      if problem != nil { findings += 1 }
      if let problem { _ = Array("\(index)\t\(problem)\n".utf8).withUnsafeBytes(messages.write) }
      let megabytes = ProcessLimits.peakMegabytes
      if megabytes > options.limits.megabytes {
        throw StudyProblem(description: "memory: needs \(megabytes) MB, more than \(options.limits.megabytes)")
      }
      if findings == findingLimit || index & 15 == 15 && options.end.timeIntervalSinceNow < 0 { break }
    }
    _ = withUnsafeBytes(of: &state) { pwrite(progress.descriptor, $0.baseAddress, $0.count, 0) }
  }
}
