// The unknowns of the article: their plausible values, with the reason for each choice.

/// A quantity that the article does not state, and its plausible values.
struct Unknown: Hashable, Sendable {
  struct Level: Hashable, Sendable {
    /// The value as shown in tables.
    let name: String
    /// The settings of the value, in the form of `--set PATH=VALUE`.
    let settings: [String]
    /// The number at the start of the name; 0 if there is none.
    var number: Double { Double(name.prefix { $0.isNumber || $0 == "." }) ?? 0 }
  }

  let name: String
  let reason: String
  /// The values; a set of worlds has each equally often.
  let levels: [Level]

  /// Creates an unknown each of whose values is set as `path=value` at each path.
  init(_ name: String, _ values: [String], at paths: [String] = [], reason: String) {
    self.init(name, values.map { value in Level(name: value, settings: paths.map { "\($0)=\(value)" }) }, reason: reason)
  }

  /// Creates an unknown whose values have their own settings.
  init(_ name: String, _ levels: [Level], reason: String) { (self.name, self.levels, self.reason) = (name, levels, reason) }
}

extension Unknown {
  /// The names by which a world's level is looked up.
  static let (videoShare, budget, activeItem, activeItemCosts) = ("share of video", "production’s budget", "the active item", "costs too")
  static let (dwell, dwellVaries) = ("time at an item among users, mean", "how these times vary")
  static let visit = "items in a visit"
  static let (wifi, threeG) = ("share of Wi-Fi among users", "share of 3G in the rest")

  /// All unknowns: of the feed, the test, the app and the users.
  static let all = feed + test + app + users

  private static let feed = [
    Unknown(
      videoShare,
      [10, 20, 35, 50].map { share in
        Level(name: "\(share) %", settings: ["feed.mix.image=0.\(100 - share)", "feed.mix.video=0.\(share)"])
      }, reason: "a feed of jokes in pictures and clips; neither kind is rare in the article"),
    Unknown(
      "images, median", ["20KB", "40KB", "80KB"], at: ["feed.image.bytes.median"],
      reason: "a picture as wide as a phone of 2018, as WebP or JPEG"),
    Unknown(
      "images, spread (sigma of the logarithm)", ["0.4", "0.8", "1.2"], at: ["feed.image.bytes.sigma"],
      reason: "from screenshots alike in size to a few long strips and animations of ten times the median"),
    Unknown(
      "videos, median", ["500KB", "1MB", "2MB"], at: ["feed.video.bytes.median"],
      reason: "5 to 20 s at 0.8 Mbps; the prefix of 204 800 bytes is the article's"),
  ]

  private static let test = [
    // The key is the whole of `user`, because a path below it would also change the population's users.
    Unknown(
      "time at an item in the test",
      ["1s", "1.5s", "2s", "3s", "4s"].map { Level(name: $0, settings: ["user={ scroll: 1000, dwell: \"\($0)\" }"]) },
      reason: "the article's 1 s, and up to 3 s for what a UI test takes to swipe, to find the app at rest and to look at it")
  ]

  private static let app = [
    Unknown(
      "connections", ["2", "4", "6"], at: ["downloads.connections"],
      reason: "to a host: a careful download manager's two, iOS's four, macOS's six"),
    Unknown(
      "cut by the system’s prefetching",
      [
        Level(name: "nothing", settings: ["axes.prefetcher.0.cancel=never"]),
        Level(name: "what was passed", settings: ["axes.prefetcher.0.cancel=leftWindow"]),
      ], reason: "the team never saw the call that cancels; the documentation says that it comes"),
    Unknown(
      budget, ["4", "5", "6", "7", "8"], at: ["axes.prefetcher.1.maxCost", "baseline.prefetcher.maxCost"],
      reason: "not in the article; around the 5 of its example command"),
    Unknown(
      "an item over the budget", ["stop", "skip"], at: ["axes.prefetcher.1.overflow", "baseline.prefetcher.overflow"],
      reason: "ends the walk, or is left out; the article has no word on it"),
    Unknown(
      activeItem,
      [("is free", "false"), (activeItemCosts, "true")].map { name, value in
        Level(name: name, settings: ["axes.prefetcher.1", "baseline.prefetcher"].map { "\($0).activeCounts=\(value)" })
      }, reason: "the same"),
  ]

  private static let users = [
    Unknown(dwell, ["2s", "4s", "8s"], reason: "a glance, a joke read, a clip seen"),
    Unknown(
      dwellVaries, ["little", "much"],
      reason: "lognormal with sigma 0.5, or exponential, in which one dwell in eight is shorter than an eighth of the mean"),
    Unknown(
      visit, ["50", "150", "500"], at: (0..<4).map { "population.\($0).user.scroll" },
      reason: "some minutes at the times above; each visit begins with an item that nobody could prefetch"),
    Unknown(
      wifi, ["45 %", "60 %", "75 %"],
      reason: "43 to 54 % of the time in the USA (OpenSignal 2017), 54 to 60 % of the traffic worldwide (Cisco 2016 and 2017), more at rest"
    ),
    Unknown(
      threeG, ["5 %", "15 %", "30 %"],
      reason:
        "6 % of the time without 4G with the best carriers of the USA (OpenSignal, July 2018), 24 % of the traffic worldwide (Cisco 2016)"),
  ]
}
