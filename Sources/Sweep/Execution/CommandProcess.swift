// One start of a program: begun in a process group of its own, watched until it ends or must be ended, and ended whole.

import Import
import Synchronization

/// A running program and everything that it starts. Not for sharing: the thread that began it waits for it.
///
/// Its group is made before it, by a shell that ends at once and is not waited for until the program has ended: that one is the group's
/// leader. So the program is none, and may leave for a group or a session of its own, as `timeout` and `setsid` do. Such a group has the
/// program's id; for this reason both ids are watched, and both groups are ended.
struct CommandProcess {
  enum End: Hashable {
    case good, cancelled
    /// Why it has no result.
    case failed(String)
  }

  /// Between two looks at the clock and at who wants it to end.
  private static let lookMilliseconds: Int32 = 50
  /// How long a killed process may take to be gone: what waits for a broken disk cannot be killed at all.
  private static let killPatience = Duration.seconds(10)
  /// Held while a descriptor is made that no program may inherit, and while a program starts.
  private static let starting = Mutex(())

  /// The program's process id, and that of the group in which it starts.
  private let id, group: pid_t
  /// The group in which it starts and the one that it may make.
  private var groups: [pid_t] { [group, id] }
  /// What is read of standard output and standard error, and whether nothing more will come.
  private var pipes: [(file: SystemFile, isAtEnd: Bool)] = []
  /// What has come, up to the limit and a piece more.
  private var printed: [[UInt8]] = [[], []]
  private let backend: CommandBackend

  /// Runs a program to its end and returns how it went, with what it printed on standard output and standard error.
  static func run(_ start: ProcessStart, _ backend: CommandBackend, _ reaper: ProcessReaper, isCancelled: () -> Bool)
    -> (end: End, output: [UInt8], errors: [UInt8])
  {
    do throws(SpawnProblem) {
      var process = try CommandProcess(start, backend, reaper)
      let end = process.watch(isCancelled)
      for group in process.groups { reaper.end(group) }
      for pipe in process.pipes { pipe.file.close() }
      return (end, process.printed[0], process.printed[1])
    } catch { return (.failed("it could not be started: \(error.reason)"), [], []) }
  }

  /// - Throws: `SpawnProblem` if the system refuses.
  private init(_ start: ProcessStart, _ backend: CommandBackend, _ reaper: ProcessReaper) throws(SpawnProblem) {
    self.backend = backend
    var start = start
    var writing: [SystemFile] = []
    // The program has its ends by then; only so is the end of its output seen.
    defer { for file in writing { file.close() } }
    do throws(SpawnProblem) {
      for descriptor: Int32 in 1...2 {
        let pipe = try Self.makePipe()
        _ = fcntl(pipe.reading.descriptor, F_SETFL, fcntl(pipe.reading.descriptor, F_GETFL) | O_NONBLOCK)
        pipes.append((pipe.reading, false))
        writing.append(pipe.writing)
        start.descriptors.append((pipe.writing.descriptor, descriptor))
      }
      // The reaper knows the group before the program is in it: else a kill of ours between the two would leave the program running.
      // What the group is made with ends at once, and its id is no other's until it is reaped.
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

  /// The two ends of a new pipe, which no program inherits by itself.
  /// - Throws: `SpawnProblem` if the system gives none.
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

  /// Waits for a process and returns its status as the system gives it; nil where the system knows nothing of it.
  static func reap(_ id: pid_t) -> Int32? {
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 {
      if errno != EINTR { return nil }
    }
    return status
  }

  // MARK: Until it has ended

  private mutating func watch(_ isCancelled: () -> Bool) -> End {
    let deadline = ContinuousClock.now + .nanoseconds(backend.timeLimit)
    var forced: End?
    while forced == nil, !hasEnded {
      readOutput(waitMs: Self.lookMilliseconds)
      // A run that has just ended is one that counts.
      if isCancelled(), !hasEnded {
        forced = .cancelled
      } else if ContinuousClock.now >= deadline {
        forced = timedOut
      } else if isFull {
        forced = floods
      }
    }
    // Also where the program has ended by itself: what it leaves running would disturb the next run.
    send(SIGTERM)
    wait(.nanoseconds(backend.grace)) { $0.hasEnded }
    if !hasEnded {
      send(SIGKILL)
      wait(Self.killPatience) { $0.hasEnded }
      // Whatever holds it, this start does not wait for it for ever.
      guard hasEnded else { return timedOut }
    }
    let status = Self.reap(id) ?? 0
    _ = Self.reap(group)
    // Asked soon after the reaping, so that the groups are no others' yet.
    wait(.nanoseconds(backend.grace)) { !$0.isLeft }
    for group in groups where kill(-group, 0) == 0 { kill(-group, SIGKILL) }
    // The macros of wait.h, which Swift does not import.
    let (signal, code) = (status & 0x7F, status >> 8 & 0xFF)
    readOutput(waitMs: 0)
    if forced == nil, isFull { forced = floods }
    if let forced { return forced }
    if signal != 0 { return .failed("it was ended by signal \(signal) (\(String(cString: strsignal(signal)).lowercased()))") }
    return code == 0 ? .good : .failed("it ended with status \(code)")
  }

  private var timedOut: End { .failed("it did not end within \(Quantity.described(backend.timeLimit, .duration)) and was ended") }
  private var floods: End { .failed("it printed more than \(Quantity.described(backend.outputLimit, .size)) and was ended") }
  private var isFull: Bool { printed.contains { $0.count > backend.outputLimit } }

  /// Whether the program has ended. It is not reaped, so that its id cannot be another's.
  private var hasEnded: Bool {
    var info = siginfo_t()
    while true {
      let result = waitid(P_PID, id_t(id), &info, WEXITED | WNOHANG | WNOWAIT)
      if result < 0, errno == EINTR { continue }
      // With nothing to tell, the system leaves the record as it was.
      return result < 0 || info.si_signo != 0
    }
  }

  private var isLeft: Bool { groups.contains { kill(-$0, 0) == 0 } }

  /// Sends a signal to every process of both groups, and to the program where it is in neither.
  private func send(_ signal: Int32) {
    for group in groups { kill(-group, signal) }
    if !groups.contains(getpgid(id)) { kill(id, signal) }
  }

  /// Takes what is printed until something holds, for so long at most.
  private mutating func wait(_ patience: Duration, until holds: (CommandProcess) -> Bool) {
    let end = ContinuousClock.now + patience
    while !holds(self), ContinuousClock.now < end { readOutput(waitMs: Self.lookMilliseconds) }
  }

  /// Waits until something is printed, for so long at most, and takes it, within the limit.
  private mutating func readOutput(waitMs: Int32) {
    // With both at their end, this is a pause.
    var waited = pipes.indices.map { index in
      let isDone = pipes[index].isAtEnd || printed[index].count > backend.outputLimit
      return pollfd(fd: isDone ? -1 : pipes[index].file.descriptor, events: Int16(POLLIN), revents: 0)
    }
    _ = poll(&waited, nfds_t(waited.count), waitMs)
    for index in pipes.indices {
      while !pipes[index].isAtEnd, printed[index].count <= backend.outputLimit {
        var count = 0
        printed[index] += [UInt8](unsafeUninitializedCapacity: 1 << 16) { buffer, size in
          count = pipes[index].file.read(into: UnsafeMutableRawBufferPointer(buffer))
          size = max(0, count)
        }
        if count < 0 { break }
        if count == 0 { pipes[index].isAtEnd = true }
      }
    }
  }
}

/// Ends what a killed tool leaves running: after SIGKILL nobody else would, and the device would be busy with a run that nobody wants.
///
/// It is a process of a few lines of shell, which reads which groups run and, at the end of our life, which is the end of its input, ends
/// them. While it works it holds a lock, so that the next start does not give a device a run before the last one is off it.
final class ProcessReaper: Sendable {
  /// How long a start waits for the reaper of an earlier one, beyond the time that this gives its groups.
  static let patience = Duration.seconds(30)

  /// $1 is how often it looks, every tenth of a second, whether the groups have ended themselves; killed ones have ten seconds to be gone.
  ///
  /// A process that has ended and that nobody waits for, as in a container whose first process does not, is gone, though it can be sent
  /// signals: state Z, with no thread but the one that ended.
  private static let script = """
    trap '' INT TERM HUP QUIT
    groups=
    while read -r what group; do
      case $what in
        begun) groups="$groups $group" ;;
        ended) rest=; for one in $groups; do [ "$one" = "$group" ] || rest="$rest $one"; done; groups=$rest ;;
      esac
    done
    lives() {
      kill -s 0 -- "-$1" || return 1
      unreaped=
      for file in /proc/[0-9]*/stat; do
        read -r line < "$file" || continue
        set -- "$1" ${line##*) }
        [ "$4" = "$1" ] || continue
        case "$2 ${19}" in "Z 0" | "Z 1") unreaped=1 ;; *) return 0 ;; esac
      done
      [ -z "$unreaped" ]
    }
    end() {
      for one in $groups; do kill -s "$1" -- "-$one"; done
      left=$2
      while :; do
        alive=
        for one in $groups; do lives "$one" && alive=1; done
        [ -z "$alive" ] && exit 0
        [ "$left" -gt 0 ] || return
        sleep 0.1
        left=$((left - 1))
      done
    }
    end TERM "$1"
    end KILL 100
    """

  private let input: SystemFile
  private let id: pid_t

  /// Starts it; `lock` is handed to it, and is free again when it has ended. Groups have so many nanoseconds to end themselves.
  /// - Throws: `SpawnProblem` if it cannot be started.
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

  /// A line shorter than a pipe's piece goes through whole, also beside other writers.
  private func send(_ line: String) { _ = Array(line.utf8).withUnsafeBytes { input.write($0) } }

  deinit {
    input.close()
    _ = CommandProcess.reap(id)
  }
}
