// Executes runs with a program: fills in the point's values, retries failures and reads the metrics.

import Analysis
import Base
import Synchronization

/// Starts one program per run, one at a time on each device.
package final class CommandExecutor: RunExecutor {
  private static let longestBackOff = Duration.seconds(600)
  /// The most output of failed runs that one start keeps, in bytes.
  private static let keptLimit = 500 << 20

  private struct State {
    /// The end of each device's last run and its number of consecutive failures.
    var lanes: [(ended: ContinuousClock.Instant?, failures: Int)]
    /// The reaper of processes still running at the tool's end; nil before the first run.
    var reaper: ProcessReaper?
    var keptBytes = 0
  }

  package let laneCount: Int?
  private let backend: CommandBackend
  private let inherited: [String: String]
  private let secrets: [String: String]
  private let kept: KeptOutput
  private let reader: ResultReader
  private let state: Mutex<State>

  /// Creates an executor and checks its program, folder and secrets.
  /// - Throws: `InvalidInput` if a program or a folder does not exist, or a secret is not set.
  init(_ backend: CommandBackend) throws(InvalidInput) {
    self.backend = backend
    inherited = ProcessInfo.processInfo.environment
    let laneCount = max(1, backend.devices.count)
    self.laneCount = laneCount
    reader = ResultReader(backend)
    state = Mutex(State(lanes: Array(repeating: (nil, 0), count: laneCount)))
    var problems: [Diagnostic] = []
    var secrets: [String: String] = [:]
    for variable in backend.environment {
      guard case .secret(let source) = variable.value else { continue }
      if let value = inherited[source] {
        secrets[variable.name] = value
      } else {
        problems.append(
          Diagnostic(
            location: variable.location, key: "backend.environment.\(variable.name)", problem: "takes \(source), which is not set here",
            remedy: "export \(source) before the start"))
      }
    }
    self.secrets = secrets
    kept = KeptOutput(secrets: Array(secrets.values))
    // An ignored SIGCHLD is inherited from the parent and would make waiting fail.
    signal(SIGCHLD, SIG_DFL)
    problems += missing
    if !problems.isEmpty { throw InvalidInput(diagnostics: problems.sorted { $0.location < $1.location }) }
  }

  /// The problems of the program and its folder, if both are the same for all runs.
  private var missing: [Diagnostic] {
    if let folder = backend.folder, folder.names.isEmpty, !SystemFile.isFolder(self.folder(folder.filled { _ in nil })) {
      return [
        Diagnostic(
          location: folder.location, key: folder.key, problem: "is no folder",
          remedy: "create it, or check the path; it is relative to the sweep file")
      ]
    }
    guard !backend.isShell, let word = backend.command.first, word.names.isEmpty, (backend.folder?.names ?? []).isEmpty else { return [] }
    let name = word.filled { _ in nil }
    if ProgramPath.find(name, folder: folder(backend.folder?.filled { _ in nil }), environment: inherited) != nil { return [] }
    return [
      Diagnostic(
        location: word.location, key: word.key, problem: "names \(quoted(name)), which is no program here",
        remedy: name.contains("/") ? "check its path, relative to backend.folder, and its permissions" : "install it, or put it into PATH")
    ]
  }

  // MARK: A run

  package func execute(_ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool) -> RunOutcome? {
    // A disconnected phone fails every run. The next start executes the runs that it skips.
    guard state.withLock({ $0.lanes[run.lane].failures < backend.giveUpAfter }) else {
      return .failure("not tried: \(device(run.lane)) failed \(backend.giveUpAfter) times in a row")
    }
    let outcome = tried(run, isCancelled)
    state.withLock { state in
      switch outcome {
      case .metrics: state.lanes[run.lane].failures = 0
      case .failure: state.lanes[run.lane].failures += 1
      case nil: break
      }
    }
    return outcome
  }

  private func device(_ lane: Int) -> String { laneCount == 1 ? "the device" : "device \(lane + 1) of \(laneCount ?? 1)" }

  private func tried(_ run: RunRequest, _ isCancelled: @Sendable () -> Bool) -> RunOutcome? {
    var reasons: [String] = []
    var isKept = false
    for attempt in 1...backend.retries + 1 {
      guard rest(run.lane, before: attempt, isCancelled) else { return nil }
      let log = backend.log.map { ResultLog(ProgramPath.absolute(filled($0, run), in: folder(of: run))) }
      let (end, output, errors) = self.run(run, isCancelled)
      state.withLock { $0.lanes[run.lane].ended = .now }
      if end == .cancelled { return nil }
      let written = log?.written(limit: Int(backend.outputLimit))
      /// - Throws: `ResultProblem` if the run failed, or its result is invalid.
      func metrics(_ result: [UInt8]) throws(ResultReader.ResultProblem) -> RunMetrics {
        if case .failed(let reason) = end { throw ResultReader.ResultProblem(reason: reason) }
        if let log, written == nil { throw ResultReader.ResultProblem(reason: "it wrote nothing new to \(quoted(log.path))") }
        return try reader.metrics(in: result)
      }
      var reason: String
      do throws(ResultReader.ResultProblem) {
        let metrics = try metrics(written ?? output)
        KeptOutput.remove(run)
        return .metrics(metrics)
      } catch { reason = error.reason }
      // The reason may quote output truncated inside a secret, so it is computed again from masked output.
      do throws(ResultReader.ResultProblem) { _ = try metrics(kept.hiding(written ?? output)) } catch { reason = error.reason }
      reason = kept.hiding(reason)
      if !reasons.contains(reason) { reasons.append(reason) }
      // Output kept by an earlier start belongs to an earlier try.
      if attempt == 1 { KeptOutput.remove(run) }
      isKept = keep([("out", output), ("err", errors), ("log", written ?? [])], of: run, attempt: attempt) || isKept
    }
    let tries = backend.retries == 0 ? "" : "tried \(backend.retries + 1) times: "
    let lane = laneCount == 1 ? "" : " on \(device(run.lane))"
    return .failure(tries + reasons.joined(separator: "; then ") + lane + (isKept ? "; its output is in \(KeptOutput.name(run))" : ""))
  }

  /// Waits until the device may start a run; false after cancellation.
  private func rest(_ lane: Int, before attempt: Int, _ isCancelled: () -> Bool) -> Bool {
    var pause = attempt == 1 ? Duration.zero : .nanoseconds(backend.backOff)
    for _ in 0..<max(0, attempt - 2) { pause = min(pause * 2, Self.longestBackOff) }
    let end = state.withLock { $0.lanes[lane].ended }.map { $0 + max(pause, .nanoseconds(backend.coolDown)) }
    while let end, ContinuousClock.now < end, !isCancelled() { usleep(20_000) }
    return !isCancelled()
  }

  private func run(_ run: RunRequest, _ isCancelled: () -> Bool) -> (end: CommandProcess.End, output: [UInt8], errors: [UInt8]) {
    do throws(SpawnProblem) {
      guard let reaper = try self.reaper(of: run.folder, isCancelled) else { return (.cancelled, [], []) }
      return try CommandProcess.run(start(of: run), backend, reaper, isCancelled: isCancelled)
    } catch { return (.failed("it could not be started: \(error.reason)"), [], []) }
  }

  private func keep(_ outputs: [(name: String, bytes: [UInt8])], of run: RunRequest, attempt: Int) -> Bool {
    let size = outputs.reduce(0) { $0 + min($1.bytes.count, KeptOutput.headLimit + KeptOutput.tailLimit) }
    let hasRoom = state.withLock { state in
      state.keptBytes += size
      return state.keptBytes <= Self.keptLimit
    }
    return hasRoom && kept.keep(outputs, of: run, attempt: attempt)
  }

  /// Returns the reaper and starts it before the first run. It is nil after cancellation while an earlier reaper still works.
  /// - Throws: `SpawnProblem` if the reaper cannot be started.
  private func reaper(of folder: String?, _ isCancelled: () -> Bool) throws(SpawnProblem) -> ProcessReaper? {
    try state.withLock { state throws(SpawnProblem) in
      if let reaper = state.reaper { return reaper }
      let lock = folder.flatMap {
        SystemFile(path: "\($0)/\(ResultsFolder.journalName)/\(ResultsFolder.processesName)", flags: O_RDWR | O_CREAT)
      }
      defer { lock?.close() }
      let limit = ContinuousClock.now + ProcessReaper.patience + .nanoseconds(backend.grace)
      while let lock, flock(lock.descriptor, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK {
        if isCancelled() { return nil }
        if ContinuousClock.now > limit { throw SpawnProblem(reason: "processes of an earlier start do not end") }
        usleep(20_000)
      }
      state.reaper = try ProcessReaper(lock: lock, grace: backend.grace)
      return state.reaper
    }
  }

  // MARK: Input of a run

  private func filled(_ template: CommandTemplate, _ run: RunRequest) -> String {
    template.filled { name in
      switch name {
      case "point": PointID.text(run.point.id)
      case "repetition": "\(run.repetition)"
      case "seed": "\(run.seed)"
      case "device": backend.devices.isEmpty ? nil : backend.devices[run.lane]
      default: run.point.values[name]
      }
    }
  }

  /// - Throws: `SpawnProblem` if the program does not exist.
  private func start(of run: RunRequest) throws(SpawnProblem) -> ProcessStart {
    var environment = inherited
    // They name the tool's folder, not the program's.
    for name in ["PWD", "OLDPWD"] { environment[name] = nil }
    for setting in backend.environment {
      switch setting.value {
      case .text(let text): environment[setting.name] = filled(text, run)
      case .secret: environment[setting.name] = secrets[setting.name]
      }
    }
    let folder = folder(of: run)
    var words = backend.command.map { filled($0, run) }
    let path: String
    if backend.isShell {
      path = "/bin/sh"
      words = ["sh", "-c", words[0], "sh"] + words.dropFirst()
    } else if let found = ProgramPath.find(words[0], folder: folder, environment: environment) {
      path = found
    } else {
      throw SpawnProblem(reason: "there is no program \(quoted(words[0]))")
    }
    return ProcessStart(path: path, arguments: words, environment: environment.map { "\($0.key)=\($0.value)" }.sorted(), folder: folder)
  }

  private func folder(of run: RunRequest) -> String { folder(backend.folder.map { filled($0, run) }) }

  /// Returns an absolute path of a working folder, relative ones resolved from the sweep file's folder.
  private func folder(_ written: String?) -> String {
    let base = ProgramPath.absolute(backend.base.isEmpty ? "." : backend.base)
    return written.map { ProgramPath.absolute($0, in: base) } ?? base
  }
}
