import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Import
@testable import Inputs
@testable import Simulation

/// Network profiles of other tools: the samples of the corpus, made after each tool's documentation, and units.
@Suite struct ProfileTests {
  private static func network(_ text: String, profile: String? = nil) throws -> ImportedNetwork {
    let sink = DiagnosticSink()
    let network = ProfileReader.read(InputFile(name: "f", bytes: Array(text.utf8)), profile: profile, into: sink)
    try sink.throwIfAny()
    return try #require(network)
  }

  private static func complaint(_ text: String, profile: String? = nil) -> String {
    messages { sink in _ = ProfileReader.read(InputFile(name: "f", bytes: Array(text.utf8)), profile: profile, into: sink) }
  }

  private static func text(_ network: ImportedNetwork) -> String {
    network.settings.map { "\($0.key) \($0.json.replacing("\"", with: ""))" }.joined(separator: ", ")
  }

  private static func sample(_ name: String) throws -> String {
    try String(contentsOf: Reference.packageRoot.appendingPathComponent("Tests/Corpus/import-profile/\(name)"), encoding: .utf8)
  }

  private struct Sample: CustomTestStringConvertible {
    let file: String
    var profile: String?
    let settings: String
    /// The values that are lost.
    var lost: [String] = []
    var testDescription: String { "\(file) \(profile ?? "")" }
  }

  /// Numbers by hand from the samples: a round trip is halved, a jitter of ± 30 ms is 60 ms above the delay less 30 ms.
  private static let samples = [
    Sample(
      file: "link-conditioner.plist", profile: "Train & tunnel",
      settings: "down 1.5Mbps, up 350kbps, delayDown 90ms, delayUp 110ms, lossDown 2.5%, dns 120ms", lost: ["ProtocolFamily 2"]),
    Sample(
      file: "atc.json", profile: "bus", settings: "down 400kbps, up 100kbps, delayDown 170ms, delayUp 250ms, lossDown 1.5%, jitter 60ms",
      lost: [
        "down.delay.correlation 10", "down.corruption.percentage 0.5", "down.iptables_options [\"-p tcp\"]", "up.reorder.percentage 5",
        "up.reorder.gap 3",
      ]),
    Sample(file: "atc.json", profile: "free", settings: "down 1Gbps, up 1Gbps, delayDown 0ms, delayUp 0ms"),
    Sample(file: "atc-file.json", settings: "down 24kbps, up 18kbps, delayDown 300ms, delayUp 350ms"),
    Sample(
      file: "throttle.json", settings: "down 2Mbps, up 500kbps, delayDown 45ms, delayUp 45ms, lossDown 1%", lost: ["localhost true"]),
    Sample(file: "throttle.sh", settings: "down 400kbps, up 400kbps, delayDown 100ms, delayUp 100ms"),
    Sample(file: "sitespeed.json", settings: "down 1.7Mbps, up 700kbps, delayDown 65ms, delayUp 65ms"),
    Sample(
      file: "lighthouse.json", settings: "down 1638.4kbps, up 1638.4kbps, delayDown 75ms, delayUp 75ms", lost: ["cpuSlowdownMultiplier 4"]),
    Sample(
      file: "connectivity.ini", profile: "Lane",
      settings: "down 3Mbps, up 1Mbps, delayDown 30ms, delayUp 30ms, lossDown 0.5%, lossUp 0.5%", lost: ["timeout 90"]),
    Sample(
      file: "device-farm.json", profile: "Lossy",
      settings: "down 5Mbps, up 1Mbps, delayDown 50ms, delayUp 35ms, lossDown 2%, lossUp 1%, jitter 20ms"),
    Sample(file: "browserstack.json", settings: "down 1.5Mbps, up 700kbps, delayDown 60ms, delayUp 60ms, lossDown 2%, lossUp 2%"),
    Sample(file: "browserstack.yml", settings: "down 900kbps, up 300kbps, delayDown 90ms, delayUp 90ms"),
    Sample(
      file: "toxiproxy.json", profile: "media", settings: "down 800kbps, up 1Gbps, delayDown 80ms, delayUp 60ms, jitter 80ms",
      lost: ["upstream.latency.toxicity 0.5", "downstream.slicer.average_size 64", "downstream.slicer.delay 10"]),
    Sample(file: "emulator.txt", settings: "down 384kbps, up 384kbps, delayDown 20ms, delayUp 20ms, jitter 30ms"),
    Sample(
      file: "netem.sh",
      settings: "down 2Mbps, up 1Mbps, delayDown 50ms, delayUp 30ms, lossDown 0.1%, lossUp 0.5%, "
        + "burstLoss { enter: 0.01, leave: 0.2, loss: 0.8 }, jitter 20ms, queueDown 10, queueUp 200",
      lost: [
        "down.burst 16kb", "down.duplicate 1%", "down.reorder 5%", "down.reorder correlation 50%", "down.gap 4", "up.delay correlation 25%",
        "up.distribution normal", "up.loss correlation 20%", "up.filter of some packets",
      ]),
  ]

  @Test(arguments: samples)
  private func eachSampleSetsItsNumbersAndNamesWhatIsLost(_ sample: Sample) throws {
    let network = try Self.network(Self.sample(sample.file), profile: sample.profile)
    #expect(Self.text(network) == sample.settings)
    #expect(network.lost == sample.lost)
    for text in sample.lost.compactMap({ $0.split(separator: " ").first }) {
      #expect(network.text(source: "f").contains("// \(text)"), "the comment names it")
    }
  }

  /// Rates and times of `tc`: tc(8), PARAMETERS. A bare rate is in bits, "bps" in bytes, a bare time in microseconds.
  @Test(arguments: [
    ("1000000", "1Mbps"), ("100kbit", "100kbps"), ("1.5Mbit", "1.5Mbps"), ("100kbps", "800kbps"), ("1mibit", "1048576bps"),
    ("2gbit", "2Gbps"), ("1500bps", "12kbps"), ("0.5tbit", "500Gbps"),
  ])
  func ratesHaveTheUnitsOfTC(_ written: String, _ rate: String) throws {
    let network = try Self.network("tc qdisc add dev eth0 root netem rate \(written) delay 30000")
    #expect(network.settings[0].json == "\"\(rate)\"" && network.settings[2].json == "\"30ms\"")
  }

  @Test(arguments: [("0.25s", "250ms"), ("20msecs", "20ms"), ("1500us", "1.5ms"), ("700", "700us")])
  func timesHaveTheUnitsOfTC(_ written: String, _ time: String) throws {
    #expect(try Self.network("tc qdisc add dev eth0 root netem delay \(written)").settings[2].json == "\"\(time)\"")
  }

  /// Names of the emulator's help, one number, and up:down; min:max.
  @Test(arguments: [
    ("emulator -netspeed hsdpa -netdelay none", "down 13980kbps, up 5760kbps, delayDown 0ms, delayUp 0ms"),
    ("network speed 14.4:80\nnetwork delay gprs", "down 80kbps, up 14.4kbps, delayDown 17.5ms, delayUp 17.5ms, jitter 82.5ms"),
    ("runtime.network.speed=full\nruntime.network.latency=120", "down 1Gbps, up 1Gbps, delayDown 60ms, delayUp 60ms"),
  ])
  func theEmulatorHasNamesAndNumbers(_ text: String, _ settings: String) throws {
    #expect(Self.text(try Self.network(text)) == settings)
  }

  @Test func devToolsAppliesOtherKeysThanASimulation() throws {
    let text = try Self.sample("lighthouse.json").replacing("\"simulate\"", with: "\"devtools\"")
    #expect(Self.text(try Self.network(text)) == "down 1474560bps, up 675kbps, delayDown 281250us, delayUp 281250us")
  }

  @Test(arguments: [
    ("{ \"up\": 1, \"down\": \"fast\", \"rtt\": -2 }", "f:1:20: down: is \"fast\", not a number"),
    ("{ \"up\": 1, \"down\": 2, \"rtt\": -2 }", "f:1:30: rtt: is \"-2\", not a number of at least 0"),
    ("tc qdisc add dev eth0 root netem delay 5parsecs", "f:1:40: down.delay: has the unknown unit \"parsecs\""),
    ("tc qdisc add dev eth0 root netem rate $RATE", "f:1:39: down.rate: is \"$RATE\", not a number"),
    ("tc qdisc add dev eth0 root netem delay", "f:1:34: delay: has no value"),
    ("tc qdisc add root netem delay 5ms", "f:1:4: tc: has no device"),
    ("throttle 3gfats", "f:1:10: profile: is unknown: \"3gfats\"; did you mean \"3gfast\"?"),
    ("[A]\nbwIn=1\n[B]\nbwIn=2\n", "f:1:1: has 2 profiles; choose one with --profile, or profile beside profileFile: A, B"),
    ("{ \"networkProfile\": \"4g-lte-good\" }", "f:1:21: networkProfile: names \"4g-lte-good\", whose numbers only BrowserStack has"),
    ("{ \"customNetwork\": \"1000,1000\" }", "f:1:20: customNetwork: has 2 numbers, not 4"),
    ("hello", "f:1:1: has no network profile of a known form"), ("", "f:1:1: has no network profile of a known form"),
    ("bplist00", "f:1:1: is a binary property list; convert it with plutil"),
    ("<plist><dict><key>DownlinkDelay</key><real>5</integer></dict></plist>", "f:1:45: <real> is not closed"),
    ("<plist><dict>", "f:1:14: the property list ends early"),
    ("emulator -netdelay 90:10", "f:1:20: netdelay: has a minimum above its maximum"),
    ("{ \"bwIn\": 1e40 }", "f:1:11: bwIn: is \"1e+40\", which is out of range"),
    ("tc qdisc add dev a root netem loss gemodel 1% 0%", "f:1:47: down.r: is 0, so that a burst would never end"),
  ])
  func aMistakeHasItsLocation(_ text: String, _ message: String) {
    let found = Self.complaint(text)
    #expect(found.hasPrefix(message), "\(found)")
  }

  @Test func aProfileIsChosenByName() throws {
    let text = try Self.sample("device-farm.json")
    #expect(Self.complaint(text, profile: "Losy").contains("has no profile \"Losy\"; did you mean \"Lossy\"?"))
    #expect(try Self.network(text, profile: "Full").settings[0].json == "\"104857.6kbps\"")
  }
}
