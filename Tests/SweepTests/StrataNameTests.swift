import Analysis
import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Sweep

/// Strata have names of their own, keys may be null, and messages name the key that the file has.
@Suite struct StrataNameTests {
  private static func sweep(_ more: String, network: String = "\"3G\"") -> String {
    """
    { sweep: "s", scenario: { feed: { items: 20 }, network: \(network), user: { dwell: "1s" }, prefetcher: "itemsAhead" },
      axes: { "prefetcher.ahead": [1, 3] }, repeats: 3, \(more) }
    """
  }

  private static func read(_ text: String, _ settings: [(path: String, value: String)] = []) throws(InvalidInput) -> ResolvedSweep {
    var overrides = SweepOverrides()
    overrides.settings = settings.map { .init(path: $0.path, value: $0.value) }
    return try ResolvedSweep(file: InputFile(name: "s.json5", bytes: Array(text.utf8)), overrides: overrides)
  }

  @Test(arguments: [
    ("scenario", "LTE", true), ("population", "LTE", true), ("population", "3G", true), ("scenario", "3G", false), ("lab", "LTE", false),
    ("labs", "LTE", false),
    ("all", "LTE", false),
  ]) func aGroupHasNoNameOfTheScenarioOrTheWhole(_ name: String, _ network: String, _ isRefused: Bool) throws {
    let text = Self.sweep(
      "population: [{ weight: 0.4, network: \"Wi-Fi\" }, { weight: 0.6, name: \"\(name)\", network: \"\(network)\" }]")
    do throws(InvalidInput) {
      let strata = try Self.read(text).strata
      let names = (strata?.members.map(\.name) ?? []) + [strata?.kind.wholeName ?? ""]
      #expect(!isRefused && names.count > 2 && Set(names).count == names.count, "\(names)")
    } catch {
      #expect(isRefused && "\(error)".contains("population.1: has the name \"\(name)\", which is that of the "), "\(error)")
    }
  }

  /// A recording called "all" is a stratum beside the whole, whose name is "all".
  @Test func aStratumIsNotCalledLikeTheWhole() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("strata-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for (name, dwell) in [("all", 1000), ("one", 2000)] {
      try "item,dwellMs\n0,\(dwell)\n1,\(dwell)\n".write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    let text = Self.sweep("strata: [\"user.recording\"]").replacing("user: { dwell: \"1s\" }", with: "user: { recording: \"one\" }")
      .replacing("axes: {", with: "axes: { \"user.recording\": [\"all\", \"one\"],")
    let sweep = try ResolvedSweep(file: InputFile(name: folder.path + "/s.json5", bytes: Array(text.utf8)))
    let strata = try #require(sweep.strata)
    #expect(strata.members.map(\.name) == ["recording all, 1", "one"] && strata.kind.wholeName == "all")
  }

  /// Without an axis of transports the key that has the networks is named.
  @Test(arguments: [
    ("population: [{ weight: 1, network: \"LTE\" }]", "population: has networks of several transports"),
    ("uncertain: { network: [\"LTE\", { profile: \"3G\", transport: \"fluid\" }] }", "uncertain: has networks of several transports"),
  ]) func severalTransportsAreOfTheirKey(_ more: String, _ problem: String) {
    do throws(InvalidInput) {
      _ = try Self.read(Self.sweep(more, network: "{ profile: \"3G\", transport: \"fluid\" }"))
      Issue.record("accepted")
    } catch {
      #expect("\(error)".contains(problem) && !"\(error)".contains("axis"), "\(error)")
    }
  }

  @Test func theDefaultTransportIsNoOther() throws {
    let more = "population: [{ weight: 1, network: { profile: \"LTE\", transport: \"packet\" } }]"
    #expect(try Self.read(Self.sweep(more)).strata?.members.count == 2)
  }

  /// A key that may be absent may be null, in the file and on the command line.
  @Test(arguments: Overlay.keys.filter { $0.fallback != .required }.map(\.key)) func aKeyThatIsNullIsAbsent(_ key: String) throws {
    let text = "{ sweep: \"s\", scenario: { feed: { items: 20 }, network: \"3G\", user: { dwell: \"1s\" }, prefetcher: \"itemsAhead\" } }"
    func description(_ sweep: ResolvedSweep) throws -> String {
      var description = try SweepDescription(SweepRunner(sweep, jobs: 1), overrides: SweepOverrides())
      description.source = nil
      return String(decoding: description.json, as: UTF8.self)
    }
    let plain = try description(Self.read(text))
    #expect(try description(Self.read("{ \(key): null," + text.dropFirst())) == plain)
    #expect(try description(Self.read(text, [(key, "null")])) == plain)
  }

  @Test func anUncertainSweepWithoutItsUnknownsIsPlain() throws {
    let text = Self.sweep("uncertain: { \"user.dwell\": [\"1s\", \"2s\"] }")
    #expect(try Self.read(text).strata?.members.count == 2)
    #expect(try Self.read(text, [("uncertain", "null")]).strata == nil)
    let groups = Self.sweep("population: [{ weight: 1, network: \"LTE\" }]")
    #expect(try Self.read(groups, [("population", "null")]).strata == nil)
    #expect(throws: InvalidInput.self) { try Self.read(text, [("sweep", "null")]) }
    #expect(throws: InvalidInput.self) { try Self.read("{ \"no key\": null," + text.dropFirst()) }
  }

  /// A footnote names each setting once, with all circumstances in which it is ignored.
  @Test(arguments: [
    ("{ profile: \"3G\", transport: \"fluid\", server: \"nghttpd\" }", "\"network.http\": [\"1.1\", \"2\"]"),
    ("{ profile: \"3G\", server: \"nghttpd\", http: \"1.1\" }", ""),
    ("{ profile: \"3G\", slowStartAfterIdle: true, congestion: \"bbr\", server: \"nghttpd\" }", "\"network.http\": [\"1.1\", \"3\"]"),
    ("{ profile: \"3G\", transport: \"fluid\", server: \"nghttpd\", http: \"1.1\", handshakeTime: \"9ms\" }", ""),
  ]) func aFootnoteNamesEachSettingOnce(_ network: String, _ axes: String) throws {
    let text = Self.sweep("strata: []", network: network).replacing("axes: {", with: "axes: { \(axes.isEmpty ? "" : axes + ",")")
    let notes = try Self.read(text).warnings.filter { $0.contains(" ignores ") }
    #expect(!notes.isEmpty)
    for note in notes {
      let names = note.matches(of: #/network\.\w+/#).map { String($0.output) }
      #expect(Set(names).count == names.count, "\(note)")
    }
  }
}
