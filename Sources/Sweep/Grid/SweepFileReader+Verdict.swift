// What a sweep file says of how its winner is found and confirmed.

import Import

extension SweepFileReader {
  /// So many of the best points are confirmed unless the file says otherwise.
  private static let confirmedPoints = 3
  private static let confirmedLimit = 100

  /// Reads `confirm: 30` or `confirm: { repeats: 30, best: 3 }`; nil if the file has none.
  func readConfirm(_ reader: inout ObjectReader) -> SweepFile.Confirm? {
    guard let value = reader.value("confirm"), value.kind != .null else { return nil }
    let limits = 2...SweepFile.repeatsLimit
    guard value.members != nil else {
      return SweepFile.Confirm(repeats: reader.integer("confirm", in: limits), best: Self.confirmedPoints)
    }
    guard var part = reader.object("confirm") else { return nil }
    let repeats = part.integer("repeats", in: limits)
    let best = part.integer("best", default: Self.confirmedPoints, in: 1...Self.confirmedLimit)
    part.finish()
    return SweepFile.Confirm(repeats: repeats, best: best)
  }

  /// Reads `repeats: 10`, or `{ min: 5, max: 100, until: "±1%" }`, and `search: "halving"` or `"racing"`. `given` is the command line's number of
  /// repetitions, which stands above the file's.
  func readPlan(_ reader: inout ObjectReader, repeats given: Int?) -> RepetitionPlan {
    let limits = 1...SweepFile.repeatsLimit
    var plan: RepetitionPlan
    if reader.value("repeats")?.members != nil, let part = reader.object("repeats") {
      plan = readSequence(part)
    } else {
      plan = .complete(reader.integer("repeats", default: 10, in: limits))
    }
    if let given { plan = .complete(given) }
    let search = reader.optional("search") { $0.choice("search", of: ["halving", "racing"]) }
    let race = readRace(&reader, isWanted: search == "racing")
    guard let search else { return plan }
    if plan.needsResults {
      reader.report("search", problem: "stands beside repeats.until, which decides the repetitions too", remedy: "keep one of the two")
    }
    let (repeats, location) = (plan.rounds.last ?? 1, reader.location(of: "search"))
    guard search == "racing" else { return .halving(repeats, at: location) }
    if repeats > RaceSettings.blockLimit {
      reader.report(
        "search", problem: "races over \(repeats) repetitions, more than \(RaceSettings.blockLimit), with a look after each",
        remedy: "write fewer repeats, or search: \"halving\"")
      return plan
    }
    return .racing(repeats, race, at: location)
  }

  /// Reads `until: "8h"` and `prior: "../Results/featured-3g"`, or `{ results: "…", best: 12 }`, which only a race has.
  private func readRace(_ reader: inout ObjectReader, isWanted: Bool) -> RaceSettings {
    var race = RaceSettings()
    race.until = reader.optional("until") { $0.duration("until", in: RaceSettings.untilLimits) }
    if let value = reader.value("prior"), value.kind != .null { race.prior = readPrior(value, &reader) }
    if !isWanted {
      for key in ["until", "prior"] where reader.value(key).map({ $0.kind != .null }) == true {
        reader.report(key, problem: "belongs to a race", remedy: "add search: \"racing\", or take \(key) out")
      }
    }
    return race
  }

  private func readPrior(_ value: JSON5Value, _ reader: inout ObjectReader) -> PriorRanking? {
    var (folder, best): (String?, Int?)
    var location = value.location
    if value.members != nil, var part = reader.object("prior") {
      folder = part.text("results")
      location = part.location(of: "results")
      best = part.optional("best") { $0.integer("best", in: 1...Grid.pointLimit) }
      part.finish()
      if !part.has("results") { return nil }
    } else {
      folder = reader.optionalText("prior")
    }
    guard let folder, !folder.isEmpty else { return nil }
    return PriorRanking(results: folder, best: best, at: location, files: files, sink: sink)
  }

  private func readSequence(_ reader: ObjectReader) -> RepetitionPlan {
    var reader = reader
    let min = reader.integer("min", default: 5, in: 2...SweepFile.repeatsLimit)
    let max = reader.integer("max", default: 100, in: 2...SweepFile.repeatsLimit)
    if min > max { reader.report("min", problem: "is \(min), more than max, \(max)", remedy: "write it no larger than max") }
    var until = "1%"
    if let value = reader.value("until") {
      do throws(ValueProblem) { until = try Self.precision(value) } catch {
        sink.report(error, at: value.location, key: reader.path(of: "until"))
      }
    } else {
      reader.reportMissing("until", example: "\"±1%\"")
    }
    reader.finish()
    return .sequential(min: min, max: Swift.max(min, max), until: until, at: reader.location(of: "until"))
  }

  /// The text of a margin from `"±1%"`, `"1%"` or a number of loaders per 1000.
  /// - Throws: `ValueProblem` if the value is no margin above 0.
  private static func precision(_ value: JSON5Value) throws(ValueProblem) -> String {
    let remedy = "write per cent of the baseline such as \"±1%\", or loaders per 1000 as a number"
    switch value.kind {
    case .number:
      let number = try ScalarValue.number(value, in: 0...1e6)
      if number == 0 { throw ValueProblem("is 0, which is never reached", remedy: remedy) }
      return "\(number)"
    case .string(let text):
      let bare = text.hasPrefix("±") ? String(text.dropFirst()) : text
      let fraction = try Quantity(bare, dimension: .percent).fraction()
      if fraction <= ExactDecimal(0) { throw ValueProblem("is \(quoted(text)), which is never reached", remedy: remedy) }
      return trimmingSpaces(bare)
    default: throw ValueProblem("is \(value.found), not a precision", remedy: remedy)
    }
  }
}
