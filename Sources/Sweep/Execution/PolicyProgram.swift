// A running policy program: lines to its standard input, answers from its standard output.

import Base
import Synchronization

/// A process that answers lines. It leads a process group of its own, which ends with it.
final class PolicyProgram: Sendable {
  /// The longest wait for a program to end by itself at the end of its input.
  private static let endLimit = Duration.milliseconds(500)
  /// The bytes kept of standard error, which is cut to them when it is twice as long.
  private static let errorLimit = 256 << 10
  /// The interval between checks of cancellation, in milliseconds.
  private static let pollMilliseconds: Int32 = 50

  private struct Streams {
    /// Standard input, output and error, from the tool's side; nil once they have ended or were closed.
    var input, output, errors: SystemFile?
    /// Bytes of standard output that belong to no answer yet.
    var rest: [UInt8] = []
    var printed: [UInt8] = []
    /// The end in words; nil while the program runs.
    var end: String?
  }

  let id: pid_t
  private let reaper: ProcessReaper
  private let streams: Mutex<Streams>
  /// The number of runs that began in this process, without those that are played again.
  let runs = Atomic(0)
  /// True after the first line.
  let hasBegun = Atomic(false)

  /// Starts a program. The reaper ends its group if the tool is killed.
  /// - Throws: `SpawnProblem` if the program does not exist, or the system refuses.
  init(_ command: PolicyCommand, _ reaper: ProcessReaper) throws(SpawnProblem) {
    self.reaper = reaper
    var environment = ProcessInfo.processInfo.environment
    for name in ["PWD", "OLDPWD"] { environment[name] = nil }
    guard let path = ProgramPath.find(command.words[0], folder: command.folder) else {
      throw SpawnProblem(reason: "there is no program \(quoted(command.words[0]))")
    }
    var pipes: [(reading: SystemFile, writing: SystemFile)] = []
    do throws(SpawnProblem) {
      for _ in 0..<3 { pipes.append(try CommandProcess.makePipe()) }
      id = try CommandProcess.spawn(
        ProcessStart(
          path: path, arguments: command.words, environment: environment.map { "\($0.key)=\($0.value)" }.sorted(),
          folder: ProgramPath.absolute(command.folder.isEmpty ? "." : command.folder),
          descriptors: [(pipes[0].reading.descriptor, 0), (pipes[1].writing.descriptor, 1), (pipes[2].writing.descriptor, 2)]))
    } catch {
      for pipe in pipes {
        pipe.reading.close()
        pipe.writing.close()
      }
      throw error
    }
    reaper.begin(id)
    for file in [pipes[0].reading, pipes[1].writing, pipes[2].writing] { file.close() }
    let own = [pipes[0].writing, pipes[1].reading, pipes[2].reading]
    for file in own { _ = fcntl(file.descriptor, F_SETFL, fcntl(file.descriptor, F_GETFL) | O_NONBLOCK) }
    streams = Mutex(Streams(input: own[0], output: own[1], errors: own[2]))
  }

  /// Writes a line and returns the answer's bytes without the line feed; nil for a line without an answer, or after cancellation.
  /// - Throws: `PolicyProblem` if there is no answer within `limit`, or the program ends.
  func answer(
    to line: [UInt8], isAnswered: Bool = true, within limit: Duration, isCancelled: () -> Bool
  ) throws(PolicyProblem) -> [UInt8]? {
    try streams.withLock { streams throws(PolicyProblem) in
      let deadline = ContinuousClock.now + limit
      var unwritten = line[...]
      unwritten.append(UInt8(ascii: "\n"))
      if !streams.rest.isEmpty { throw PolicyProblem(reason: Self.printedTooMuch(streams.rest[...])) }
      var (searched, isOver) = (0, false)
      while true {
        Self.write(&unwritten, to: streams.input)
        if unwritten.isEmpty, !isAnswered { return nil }
        if let end = streams.rest[searched...].firstIndex(of: UInt8(ascii: "\n")) {
          let answer = Array(streams.rest[..<end])
          streams.rest.removeFirst(end + 1)
          if !unwritten.isEmpty || !streams.rest.isEmpty {
            throw PolicyProblem(reason: Self.printedTooMuch(unwritten.isEmpty ? streams.rest[...] : answer[...]))
          }
          return answer
        }
        searched = streams.rest.count
        if searched > PolicyAnswer.sizeLimit {
          throw PolicyProblem(reason: "printed a line of more than \(Quantity.described(Int64(PolicyAnswer.sizeLimit), .size))")
        }
        if streams.output == nil {
          // A program that ends closes its output a moment before.
          for _ in 0..<20 where !hasEnded { usleep(5000) }
          throw PolicyProblem(reason: hasEnded ? "ended" : "closed its output", isOfEnd: true)
        }
        if isOver { throw PolicyProblem(reason: "gave no answer within \(Quantity.described(Int64(limit / .nanoseconds(1)), .duration))") }
        Self.wait(&streams, toWrite: !unwritten.isEmpty)
        if isCancelled() { return nil }
        // What has arrived is searched once more: the tool may have been stopped for longer than the limit.
        isOver = ContinuousClock.now >= deadline
        // A child may keep the output of a program that has ended.
        if streams.rest.count == searched, streams.output != nil, hasEnded { throw PolicyProblem(reason: "ended", isOfEnd: true) }
      }
    }
  }

  private static func printedTooMuch(_ bytes: ArraySlice<UInt8>) -> String {
    let line = quoted(String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(400), as: UTF8.self))
    return "printed a line that nothing asked for: \(line); end has no answer, and messages belong to standard error"
  }

  /// Ends the program with its group; a forced end does not wait for it. Returns its end in words, and the last of its standard error.
  func end(isForced: Bool) -> (words: String, errors: [UInt8]) {
    streams.withLock { streams in
      if let end = streams.end { return (end, streams.printed) }
      streams.input?.close()
      streams.input = nil
      let deadline = ContinuousClock.now + (isForced ? .zero : Self.endLimit)
      while !hasEnded, ContinuousClock.now < deadline { Self.wait(&streams, toWrite: false, milliseconds: 5) }
      let wasRunning = !hasEnded
      // Before it is reaped its id is reserved, so that the group is no other one.
      kill(-id, SIGKILL)
      let status = CommandProcess.reap(id) ?? 0
      reaper.end(id)
      Self.wait(&streams, toWrite: false, milliseconds: 0)
      streams.output?.close()
      streams.errors?.close()
      (streams.output, streams.errors) = (nil, nil)
      let end = wasRunning ? "it was ended" : CommandProcess.words(ofStatus: status)
      streams.end = end
      return (end, streams.printed)
    }
  }

  private var hasEnded: Bool { CommandProcess.hasEnded(id) }

  /// Writes as much as the pipe takes. Bytes to a closed pipe are discarded; the answer is then missing.
  private static func write(_ bytes: inout ArraySlice<UInt8>, to file: SystemFile?) {
    while !bytes.isEmpty {
      let count = file.map { file in bytes.withUnsafeBytes(file.writeOnce) } ?? bytes.count
      if count < 0, errno == EINTR { continue }
      if count < 0 {
        if errno != EAGAIN { bytes = [] }
        return
      }
      bytes.removeFirst(count)
    }
  }

  /// Waits for output, and for room for input if `toWrite`, and reads what is there.
  private static func wait(_ streams: inout Streams, toWrite: Bool, milliseconds: Int32 = pollMilliseconds) {
    var waited = [
      pollfd(fd: streams.output?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: streams.errors?.descriptor ?? -1, events: Int16(POLLIN), revents: 0),
      pollfd(fd: toWrite ? streams.input?.descriptor ?? -1 : -1, events: Int16(POLLOUT), revents: 0),
    ]
    _ = poll(&waited, 3, milliseconds)
    if waited[0].revents != 0 { read(&streams.output, into: &streams.rest) }
    if waited[1].revents != 0 {
      read(&streams.errors, into: &streams.printed)
      if streams.printed.count > 2 * errorLimit { streams.printed.removeFirst(streams.printed.count - errorLimit) }
    }
  }

  /// Appends what one read returns; closes the file at its end.
  private static func read(_ file: inout SystemFile?, into bytes: inout [UInt8]) {
    guard let open = file, let more = open.read(1 << 14) else { return }
    bytes += more
    if more.isEmpty {
      open.close()
      file = nil
    }
  }

  deinit { _ = end(isForced: false) }
}

/// The reason why a policy has no answer, as a phrase after its name.
struct PolicyProblem: Error {
  var reason: String
  /// True if the program has ended or will, so that its status belongs to the reason.
  var isOfEnd = false
  /// True if the policy is useless for all runs.
  var isRefusal = false
}
