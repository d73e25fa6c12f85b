// One run of a sweep, told event by event: the lines that a table, JSON and two exports share.

import Simulation

/// One run of one point, with everything that happened in it.
public struct RunExplanation: Sendable {
  /// The point's id.
  public let point: String
  /// The repetition.
  public let repetition: Int
  let story: SessionExplanation

  /// What became of the requests and loaders, as lines of a table.
  public var table: String { ExplanationTable(self).text }
  /// The same as lines of JSON, an object each.
  public var jsonLines: String { ExplanationJSON(self).lines }
  /// An HTTP archive of the requests, for a browser's network panel.
  public var httpArchive: String { HTTPArchive(self).json }
  /// A trace of the run for Perfetto or a browser's tracing page.
  public var trace: String { TraceExport(self).json }
  /// Its items as a feed file.
  public var feed: String { FeedExport(story.items).json }
}

extension SweepFile {
  /// Runs one point again and writes everything down: the baseline's where no id is given; nil if no point has the id. O(points).
  ///
  /// - Throws: `InvalidInput` for a point that is no valid scenario, `Refusal` for a scenario that is not a feed.
  public func explanation(point id: String?, repetition: Int) throws -> RunExplanation? {
    try explanation(of: id, repetition) { $0.scenario?.explain(seed: $0.seed) }
  }

  /// The same by the real client that the file asks for, in real time; nil also where somebody wanted the program to stop.
  ///
  /// - Throws: `InvalidInput` and `Refusal` as above, and where the file asks for no client or the program has none; whatever the client
  ///   does where the run fails.
  public func liveExplanation(
    point id: String?, repetition: Int, live client: LiveClient?, isCancelled: @Sendable () -> Bool
  ) throws -> RunExplanation? {
    guard let maker = try backend.maker(for: self, live: client) as? any TellingMaker else {
      throw Refusal("\(path): --live needs a sweep whose runs a real client makes; add backend: \"live\", or leave --live out")
    }
    return try explanation(of: id, repetition) { try maker.tell($0, isCancelled: isCancelled) }
  }

  private func explanation(
    of id: String?, _ repetition: Int, tell: (WantedRun) throws -> SessionExplanation?
  ) throws -> RunExplanation? {
    let seed = RandomStream.seed(sweepSeed: seed, repetition: repetition)
    let places = id == nil ? [place(ofBaseline: 0)] : Array(0..<pointCount)
    for place in places {
      let (decoded, text) = try decodedText(place)
      let point = decoded.point
      guard id == nil || id == point else { continue }
      guard decoded.scenario is Scenario else {
        throw Refusal("\(path): only runs of a feed are told event by event; leave out scenario.kind, or use run --point")
      }
      let run = WantedRun(point: point, repetition: repetition, seed: seed, lane: 0, folder: nil, text: text, swept: decoded.scenario)
      return try tell(run).map { RunExplanation(point: point, repetition: repetition, story: $0) }
    }
    return nil
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

  /// Why the prefetcher had been asked.
  var why: String { occasion.names.joined(separator: "+") }
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
  /// Seconds with three places.
  var secondsText: String { Milliseconds.text(nanoseconds, places: 3, unit: 1_000_000_000) }
  /// Milliseconds with three places.
  var millisecondsText: String { Milliseconds.text(nanoseconds, places: 3, unit: 1_000_000) }
}

/// Decimals of whole nanoseconds, without a binary fraction on the way.
enum Milliseconds {
  /// `nanoseconds` in units of `unit`, cut after `places`.
  static func text(_ nanoseconds: Int64, places: Int, unit: Int64) -> String {
    var scale: Int64 = 1
    for _ in 0..<places { scale *= 10 }
    let sign = nanoseconds < 0 ? "-" : ""
    let whole = nanoseconds.magnitude / UInt64(unit)
    let rest = String(nanoseconds.magnitude % UInt64(unit) * UInt64(scale) / UInt64(unit))
    return "\(sign)\(whole).\(String(repeating: "0", count: places - rest.count))\(rest)"
  }
}
