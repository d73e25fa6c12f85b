// Connects runs to the processes of their policy, checks that answers depend on the run alone, and explains failures.

import Base
import Simulation
import Synchronization

/// The processes of policies. Each plays run after run for one thread at a time.
package final class PolicyPool: Sendable {
  /// The number of runs whose first line fails, one after the other with the same settings, after which these get no more runs.
  private static let failureLimit = 5
  /// The time that a program has for its first answer, besides its limit.
  static let startLimit = Duration.seconds(30)

  private struct CommandState {
    var idle: [PolicyProgram] = []
    /// The failures of the first line by settings, and the last reason.
    var failures: [String: (count: Int, reason: String)] = [:]
    /// The reason why no run can be trusted; nil for none.
    var refusal: String?
  }

  private struct State {
    var commands: [PolicyCommand: CommandState] = [:]
    var reaper: ProcessReaper?
    var runsByProcessor: [Int: Int] = [:]
  }

  private let state = Mutex(State())
  private let kept = KeptOutput(secrets: [])

  package init() {}

  /// The reason why no run of a policy can be trusted: its answers depend on more than the run. Nil for none.
  package var refusal: String? { state.withLock { state in state.commands.values.compactMap(\.refusal).min() } }

  /// Plays a run with `play`, connected to a process if its policy is a command. If `isChecked`, some runs are played twice and compared.
  /// - Throws: `PolicyFailure` if the policy fails; any error of `play`.
  package func perform<Result>(
    _ run: RunRequest, isChecked: Bool, isCancelled: @escaping @Sendable () -> Bool,
    _ play: (_ run: RunRequest, _ isCancelled: @escaping @Sendable () -> Bool) throws -> Result?
  ) throws -> Result? {
    guard let policy = run.scenario?.prefetcher as? CommandPolicy else { return try play(run, isCancelled) }
    let known = state.withLock { $0.commands[policy.command] ?? CommandState() }
    if known.refusal != nil { throw PolicyFailure(reason: "not tried: the policy was refused") }
    if let failures = known.failures[policy.settings], failures.count >= Self.failureLimit {
      throw PolicyFailure(reason: "not tried: after \(failures.count) failures in a row, the last one: \(failures.reason)")
    }
    let binding = bindThread()
    defer { unbindThread(from: binding) }
    let program = try program(of: policy.command, on: binding?.processor, isFresh: false)
    let number = program.runs.add(1, ordering: .relaxed).newValue
    // The 1st, 2nd, 4th, 8th … run is played again by a fresh process: so late changes are seen at a low price.
    let isReplayed = isChecked && number & (number - 1) == 0
    let first = PolicyConversation(program, policy, run, isCancelled: isCancelled, keepsAnswers: isReplayed)
    let result = try converse(first, policy, run, isCancelled, play)
    guard result != nil else { return nil }
    if isReplayed, !first.answers.isEmpty {
      let fresh = try self.program(of: policy.command, on: binding?.processor, isFresh: true)
      let second = PolicyConversation(fresh, policy, run, isCancelled: isCancelled, expected: first.answers)
      guard try converse(second, policy, run, isCancelled, play) != nil else { return nil }
      _ = fresh.end(isForced: false)
    }
    state.withLock {
      $0.commands[policy.command, default: CommandState()].idle.append(program)
      $0.commands[policy.command]?.failures[policy.settings] = nil
    }
    KeptOutput.remove(run)
    return result
  }

  /// Plays a run in a conversation. After a failure the process ends, and its last lines are kept.
  /// - Throws: `PolicyFailure`, or any error of `play`.
  private func converse<Result>(
    _ conversation: PolicyConversation, _ policy: CommandPolicy, _ run: RunRequest, _ isCancelled: @escaping @Sendable () -> Bool,
    _ play: (_ run: RunRequest, _ isCancelled: @escaping @Sendable () -> Bool) throws -> Result?
  ) throws -> Result? {
    var policy = policy
    policy.conversation = conversation
    let outcome = Swift.Result { try play(run.with(policy)) { isCancelled() || conversation.hasStopped } }
    conversation.close()
    let problem = conversation.problem
    // Neither a failed nor a cancelled conversation is at the start of a line.
    if conversation.hasStopped || ((try? outcome.get()) ?? nil) == nil {
      let end = conversation.program.end(isForced: !(problem?.isOfEnd ?? false))
      guard let problem else { return conversation.hasStopped ? nil : try outcome.get() }
      let isKept = kept.keep([("lines", conversation.lastLines), ("err", end.errors)], of: run, attempt: 1)
      var reason = "the policy \(problem.reason)" + (problem.isOfEnd ? "; \(end.words)" : "")
      if let line = end.errors.split(separator: UInt8(ascii: "\n")).last {
        reason += "; its last message: \(quoted(String(decoding: line.prefix(400), as: UTF8.self)))"
      }
      state.withLock { state in
        if !conversation.isOpen {
          let count = state.commands[policy.command]?.failures[policy.settings]?.count ?? 0
          state.commands[policy.command, default: CommandState()].failures[policy.settings] = (count + 1, reason)
        }
        if problem.isRefusal {
          state.commands[policy.command, default: CommandState()].refusal =
            "point \(PointID.text(run.point.id)), repetition \(run.repetition): \(reason)"
        }
      }
      throw PolicyFailure(reason: reason + (isKept ? "; its last lines are in \(KeptOutput.name(run))" : ""))
    }
    return try outcome.get()
  }

  /// Binds the calling thread to the processor with the fewest runs. A run and its policy take turns, and to wake the other one on another
  /// processor takes several times as long (measured). Returns nil where the system cannot bind.
  private func bindThread() -> (processor: Int, all: [Int])? {
    // Of equal ones the current one: other sweeps and shards on this machine bind theirs too.
    let processors = Platform.processors
    let processor = state.withLock { state -> Int? in
      guard let first = processors.min(by: { state.runsByProcessor[$0] ?? 0 < state.runsByProcessor[$1] ?? 0 }) else { return nil }
      state.runsByProcessor[first, default: 0] += 1
      return first
    }
    guard let processor else { return nil }
    Platform.bind(0, to: [processor])
    return (processor, processors)
  }

  /// Lets the calling thread use all processors again.
  private func unbindThread(from binding: (processor: Int, all: [Int])?) {
    guard let binding else { return }
    state.withLock { $0.runsByProcessor[binding.processor, default: 1] -= 1 }
    Platform.bind(0, to: binding.all)
  }

  /// Returns an idle process, or a new one, which then runs on `processor`.
  /// - Throws: `PolicyFailure` if it cannot be started.
  private func program(of command: PolicyCommand, on processor: Int?, isFresh: Bool) throws(PolicyFailure) -> PolicyProgram {
    let idle = isFresh ? nil : state.withLock { $0.commands[command, default: CommandState()].idle.popLast() }
    if let idle {
      if let processor { Platform.bind(idle.id, to: [processor]) }
      return idle
    }
    do throws(SpawnProblem) {
      let reaper = try state.withLock { state throws(SpawnProblem) in
        if let reaper = state.reaper { return reaper }
        // A program may end before it has read a line; an ignored SIGCHLD of the parent would make waiting fail.
        Platform.ignore(SIGPIPE)
        signal(SIGCHLD, SIG_DFL)
        let reaper = try ProcessReaper(lock: nil, grace: 0)
        state.reaper = reaper
        return reaper
      }
      return try PolicyProgram(command, reaper)
    } catch { throw PolicyFailure(reason: "the policy could not be started: \(error.reason)") }
  }
}

/// The reason why a run with a command's policy failed.
package struct PolicyFailure: Error, CustomStringConvertible {
  let reason: String
  package var description: String { reason }
}

/// The lines of one run between the session and a process.
final class PolicyConversation: PolicyPeer {
  private struct State {
    var isOpen = false, isCancelled = false
    var problem: PolicyProblem?
    var answers: [[UInt8]] = []
    var last: [(mark: String, bytes: [UInt8])] = []
  }

  /// The most lines kept for messages, and the most bytes of each.
  private static let lastLimit = 20, lineLimit = 4000

  let program: PolicyProgram
  let scenario: String
  let renditions: Int
  private let timeLimit: Duration
  private let keepsAnswers: Bool
  /// The answers of an earlier run of the same scenario and seed; nil for the first.
  private let expected: [[UInt8]]?
  private let isCancelled: @Sendable () -> Bool
  private let state = Mutex(State())

  init(
    _ program: PolicyProgram, _ policy: CommandPolicy, _ run: RunRequest, isCancelled: @escaping @Sendable () -> Bool,
    keepsAnswers: Bool = false, expected: [[UInt8]]? = nil
  ) {
    (self.program, self.keepsAnswers, self.expected, self.isCancelled) = (program, keepsAnswers, expected, isCancelled)
    timeLimit = .nanoseconds(policy.timeLimit.nanoseconds)
    let downloads = run.scenario?.downloads ?? DownloadSettings()
    let rates = run.scenario?.renditions
    renditions = rates?.bitsPerSecond.count ?? 0
    scenario =
      "\"connections\":\(downloads.connections),\"cancel\":\"\(downloads.cancel.rawValue)\","
      + "\"renditions\":\(rates?.bitsPerSecond ?? []),"
      + "\"segmentSeconds\":\(DecimalText.exact(rates.map { Double($0.segment.nanoseconds) / 1e9 } ?? 0))"
  }

  var isOpen: Bool { state.withLock { $0.isOpen } }
  /// True after a failure or a cancellation: nothing more is asked.
  var hasStopped: Bool { state.withLock { $0.problem != nil || $0.isCancelled } }
  var problem: PolicyProblem? { state.withLock { $0.problem } }
  var answers: [[UInt8]] { state.withLock { $0.answers } }
  /// The last lines: `> ` before those to the policy, `< ` before its answers.
  var lastLines: [UInt8] {
    state.withLock { Array($0.last.map { Array($0.mark.utf8) + $0.bytes }.joined(separator: [UInt8(ascii: "\n")])) }
  }

  func open(with line: String) -> Bool {
    if hasStopped { return false }
    let isFirst = !program.hasBegun.exchange(true, ordering: .relaxed)
    let limit = timeLimit + (isFirst ? PolicyPool.startLimit : .zero)
    guard let answer = exchange(line, "answer to begin", within: limit) else { return false }
    do throws(InvalidInput) { try PolicyAnswer.readReady(answer) } catch {
      fail("gave a wrong answer: \(error.diagnostics.first?.description ?? "")")
      return false
    }
    state.withLock { $0.isOpen = true }
    return true
  }

  func answer(to line: String, number: Int, at now: Instant) -> [UInt8]? {
    exchange(line, "answer to plan \(number) at \(now.described)", within: timeLimit)
  }

  func accepts(_ answer: [UInt8], number: Int, at now: Instant) -> Bool {
    if keepsAnswers { state.withLock { $0.answers.append(answer) } }
    guard let expected, number > expected.count || expected[number - 1] != answer else { return true }
    let before = number > expected.count ? "none" : shortened(String(decoding: expected[number - 1], as: UTF8.self), to: 200)
    state.withLock {
      $0.problem = PolicyProblem(
        reason: "gives answers that depend on more than the run: plan \(number) at \(now.described) was \(before), and when the run was "
          + "played again \(shortened(String(decoding: answer, as: UTF8.self), to: 200)); forget everything at begin, and use no clock, "
          + "no randomness without a seed and no order of a hash table", isRefusal: true)
    }
    return false
  }

  func fail(at now: Instant, _ reason: String) { fail("gave a wrong answer at \(now.described): \(reason)") }

  private func fail(_ reason: String, isOfEnd: Bool = false) {
    state.withLock { $0.problem = $0.problem ?? PolicyProblem(reason: reason, isOfEnd: isOfEnd) }
  }

  /// Ends the run; nothing answers its last line.
  func close() {
    if !isOpen || hasStopped { return }
    _ = try? program.answer(to: Array("{\"type\":\"end\"}".utf8), isAnswered: false, within: timeLimit, isCancelled: isCancelled)
  }

  private func exchange(_ line: String, _ name: @autoclosure () -> String, within limit: Duration) -> [UInt8]? {
    if hasStopped { return nil }
    let line = Array(line.utf8)
    note("> ", line)
    do throws(PolicyProblem) {
      guard let answer = try program.answer(to: line, within: limit, isCancelled: isCancelled) else {
        state.withLock { $0.isCancelled = true }
        return nil
      }
      note("< ", answer)
      return answer
    } catch { fail("\(error.reason) (\(name()))", isOfEnd: error.isOfEnd) }
    return nil
  }

  private func note(_ mark: String, _ bytes: [UInt8]) {
    state.withLock { state in
      if state.last.count == Self.lastLimit { state.last.removeFirst() }
      state.last.append((mark, bytes.count > Self.lineLimit ? Array(bytes.prefix(Self.lineLimit)) : bytes))
    }
  }
}

extension Instant {
  /// The instant in its shortest spelling, such as "1.5s".
  fileprivate var described: String { nanoseconds == 0 ? "0s" : Interval(nanoseconds: nanoseconds).described }
}
