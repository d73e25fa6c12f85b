// Valid scenarios at the limits of what the decoder accepts: each run gives a row or a reason, never a trap or a hang.

@testable import Import
import Foundation
import Simulation
import Testing

@testable import Sweep

@Suite struct ExtremeScenarioTests {
  /// Draws random scenarios that a user could write.
  private struct Drawing {
    var random: RandomStream

    init(seed: UInt64) { random = RandomStream(runSeed: seed, name: "extremes") }

    mutating func one(_ values: String...) -> String { values[Int(random.below(UInt64(values.count)))] }
    mutating func chance(_ share: Double) -> Bool { random.unit() < share }
    mutating func whole(_ range: ClosedRange<Int>) -> Int {
      range.lowerBound + Int(random.below(UInt64(range.upperBound - range.lowerBound) + 1))
    }
    /// Draws a whole number of any order of magnitude.
    mutating func scaled(_ range: ClosedRange<Int>) -> Int {
      var high = range.upperBound
      while high > 10, chance(0.85) { high /= 10 }
      return chance(0.1) ? range.upperBound : chance(0.1) ? range.lowerBound : whole(range.lowerBound...max(range.lowerBound, high))
    }
    mutating func object(_ members: [String?]) -> String { "{ \(members.compactMap { $0 }.joined(separator: ", ")) }" }
    /// Adds a key to a share of the scenarios.
    mutating func maybe(_ share: Double, _ key: String, _ value: (inout Self) -> String) -> String? {
      chance(share) ? "\(key): \(value(&self))" : nil
    }

    mutating func duration(_ range: ClosedRange<Int>) -> String { "\"\(scaled(range))\(range.upperBound > 60_000_000 ? "ms" : "us")\"" }
    mutating func delay() -> String { one("\"0s\"", "\"60s\"", "\"1us\"", duration(0...60_000_000), "\"50ms\"", "\"100ms\"") }
    mutating func rate() -> String {
      "\"" + one("1bps", "100Gbps", "1Tbps", "\(scaled(1...100_000_000))bps", "\(whole(1...600))bps", "780kbps", "10Mbps", "1Gbps") + "\""
    }
    mutating func share() -> String { one("0", "0.01", "0.3", "0.7", "0.9", "0.99", "0.999999") }
    mutating func size() -> String { "\"\(scaled(1...1_000_000_000))B\"" }

    mutating func distribution(_ unit: String, _ range: ClosedRange<Int>) -> String {
      let value = "\"\(scaled(range))\(unit)\""
      switch whole(0...5) {
      case 0: return "{ distribution: \"lognormal\", median: \(value), sigma: \(one("0", "0.5", "5")) }"
      case 1: return "{ distribution: \"exponential\", mean: \(value) }"
      case 2: return "{ distribution: \"uniform\", min: \"\(range.lowerBound)\(unit)\", max: \(value) }"
      default: return value
      }
    }

    /// Draws a network and the text of its trace, if it has one.
    mutating func network() -> (text: String, trace: String?) {
      var (members, trace): ([String?], String?) = ([], nil)
      switch whole(0...5) {
      case 0: members.append("profile: \"\(NetworkProfile.all[whole(0...NetworkProfile.all.count - 1)].name)\"")
      case 1: members += ["mobile: \(one("\"3G\"", "\"4G\""))", maybe(0.5, "length") { "\"\($0.whole(1...100))s\"" }]
      case 2:
        let hasLatency = chance(0.3)
        let periods = (0..<whole(1...6)).map { _ in
          let rate = one("0", "0", "0.001", "0.4", "780", "50000", "100000000", "1000000000")
          return "{ duration_ms: \(one("0.001", "1", "500", "1000", "60000", "86400000")), bandwidth_kbps: \(rate)"
            + (hasLatency ? ", latency_ms: \(one("0", "0.5", "100", "3600000")) }" : " }")
        }
        // A trace without capacity is refused.
        trace =
          "[\(periods.joined(separator: ",")), { duration_ms: \(one("0.001", "1000")), bandwidth_kbps: \(one("1", "0.001", "9000"))"
          + (hasLatency ? ", latency_ms: 20 }]" : " }]")
        members += ["trace: \"trace.json\"", maybe(0.3, "offset") { _ in "\"random\"" }, maybe(0.5, "delayDown") { $0.delay() }]
      default: members += ["down: \(rate())", "up: \(rate())", "delayDown: \(delay())", "delayUp: \(delay())"]
      }
      members += [
        "transport: \(one("\"packet\"", "\"packet\"", "\"fluid\""))",
        maybe(0.3, "lossDown") { $0.share() }, maybe(0.3, "lossUp") { $0.share() }, maybe(0.3, "queue") { "\($0.scaled(1...1_000_000))" },
        maybe(0.15, "burstLoss") {
          "{ enter: \($0.share()), leave: \($0.one("1e-9", "0.01", "0.3", "1")), loss: \($0.one("0", "0.5", "1")) }"
        },
        maybe(0.2, "jitter") { $0.delay() }, maybe(0.2, "outages") { $0.outages() },
        maybe(0.2, "radio") { $0.one("\"3G\"", "\"LTE\"", "\"none\"") }, maybe(0.2, "radioPromotion") { $0.delay() },
        maybe(0.4, "http") { _ in "\"2\"" }, maybe(0.4, "tls") { $0.one("\"1.2\"", "\"1.3\"", "\"resumed\"") },
        maybe(0.2, "dns") { $0.delay() }, maybe(0.2, "requestBytes") { "'\($0.scaled(1...65_536))B'" },
        maybe(0.2, "responseHeaderBytes") { "'\($0.scaled(1...65_536))B'" }, maybe(0.2, "serverTime") { $0.delay() },
        maybe(0.2, "handshakeTime") { $0.delay() }, maybe(0.2, "idleTimeout") { $0.duration(0...86_400_000) },
        maybe(0.2, "slowStartAfterIdle") { _ in "false" },
      ]
      return (object(members), trace)
    }

    mutating func outages() -> String {
      var (at, outages) = (0, [String]())
      for _ in 0..<whole(1...4) {
        at += scaled(0...10_000_000)
        let length = scaled(1...10_000_000)
        outages.append("{ at: \"\(at)ms\", for: \"\(length)ms\" }")
        at += length
      }
      return "[\(outages.joined(separator: ","))]"
    }

    mutating func feed(items: Int) -> String {
      let kinds = ["image", "video", "webApp", "nativeAd"].map { kind in
        let isVideo = kind == "video"
        return maybe(0.5, kind) { drawing in
          drawing.object([
            drawing.maybe(0.8, "bytes") { $0.distribution("B", 1...1_000_000_000) },
            drawing.maybe(0.3, "height") { $0.one("1", "44", "1000000", "{ min: 1, max: 1000000 }") },
            isVideo ? drawing.maybe(0.5, "prefix") { _ in "'1B'" } : nil,
            isVideo ? drawing.maybe(0.5, "bitRate") { $0.one("\"1kbps\"", "\"1Gbps\"", "\"2Mbps\"") } : nil,
          ])
        }
      }
      return object(
        ["items: \(items)", "mix: { image: 1, video: \(one("0", "1")), webApp: \(one("0", "1")), nativeAd: 1e-9 }"] + kinds + [
          maybe(0.4, "pages") { $0.pages() },
          maybe(0.2, "hosts") { $0.one("{ image: \"a\", video: \"b\", pages: \"a\" }", "{ image: \"a\", video: \"b\", webApp: \"c\" }") },
        ])
    }

    mutating func pages() -> String {
      object([
        "size: \(scaled(1...1_000_000))", maybe(0.3, "first") { "\($0.scaled(1...1_000_000))" }, maybe(0.4, "bytes") { $0.size() },
        maybe(0.2, "source") { _ in "\"local\"" }, maybe(0.3, "latch") { _ in "\"asPrinted\"" },
        maybe(0.8, "trigger") {
          $0.one(
            "\"endReached\"", "\"ratio\"", "\"ratioOfNewestPage\"", "\"remainingScreens\"", "\"itemsFromEnd\"", "\"offsetAddressed\"")
        },
        maybe(0.4, "ratio") { $0.one("0", "1", "0.5") }, maybe(0.4, "screens") { $0.one("0", "1000", "0.001") },
        maybe(0.4, "fromEnd") { "\($0.scaled(0...1_000_000))" },
      ])
    }

    mutating func user(items: Int) -> String {
      let stay = 1...86_400_000
      var members: [String?] = [
        maybe(0.7, "dwell") { $0.distribution("ms", stay) }, maybe(0.3, "patience") { $0.duration(1...86_400_000) },
        maybe(0.3, "swipe") { $0.duration(0...10_000_000) }, maybe(0.2, "overhead") { $0.duration(0...10_000_000) },
        maybe(0.2, "viewport") { $0.one("1", "100000", "667", "0.5e1") },
      ]
      if items > 6, chance(0.5) {
        let back = whole(1...items - 1)
        members.append(
          "script: [{ scroll: \(items - 1) }, { back: \(back / 2 + 1) }, { fling: \(back / 2 + 1) }, \(chance(0.3) ? "{ abandon: 0.1 }, " : "")"
            + "{ memoryWarning: true }, { background: \"\(scaled(stay))ms\" }, { flingBack: \(items - 2) }, "
            + "{ repeat: \(whole(1...50)), steps: [{ burst: 1 }, { back: 1, dwell: \"1ms\" }, { background: \"1ms\" }] }]")
      } else {
        members.append("scroll: \(whole(1...items))")
      }
      return object(members)
    }

    mutating func downloads() -> String {
      object([
        maybe(0.6, "connections") { "\($0.scaled(1...256))" },
        maybe(0.6, "cancel") { drawing in
          let rules = DownloadSettings.CancelRule.allCases
          return "\"\(rules[drawing.whole(0...rules.count - 1)].rawValue)\""
        },
        maybe(0.5, "keepPartial") { _ in "true" }, maybe(0.5, "restFirst") { _ in "false" }, maybe(0.3, "preempt") { _ in "true" },
        maybe(0.3, "onMemoryWarning") { _ in "\"drop\"" },
      ])
    }

    mutating func prefetcher() -> String {
      switch whole(0...9) {
      case 0: return "{ kind: \"itemsAhead\", ahead: \(one("0", "100000", "5")), prefixOnly: \(one("true", "false")) }"
      case 1: return "{ kind: \"costBudget\", maxCost: \(one("0", "1e9", "5")), imageCost: \(one("1", "1e-9")) }"
      case 2: return "{ kind: \"glide-10\", maxPreload: \(one("0", "10000")) }"
      case 3: return "{ kind: \"react-native\", windowSize: \(one("1", "1000")), maxToRenderPerBatch: \(one("1", "1000")) }"
      case 4: return "{ kind: \"paging3\", prefetchDistance: \(one("1", "10")), ahead: 2 }"
      default:
        let all = PrefetcherCatalogue.standard.definitions
        return "\"\(all[whole(0...all.count - 1)].name)\""
      }
    }

    /// Draws a scenario's text and its trace's.
    mutating func scenario() -> (text: String, trace: String?) {
      let items = scaled(1...2000)
      let (network, trace) = network()
      let parts = [
        "network: \(network)", "feed: \(feed(items: items))", "user: \(user(items: items))", "downloads: \(downloads())",
        "prefetcher: \(prefetcher())",
      ]
      return (object(parts), trace)
    }
  }

  /// Runs one drawn scenario; true if the decoder accepts it.
  private func runs(_ seed: UInt64, in folder: URL) throws -> Bool {
    var drawing = Drawing(seed: seed)
    let (text, trace) = drawing.scenario()
    if let trace { try trace.write(to: folder.appendingPathComponent("trace.json"), atomically: true, encoding: .utf8) }
    let sink = DiagnosticSink()
    guard let decoded = ScenarioDecoder(files: InputFiles(folder: folder.path)).decode(try parsed(text), into: sink) else {
      // A refused scenario has a reason.
      #expect(!sink.isEmpty, "seed \(seed)")
      if ProcessInfo.processInfo.environment["EXTREMES_SHOWN"] != nil { print("seed \(seed): \(sink.found)") }
      return false
    }
    var limits = RunLimits()
    limits.events = 20_000
    do throws(RunStop) {
      let row = try decoded.scenario.metrics(seed: seed, limits: limits)
      #expect(row.allSatisfy { $0 == nil || $0!.isFinite && $0! >= 0 }, "seed \(seed): \(text)")
    } catch {
      #expect(error != .cancelled, "seed \(seed): \(text)")
    }
    return true
  }

  /// `EXTREMES=FIRST-END` tests other seeds than the default 600.
  @Test func aValidScenarioAtTheLimitsGivesARowOrAReason() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("extremes-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let range = ProcessInfo.processInfo.environment["EXTREMES"]?.split(separator: "-").compactMap { UInt64($0) } ?? [0, 600]
    var valid = 0
    for seed in range[0]..<range[1] {
      if ProcessInfo.processInfo.environment["EXTREMES_SHOWN"] != nil { FileHandle.standardError.write(Data("seed \(seed)\n".utf8)) }
      if try runs(seed, in: folder) { valid += 1 }
    }
    #expect(valid > Int(range[1] - range[0]) * 2 / 3, "\(valid) were valid")
  }
}
