// From a run that was written down to its picture.

import Analysis
import Rendering
import Simulation
import Sweep

extension SweepFile {
  /// What runs of one repetition have for a picture.
  package func story(of explanations: [RunExplanation]) -> TimelineStory {
    let repetition = explanations.first?.repetition ?? 1
    return TimelineStory(
      sweep: name, repetition: repetition, seed: seed(of: repetition),
      program: .init(name: Sweep.Program.name, modelVersion: Sweep.Program.modelVersion), runs: explanations.map(\.timeline))
  }
}

extension RunExplanation {
  /// The run as its picture needs it.
  var timeline: RunTimeline {
    RunTimeline(
      setting: setting, point: point, stays: stays, requests: story.requests.map(request), volumes: volumes, moments: moments,
      end: Self.milliseconds(story.end))
  }

  private static func milliseconds(_ instant: Instant) -> Double { Double(instant.nanoseconds) / 1e6 }

  private var stays: [RunTimeline.Stay] {
    var loaders = story.loaders[...]
    var stays: [RunTimeline.Stay] = []
    for event in story.events {
      switch event.event {
      case .activated(let item, _):
        let at = Self.milliseconds(event.at)
        var stay = RunTimeline.Stay(item: item, kind: story.items[item].kind.name, from: at, to: at)
        if let loader = loaders.first, loader.activated == event.at, loader.item == item {
          loaders.removeFirst()
          stay.loader = evidence(loader)
        }
        stays.append(stay)
      case .left: stays[stays.count - 1].to = Self.milliseconds(event.at)
      default: break
      }
    }
    return stays
  }

  private func evidence(_ loader: LoaderEvidence) -> RunTimeline.Loader {
    guard let reason = Metric(rawValue: loader.reason.name) else { preconditionFailure("every reason is a column of runs.csv") }
    return RunTimeline.Loader(
      reason: reason, wait: Double(loader.wait.nanoseconds) / 1e6, isShown: loader.isShown, asked: loader.asked.map(Self.milliseconds),
      cut: loader.cut.map(Self.milliseconds), readyAlone: Self.milliseconds(loader.readyAlone))
  }

  private func request(_ request: RequestRecord) -> RunTimeline.Request {
    let isPage = request.part == .page
    return RunTimeline.Request(
      item: request.item, kind: isPage ? "" : story.items[request.item].kind.name,
      part: isPage ? .page : request.part == .rest ? .rest : .ready, asked: Self.milliseconds(request.asked),
      began: request.began.map(Self.milliseconds), ended: Self.milliseconds(request.ended), end: end(request.end), bytes: request.bytes,
      received: request.received, activeItem: isPage ? nil : request.activeItem)
  }

  private func end(_ end: RequestRecord.End) -> RunTimeline.Request.End {
    switch end {
    case .finished: .finished
    case .cut: .cut
    case .unfinished: .unfinished
    }
  }

  /// How often the link's curve is looked at, in nanoseconds: traces change by the second, or not much faster.
  private static let volumeStep: Int64 = 100_000_000

  /// The volumes whenever something happened, and in between often enough to follow a trace.
  private var volumes: [RunTimeline.Volumes] {
    var volumes: [RunTimeline.Volumes] = []
    var last = ReadBytes.none
    for read in story.reads {
      let span = read.at.nanoseconds - last.at.nanoseconds
      var next = (last.at.nanoseconds / Self.volumeStep + 1) * Self.volumeStep
      while next < read.at.nanoseconds {
        let share = Double(next - last.at.nanoseconds) / Double(span)
        volumes.append(volume(at: next, read: Double(last.bytes) + Double(read.bytes - last.bytes) * share))
        next += Self.volumeStep
      }
      volumes.append(volume(at: read.at.nanoseconds, read: Double(read.bytes)))
      last = read
    }
    return volumes
  }

  private func volume(at nanoseconds: Int64, read: Double) -> RunTimeline.Volumes {
    let instant = Instant(nanoseconds: nanoseconds)
    return RunTimeline.Volumes(at: Self.milliseconds(instant), offered: Double(story.offeredBytes(by: instant)), read: read)
  }

  private var moments: [RunTimeline.Moment] {
    var moments: [RunTimeline.Moment] = []
    var away: Instant?
    for event in story.events {
      let at = Self.milliseconds(event.at)
      switch event.event {
      case .memoryWarning: moments.append(RunTimeline.Moment("memory is short", from: at, to: at))
      case .background: away = event.at
      case .foreground:
        if let since = away { moments.append(RunTimeline.Moment("in the background", from: Self.milliseconds(since), to: at)) }
        away = nil
      default: break
      }
    }
    return moments
  }
}
