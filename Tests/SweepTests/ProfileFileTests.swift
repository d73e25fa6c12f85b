import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Import
@testable import Inputs
@testable import Simulation
@testable import Sweep

/// Network profiles of other tools in sweep files: pasted after an import, and named by `profileFile`.
@Suite struct ProfileFileTests {
  private static let corpus = "Tests/Corpus/import-profile"

  private static func decode(_ network: String, folder: String = corpus) throws -> DecodedScenario {
    let text = "{ network: \(network), feed: { items: 10 }, user: { scroll: 10 }, prefetcher: \"none\" }"
    let sink = DiagnosticSink()
    let decoded = ScenarioDecoder(files: InputFiles(folder: folder)).decode(try parsed(text), into: sink)
    try sink.throwIfAny()
    return try #require(decoded)
  }

  @Test(arguments: [
    ("link-conditioner.plist", "Train & tunnel"), ("atc.json", "bus"), ("atc-file.json", ""), ("throttle.json", ""), ("throttle.sh", ""),
    ("sitespeed.json", ""), ("lighthouse.json", ""), ("connectivity.ini", "Lane"), ("device-farm.json", "Lossy"), ("browserstack.json", ""),
    ("browserstack.yml", ""), ("toxiproxy.json", "media"), ("emulator.txt", ""), ("netem.sh", ""),
  ])
  func aProfileIsTheSameNetworkPastedAndNamed(_ file: String, _ profile: String) throws {
    let bytes = Array(try Data(contentsOf: Reference.packageRoot.appendingPathComponent("\(Self.corpus)/\(file)")))
    let sink = DiagnosticSink()
    let imported = ProfileReader.read(InputFile(name: file, bytes: bytes), profile: profile.isEmpty ? nil : profile, into: sink)
    try sink.throwIfAny()
    let text = try #require(imported).text(source: file)
    let pasted = try #require(try parsed(text)["network"])
    let named = try Self.decode("{ profileFile: \"\(file)\"\(profile.isEmpty ? "" : ", profile: \"\(profile)\"") }")
    #expect(try Self.decode(pasted.canonicalJSON).scenario.network == named.scenario.network)
    // Another key replaces the profile's own.
    let other = try Self.decode(
      "{ profileFile: \"\(file)\", profile: \(jsonString(profile)), down: \"7Mbps\" }".replacing(", profile: \"\"", with: ""))
    #expect(other.scenario.network.down == LinkRate(constant: 7_000_000))
  }

  @Test func theBytesOfAProfileFileArePartOfTheIdAndWhatIsLostIsAWarning() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("profile-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    func id(_ text: String) throws -> UInt64 {
      try text.write(to: folder.appendingPathComponent("p.json"), atomically: true, encoding: .utf8)
      return try Self.decode("{ profileFile: \"p.json\" }", folder: folder.path).ready.id
    }
    let first = try id("{ \"down\": 1000, \"up\": 500, \"rtt\": 100 }")
    #expect(try id("{ \"down\": 1000, \"up\": 500, \"rtt\": 100 }") == first)
    #expect(try id("{ \"down\": 1000, \"up\": 500, \"rtt\": 120 }") != first)
    let decoded = try Self.decode("{ profileFile: \"connectivity.ini\", profile: \"Lane\" }")
    #expect(IgnoredSetting.warnings(decoded.description.ignored) == ["The packet transport ignores network.profileFile (timeout 90)."])
    #expect(decoded.description.parts.first { $0.label == "network" }?.text.hasPrefix("Lane: 3Mbps down") == true)
  }

  @Test(arguments: [
    ("{ profileFile: \"netem.sh\", trace: \"t.json\", format: \"sabre\" }", "trace: conflicts with profileFile"),
    ("{ profileFile: 3 }", "network.profileFile: is no path of a file"),
    ("{ profileFile: \"connectivity.ini\" }", "connectivity.ini:1:1: has 2 profiles; choose one with --profile, or profile beside"),
    ("{ profileFile: \"missing.ini\" }", "network.profileFile: there is no readable file"),
    ("{ profileFile: \"throttle.sh\", dwn: 1 }", "network.dwn: unknown key"),
  ])
  func aMistakeIsReported(_ network: String, _ message: String) throws {
    let text = "{ network: \(network), feed: { items: 10 }, user: { scroll: 10 }, prefetcher: \"none\" }"
    let value = try parsed(text)
    let found = messages { sink in _ = ScenarioDecoder(files: InputFiles(folder: Self.corpus)).decode(value, into: sink) }
    #expect(found.contains(message), "\(found)")
  }
}
