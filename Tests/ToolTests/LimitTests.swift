import Foundation
import Testing

@testable import Base
@testable import Import
@testable import Inputs
@testable import Simulation
@testable import Sweep

/// A limit with the program's answer to a number: a message, or nil if the number is accepted. The manual lists all of them.
struct LimitCase: Sendable, CustomTestStringConvertible {
  let name: String
  let limit: Int
  let message: @Sendable (Int) throws -> String?

  var testDescription: String { name }

  /// The row of the manual: the limit, the name and the message for one more.
  var row: [String] { get throws { ["\(limit)", name, try message(limit + 1) ?? "none"] } }

  private init(_ name: String, _ limit: Int, _ message: @escaping @Sendable (Int) throws -> String?) {
    (self.name, self.limit, self.message) = (name, limit, message)
  }

  static let all: [LimitCase] = files + sweeps + runs

  private static let files = [
    LimitCase("bytes of an input file", InputFile.sizeLimit) { count in
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("limit-\(UUID().uuidString)").path
      guard FileManager.default.createFile(atPath: path, contents: nil) else { return "the file cannot be made" }
      defer { unlink(path) }
      // A sparse file takes no disk space.
      guard truncate(path, count) == 0 else { return "the file cannot be made" }
      return problem { _ = try InputFile(path: path, name: "FILE") }
    },
    LimitCase("bytes of a sweep file", JSON5Parser.sizeLimit) { count in
      json("{" + String(repeating: " ", count: count - 2) + "}")
    },
    LimitCase("nested brackets of a sweep file", JSON5Parser.depthLimit) { count in
      json(String(repeating: "[", count: count) + String(repeating: "]", count: count))
    },
    LimitCase("characters of a number", JSON5Parser.numberLimit) { json(String(repeating: "1", count: $0)) },
    LimitCase("seconds of a trace", Int(TraceReader.lengthLimitNs / 1_000_000_000)) { count in
      trace(
        "[{ \"duration_ms\": 1000, \"bandwidth_kbps\": 1, \"latency_ms\": 1 },"
          + "{ \"duration_ms\": \(count - 1)000, \"bandwidth_kbps\": 1, \"latency_ms\": 1 }]")
    },
    LimitCase("kbit/s of a trace", Int(TraceReader.rateLimitBps / 1000)) { count in
      trace("[{ \"duration_ms\": 1000, \"bandwidth_kbps\": \(count), \"latency_ms\": 1 }]")
    },
    LimitCase("folders of a merge", ShardMerge.folderLimit) { count in
      let text = problem { _ = try ShardMerge(folders: (0..<count).map { "none/\($0)" }) }
      return text?.hasPrefix("merge: ") == true ? text : nil
    },
  ]

  private static let sweeps = [
    LimitCase("points of a sweep", Grid.pointLimit) { count in
      // A product: 1000000 = 1000 · 1000, 1000001 = 101 · 9901.
      let first = [1000, 101].first { count % $0 == 0 } ?? 1
      return sweep("axes: { 'network.queue': '1...\(first)', 'prefetcher.ahead': '1...\(count / first)' }", "more than")
    },
    LimitCase("values of a range", AxisRange.countLimit) { count in problem { _ = try AxisRange.expand("1...\(count)") } },
    LimitCase("paths of axes", SweepFileReader.pathLimit) { count in
      sweep("axes: { \((0..<count).map { "'network.outages.\($0).at': ['1s', '2s']" }.joined(separator: ", ")) }", "paths, more than")
    },
    LimitCase("keys of a path", JSON5Value.pathLimit) { count in
      let (object, path) = (
        JSON5Value(kind: .object([]), location: SourceLocation(file: "")), String(repeating: "k.", count: count - 1) + "k"
      )
      return problem { _ = try object.setting([(path, object)]) }
    },
    LimitCase("repetitions of a point", ResolvedSweep.repeatsLimit) { sweep("", repeats: "\($0)") },
    LimitCase("repetitions of a race", RaceSettings.blockLimit) {
      sweep("search: 'racing', axes: { 'prefetcher.ahead': '1...3' }", repeats: "\($0)")
    },
    LimitCase("shards of a sweep", Shard.countLimit) { count in
      guard Shard("0/\(count)") == nil else { return nil }
      return try BuiltTool.run(["run", "s.json5", "--shard", "0/\(count)"]).errors.trimmingCharacters(in: .newlines)
    },
    LimitCase("strata of a sweep", SweepStrata.limit) { count in
      sweep("axes: { 'network.queue': '1...\(count)', 'prefetcher.ahead': '1...2' }, strata: ['network.queue']")
    },
    LimitCase("devices of a sweep", CommandBackend.deviceLimit) { count in
      let devices = (0..<count).map { "'\($0)'" }.joined(separator: ", ")
      return sweep("backend: { command: ['true', '{device}'], devices: [\(devices)], metrics: { loadersPer1000: 'l' } }", "devices")
    },
  ]

  private static let runs = [
    LimitCase("items of a feed", ScenarioDecoder.itemLimit) { sweep("", "items", scenario: "feed: { items: \($0) }") },
    LimitCase("visits of a script", ScenarioDecoder.itemLimit) { count in
      sweep("", "scroll", scenario: "feed: { items: 1000000 }, user: { scroll: \(count), dwell: '1s' }")
    },
    LimitCase("bytes of an item", Int(Volume.limitBytes)) { count in
      sweep("", scenario: "feed: { image: { bytes: '\(count)B' } }")
    },
    LimitCase("slices of background downloads", BackgroundScenario.taskLimit) { count in
      let first = [1000, 101].first { count % $0 == 0 } ?? 1
      return refusal(
        """
        { sweep: 's', scenario: { kind: 'backgroundDownload', network: 'LTE', strategy: 'archive',
          resources: { count: \(first), slices: \(count / first), slice: '1B' } } }
        """)
    },
    LimitCase("events of a run", RunLimits().events) { count in
      let watch = RunWatch(RunLimits())
      return watch.count(count) ? watch.stop?.description : nil
    },
    LimitCase("events of a run with an event log", RunLimits.loggedEvents) { count in
      var limits = RunLimits()
      limits.events = RunLimits.loggedEvents
      let watch = RunWatch(limits)
      return watch.count(count) ? watch.stop?.description : nil
    },
    LimitCase("seconds of virtual time without a byte of the first page", Int(RunLimits.page.nanoseconds / 1_000_000_000)) { count in
      // A run whose page of one byte arrives just before `count` seconds.
      let network = NetworkConfiguration(
        down: LinkRate(constant: 1_000_000), up: LinkRate(constant: 1_000_000), delayDown: .seconds(Int64(count)) - .milliseconds(1),
        delayUp: .zero, transport: .fluid)
      var scenario = Scenario(
        feed: .fixed([Item(kind: .image, bytes: 1)]), network: network, downloads: DownloadSettings(),
        user: UserScript(scroll: 1, dwell: .constant(1)), prefetcher: ItemsAhead(ahead: 0))
      scenario.pages = PageSettings(size: 1, bytes: 1)
      do throws(RunStop) { _ = try scenario.run(seed: 1, limits: RunLimits()) } catch { return error.description }
      return nil
    },
    LimitCase("seconds of virtual time, unless half of the script is longer", Int(RunLimits.time.nanoseconds / 1_000_000_000)) { count in
      // A run on a link whose only packet arrives after `count` seconds.
      let watch = RunWatch(RunLimits(), time: RunLimits.time(script: 0))
      if Interval.seconds(Int64(count)).nanoseconds > watch.timeLimit {
        watch.end(for: .tooLong(limit: Interval(nanoseconds: watch.timeLimit)))
      }
      return watch.stop?.description
    },
  ]

  // MARK: Messages

  private static func problem(_ body: () throws -> Void) -> String? {
    do {
      try body()
      return nil
    } catch let setting as JSON5Value.SettingProblem {
      return "\(setting.problem.problem); \(setting.problem.remedy)"
    } catch let problem as ValueProblem { return "\(problem.problem); \(problem.remedy)" } catch { return "\(error)" }
  }

  private static func json(_ text: String) -> String? {
    let sink = DiagnosticSink()
    _ = JSON5Parser.parse(Array(text.utf8), file: "FILE", into: sink)
    return sink.sorted.first?.description
  }

  private static func trace(_ text: String) -> String? {
    let sink = DiagnosticSink()
    _ = TraceReader.read(InputFile(name: "FILE", bytes: Array(text.utf8)), options: TraceOptions(format: .sabre), into: sink)
    return sink.sorted.first?.description
  }

  private static func sweep(
    _ parts: String, _ part: String = "", repeats: String = "1", scenario: String = "feed: { items: 5 }, user: { scroll: 5 }"
  ) -> String? {
    let start = "{ sweep: 's', repeats: \(repeats), scenario: { network: '3G', prefetcher: { kind: 'itemsAhead' }, \(scenario) }"
    return refusal("\(start), \(parts) }", part)
  }

  /// Returns the first message about a sweep that contains `part`, without its line and column; nil if there is none.
  private static func refusal(_ text: String, _ part: String = "") -> String? {
    do throws(InvalidInput) {
      _ = try ResolvedSweep(file: InputFile(name: "s.json5", bytes: Array(text.utf8)))
      return nil
    } catch {
      let found = error.diagnostics.first { part.isEmpty || $0.description.contains(part) }
      return found.map { "\($0.key): \($0.problem); \($0.remedy)" }
    }
  }
}

/// Each limit at its value and one beyond.
@Suite struct LimitTests {
  @Test(arguments: LimitCase.all) func aLimitIsAcceptedAndOneMoreIsRefused(limit: LimitCase) throws {
    #expect(try limit.message(limit.limit) == nil)
    let message = try #require(try limit.message(limit.limit + 1))
    #expect(message.utf8.count < 600)
  }
}
