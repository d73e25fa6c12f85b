// One process of a program: started in its own process group, watched, and ended with all its children.

import Base
import Synchronization

/// A running program and its children, in the group of a short-lived leader that is reaped last and so reserves the group's id.
/// A program that leaves for a group of its own, as `timeout` does, makes one with its own id; both groups are signalled.
struct CommandProcess {
  enum End: Hashable {
    case good, cancelled
    /// The reason for the missing result.
    case failed(String)
  }

  /// The interval between checks of the clock and of cancellation, in milliseconds.
  private static let pollMilliseconds: Int32 = 50
  /// The longest wait for a killed process. A process blocked on a broken disk cannot be killed.
  private static let killPatience = Duration.seconds(10)
  /// A lock held while a close-on-exec descriptor is created and while a program starts.
  private static let starting = Mutex(())

  /// The process ids of the program and of the leader of its first group.
  private let id, group: pid_t
  /// The first group and the one that the program may create.
  private var groups: [pid_t] { [group, id] }
  /// Standard output and standard error, with the end-of-file flag of each.
  private var pipes: [(file: SystemFile, isAtEnd: Bool)] = []
  /// The bytes read from each pipe: up to the limit plus one read.
  private var printed: [[UInt8]] = [[], []]
  private let backend: CommandBackend

  /// Runs a program to its end. Returns its end and the bytes of standard output and standard error.
  /// - Throws: `SpawnProblem` if it cannot be started.
  static func run(
    _ start: ProcessStart, _ backend: CommandBackend, _ reaper: ProcessReaper, isCancelled: () -> Bool
  ) throws(SpawnProblem) -> (end: End, output: [UInt8], errors: [UInt8]) {
    var process = try CommandProcess(start, backend, reaper)
    let end = process.watch(isCancelled)
    for group in process.groups { reaper.end(group) }
    for pipe in process.pipes { pipe.file.close() }
    return (end, process.printed[0], process.printed[1])
  }

  /// - Throws: `SpawnProblem` if the system refuses.
  private init(_ start: ProcessStart, _ backend: CommandBackend, _ reaper: ProcessReaper) throws(SpawnProblem) {
    self.backend = backend
    var start = start
    var writing: [SystemFile] = []
    // End of file is seen only if the tool closes its copies of the writing ends.
    defer { for file in writing { file.close() } }
    do throws(SpawnProblem) {
      for descriptor: Int32 in 1...2 {
        let pipe = try Self.makePipe()
        _ = fcntl(pipe.reading.descriptor, F_SETFL, fcntl(pipe.reading.descriptor, F_GETFL) | O_NONBLOCK)
        pipes.append((pipe.reading, false))
        writing.append(pipe.writing)
        start.descriptors.append((pipe.writing.descriptor, descriptor))
      }
      // The reaper knows the group before the program starts, so a killed tool leaves no program running.
      // The leader ends at once; its id stays reserved until it is reaped.
      group = try Self.spawn(ProcessStart(path: "/bin/sh", arguments: ["sh", "-c", ":"], environment: []))
      reaper.begin(group)
      start.group = group
      do throws(SpawnProblem) { id = try Self.spawn(start) } catch {
        _ = Self.reap(group)
        reaper.end(group)
        throw error
      }
      reaper.begin(id)
    } catch {
      for pipe in pipes { pipe.file.close() }
      throw error
    }
  }

  /// Starts a program with default signals and returns its process id.
  /// - Throws: `SpawnProblem` if the system refuses.
  static func spawn(_ start: ProcessStart) throws(SpawnProblem) -> pid_t { try starting.withLock { _ in Platform.spawn(start) }.get() }

  /// Creates a pipe that child processes do not inherit by default.
  /// - Throws: `SpawnProblem` if the system refuses.
  static func makePipe() throws(SpawnProblem) -> (reading: SystemFile, writing: SystemFile) {
    var ends: [Int32] = [-1, -1]
    let isMade = starting.withLock { _ in
      guard pipe(&ends) == 0 else { return false }
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return true
    }
    guard isMade else { throw SpawnProblem(reason: SystemFile.message) }
    return (SystemFile(descriptor: ends[0]), SystemFile(descriptor: ends[1]))
  }

  /// Waits for a process and returns its wait status; nil if the system has no such child.
  static func reap(_ id: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      if errno != EINTR { return nil }
    }
    return status
  }

  // MARK: Waiting

  private mutating func watch(_ isCancelled: () -> Bool) -> End {
    let deadline = ContinuousClock.now + .nanoseconds(backend.timeLimit)
    var forced: End?
    while forced == nil, !hasEnded {
      readOutput(waitMs: Self.pollMilliseconds)
      // A run that ended before the cancellation counts.
      if isCancelled(), !hasEnded {
        forced = .cancelled
      } else if ContinuousClock.now >= deadline {
        forced = timedOut
      } else if isFull {
        forced = floods
      }
    }
    // Children of a program that ended by itself would disturb the next run.
    send(SIGTERM)
    wait(.nanoseconds(backend.grace)) { $0.hasEnded }
    if !hasEnded {
      send(SIGKILL)
      wait(Self.killPatience) { $0.hasEnded }
      // A process that survives SIGKILL is not waited for any longer.
      guard hasEnded else { return timedOut }
    }
    let status = Self.reap(id) ?? 0
    _ = Self.reap(group)
    // Checked soon after the reaping, before the system reuses the group ids.
    wait(.nanoseconds(backend.grace)) { !$0.hasMembers }
    for group in groups where kill(-group, 0) == 0 { kill(-group, SIGKILL) }
    readOutput(waitMs: 0)
    if forced == nil, isFull { forced = floods }
    if let forced { return forced }
    return status == 0 ? .good : .failed(Self.words(ofStatus: status))
  }

  static func words(ofStatus status: Int32) -> String {
    // The macros of wait.h, which Swift does not import.
    let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
    return signal == 0
      ? "it ended with status \(code)" : "it was ended by signal \(signal) (\(String(cString: strsignal(signal)).lowercased()))"
  }

  private var timedOut: End { .failed("it did not end within \(Quantity.described(backend.timeLimit, .duration)) and was ended") }
  private var floods: End { .failed("it printed more than \(Quantity.described(backend.outputLimit, .size)) and was ended") }
  private var isFull: Bool { printed.contains { $0.count > backend.outputLimit } }

  private var hasEnded: Bool { Self.hasEnded(id) }

  /// True if a child process has ended. It is not reaped yet, so its id cannot be reused.
  static func hasEnded(_ id: pid_t) -> Bool {
    var info = siginfo_t()
    while true {
      let result = waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT)
      if result < 0, errno == EINTR { continue }
      // Without news `waitid` leaves the record unchanged.
      return result < 0 || info.si_signo != 0
    }
  }

  private var hasMembers: Bool { groups.contains { kill(-$0, 0) == 0 } }

  /// Sends a signal to both groups, and to the program if it is in neither.
  private func send(_ signal: Int32) {
    for group in groups { kill(-group, signal) }
    if !groups.contains(getpgid(id)) { kill(id, signal) }
  }

  /// Reads output until a condition holds, for a limited time.
  private mutating func wait(_ patience: Duration, until holds: (CommandProcess) -> Bool) {
    let end = ContinuousClock.now + patience
    while !holds(self), ContinuousClock.now < end { readOutput(waitMs: Self.pollMilliseconds) }
  }

  /// Waits a limited time for output and reads it, up to the output limit.
  private mutating func readOutput(waitMs: Int32) {
    // If both pipes have ended, this only waits.
    var waited = pipes.indices.map { index in
      let isDone = pipes[index].isAtEnd || printed[index].count > backend.outputLimit
      return pollfd(fd: isDone ? -1 : pipes[index].file.descriptor, events: Int16(POLLIN), revents: 0)
    }
    _ = poll(&waited, nfds_t(waited.count), waitMs)
    for index in pipes.indices {
      while !pipes[index].isAtEnd, printed[index].count <= backend.outputLimit {
        guard let more = pipes[index].file.read(1 << 16) else { break }
        printed[index] += more
        if more.isEmpty { pipes[index].isAtEnd = true }
      }
    }
  }
}

/// Ends the processes that a killed tool leaves running: a shell script whose input lists their groups and ends with the tool.
/// It holds a lock until they have ended, so the next start waits until the devices are free.
final class ProcessReaper: Sendable {
  /// The longest wait of a start for an earlier reaper, on top of the groups' grace period.
  static let patience = Duration.seconds(30)

  private static let script = String(decoding: PackageResources.reaper_sh, as: UTF8.self)

  private let input: SystemFile
  private let id: pid_t

  /// Starts the script, which holds `lock` until it ends. Groups have `grace` nanoseconds to end after SIGTERM.
  /// - Throws: `SpawnProblem` if the script cannot be started.
  init(lock: SystemFile?, grace: Int64) throws(SpawnProblem) {
    let pipe = try CommandProcess.makePipe()
    defer { pipe.reading.close() }
    do throws(SpawnProblem) {
      guard let silence = SystemFile(path: "/dev/null", flags: O_WRONLY) else { throw SpawnProblem(reason: SystemFile.message) }
      defer { silence.close() }
      let files = [pipe.reading, silence, silence] + (lock.map { [$0] } ?? [])
      id = try CommandProcess.spawn(
        ProcessStart(
          path: "/bin/sh", arguments: ["sh", "-c", Self.script, "sh", "\((grace + 99_999_999) / 100_000_000)"],
          environment: ["PATH=/usr/bin:/bin"], descriptors: files.enumerated().map { ($0.element.descriptor, Int32($0.offset)) }))
    } catch {
      pipe.writing.close()
      throw error
    }
    input = pipe.writing
  }

  func begin(_ group: pid_t) { send("begun \(group)\n") }
  func end(_ group: pid_t) { send("ended \(group)\n") }

  /// Writes a line. It is shorter than PIPE_BUF, so writes of several threads do not mix.
  private func send(_ line: String) { _ = Array(line.utf8).withUnsafeBytes { input.write($0) } }

  deinit {
    input.close()
    _ = CommandProcess.reap(id)
  }
}
