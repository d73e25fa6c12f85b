// A run as the data of a picture: visits, requests, and the bytes of the link.

import Analysis
import Rendering
import Simulation
import Sweep

/// One run over time. All times are milliseconds from its start.
struct RunTimeline {
  /// The point's axis values in words, and its id.
  var name: String, point: String
  /// The visits in order; an item that is visited again has another one.
  var visits: [Visit]
  var requests: [Request]
  /// The volumes in order of time; between two of them, they grow linearly.
  var volumes: [Volumes]
  var moments: [Moment] = []
  var end: Double

  var counted: String { "\(Words.count(visits.count { $0.loader != nil }, "loader")) in \(Words.count(visits.count, "item")) viewed" }

  struct Visit {
    var item: Int, kind: String
    var from: Double, to: Double
    /// The evidence of a loader; nil if the item was ready when it became active.
    var loader: Loader?
  }

  struct Loader {
    /// The reason: one of `Metric.reasons`.
    var reason: Metric
    /// The time for which the item was active and not ready; and true if it became ready then.
    var wait: Double, isShown: Bool
    /// The time of its first request, and of the cancel of its last transfer before the visit, if any.
    var asked: Double?, cancelled: Double?
    /// The time at which it would have been ready, had its transfers had the link to themselves.
    var readyAlone: Double
  }

  struct Request {
    /// The index of the item or page; `kind` is empty for a page.
    var item: Int, kind: String
    var part: RequestRecord.Part
    /// The times of the request, its first byte and its end; `began` is nil if no byte came.
    var asked: Double, began: Double?, ended: Double
    var end: RequestRecord.End
    var bytes: Int64, received: Int64
    /// The active item at the time of the request; nil for a page.
    var activeItem: Int?
  }

  /// The bytes that the link had offered, and the client had read, at an instant.
  struct Volumes { var at: Double, offered: Double, read: Double }

  /// Another event, as a phrase; `from` equals `to` if it takes no time.
  struct Moment {
    var text: String
    var from: Double, to: Double
  }

  var loaders: [Int] { visits.indices.filter { visits[$0].loader != nil } }

  /// Returns the number of loaders by reason, such as `2 late`, in the order of `Metric.reasons`.
  static func counts(_ loaders: [Loader]) -> [String] {
    Metric.reasons.compactMap { reason in
      let count = loaders.count { $0.reason == reason }
      return count > 0 ? "\(count) \(reason.rawValue)" : nil
    }
  }

  /// Returns the volumes at an instant. O(log volumes).
  func volumes(by instant: Double) -> Volumes {
    var (low, high) = (0, volumes.count)
    while low < high {
      let middle = (low + high) / 2
      if volumes[middle].at <= instant { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return Volumes(at: instant, offered: 0, read: 0) }
    let before = volumes[low - 1]
    guard low < volumes.count else { return Volumes(at: instant, offered: before.offered, read: before.read) }
    let after = volumes[low]
    let share = (instant - before.at) / (after.at - before.at)
    return Volumes(
      at: instant, offered: before.offered + (after.offered - before.offered) * share,
      read: before.read + (after.read - before.read) * share)
  }
}

/// One run, or two of other points on the same feed, network and scroll script.
struct TimelineTrace {
  var sweep: String
  var repetition: Int, seed: UInt64
  var program: SweepDescription.Program
  var runs: [RunTimeline]

  /// Returns the letter of a run, if there are two.
  func letter(_ run: Int) -> String { runs.count == 1 ? "" : run == 0 ? "A" : "B" }
}

extension ResolvedSweep {
  func trace(of explanations: [RunExplanation]) -> TimelineTrace {
    let repetition = explanations[0].repetition
    return TimelineTrace(
      sweep: name, repetition: repetition, seed: seed(of: repetition),
      program: .init(name: Sweep.Program.name, version: Sweep.Program.version, modelVersion: Sweep.Program.modelVersion),
      runs: explanations.map(RunTimeline.init))
  }
}

extension Instant {
  fileprivate var milliseconds: Double { Double(nanoseconds) / 1e6 }
}

extension RunTimeline {
  init(_ explanation: RunExplanation) {
    let trace = explanation.trace
    self.init(
      name: explanation.name, point: explanation.point, visits: [], requests: trace.requests.map { Request($0, trace) },
      volumes: Self.volumes(trace), end: trace.end.milliseconds)
    var loaders = trace.loaders[...]
    var away: Double?
    for event in trace.events {
      let at = event.at.milliseconds
      switch event.event {
      case .activated(let item, _):
        let loader = loaders.first.flatMap { $0.activated == event.at && $0.item == item ? loaders.removeFirst() : nil }
        visits.append(Visit(item: item, kind: trace.items[item].kind.name, from: at, to: at, loader: loader.map(Loader.init)))
      case .left: visits[visits.count - 1].to = at
      case .memoryWarning: moments.append(Moment(text: "memory warning", from: at, to: at))
      case .background: away = at
      case .foreground:
        if let away { moments.append(Moment(text: "in the background", from: away, to: at)) }
        away = nil
      default: break
      }
    }
  }

  /// The interval between samples of the link's volumes, in nanoseconds. Traces rarely change faster.
  private static let volumeStep: Int64 = 100_000_000

  /// Returns the volumes at every read, and between reads often enough to follow a trace.
  private static func volumes(_ trace: SessionExplanation) -> [Volumes] {
    var volumes: [Volumes] = []
    func add(at nanoseconds: Int64, read: Double) {
      let instant = Instant(nanoseconds: nanoseconds)
      volumes.append(Volumes(at: instant.milliseconds, offered: Double(trace.offeredBytes(by: instant)), read: read))
    }
    var last = ReadBytes.none
    for read in trace.reads {
      let span = read.at.nanoseconds - last.at.nanoseconds
      var next = (last.at.nanoseconds / volumeStep + 1) * volumeStep
      while next < read.at.nanoseconds {
        let share = Double(next - last.at.nanoseconds) / Double(span)
        add(at: next, read: Double(last.bytes) + Double(read.bytes - last.bytes) * share)
        next += volumeStep
      }
      add(at: read.at.nanoseconds, read: Double(read.bytes))
      last = read
    }
    return volumes
  }
}

extension RunTimeline.Request {
  fileprivate init(_ request: RequestRecord, _ trace: SessionExplanation) {
    let isPage = request.part == .page
    self.init(
      item: request.item, kind: isPage ? "" : trace.items[request.item].kind.name, part: request.part,
      asked: request.requested.milliseconds,
      began: request.firstByte?.milliseconds, ended: request.ended.milliseconds, end: request.end, bytes: request.bytes,
      received: request.received, activeItem: isPage ? nil : request.activeItem)
  }
}

extension RunTimeline.Loader {
  fileprivate init(_ loader: LoaderEvidence) {
    guard let reason = Metric(rawValue: loader.reason.name) else { preconditionFailure("every reason is a column of runs.csv") }
    self.init(
      reason: reason, wait: Double(loader.wait.nanoseconds) / 1e6, isShown: loader.isShown, asked: loader.requested?.milliseconds,
      cancelled: loader.cancelled?.milliseconds, readyAlone: loader.readyAlone.milliseconds)
  }
}
