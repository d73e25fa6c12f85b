// One try of a run: the program is started, watched until it ends or must be ended, and its whole process group is ended with it.

import Import

/// One start of a program.
package struct CommandAttempt {
  /// How it went.
  package enum End: Hashable {
    /// It ended by itself.
    case ended(ProcessGroup.End)
    /// It took too long.
    case timedOut
    /// It printed too much.
    case printedTooMuch
    /// It was ended because everything ends.
    case cancelled
    /// It could not be started.
    case notStarted(String)
  }

  /// Between two looks at the clock and at who wants it to end.
  private static let lookMilliseconds: Int32 = 50
  /// How long a killed process may take to be gone: what waits for a broken disk cannot be killed at all.
  private static let killPatience = Duration.seconds(10)

  package let timeLimit: Duration
  let grace: Duration
  let outputLimit: Int

  /// What it printed on standard output and standard error.
  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []

  package init(timeLimit: Duration, grace: Duration, outputLimit: Int) {
    self.timeLimit = timeLimit
    self.grace = grace
    self.outputLimit = outputLimit
  }

  /// Runs a program to its end. `begin` starts it on the descriptors given, for standard output and standard error; `end` is called
  /// when its group is gone.
  package mutating func run(
    begin: (_ output: SystemFile, _ errors: SystemFile) throws(SpawnProblem) -> ProcessGroup, end: (ProcessGroup) -> Void,
    isCancelled: () -> Bool
  ) -> End {
    guard var output = OutputPipe(limit: outputLimit) else { return .notStarted(SystemFile.message) }
    defer { output.close() }
    guard var errors = OutputPipe(limit: outputLimit) else { return .notStarted(SystemFile.message) }
    defer { errors.close() }
    guard let (first, second) = output.writing.flatMap({ first in errors.writing.map { (first, $0) } }) else {
      return .notStarted("no pipe")
    }
    let group: ProcessGroup
    do throws(SpawnProblem) { group = try begin(first, second) } catch { return .notStarted(error.reason) }
    output.handOver()
    errors.handOver()
    let deadline = ContinuousClock.now + timeLimit
    var forced: End?
    while !group.hasEnded {
      wait(&output, &errors)
      // A run that has just ended is one that counts.
      if isCancelled(), !group.hasEnded { forced = .cancelled }
      if ContinuousClock.now >= deadline { forced = forced ?? .timedOut }
      if output.isFull || errors.isFull { forced = forced ?? .printedTooMuch }
      if forced != nil { break }
    }
    let ended = finish(group, &output, &errors)
    end(group)
    output.take()
    errors.take()
    (self.output, self.errors) = (output.bytes, errors.bytes)
    if let forced { return forced }
    return output.isFull || errors.isFull ? .printedTooMuch : ended
  }

  /// Asks the group to end, waits, and kills what is left of it: also where the leader has ended by itself, because what it leaves
  /// running would disturb the next run.
  private func finish(_ group: ProcessGroup, _ output: inout OutputPipe, _ errors: inout OutputPipe) -> End {
    group.send(SIGTERM)
    var patience = ContinuousClock.now + grace
    while !group.hasEnded, ContinuousClock.now < patience { wait(&output, &errors) }
    if !group.hasEnded {
      group.send(SIGKILL)
      patience = ContinuousClock.now + Self.killPatience
      while !group.hasEnded, ContinuousClock.now < patience { wait(&output, &errors) }
      // Whatever holds it, this start does not wait for it for ever.
      guard group.hasEnded else { return .timedOut }
    }
    let end = group.reap()
    patience = ContinuousClock.now + grace
    while group.isLeft, ContinuousClock.now < patience { wait(&output, &errors) }
    if group.isLeft { group.send(SIGKILL) }
    return .ended(end ?? .status(0))
  }

  /// Takes what is printed for a moment.
  private func wait(_ output: inout OutputPipe, _ errors: inout OutputPipe) {
    var waited = [output.waited, errors.waited]
    // With both at their end, this is a pause.
    _ = poll(&waited, nfds_t(waited.count), Self.lookMilliseconds)
    output.take()
    errors.take()
  }
}
