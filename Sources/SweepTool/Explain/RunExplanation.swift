// One run of a sweep, event by event, which setting of a sweep it is of, and its table: who asked for what and when, then why each loader was
// shown.

import Analysis
import Import
import Rendering
import Simulation
import Sweep

/// One run of one setting, with everything that happened in it.
struct RunExplanation {
  let point: String
  let repetition: Int
  let setting: String
  /// The stratum it belongs to, by its place; 0 without strata.
  let stratum: Int
  let trace: SessionExplanation
}

extension ResolvedSweep {
  enum Setting {
    case baseline
    case point(String)
    /// The baseline with other values of some paths of the scenario, and the option that says so.
    case changed([(path: String, value: String)], option: String)
  }

  /// Runs one setting again and writes everything down, in the emulator or by the real client in real time. Nil if no point has the id, and
  /// once `isCancelled` says so. O(points).
  ///
  /// - Parameter stratum: whose baseline is meant, by its place, where the setting is that or starts from it.
  /// - Throws: `InvalidInput` for a setting that is no valid scenario, `Refusal` for a scenario that is not a feed and where the file asks for
  ///   no client or the program has none, `RunStop` for a run that does not end within its limits; what the client does where a run fails.
  func explanation(
    of setting: Setting, stratum: Int = 0, repetition: Int, isLive: Bool = false, live client: LiveClient? = nil,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> RunExplanation? {
    let executor = isLive ? try backend.executor(for: self, live: client) as? any ReportingExecutor : nil
    if isLive, executor == nil {
      throw Refusal("\(path): --live needs a sweep whose runs a real client makes; add backend: \"live\", or leave --live out")
    }
    guard let found = try found(setting, stratum) else { return nil }
    guard let scenario = found.decoded.scenario as? Scenario else {
      throw Refusal("\(path): only runs of a feed are told event by event; leave out scenario.kind, or use run --point")
    }
    let (point, seed) = (found.decoded.point, seed(of: repetition))
    let trace: SessionExplanation?
    if let executor {
      let run = RunRequest(
        point: point, repetition: repetition, seed: seed, lane: 0, folder: nil, keepsOutput: false, text: found.text, swept: scenario)
      trace = try executor.tell(run, isCancelled: isCancelled)
    } else {
      do throws(RunStop) { trace = try scenario.explain(seed: seed, limits: RunLimits(isCancelled: isCancelled)) } catch {
        if error == .cancelled { return nil }
        throw error
      }
    }
    return trace.map { RunExplanation(point: point, repetition: repetition, setting: found.name, stratum: found.stratum, trace: $0) }
  }

  /// What a setting comes to, what it is called, and the place of its stratum.
  private typealias Found = (decoded: DecodedScenario, text: ScenarioText, name: String, stratum: Int)

  /// - Throws: `InvalidInput` if the point cannot be decoded.
  private func found(_ setting: Setting, _ stratum: Int) throws(InvalidInput) -> Found? {
    switch setting {
    case .baseline:
      let place = place(ofBaseline: stratum)
      let (decoded, text) = try decodedText(place)
      return (decoded, text, name(of: place), stratum)
    case .changed(let values, let option):
      let settings = JSON5Value.settings(fromCommandLine: values, option: option)
      let tree = try Grid.overlay(settings, on: baselines[stratum].scenario)
      let decoded = try grid.decoder.decoded(tree)
      let changes = AxisNames.point(AxisNames.short(settings.map(\.0)), values.map(\.value))
      let name = "the baseline with \(changes)\(strata.map { " (\($0.members[stratum].name))" } ?? "")"
      return (decoded, ScenarioText(tree: tree, lines: decoded.lines), name, stratum)
    case .point(let id):
      for place in 0..<pointCount {
        let (decoded, text) = try decodedText(place)
        if decoded.point == id { return (decoded, text, name(of: place), self.stratum(of: place)) }
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

// MARK: For people

extension RunExplanation {
  var table: String {
    func right(_ text: String) -> String { String(repeating: " ", count: max(0, 10 - text.count)) + text }
    var lines = ["point \(point), repetition \(repetition)", "", "    time s  what happened"]
    for event in trace.events {
      if let words = words(event.event) { lines.append("\(right(event.at.secondsText))  \(words)") }
    }
    lines += ["\(right(trace.end.secondsText))  the run ends", ""]
    lines.append("\(trace.loaders.count) loaders of \(trace.metrics.viewed) items viewed" + (trace.loaders.isEmpty ? "" : ":"))
    return lines.joined(separator: "\n") + "\n" + (trace.loaders.isEmpty ? "" : loaderTable.plainText(hasRule: false))
  }

  private func words(_ event: SessionEvent) -> String? {
    switch event {
    case .activated(let item, let isReady):
      return "item \(item) (\(trace.items[item].kind.name)) becomes active\(isReady ? "" : ": LOADER")"
    case .ready(let item): return "item \(item) is ready"
    case .left: return nil
    case .planned(let trigger, let fetches):
      if trigger.contains(.activation) { return nil }
      return "the prefetcher is asked after \(trigger.names.joined(separator: "+")): \(fetches) fetches"
    case .requested(let number):
      let request = trace.requests[number - 1]
      let who =
        request.part == .page
        ? "the list" : request.item == request.activeItem ? "the active item" : "the prefetcher at item \(request.activeItem)"
      return "request \(number): \(request.subject), \(request.bytes) bytes from \(request.offset), by \(who)"
    case .ended(let number):
      let request = trace.requests[number - 1]
      return "request \(number): \(request.subject) \(request.end == .cancelled ? "is cut at \(request.received) bytes" : "has come")"
    case .pageRequested(let page, let isAgain): return "page \(page + 1) is asked for\(isAgain ? " again" : "")"
    case .pageArrived(let page, let isAgain): return "page \(page + 1) \(isAgain ? "comes again" : "is listed")"
    case .moved(let target): return "the finger leaves the screen; the content will rest at \(Int(target.rounded()))"
    case .memoryWarning: return "memory is short"
    case .background: return "the app goes to the background"
    case .foreground: return "the app comes back"
    }
  }

  private var loaderTable: Table {
    Table(
      columns: ["item", "kind", "active at", "waited", "reason", "asked at", "began at", "cut at", "alone ready at"],
      rows: trace.loaders.map { loader in
        [
          "\(loader.item)", loader.kind.name, loader.activated.secondsText,
          loader.wait.secondsText + (loader.isShown ? "" : ", never came"), loader.reason.name,
          loader.requested?.secondsText ?? "not before",
          loader.firstByte?.secondsText ?? "-", loader.cancelled?.secondsText ?? "-", loader.readyAlone.secondsText,
        ]
      })
  }
}

extension RequestRecord {
  var subject: String {
    switch part {
    case .page: "page \(item + 1)"
    case .rest: "rest of item \(item)"
    case .ready: "item \(item)"
    }
  }
}

extension PlanTrigger {
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

/// An instant or a span of time, whose texts have three places, cut, without a binary fraction on the way.
protocol NanosecondTime {
  var nanoseconds: Int64 { get }
}

extension NanosecondTime {
  var secondsText: String { text(unit: 1_000_000_000) }
  var millisecondsText: String { text(unit: 1_000_000) }
  var microsecondsText: String { text(unit: 1000) }

  private func text(unit: UInt64) -> String {
    let thousandths = nanoseconds.magnitude % unit * 1000 / unit
    return "\(nanoseconds < 0 ? "-" : "")\(nanoseconds.magnitude / unit).\("\(1000 + thousandths)".dropFirst())"
  }
}

extension Instant: NanosecondTime {}
extension Interval: NanosecondTime {}
