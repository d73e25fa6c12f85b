// Networks by name: the presets of the emulators that people use, with their sources.

import Simulation

/// A named network. Rates in bits a second, delays in nanoseconds each way.
package struct NetworkProfile: Hashable, Sendable {
  package var name: String
  package var down: Int64
  package var up: Int64
  package var delayDown: Int64
  package var delayUp: Int64
  /// The share of packets lost each way.
  package var loss: Double
  /// How long the radio stays in its active state after the last byte, in nanoseconds.
  package var radioTail: Int64
  /// How long a name takes to be found, in nanoseconds.
  package var dnsTime: Int64
  /// Whose preset it is.
  package var source: String

  private init(
    _ name: String, kbps down: Int64, _ up: Int64, delayMs: Double, _ delayUpMs: Double? = nil, loss: Double = 0, tailMs: Int64 = 0,
    dnsMs: Int64 = 0, by source: String
  ) {
    self.name = name
    self.down = down * 1000
    self.up = up * 1000
    self.delayDown = Int64(delayMs * 1e6)
    self.delayUp = Int64((delayUpMs ?? delayMs) * 1e6)
    self.loss = loss
    radioTail = tailMs * 1_000_000
    dnsTime = dnsMs * 1_000_000
    self.source = source
  }

  // Radio tails: 3G's high-power state 5 s (Qian et al., MobiSys 2011), LTE 11.576 s (Huang et al., MobiSys 2012).
  private static let tail3G: Int64 = 5000
  private static let tailLTE: Int64 = 11_576
  private static let conditioner = "Apple Network Link Conditioner"
  private static let chrome = "Chrome DevTools, its factors applied"
  private static let webPageTest = "WebPageTest"

  /// All of them.
  package static let all: [NetworkProfile] = [
    NetworkProfile("3G", kbps: 780, 330, delayMs: 100, tailMs: tail3G, by: conditioner),
    NetworkProfile("EDGE", kbps: 240, 200, delayMs: 400, 440, tailMs: tail3G, by: conditioner),
    NetworkProfile("LTE", kbps: 50_000, 10_000, delayMs: 50, 65, tailMs: tailLTE, by: conditioner),
    NetworkProfile("DSL", kbps: 2000, 256, delayMs: 5, by: conditioner),
    NetworkProfile("Wi-Fi", kbps: 40_000, 33_000, delayMs: 1, by: conditioner),
    NetworkProfile("Wi-Fi 802.11ac", kbps: 250_000, 100_000, delayMs: 1, by: conditioner),
    NetworkProfile("Very Bad Network", kbps: 1000, 1000, delayMs: 500, loss: 0.1, by: conditioner),
    // Its pane limits neither rate nor delay; 1 Gbps stands for that, because a link here has some rate.
    NetworkProfile("High Latency DNS", kbps: 1_000_000, 1_000_000, delayMs: 0, dnsMs: 3000, by: conditioner + ", its open rate as 1 Gbps"),
    NetworkProfile("DevTools 3G", kbps: 400, 400, delayMs: 1000, tailMs: tail3G, by: chrome),
    NetworkProfile("DevTools Slow 4G", kbps: 1440, 675, delayMs: 281.25, tailMs: tailLTE, by: chrome),
    NetworkProfile("DevTools Fast 4G", kbps: 8100, 1350, delayMs: 82.5, tailMs: tailLTE, by: chrome),
    NetworkProfile("WPT 56K", kbps: 49, 30, delayMs: 60, by: webPageTest),
    NetworkProfile("WPT Mobile Edge", kbps: 240, 200, delayMs: 420, tailMs: tail3G, by: webPageTest),
    NetworkProfile("WPT 2G", kbps: 280, 256, delayMs: 400, tailMs: tail3G, by: webPageTest),
    NetworkProfile("WPT 3G Slow", kbps: 400, 400, delayMs: 200, tailMs: tail3G, by: webPageTest),
    NetworkProfile("WPT 3G", kbps: 1600, 768, delayMs: 150, tailMs: tail3G, by: webPageTest),
    NetworkProfile("WPT 3G Fast", kbps: 1600, 768, delayMs: 75, tailMs: tail3G, by: webPageTest),
    NetworkProfile("WPT 4G", kbps: 9000, 9000, delayMs: 85, tailMs: tailLTE, by: webPageTest),
    NetworkProfile("WPT LTE", kbps: 12_000, 12_000, delayMs: 35, tailMs: tailLTE, by: webPageTest),
    NetworkProfile("WPT DSL", kbps: 1500, 384, delayMs: 25, by: webPageTest),
    NetworkProfile("WPT Cable", kbps: 5000, 1000, delayMs: 14, by: webPageTest),
    NetworkProfile("WPT FIOS", kbps: 20_000, 5000, delayMs: 2, by: webPageTest),
  ]

  /// The one with a name; nil if there is none.
  package static func named(_ name: String) -> NetworkProfile? { all.first { $0.name == name } }
}

/// How a kind of radio sleeps and wakes.
package struct Radio {
  package var name: String
  /// How long it stays in its active state after the last byte, in nanoseconds.
  package var tail: Int64
  /// How long an idle radio takes to come up, in nanoseconds.
  var promotion: Int64

  /// The radios that `network.radio` names. 3G: two seconds from idle to the high-power state, which lasts five (Qian et al.,
  /// IMC 2010 and MobiSys 2011). LTE: 260 ms and 11.576 s (Huang et al., MobiSys 2012). A preset of an emulator has a tail and no
  /// promotion, because the emulators have none.
  package static let all = [
    Radio(name: "none", tail: 0, promotion: 0),
    Radio(name: "3G", tail: 5_000_000_000, promotion: 2_000_000_000),
    Radio(name: "LTE", tail: 11_576_000_000, promotion: 260_000_000),
  ]

  /// The one with a name.
  package static func named(_ name: String) -> Radio? { all.first { $0.name == name } }
}

extension NetworkClass {
  /// The class of a network by the name of its profile; nil where the name says nothing.
  package init?(profile name: String) {
    let words = name.split(separator: " ").map(String.init)
    if ["Wi-Fi", "DSL", "Cable", "FIOS"].contains(where: words.contains) || name == "High Latency DNS" {
      self = .wifi
    } else if ["LTE", "4G"].contains(where: words.contains) {
      self = .cellular4G
    } else if ["3G"].contains(where: words.contains) {
      self = .cellular3G
    } else if ["EDGE", "Edge", "2G", "56K"].contains(where: words.contains) {
      self = .cellular2G
    } else {
      return nil
    }
  }
}
