// `prefetcher: { kind: "command", … }`: a policy that is a program in any language.

import Base
import Simulation

/// The program of a policy: runs of equal programs share processes.
struct PolicyCommand: Hashable, Sendable {
  var words: [String]
  /// The working folder, that of the sweep file; an empty one is the tool's.
  var folder: String
}

/// The process of a run, as its policy sees it.
protocol PolicyPeer: Sendable {
  /// The scenario's keys of the first line.
  var scenario: String { get }
  /// The number of renditions of videos; 0 if they have one encoding.
  var renditions: Int { get }
  /// True after the first line's answer.
  var isOpen: Bool { get }
  /// Begins the run with its first line; false after a failure.
  func open(with line: String) -> Bool
  /// Returns the answer to a plan's line; nil after a failure.
  func answer(to line: String, number: Int, at now: Instant) -> [UInt8]?
  /// Notes a valid answer; false if another play of the run gave another one, which makes the run fail.
  func accepts(_ answer: [UInt8], number: Int, at now: Instant) -> Bool
  /// Notes a malformed answer, which makes the run fail.
  func fail(at now: Instant, _ reason: String)
}

/// A prefetcher that asks a program for each plan, in lines of JSON (`PolicyFeed` writes them, `PolicyAnswer` reads the answers).
/// A `PolicyPool` connects a copy to a process for each run.
struct CommandPolicy: Prefetcher {
  static let defaultTimeLimit = Interval.seconds(1)

  let command: PolicyCommand
  let settings: String
  let timeLimit: Interval
  let trigger: PlanTrigger
  /// The connection to a process; nil outside of a run.
  var conversation: (any PolicyPeer)?
  private var feed = PolicyFeed()

  init(_ command: PolicyCommand, settings: String, timeLimit: Interval, trigger: PlanTrigger) {
    (self.command, self.settings, self.timeLimit, self.trigger) = (command, settings, timeLimit, trigger)
  }

  mutating func plan(for view: borrowing FeedView, into plan: inout Plan) {
    guard let conversation else { preconditionFailure("a run of a command's policy needs PolicyPool") }
    if conversation.isOpen || conversation.open(with: feed.begin(view, settings: settings, scenario: conversation.scenario)) {
      if let answer = conversation.answer(
        to: feed.plan(view, on: view.trigger.intersection(trigger)), number: feed.planNumber, at: view.now)
      {
        do throws(InvalidInput) {
          try PolicyAnswer.read(answer, number: feed.planNumber, renditions: conversation.renditions, view, into: &plan)
          if conversation.accepts(answer, number: feed.planNumber, at: view.now) { return feed.follow(plan, active: view.activeItem) }
        } catch { conversation.fail(at: view.now, "\(error.diagnostics.first?.description ?? "it is malformed")") }
      }
    }
    // The run has failed. It ends at the loop's next check.
    plan.fetch(view.activeItem)
  }

  var words: String {
    let given = settings == "{}" ? "" : ", settings \(settings)"
    return "command \(command.words.joined(separator: " "))\(given)"
  }
}

extension PlanTrigger {
  /// The triggers that a command can name, in the order of their bits. It may always ask to plan again.
  static let names: [(name: String, trigger: PlanTrigger)] = [
    ("activation", .activation), ("dragEnd", .dragEnd), ("scrollTick", .scrollTick), ("transferFinished", .transferFinished),
    ("listGrown", .listGrown), ("stateChange", .stateChange),
  ]

  private static let allNames = names + [("askedFor", .askedFor)]

  package var names: [String] { Self.allNames.filter { contains($0.trigger) }.map(\.name) }

  /// The triggers as a JSON array of names.
  var text: String { "[" + names.map { "\"\($0)\"" }.joined(separator: ",") + "]" }
}
