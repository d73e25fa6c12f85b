// One run of a sweep, event by event, and which setting of a sweep it is of.

import Analysis
import Import
import Simulation
import Sweep

/// One run of one setting, with everything that happened in it.
struct RunExplanation: Sendable {
  /// The point's id.
  let point: String
  /// The repetition.
  let repetition: Int
  /// What the setting is called.
  let setting: String
  /// The stratum it belongs to, by its place; 0 without strata.
  let stratum: Int
  let story: SessionExplanation
}

extension SweepFile {
  /// Which setting of a sweep is meant.
  enum Setting: Sendable {
    /// The baseline.
    case baseline
    /// The point of an id.
    case point(String)
    /// The baseline with other values of some paths of the scenario, and the option that says so.
    case changed([(path: String, value: String)], option: String)
  }

  /// Runs one setting again and writes everything down; nil if no point has the id, and once `isCancelled` says so. O(points).
  ///
  /// - Parameter stratum: whose baseline is meant, by its place, where the setting is that or starts from it.
  /// - Throws: `InvalidInput` for a setting that is no valid scenario, `Refusal` for a scenario that is not a feed, `RunStop` for a run that
  ///   does not end within its limits.
  func explanation(
    of setting: Setting, stratum: Int = 0, repetition: Int, isCancelled: @escaping @Sendable () -> Bool = { false }
  ) throws -> RunExplanation? {
    try explanation(of: setting, stratum, repetition) { run in
      do throws(RunStop) { return try run.scenario?.explain(seed: run.seed, limits: RunLimits(isCancelled: isCancelled)) } catch {
        if error == .cancelled { return nil }
        throw error
      }
    }
  }

  /// The same by the real client that the file asks for, in real time; nil also where somebody wanted the program to stop.
  ///
  /// - Throws: `InvalidInput` and `Refusal` as above, and where the file asks for no client or the program has none; whatever the client
  ///   does where the run fails.
  func liveExplanation(
    of setting: Setting, stratum: Int = 0, repetition: Int, live client: LiveClient?, isCancelled: @Sendable () -> Bool
  ) throws -> RunExplanation? {
    guard let maker = try backend.maker(for: self, live: client) as? any TellingMaker else {
      throw Refusal("\(path): --live needs a sweep whose runs a real client makes; add backend: \"live\", or leave --live out")
    }
    return try explanation(of: setting, stratum, repetition) { try maker.tell($0, isCancelled: isCancelled) }
  }

  /// - Throws: `Refusal` if there is no such point, and what `tell` throws.
  private func explanation(
    of setting: Setting, _ stratum: Int, _ repetition: Int, tell: (WantedRun) throws -> SessionExplanation?
  ) throws -> RunExplanation? {
    guard let found = try found(setting, stratum) else { return nil }
    let scenario = found.decoded.scenario
    guard scenario is Scenario else {
      throw Refusal("\(path): only runs of a feed are told event by event; leave out scenario.kind, or use run --point")
    }
    let point = found.decoded.point
    let run = WantedRun(
      point: point, repetition: repetition, seed: seed(of: repetition), lane: 0, folder: nil, keepsOutput: false, text: found.text,
      swept: scenario)
    return try tell(run).map {
      RunExplanation(point: point, repetition: repetition, setting: found.name, stratum: found.stratum, story: $0)
    }
  }

  /// What a setting comes to.
  private struct FoundSetting {
    let decoded: DecodedScenario
    let text: ScenarioText
    /// What it is called.
    let name: String
    /// The place of its stratum.
    let stratum: Int
  }

  /// - Throws: `InvalidInput` if the point cannot be decoded.
  private func found(_ setting: Setting, _ stratum: Int) throws(InvalidInput) -> FoundSetting? {
    switch setting {
    case .baseline:
      let place = place(ofBaseline: stratum)
      let (decoded, text) = try decodedText(place)
      return FoundSetting(decoded: decoded, text: text, name: name(of: place), stratum: stratum)
    case .changed(let values, let option):
      let settings = JSON5Value.settings(fromCommandLine: values, option: option)
      let tree = try Grid.overlay(settings, on: baselines[stratum].scenario)
      let decoded = try grid.decoder.decoded(tree)
      let changes = AxisNames.point(AxisNames.short(settings.map(\.0)), values.map(\.value))
      let name = "the baseline with \(changes)\(strata.map { " (\($0.members[stratum].name))" } ?? "")"
      return FoundSetting(decoded: decoded, text: ScenarioText(tree: tree, lines: decoded.lines), name: name, stratum: stratum)
    case .point(let id):
      for place in 0..<pointCount {
        let (decoded, text) = try decodedText(place)
        if decoded.point == id {
          return FoundSetting(decoded: decoded, text: text, name: name(of: place), stratum: self.stratum(of: place))
        }
      }
      return nil
    }
  }

  /// A point's values of the axes in words, or the baseline's settings where there are no axes.
  private func name(of place: Int) -> String {
    let name = AxisNames.point(AxisNames.short(grid.paths), axisValues(place))
    if name.isEmpty { return "the only point" }
    return isBaseline(place) ? "baseline: \(name)" : name
  }
}

extension RequestRecord {
  /// What it brings, in a phrase.
  var subject: String {
    switch part {
    case .page: "page \(item + 1)"
    case .rest: "rest of item \(item)"
    case .ready: "item \(item)"
    }
  }
}

extension PlanTrigger {
  /// The occasions by name.
  var names: [String] {
    let all: [(PlanTrigger, String)] = [
      (.activation, "activation"), (.dragEnd, "dragEnd"), (.scrollTick, "scrollTick"), (.transferFinished, "transferFinished"),
      (.listGrown, "listGrown"), (.stateChange, "stateChange"), (.askedFor, "askedFor"),
    ]
    return all.filter { contains($0.0) }.map(\.1)
  }
}

extension LoaderReason {
  /// The reason as the tables' column names it.
  var name: String { "\(self)" }
}

extension Instant {
  /// With three places.
  var secondsText: String { NanosecondText.text(nanoseconds, unit: 1_000_000_000) }
  var millisecondsText: String { NanosecondText.text(nanoseconds, unit: 1_000_000) }
}

extension Interval {
  /// With three places.
  var secondsText: String { NanosecondText.text(nanoseconds, unit: 1_000_000_000) }
  var millisecondsText: String { NanosecondText.text(nanoseconds, unit: 1_000_000) }
}

/// Decimals of whole nanoseconds, without a binary fraction on the way.
enum NanosecondText {
  /// `nanoseconds` in units of `unit` nanoseconds, cut after three places.
  static func text(_ nanoseconds: Int64, unit: UInt64) -> String {
    let thousandths = String(nanoseconds.magnitude % unit * 1000 / unit)
    let sign = nanoseconds < 0 ? "-" : ""
    return "\(sign)\(nanoseconds.magnitude / unit).\(String(repeating: "0", count: 3 - thousandths.count))\(thousandths)"
  }
}
