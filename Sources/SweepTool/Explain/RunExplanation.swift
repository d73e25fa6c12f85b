// One run of a sweep, event by event, and its table: all requests, then the evidence for each loader.

import Analysis
import Base
import Rendering
import Simulation
import Sweep

struct RunExplanation {
  let point: String
  let repetition: Int
  let name: String
  /// The index of its stratum; 0 without strata.
  let stratum: Int
  let trace: SessionExplanation
}

extension ResolvedSweep {
  /// A point of a sweep, as the command line names it.
  enum PointSelection {
    case baseline
    case point(String)
    /// The baseline with other values at some paths of the scenario, and the option that gives them.
    case changed([(path: String, value: String)], option: String)
  }

  /// Runs one point again and records its events, in the emulator or with the real client in real time. O(points).
  /// Returns nil if no point has the id, or after `isCancelled` returns true. `stratum` selects the baseline, by index.
  /// - Throws: `InvalidInput`, `Refusal` or `RunStop`; any error of the client.
  func explanation(
    of selection: PointSelection, stratum: Int = 0, repetition: Int, isLive: Bool = false, live client: LiveClient? = nil,
    isCancelled: @escaping @Sendable () -> Bool
  ) throws -> RunExplanation? {
    let client = isLive && !backend.isEmulated ? try backend.executor(for: self, live: client) : nil
    let reporting: (any ReportingExecutor)? = isLive ? client as? any ReportingExecutor : EmulatedExecutor()
    guard let executor = reporting else {
      throw Refusal("\(path): --live needs a sweep with a real client; add backend: \"live\", or leave out --live")
    }
    guard let found = try found(selection, stratum) else { return nil }
    guard found.decoded.scenario is Scenario else {
      throw Refusal("\(path): only runs of a feed can be explained; leave out scenario.kind, or use run --point")
    }
    let (decoded, name, stratum) = found
    let run = RunRequest(decoded.ready, repetition: repetition, seed: seed(of: repetition))
    let trace = try executor.explain(run, isCancelled: isCancelled)
    return trace.map { RunExplanation(point: decoded.point, repetition: repetition, name: name, stratum: stratum, trace: $0) }
  }

  /// A selected point, decoded: its name in words, and the index of its stratum.
  private typealias Found = (decoded: DecodedScenario, name: String, stratum: Int)

  /// - Throws: `InvalidInput` if the point cannot be decoded.
  private func found(_ selection: PointSelection, _ stratum: Int) throws(InvalidInput) -> Found? {
    switch selection {
    case .baseline:
      let index = pointIndex(ofBaseline: stratum)
      return (try decoded(index), name(of: index), stratum)
    case .changed(let values, let option):
      let settings = JSON5Value.settings(fromCommandLine: values, option: option)
      let tree = try Grid.overlay(settings, on: baselines[stratum].scenario)
      let decoded = try grid.decoder.decoded(tree)
      let objects = SweepDescription.objects(among: settings.map(\.1))
      let names = PointNames(paths: settings.map(\.0), values: values.map { [$0.value] }, objects: objects)
      let changes = names.point(values.map(\.value))
      let name = "the baseline with \(changes)\(strata.map { " (\($0.members[stratum].name))" } ?? "")"
      return (decoded, name, stratum)
    case .point(let id):
      let decoder = PointDecoder(grid)
      for index in 0..<pointCount where PointID.text(try self.id(index, decoder)) == id {
        return (try decoded(index), name(of: index), self.stratum(of: index))
      }
      return nil
    }
  }

  /// Returns a point's axis values in words, or "the only point" if there are no axes.
  private func name(of index: Int) -> String {
    let extra = baselines.indices.map { axisValues(pointIndex(ofBaseline: $0)) }
    let values = grid.dimensions.flatMap(\.values).enumerated().map { axis, values in values.map(\.canonicalText) + extra.map { $0[axis] } }
    let objects = SweepDescription.objects(among: valuesOfAxes)
    let name = PointNames(paths: grid.paths, values: values, objects: objects).point(axisValues(index))
    if name.isEmpty { return "the only point" }
    return isBaseline(index) ? "baseline: \(name)" : name
  }
}

extension RunExplanation {
  var table: String {
    func right(_ text: String) -> String { String(repeating: " ", count: max(0, 10 - text.count)) + text }
    var lines = ["", "    time s  event"]
    for event in trace.events {
      if let words = words(event.event) { lines.append("\(right(event.at.secondsText))  \(words)") }
    }
    lines.append("\(right(trace.end.secondsText))  the run ends")
    let counted = "\(Words.count(trace.loaders.count, "loader")) of \(Words.count(trace.metrics.viewed, "item")) viewed"
    return "point \(point), repetition \(repetition)\n\n\(counted)\(trace.loaders.isEmpty ? "" : ":")\n"
      + (trace.loaders.isEmpty ? "" : loaderTable.plainText(hasRule: false)) + lines.joined(separator: "\n") + "\n"
  }

  private func words(_ event: SessionEvent) -> String? {
    switch event {
    case .activated(let item, let isReady):
      return "item \(item) (\(trace.items[item].kind.name)) becomes active\(isReady ? "" : ": LOADER")"
    case .ready(let item): return "item \(item) is ready"
    case .decoded(let item): return "item \(item) is decoded"
    case .evicted(let item): return "item \(item) is evicted"
    case .readFromDisk(let item): return "item \(item) is read from the disk"
    case .left: return nil
    case .planned(let trigger, let fetches):
      if trigger.contains(.activation) { return nil }
      return "the prefetcher plans \(fetches) fetches after \(trigger.names.joined(separator: "+"))"
    case .requested(let number):
      let request = trace.requests[number - 1]
      let who =
        request.part == .page
        ? "the list" : request.item == request.activeItem ? "the active item" : "the prefetcher at item \(request.activeItem)"
      return "request \(number): \(request.subject), \(request.bytes) bytes from \(request.offset), by \(who)"
    case .ended(let number):
      let request = trace.requests[number - 1]
      return
        "request \(number): \(request.subject) \(request.end == .cancelled ? "is cancelled after \(request.received) bytes" : "is complete")"
    case .pageRequested(let page, let isAgain): return "page \(page + 1) is requested\(isAgain ? " again" : "")"
    case .pageArrived(let page, let isAgain): return "page \(page + 1) arrives\(isAgain ? " again" : "")"
    case .moved(let target): return "the drag ends; the content will come to rest at offset \(Int(target.rounded()))"
    case .memoryWarning: return "memory warning"
    case .background: return "the app goes to the background"
    case .foreground: return "the app returns to the foreground"
    }
  }

  private var loaderTable: Table {
    Table(
      columns: ["item", "kind", "active at", "waited", "reason", "requested at", "first byte at", "cancelled at", "ready alone at"],
      rows: trace.loaders.map { loader in
        [
          "\(loader.item)", loader.kind.name, loader.activated.secondsText,
          loader.wait.secondsText + (loader.isShown ? "" : ", never ready"), loader.reason.name,
          loader.requested?.secondsText ?? "not before",
          loader.firstByte?.secondsText ?? "-", loader.cancelled?.secondsText ?? "-", loader.readyAlone.secondsText,
        ]
      })
  }
}

extension RequestRecord {
  var subject: String {
    let segment = bitsPerSecond.map { "a segment at \(Quantity.described($0, .rate)) of " } ?? ""
    return switch part {
    case .page: "page \(item + 1)"
    case .rest: segment.isEmpty ? "rest of item \(item)" : "\(segment)item \(item)"
    case .ready: "\(segment)item \(item)"
    }
  }
}

extension LoaderReason {
  var name: String { "\(self)" }
}

/// An instant or an interval, as decimal text with three decimals, truncated, computed without binary fractions.
protocol NanosecondTime { var nanoseconds: Int64 { get } }

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
