// How many repetitions each point gets: all of them, or as many as earlier ones call for.

import Analysis
import Import

/// Who runs how often.
package struct RepetitionPlan: Sendable {
  /// What decides.
  package enum Kind: Sendable {
    /// Nothing: every point has every repetition.
    case complete
    /// A point ends once its difference to the baseline is known to the precision given, a margin's text such as `1%` or `0.5`.
    case sequential(until: String)
    /// After each round the better half goes on (Karnin, Koren & Somekh 2013, "Almost optimal exploration in multi-armed bandits").
    case halving
    /// After each block those leave that can no longer win (`RankRace`), until the device time is spent.
    case racing(RaceSettings)
  }

  /// What decides.
  package let kind: Kind
  /// After so many repetitions it is decided who goes on; the last is the most that any point gets.
  package let rounds: [Int]
  /// The file's key that asks for it, for messages.
  package let key: String
  package let location: SourceLocation

  /// Whether runs depend on the results of earlier ones, so that shards cannot share them.
  package var needsResults: Bool {
    if case .complete = kind { false } else { true }
  }

  /// All repetitions of every point.
  package static func complete(_ repeats: Int) -> RepetitionPlan {
    RepetitionPlan(kind: .complete, rounds: [repeats], key: "repeats", location: SourceLocation(file: ""))
  }

  /// Looks after `min` repetitions, then after twice as many each time, and after `max`: few looks, since each costs confidence.
  package static func sequential(min: Int, max: Int, until: String, at location: SourceLocation) -> RepetitionPlan {
    var looks: [Int] = []
    var next = min
    while next < max {
      looks.append(next)
      next *= 2
    }
    return RepetitionPlan(kind: .sequential(until: until), rounds: looks + [max], key: "repeats.until", location: location)
  }

  /// Halves the field after each round, so that each costs about as much: from two repetitions on, because one tells no noise.
  package static func halving(_ repeats: Int, at location: SourceLocation) -> RepetitionPlan {
    var rounds = [repeats]
    while let first = rounds.first, first > 3 { rounds.insert((first + 1) / 2, at: 0) }
    if rounds[0] == 3 { rounds.insert(2, at: 0) }
    return RepetitionPlan(kind: .halving, rounds: rounds, key: "search", location: location)
  }

  /// A look after each block, a repetition of all that are still in the race.
  package static func racing(_ repeats: Int, _ settings: RaceSettings = RaceSettings(), at location: SourceLocation) -> RepetitionPlan {
    RepetitionPlan(kind: .racing(settings), rounds: Array(1...repeats), key: "search", location: location)
  }

  /// The race; nil where there is none.
  package var race: RaceSettings? {
    if case .racing(let settings) = kind { settings } else { nil }
  }
}

extension SweepFile {
  /// Refuses to cut the sweep into shards where its runs depend on each other's results, or where a repetition is one device's.
  /// - Throws: `InvalidInput` if the sweep's runs depend on each other's results.
  package func checkSharding() throws(InvalidInput) {
    if !backend.isEmulated {
      throw backend.refusal(
        "is \(backend.name): all runs of a repetition are made in one place, which shards would tear apart",
        "run the sweep whole; a command takes several devices at once by backend.devices")
    }
    guard plan.needsResults else { return }
    let remedy =
      plan.key == "search" ? "run the sweep whole, or with --set search=null" : "run the sweep whole, or with a number of --repeats"
    throw InvalidInput(diagnostics: [
      Diagnostic(
        location: plan.location, key: plan.key, problem: "decides by the results of earlier runs, which a shard does not have",
        remedy: remedy)
    ])
  }
}
