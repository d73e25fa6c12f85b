// Reads the plan of repetitions, the search and the confirmation.

import Analysis
import Base

extension SweepFileReader {
  /// The default and the largest number of points to confirm.
  private static let (confirmedPoints, confirmedLimit) = (3, 100)

  /// Reads `confirm: 30` or `confirm: { repeats: 30, best: 3 }`; nil without the key.
  func readConfirm(_ reader: inout ObjectReader) -> SweepDescription.Confirm? {
    guard let value = reader.value("confirm"), value.kind != .null else { return nil }
    let limits = 2...ResolvedSweep.repeatsLimit
    if value.members == nil { return SweepDescription.Confirm(repeats: reader.integer("confirm", in: limits), best: Self.confirmedPoints) }
    var part = reader.objectOrEmpty("confirm")
    defer { part.finish() }
    return SweepDescription.Confirm(
      repeats: part.integer("repeats", in: limits), best: part.integer("best", default: Self.confirmedPoints, in: 1...Self.confirmedLimit))
  }

  /// Reads `repeats: 10` or `{ min: 5, max: 100, until: "±1%" }`, and `search: "halving"` or `"racing"`.
  /// `given` is the command line's number of repetitions, which replaces the file's.
  func readPlan(_ reader: inout ObjectReader, repeats given: Int?) -> RepetitionPlan {
    var plan =
      reader.value("repeats")?.members != nil
      ? readSequence(reader.objectOrEmpty("repeats"))
      : .complete(reader.integer("repeats", default: 10, in: 1...ResolvedSweep.repeatsLimit))
    if let given { plan = .complete(given) }
    let search = reader.optional("search") { $0.choice("search", of: ["halving", "racing"]) }
    let race = readRace(&reader, isRacing: search == "racing")
    guard let search else { return plan }
    if plan.needsResults {
      reader.report("search", problem: "conflicts with repeats.until, which also decides the repetitions", remedy: "keep one of the two")
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

  /// Reads `until: "8h"` and `prior: "../Results/featured-3g"` or `{ results: "…", best: 12 }`, which only a race has.
  private func readRace(_ reader: inout ObjectReader, isRacing: Bool) -> RaceSettings {
    let race = RaceSettings(
      until: reader.optional("until") { $0.duration("until", in: RaceSettings.untilLimits) }, prior: readPrior(&reader))
    for key in ["until", "prior"] where !isRacing && reader.value(key)?.kind ?? .null != .null {
      reader.report(key, problem: "belongs to a race", remedy: "add search: \"racing\", or take \(key) out")
    }
    return race
  }

  private func readPrior(_ reader: inout ObjectReader) -> PriorRanking? {
    var (folder, best): (String?, Int?)
    var location = reader.location(of: "prior")
    if reader.value("prior")?.members == nil {
      folder = reader.optionalText("prior")
    } else {
      var part = reader.objectOrEmpty("prior")
      folder = part.text("results")
      location = part.location(of: "results")
      best = part.optional("best") { $0.integer("best", in: 1...Grid.pointLimit) }
      part.finish()
    }
    guard let folder, !folder.isEmpty else { return nil }
    return PriorRanking(results: folder, best: best, objective: sweep.objective, at: location, files: files, sink: sink)
  }

  private func readSequence(_ reader: ObjectReader) -> RepetitionPlan {
    var reader = reader
    let limits = 2...ResolvedSweep.repeatsLimit
    let min = reader.integer("min", default: 5, in: limits)
    let max = reader.integer("max", default: 100, in: limits)
    if min > max {
      reader.report("min", beside: ["max"], problem: "is \(min), more than max, \(max)", remedy: "write it no larger than max")
    }
    var until: String?
    if let value = reader.value("until") {
      until = readMargin(value, key: reader.path(of: "until"), isPrecision: true)
    } else {
      reader.reportMissing("until", example: "\"±1%\"")
    }
    reader.finish()
    return .sequential(min: min, max: Swift.max(min, max), until: until ?? "1%", at: reader.location(of: "until"))
  }

  /// Reads a margin: `"1%"`, or an amount of the headline, such as `0.5` loaders per 1000 or `"1MB"`, as text without unit. A precision
  /// may begin with ± and must exceed 0. Nil after a report.
  func readMargin(_ value: JSON5Value, key: String, isPrecision: Bool = false) -> String? {
    let headline = headline
    let amount =
      headline == .loadersPer1000
      ? "loaders per 1000 as a number"
      : headline.unit.examples.amount.map { "an amount such as \"\($0)\"" } ?? "\(headline.rawValue) as a number"
    let remedy = (isPrecision ? "write per cent of the baseline such as \"±1%\", or " : "write \"2%\", or ") + amount
    return sink.value(at: value.location, key: key) { () throws(ValueProblem) in
      switch value.kind {
      case .number:
        let number = try ScalarValue.number(value, in: 0...(headline.dimension == nil ? 1e6 : Metric.valueLimit))
        if isPrecision, number == 0 { throw ValueProblem("is 0, which is never reached", remedy: remedy) }
        _ = try GateGuard.margin(value.canonicalText, of: headline)
        return "\(number)"
      case .string(let text):
        let bare = trimmingSpaces(isPrecision && text.hasPrefix("±") ? String(text.dropFirst()) : text)
        if (try? ExactDecimal(json5: bare)) == nil, case .absolute(let number)? = try? GateGuard.margin(bare, of: headline) {
          if isPrecision, number == 0 { throw ValueProblem("is \(quoted(text)), which is never reached", remedy: remedy) }
          return DecimalText.exact(number)
        }
        // A number's remedy has its unit.
        if (try? ExactDecimal(json5: bare)) != nil { _ = try GateGuard.margin(bare, of: headline) }
        guard let fraction = try? Quantity(bare, dimension: .percent).fraction(), Margin(bare) != nil else {
          throw ValueProblem("is \(quoted(text)), not \(isPrecision ? "a precision" : "a margin")", remedy: remedy)
        }
        if !isPrecision { return bare }
        if fraction <= ExactDecimal(0) { throw ValueProblem("is \(quoted(text)), which is never reached", remedy: remedy) }
        return bare
      default: throw ValueProblem("is \(value.found), not a \(isPrecision ? "precision" : "margin")", remedy: remedy)
      }
    }
  }
}
