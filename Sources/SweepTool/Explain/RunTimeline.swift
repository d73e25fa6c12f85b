// A run as its picture shows it: what was on screen, what was requested, what the link carried.

import Analysis
import Simulation
import Sweep

/// One run over time. All times are milliseconds from its start.
struct RunTimeline {
  var setting: String, point: String
  /// The visits of items in order; an item that comes back has another one.
  var stays: [Stay]
  var requests: [Request]
  /// By rising time; between two of them straight lines hold.
  var volumes: [Volumes]
  var moments: [Moment] = []
  var end: Double

  struct Stay {
    var item: Int, kind: String
    var from: Double, to: Double
    /// Why it was not ready when it became active; nil where it was.
    var loader: Loader?
  }

  struct Loader {
    /// One of `Metric.reasons`.
    var reason: Metric
    /// How long the item was not ready while active, and whether it became ready then.
    var wait: Double, isShown: Bool
    /// When it was first requested, and when its last transfer before its activation was cancelled.
    var asked: Double?, cut: Double?
    /// When it would have been ready, had it had the link to itself since it was requested.
    var readyAlone: Double
  }

  struct Request {
    /// The item's index in the feed, or the page's; `kind` is empty for a page.
    var item: Int, kind: String
    var part: RequestRecord.Part
    /// `began` is nil if no byte came.
    var asked: Double, began: Double?, ended: Double
    var end: RequestRecord.End
    var bytes: Int64, received: Int64
    /// The item that was active when it was requested; nil for a page.
    var activeItem: Int?
  }

  /// What the link had offered and the client had read by an instant, in bytes.
  struct Volumes {
    var at: Double, offered: Double, read: Double
  }

  /// What else happened, in a phrase; `from` and `to` are the same for what takes no time.
  struct Moment {
    var text: String
    var from: Double, to: Double
  }

  var loaders: [Int] { stays.indices.filter { stays[$0].loader != nil } }

  /// How many loaders each reason has, such as `2 late`, in the order of `Metric.reasons`.
  static func counts(_ loaders: [Loader]) -> [String] {
    Metric.reasons.compactMap { reason in
      let count = loaders.count { $0.reason == reason }
      return count > 0 ? "\(count) \(reason.rawValue)" : nil
    }
  }

  /// The volumes by an instant. O(log volumes).
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

/// One run, or two with other settings on the same feed, network and scroll script.
struct TimelineTrace {
  var sweep: String
  var repetition: Int, seed: UInt64
  var program: SweepDescription.Program
  var runs: [RunTimeline]

  /// What a run is called where two are compared.
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
      setting: explanation.setting, point: explanation.point, stays: [], requests: trace.requests.map { Request($0, trace) },
      volumes: Self.volumes(trace), end: trace.end.milliseconds)
    var loaders = trace.loaders[...]
    var away: Double?
    for event in trace.events {
      let at = event.at.milliseconds
      switch event.event {
      case .activated(let item, _):
        let loader = loaders.first.flatMap { $0.activated == event.at && $0.item == item ? loaders.removeFirst() : nil }
        stays.append(Stay(item: item, kind: trace.items[item].kind.name, from: at, to: at, loader: loader.map(Loader.init)))
      case .left: stays[stays.count - 1].to = at
      case .memoryWarning: moments.append(Moment(text: "memory is short", from: at, to: at))
      case .background: away = at
      case .foreground:
        if let away { moments.append(Moment(text: "in the background", from: away, to: at)) }
        away = nil
      default: break
      }
    }
  }

  /// The interval at which the link's curve is sampled, in nanoseconds: traces change by the second, or not much faster.
  private static let volumeStep: Int64 = 100_000_000

  /// The volumes whenever something happened, and in between often enough to follow a trace.
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
      item: request.item, kind: isPage ? "" : trace.items[request.item].kind.name, part: request.part, asked: request.asked.milliseconds,
      began: request.began?.milliseconds, ended: request.ended.milliseconds, end: request.end, bytes: request.bytes,
      received: request.received, activeItem: isPage ? nil : request.activeItem)
  }
}

extension RunTimeline.Loader {
  fileprivate init(_ loader: LoaderEvidence) {
    guard let reason = Metric(rawValue: loader.reason.name) else { preconditionFailure("every reason is a column of runs.csv") }
    self.init(
      reason: reason, wait: Double(loader.wait.nanoseconds) / 1e6, isShown: loader.isShown, asked: loader.asked?.milliseconds,
      cut: loader.cut?.milliseconds, readyAlone: loader.readyAlone.milliseconds)
  }
}
