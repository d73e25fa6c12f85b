// Named networks: presets of common network emulators, with their sources.

import Simulation

/// A named network. Rates are in bits per second, delays are one-way.
struct NetworkProfile: Sendable {
  let name: String
  let down: Int64, up: Int64
  let delayDown: Interval, delayUp: Interval
  /// The share of packets lost in each direction.
  let loss: Double
  /// The time of the radio's active state after the last byte, and of the first lookup of a host.
  let radioTail: Interval, dnsTime: Interval
  let source: String
  /// The keys of a network that a profile's name stands for.
  static let keys = ["down", "up", "delayDown", "delayUp", "lossDown", "lossUp", "dns", "radioTail"]

  private init(
    _ name: String, kbps down: Int64, _ up: Int64, delayMs: Double, _ delayUpMs: Double? = nil, loss: Double = 0,
    tail: Interval = .zero, dnsTime: Interval = .zero, by source: String
  ) {
    (self.name, self.down, self.up, self.loss) = (name, down * 1000, up * 1000, loss)
    delayDown = Interval(nanoseconds: Int64(delayMs * 1e6))
    delayUp = Interval(nanoseconds: Int64((delayUpMs ?? delayMs) * 1e6))
    (radioTail, self.dnsTime, self.source) = (tail, dnsTime, source)
  }

  // Radio tails: 3G's high-power state (Qian et al., MobiSys 2011), LTE (Huang et al., MobiSys 2012).
  private static let (tail3G, tailLTE) = (Interval.milliseconds(5000), Interval.milliseconds(11_576))
  private static let conditioner = "Apple Network Link Conditioner"
  private static let chrome = "Chrome DevTools, its factors applied"
  private static let webPageTest = "WebPageTest"

  /// The remedies for names of networks that could mean several.
  static let remedies = [
    "4G": "write \"LTE\", \"WPT 4G\" or \"DevTools Fast 4G\", or { mobile: \"4G\" } for a moving phone",
    "5G": "no profile has 5G; write { mobile: \"5G\" } for a moving phone, or your numbers: "
      + "{ down: \"200Mbps\", up: \"20Mbps\", delayDown: \"10ms\", delayUp: \"10ms\" }",
    "2G": "write \"EDGE\" or \"WPT 2G\"",
    "CELLULAR": "write \"3G\" or \"LTE\", or { mobile: \"4G\" } for a moving phone",
  ]

  static let all: [NetworkProfile] = [
    NetworkProfile("3G", kbps: 780, 330, delayMs: 100, tail: tail3G, by: conditioner),
    NetworkProfile("EDGE", kbps: 240, 200, delayMs: 400, 440, tail: tail3G, by: conditioner),
    NetworkProfile("LTE", kbps: 50_000, 10_000, delayMs: 50, 65, tail: tailLTE, by: conditioner),
    NetworkProfile("DSL", kbps: 2000, 256, delayMs: 5, by: conditioner),
    NetworkProfile("Wi-Fi", kbps: 40_000, 33_000, delayMs: 1, by: conditioner),
    NetworkProfile("Wi-Fi 802.11ac", kbps: 250_000, 100_000, delayMs: 1, by: conditioner),
    NetworkProfile("Very Bad Network", kbps: 1000, 1000, delayMs: 500, loss: 0.1, by: conditioner),
    // The preset limits neither rate nor delay; 1 Gbps stands in for an unlimited rate.
    NetworkProfile(
      "High Latency DNS", kbps: 1_000_000, 1_000_000, delayMs: 0, dnsTime: .seconds(3), by: conditioner + ", its open rate as 1 Gbps"),
    NetworkProfile("DevTools 3G", kbps: 400, 400, delayMs: 1000, tail: tail3G, by: chrome),
    NetworkProfile("DevTools Slow 4G", kbps: 1440, 675, delayMs: 281.25, tail: tailLTE, by: chrome),
    NetworkProfile("DevTools Fast 4G", kbps: 8100, 1350, delayMs: 82.5, tail: tailLTE, by: chrome),
    NetworkProfile("WPT 56K", kbps: 49, 30, delayMs: 60, by: webPageTest),
    NetworkProfile("WPT Mobile Edge", kbps: 240, 200, delayMs: 420, tail: tail3G, by: webPageTest),
    NetworkProfile("WPT 2G", kbps: 280, 256, delayMs: 400, tail: tail3G, by: webPageTest),
    NetworkProfile("WPT 3G Slow", kbps: 400, 400, delayMs: 200, tail: tail3G, by: webPageTest),
    NetworkProfile("WPT 3G", kbps: 1600, 768, delayMs: 150, tail: tail3G, by: webPageTest),
    NetworkProfile("WPT 3G Fast", kbps: 1600, 768, delayMs: 75, tail: tail3G, by: webPageTest),
    NetworkProfile("WPT 4G", kbps: 9000, 9000, delayMs: 85, tail: tailLTE, by: webPageTest),
    NetworkProfile("WPT LTE", kbps: 12_000, 12_000, delayMs: 35, tail: tailLTE, by: webPageTest),
    NetworkProfile("WPT DSL", kbps: 1500, 384, delayMs: 25, by: webPageTest),
    NetworkProfile("WPT Cable", kbps: 5000, 1000, delayMs: 14, by: webPageTest),
    NetworkProfile("WPT FIOS", kbps: 20_000, 5000, delayMs: 2, by: webPageTest),
  ]
}

package struct Radio: Sendable {
  package let name: String
  /// The time of the active state after the last byte.
  let tail: Interval
  /// The time that an idle radio needs to become active.
  let promotion: Interval
  var cycles = RadioCycles()

  /// Creates a radio; times in milliseconds.
  private init(
    _ name: String, drx inactivity: Int64 = 0, _ cycle: Int64 = 0, tail: Int64, settling: Int64 = 0, paging: Int64 = 0, promotion: Int64
  ) {
    (self.name, self.tail, self.promotion) = (name, .milliseconds(tail), .milliseconds(promotion))
    (cycles.drxInactivity, cycles.drxCycle) = (.milliseconds(inactivity), .milliseconds(cycle))
    (cycles.pagingCycle, cycles.settling) = (.milliseconds(paging), .milliseconds(settling))
  }

  package var network: NetworkConfiguration {
    let link = LinkRate(constant: 1_000_000_000)
    var network = NetworkConfiguration(down: link, up: link, delayDown: .zero, delayUp: .zero, radioTail: tail, transport: .packet)
    (network.radioPromotion, network.radioCycles) = (promotion, cycles)
    return network
  }

  /// The radios of `network.radio`. 3G: promotion 2 s, tail 5 s (Qian et al., IMC 2010 and MobiSys 2011).
  /// LTE: promotion 260 ms, tail 11.576 s (Huang et al., MobiSys 2012). Profiles have a tail but no promotion, as in their emulators.
  /// The others: fitted by Scripts/results radio to the probes of Narayanan et al., SIGCOMM 2021 (artifact SIGCOMM21-5G, no licence stated).
  package static let all = [
    Radio("none", tail: 0, promotion: 0),
    Radio("3G", tail: 5000, promotion: 2000),
    Radio("LTE", tail: 11_576, promotion: 260),
    Radio("LTE Verizon", drx: 200, 320, tail: 9800, settling: 400, paging: 1280, promotion: 240),
    Radio("LTE T-Mobile", drx: 20, 80, tail: 4900, settling: 0, paging: 1280, promotion: 240),
    Radio("5G SA T-Mobile", drx: 300, 40, tail: 9900, settling: 5000, paging: 1280, promotion: 360),
    Radio("5G NSA T-Mobile", drx: 20, 320, tail: 10_100, settling: 1600, paging: 1280, promotion: 300),
    Radio("5G NSA Verizon", drx: 200, 320, tail: 10_100, settling: 1200, paging: 1280, promotion: 260),
    Radio("5G mmWave Verizon", drx: 200, 80, tail: 10_100, settling: 1600, paging: 1280, promotion: 300),
  ]
}

extension NetworkClass {
  private static let words: [(NetworkClass, [String])] = [
    (.wifi, ["Wi-Fi", "DSL", "Cable", "FIOS", "DNS"]), (.cellular4G, ["LTE", "4G"]), (.cellular3G, ["3G"]),
    (.cellular2G, ["EDGE", "Edge", "2G", "56K"]),
  ]

  /// Returns the class that a profile's name implies; nil if it implies none.
  init?(profile name: String) {
    let parts = name.split(separator: " ").map(String.init)
    guard let found = Self.words.first(where: { !Set($0.1).isDisjoint(with: parts) }) else { return nil }
    self = found.0
  }
}
