// Reads the waivers of a gate: a list of accepted regressions, each with a stratum, a margin, a reason and a last day.

import Analysis
import Base

extension GateWaiver {
  package static let example =
    "{ guard: \"loadersPer1000 +2%\", stratum: \"3G\", margin: \"6%\", reason: \"…\", until: \"2027-01-31\" }"

  /// Reads waivers of `guards` on the day `today` (`YYYY-MM-DD`). `strata` are all names, none if the sweep has no strata.
  /// - Throws: `InvalidInput` with all problems of the file.
  package static func read(_ file: InputFile, guards: [GateGuard], strata: [String], today: String) throws(InvalidInput) -> [GateWaiver] {
    let sink = DiagnosticSink()
    let tree = JSON5Parser.parse(file.bytes, file: file.name, into: sink)
    if let tree, tree.elements == nil {
      sink.report(at: tree.location, key: "waivers", problem: "is \(tree.found), not a list", remedy: "write [\(example)]")
    }
    var waivers: [GateWaiver] = []
    for (index, element) in (tree?.elements ?? []).enumerated() {
      var reader = ObjectReader(element, path: "waivers.\(index)", example: example, context: DecodingContext(sink: sink))
      if let waiver = GateWaiver(from: &reader, guards: guards, strata: strata, today: today) {
        if waivers.contains(where: { $0.guarded == waiver.guarded && $0.stratum == waiver.stratum && !$0.isExpired && !waiver.isExpired }) {
          reader.report("guard", problem: "is waived a second time in the same stratum", remedy: "keep one of the two")
        }
        waivers.append(waiver)
      }
      reader.finish()
    }
    try sink.throwIfAny()
    return waivers
  }

  /// Reads one waiver; nil after a report.
  private init?(from reader: inout ObjectReader, guards: [GateGuard], strata: [String], today: String) {
    let guarded = Self.text("guard", guards[0].text, &reader).flatMap { Self.guarded($0, among: guards, reader) }
    let margin = Self.text("margin", "6%", &reader)
    let reason = Self.text("reason", "FEED-123: until the player decodes ahead", &reader)
    let until = Self.text("until", "2027-01-31", &reader)
    let stratum = Self.stratum(among: strata, &reader)
    if let until, !Self.isDay(until) {
      reader.report("until", problem: "is \(quoted(until)), not a day", remedy: "write the last day as YYYY-MM-DD, such as 2027-01-31")
    }
    guard let guarded, let margin, let wider = Self.wider(guarded, margin, reader), let reason, let until, Self.isDay(until), let stratum
    else { return nil }
    self.init(guarded: guarded, wider: wider, stratum: stratum, reason: reason, until: until, isExpired: until < today)
  }

  /// Returns the stratum, nil within if the sweep has none; nil after a report.
  private static func stratum(among strata: [String], _ reader: inout ObjectReader) -> String?? {
    if strata.isEmpty, !reader.has("stratum") { return .some(nil) }
    guard let name = text("stratum", strata.first ?? "3G", &reader) else { return nil }
    if strata.contains(name) { return name }
    reader.report(
      "stratum", problem: "is \(quoted(name)), which is no stratum of the sweep",
      remedy: strata.isEmpty ? "take it out" : NearestName.remedy(for: name, among: strata, what: "strata"))
    return nil
  }

  private static func text(_ key: String, _ example: String, _ reader: inout ObjectReader) -> String? {
    guard let value = reader.value(key) else {
      reader.reportMissing(key, example: quoted(example))
      return nil
    }
    if let text = value.text, !text.isEmpty { return text }
    reader.report(key, problem: "is \(value.found), not a text", remedy: "write \(quoted(example))")
    return nil
  }

  /// Returns the guard of the check that `text` names; nil after a report. A waiver is of the margin that its reviewer saw.
  private static func guarded(_ text: String, among guards: [GateGuard], _ reader: ObjectReader) -> GateGuard? {
    reader.result(of: "guard") { () throws(ValueProblem) in
      let named = try GateGuard(reading: text)
      let own = guards.first { ($0.metric, $0.side, $0.margin, $0.bound) == (named.metric, named.side, named.margin, named.bound) }
      if let own { return own }
      throw ValueProblem(
        "is \(quoted(named.text)), which this check does not guard",
        remedy: "it guards \(guards.map(\.text).joined(separator: ", ")); review the waiver, or take it out")
    }
  }

  private static func wider(_ guarded: GateGuard, _ margin: String, _ reader: ObjectReader) -> GateGuard? {
    let isBound = guarded.bound != nil
    let sign = guarded.side == .rise ? (isBound ? "<=" : "+") : isBound ? ">=" : "-"
    let amount = margin.hasPrefix(sign) ? String(margin.dropFirst(sign.count)) : margin
    return reader.result(of: "margin") { () throws(ValueProblem) in
      let wider = try GateGuard(reading: "\(guarded.metric.rawValue) \(sign)\(amount)", floor: guarded.floor)
      if let own = guarded.bound, let other = wider.bound, guarded.side == .rise ? other > own : other < own { return wider }
      switch (guarded.margin, wider.margin) {
      case (.percent(let own), .percent(let other)) where other <= own, (.absolute(let own), .absolute(let other)) where other <= own:
        throw ValueProblem("is not wider than the guard's \(guarded.limitText)", remedy: "write a larger margin, or take the waiver out")
      default: return wider
      }
    }
  }
}
