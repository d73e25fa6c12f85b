// Hand-written runs for the tests of pictures.

@testable import Analysis
@testable import Rendering
@testable import SweepTool

/// Runs for the tests of pictures.
enum SampleTimelines {
  private static let program = SweepDescription.Program(name: "prefetch-sweep", version: "1.0.0", modelVersion: "1")

  /// Five items at one a second: a prefix and a rest, a cancel, a page, a late item, and one that never became ready.
  static var small: TimelineTrace {
    TimelineTrace(sweep: "small", repetition: 2, seed: 7, program: program, runs: [smallRun])
  }

  /// The small run and a point that requests items earlier.
  static var pair: TimelineTrace {
    var other = smallRun
    other.name = "ahead 4"
    other.point = "00000000000000b2"
    other.requests[3].asked = 1500
    other.visits[3].loader = nil
    var trace = small
    trace.runs.append(other)
    return trace
  }

  private static var smallRun: RunTimeline {
    typealias Request = RunTimeline.Request
    return RunTimeline(
      name: "baseline: ahead 2", point: "00000000000000a1",
      visits: [
        .init(
          item: 0, kind: "image", from: 0, to: 1000,
          loader: .init(reason: .impossible, wait: 400, isShown: true, asked: nil, cancelled: nil, readyAlone: 400)),
        .init(item: 1, kind: "video", from: 1000, to: 2000),
        .init(item: 2, kind: "image", from: 2000, to: 3000),
        .init(
          item: 3, kind: "image", from: 3000, to: 4000,
          loader: .init(reason: .late, wait: 250, isShown: true, asked: 2500, cancelled: nil, readyAlone: 3200)),
        .init(
          item: 4, kind: "webApp", from: 4000, to: 5000,
          loader: .init(reason: .cancelled, wait: 1000, isShown: false, asked: 1200, cancelled: 2000, readyAlone: 1900)),
      ],
      requests: [
        Request(
          item: 0, kind: "", part: .page, asked: 0, began: 50, ended: 100, end: .finished, bytes: 2000, received: 2000, activeItem: nil),
        Request(
          item: 1, kind: "video", part: .ready, asked: 100, began: 300, ended: 800, end: .finished, bytes: 20_000, received: 20_000,
          activeItem: 0),
        Request(
          item: 1, kind: "video", part: .rest, asked: 1000, began: 1200, ended: 1900, end: .finished, bytes: 60_000, received: 60_000,
          activeItem: 1),
        Request(
          item: 3, kind: "image", part: .ready, asked: 2500, began: 2700, ended: 3250, end: .finished, bytes: 40_000, received: 40_000,
          activeItem: 2),
        Request(
          item: 4, kind: "webApp", part: .ready, asked: 1200, began: 1500, ended: 2000, end: .cancelled, bytes: 50_000, received: 9000,
          activeItem: 1),
        Request(
          item: 4, kind: "webApp", part: .ready, asked: 4500, began: nil, ended: 5000, end: .unfinished, bytes: 50_000, received: 0,
          activeItem: 4),
      ],
      volumes: [
        .init(at: 0, offered: 0, read: 0), .init(at: 1000, offered: 100_000, read: 22_000),
        .init(at: 2000, offered: 200_000, read: 91_000), .init(at: 3250, offered: 325_000, read: 131_000),
        .init(at: 5000, offered: 500_000, read: 131_000),
      ],
      moments: [.init(text: "memory warning", from: 2200, to: 2200)], end: 5000)
  }

  /// A thousand items at one a second, each requested three items before; every seventh is late.
  static var long: TimelineTrace {
    let visits = (0..<1000).map { item -> RunTimeline.Visit in
      let at = Double(item) * 1000
      let loader = RunTimeline.Loader(
        reason: item % 2 == 0 ? .late : .starved, wait: 300, isShown: true, asked: at - 3000, cancelled: nil, readyAlone: at + 200)
      return .init(item: item, kind: item % 5 == 0 ? "video" : "image", from: at, to: at + 1000, loader: item % 7 == 3 ? loader : nil)
    }
    let requests = visits.map { visit in
      RunTimeline.Request(
        item: visit.item, kind: visit.kind, part: .ready, asked: max(0, visit.from - 3000), began: max(100, visit.from - 2800),
        ended: visit.loader == nil ? max(200, visit.from - 1000) : visit.from + 300, end: .finished, bytes: 40_000, received: 40_000,
        activeItem: max(0, visit.item - 3))
    }
    let run = RunTimeline(
      name: "baseline: ahead 3", point: "00000000000000a1", visits: visits, requests: requests,
      volumes: (0...1000).map { .init(at: Double($0) * 1000, offered: Double($0) * 100_000, read: Double($0) * 40_000) }, end: 1_000_000)
    return TimelineTrace(sweep: "long", repetition: 1, seed: 7, program: program, runs: [run])
  }
}
