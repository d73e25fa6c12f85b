// The formats of network profiles as tables: the keys, the quantities and directions that they set, and their units.

import Base

/// A key of a format and the quantity that it sets.
struct ProfileRule: Sendable {
  /// A quantity of a link, or a way of reading several from one value.
  enum Quantity: Sendable {
    case rate, delay, jitter, loss, dns, queue, queueBytes, queueTime, burstEnter, burstLeave, burstLoss
    /// The delays of both directions together.
    case roundTrip
    /// Names of networks, and a list of four numbers.
    case throttleName, androidSpeed, androidDelay, list, foreignName
  }

  /// The worth of each unit in bits a second, nanoseconds, parts per billion, packets or bytes.
  typealias Units = [String: Int64]

  let path: String
  let quantity: Quantity
  /// The directions: 0 for down, 1 for up.
  let links: [Int]
  let units: Units

  init(_ path: String, _ quantity: Quantity, _ units: Units = ["": 1], _ links: [Int] = [0, 1]) {
    (self.path, self.quantity, self.links, self.units) = (path, quantity, links, units)
  }

  static let bits = ["": Int64(1)], kilobits = ["": Int64(1000)], kilobytes = ["": Int64(8000)]
  static let milliseconds = ["": Int64(1_000_000)]
  static let percent = ["": Int64(10_000_000), "%": 10_000_000]

  /// Creates the rules of keys for down and up, in this order.
  fileprivate static func pair(_ quantity: Quantity, _ units: Units = ["": 1], _ paths: String...) -> [ProfileRule] {
    paths.enumerated().map { ProfileRule($1, quantity, units, [$0]) }
  }

  var limit: Int64 {
    switch quantity {
    case .rate: 1_000_000_000_000
    case .delay, .jitter, .dns, .queueTime, .roundTrip: 60_000_000_000
    case .loss: 999_999_999
    case .burstEnter, .burstLeave, .burstLoss: 1_000_000_000
    case .queue: 1_000_000
    default: 1_000_000_000_000
    }
  }
}

struct ProfileDialect: Sendable {
  let tool: String
  /// The keys by which an object is known as a profile of this format.
  var marks: [String] = []
  /// True if the marked keys hold objects.
  var isNested = false
  let rules: [ProfileRule]
  /// The keys that say nothing about the network.
  var silent: [String] = []
  /// The keys that only another setting of the tool uses, and the reason.
  var unused: (paths: [String], reason: String) = ([], "")
  /// An assumption behind every profile of the format.
  var assumption: String?

  static let all = [conditioner, augmentedTrafficControl, deviceFarm, webPageTest, toxiproxy, simulated, devTools, throttle, browserStack]

  // Keys and units as its settings bundle saves them; unit 0 is kbit/s, 1 is Mbit/s.
  private static let conditioner = ProfileDialect(
    tool: "Apple Network Link Conditioner",
    marks: ["DownlinkBandwidth", "UplinkBandwidth", "DownlinkDelay", "UplinkDelay", "DownlinkPacketLossRatio", "UplinkPacketLossRatio"],
    rules: ProfileRule.pair(.rate, ProfileRule.kilobits, "DownlinkBandwidth", "UplinkBandwidth")
      + ProfileRule.pair(.delay, ProfileRule.milliseconds, "DownlinkDelay", "UplinkDelay")
      + ProfileRule.pair(.loss, ProfileRule.percent, "DownlinkPacketLossRatio", "UplinkPacketLossRatio")
      + [ProfileRule("DNSDelayValue", .dns, ProfileRule.milliseconds)],
    silent: ["DownlinkBandwidthUnit", "UplinkBandwidthUnit", "ExcludeLoopback", "name"])

  // Source: facebookarchive/augmented-traffic-control, atc_thrift.thrift and atcd's Linux back end.
  private static let augmentedTrafficControl = ProfileDialect(
    tool: "Facebook Augmented Traffic Control", marks: ["down", "up"], isNested: true,
    rules: ProfileRule.pair(.rate, ProfileRule.kilobits, "down.rate", "up.rate")
      + ProfileRule.pair(.delay, ProfileRule.milliseconds, "down.delay.delay", "up.delay.delay")
      + ProfileRule.pair(.jitter, ProfileRule.milliseconds, "down.delay.jitter", "up.delay.jitter")
      + ProfileRule.pair(.loss, ProfileRule.percent, "down.loss.percentage", "up.loss.percentage"), silent: ["id", "name"])

  // Source: the reference of CreateNetworkProfile.
  private static let deviceFarm = ProfileDialect(
    tool: "AWS Device Farm",
    marks: [
      "downlinkBandwidthBits", "uplinkBandwidthBits", "downlinkDelayMs", "uplinkDelayMs", "downlinkLossPercent", "uplinkLossPercent",
    ],
    rules: ProfileRule.pair(.rate, ProfileRule.bits, "downlinkBandwidthBits", "uplinkBandwidthBits")
      + ProfileRule.pair(.delay, ProfileRule.milliseconds, "downlinkDelayMs", "uplinkDelayMs")
      + ProfileRule.pair(.jitter, ProfileRule.milliseconds, "downlinkJitterMs", "uplinkJitterMs")
      + ProfileRule.pair(.loss, ProfileRule.percent, "downlinkLossPercent", "uplinkLossPercent"),
    silent: ["arn", "projectArn", "name", "description", "type"])

  // Source: catchpoint/WebPageTest, www/settings/connectivity.ini.sample, whose labels call the latency a round trip.
  private static let webPageTest = ProfileDialect(
    tool: "WebPageTest", marks: ["bwIn", "bwOut"],
    rules: ProfileRule.pair(.rate, ProfileRule.bits, "bwIn", "bwOut") + [
      ProfileRule("latency", .roundTrip, ProfileRule.milliseconds), ProfileRule("plr", .loss, ProfileRule.percent),
    ], silent: ["label", "isDefault"])

  // Source: Shopify/toxiproxy, README. The paths are those of `ProfileReader.toxics`.
  static let toxiproxy = ProfileDialect(
    tool: "Toxiproxy", marks: ["listen", "toxics"],
    rules: ProfileRule.pair(.rate, ProfileRule.kilobytes, "downstream.bandwidth.rate", "upstream.bandwidth.rate")
      + ProfileRule.pair(.delay, ProfileRule.milliseconds, "downstream.latency.latency", "upstream.latency.latency")
      + ProfileRule.pair(.jitter, ProfileRule.milliseconds, "downstream.latency.jitter", "upstream.latency.jitter"),
    assumption: "Toxiproxy limits each connection; here the limits are those of all connections together")

  // Source: GoogleChrome/lighthouse, core/config/constants.js and docs/throttling.md.
  private static let simulated = ProfileDialect(
    tool: "Lighthouse, simulated", marks: ["rttMs", "throughputKbps"],
    rules: [
      ProfileRule("rttMs", .roundTrip, ProfileRule.milliseconds), ProfileRule("throughputKbps", .rate, ProfileRule.kilobits),
    ],
    unused: (["requestLatencyMs", "downloadThroughputKbps", "uploadThroughputKbps"], "only throttlingMethod devtools applies it"),
    assumption: "throughputKbps is the rate of both directions, because Lighthouse simulates no uplink")

  static let devTools = ProfileDialect(
    tool: "Lighthouse, applied by DevTools", marks: ["requestLatencyMs", "downloadThroughputKbps", "uploadThroughputKbps"],
    rules: ProfileRule.pair(.rate, ProfileRule.kilobits, "downloadThroughputKbps", "uploadThroughputKbps") + [
      ProfileRule("requestLatencyMs", .roundTrip, ProfileRule.milliseconds)
    ], unused: (["rttMs", "throughputKbps"], "only throttlingMethod simulate uses it"),
    assumption: "DevTools delays each request once; here the latency delays each round trip, those of connections too")

  // Source: sitespeedio/throttle, README and lib/tc.js (losses on the downlink alone); Browsertime's options `connectivity`.
  static let throttle = ProfileDialect(
    tool: "sitespeed.io throttle", marks: ["down", "up", "rtt", "downstreamKbps", "upstreamKbps"],
    rules: ProfileRule.pair(.rate, ProfileRule.kilobits, "down", "up")
      + ProfileRule.pair(.rate, ProfileRule.kilobits, "downstreamKbps", "upstreamKbps") + [
        ProfileRule("rtt", .roundTrip, ProfileRule.milliseconds), ProfileRule("latency", .roundTrip, ProfileRule.milliseconds),
        ProfileRule("packetLoss", .loss, ProfileRule.percent, [0]), ProfileRule("profile", .throttleName),
      ], silent: ["engine", "alias", "name"])

  // Source: BrowserStack, "Simulate network conditions": download, upload (kbps), latency (ms), packet loss (%).
  static let browserStack = ProfileDialect(
    tool: "BrowserStack", marks: ["customNetwork", "browserstack.customNetwork", "networkProfile", "browserstack.networkProfile"],
    rules: ["", "browserstack."].flatMap { [ProfileRule("\($0)customNetwork", .list), ProfileRule("\($0)networkProfile", .foreignName)] })
  /// The rules of the four numbers of `browserStack`, in order.
  static let list =
    ProfileRule.pair(.rate, ProfileRule.kilobits, "download", "upload") + [
      ProfileRule("latency", .roundTrip, ProfileRule.milliseconds), ProfileRule("packet loss", .loss, ProfileRule.percent),
    ]

  static let android = ProfileDialect(
    tool: "Android emulator", rules: [ProfileRule("netspeed", .androidSpeed), ProfileRule("netdelay", .androidDelay)])

  // Source: tc(8), PARAMETERS, tc-netem(8), tc-tbf(8), tc-htb(8).
  static let trafficControl = ProfileDialect(
    tool: "tc",
    rules: [
      (.rate, "rate", rates), (.delay, "delay", times), (.jitter, "jitter", times),
      (.loss, "loss", ProfileRule.percent), (.queue, "limit", ["": 1]), (.queueBytes, "limit bytes", sizes), (.queueTime, "latency", times),
      (.burstEnter, "p", ProfileRule.percent), (.burstLeave, "r", ProfileRule.percent), (.burstLoss, "1-h", ProfileRule.percent),
    ].flatMap { (quantity: ProfileRule.Quantity, key: String, units: ProfileRule.Units) in
      ProfileRule.pair(quantity, units, "down.\(key)", "up.\(key)")
    })

  private static let times: ProfileRule.Units = {
    let worths: [(names: [String], worth: Int64)] = [
      (["s", "sec", "secs"], 1_000_000_000), (["ms", "msec", "msecs"], 1_000_000), (["", "us", "usec", "usecs"], 1000),
      (["ns", "nsec", "nsecs"], 1),
    ]
    return Dictionary(uniqueKeysWithValues: worths.flatMap { row in row.names.map { ($0, row.worth) } })
  }()
  // Letters of either case; "bps" is bytes a second, and a bare number bits.
  private static let rates: ProfileRule.Units = {
    var units: ProfileRule.Units = ["": 1, "bit": 1, "bps": 8]
    for (power, letter) in ["k", "m", "g", "t"].enumerated() {
      let (decimal, binary) = (Int64(ExactDecimal.power(of10: 3 * power + 3)), Int64(1) << Int64(10 * power + 10))
      for (name, worth) in [(letter, decimal), (letter + "i", binary)] {
        (units[name + "bit"], units[name + "bps"]) = (worth, 8 * worth)
      }
    }
    return units
  }()
  private static let sizes: ProfileRule.Units = [
    "": 1, "b": 1, "k": 1024, "kb": 1024, "m": 1 << 20, "mb": 1 << 20, "g": 1 << 30, "gb": 1 << 30,
  ]

  /// The networks of `throttle`: kbit/s down and up, and the round trip in ms.
  static let throttleNames: [(name: String, down: Int64, up: Int64, rtt: Int64)] = [
    ("3g", 1600, 768, 150), ("3gfast", 1600, 768, 75), ("3gslow", 400, 400, 200), ("2g", 280, 256, 400), ("cable", 5000, 1000, 14),
    ("dsl", 1500, 384, 25), ("3gem", 400, 400, 200), ("4g", 9000, 9000, 85), ("lte", 12_000, 12_000, 35), ("edge", 240, 200, 420),
    ("dial", 49, 30, 60), ("fois", 20_000, 5000, 2),
  ]
  typealias AndroidName = (name: String, up: Int64, down: Int64, least: Int64, most: Int64)
  /// The networks of the emulator: bit/s up and down, and the least and the longest latency in ms; a rate of 0 is no limit.
  /// Source: `emulator -help-netspeed` and `-help-netdelay`.
  static let androidNames: [AndroidName] = [
    ("gsm", 14_400, 14_400, 150, 550), ("hscsd", 14_400, 57_600, 80, 400), ("gprs", 28_800, 57_600, 35, 200),
    ("umts", 384_000, 384_000, 35, 200), ("edge", 473_600, 473_600, 80, 400), ("hsdpa", 5_760_000, 13_980_000, 0, 0),
    ("lte", 58_000_000, 173_000_000, 0, 0), ("evdo", 75_000_000, 280_000_000, 0, 0), ("full", 0, 0, 0, 0), ("none", 0, 0, 0, 0),
  ]
}
