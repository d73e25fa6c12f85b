// The sweeps that `init` writes.

import Analysis
import Base

/// A commented sweep for a common question. All run unchanged except `device` and `android`, which need a UI test of the app.
enum SweepTemplate: String, CaseIterable {
  case feed, networks, gate, device, android, background

  var summary: String {
    switch self {
    case .feed: "How far ahead should a feed prefetch? One network, one axis."
    case .networks: "Which setting is best on each of several networks?"
    case .gate: "The production settings and the users that `check` compares a candidate on."
    case .device: "Runs on iPhones: xcodebuild and a UI test make each run."
    case .android: "Runs on Android phones: adb and an instrumented test make each run."
    case .background: "Downloads in the background while the app is suspended."
    }
  }

  /// The commands to run next, without the program's name.
  func next(_ path: String) -> [String] {
    let file = ShellText.quoted(path)
    return switch self {
    case .gate: ["check --sweep \(file) --set prefetcher.ahead=4"]
    case .device, .android:
      ["run \(file) --list", "run \(file) --set backend=emulated --output Results/\(rawValue)-emulated", "run \(file)"]
    case .feed, .networks, .background: ["run \(file)"]
    }
  }

  /// The contents of the file.
  var text: String {
    switch self {
    case .feed: Self.feedText
    case .networks: Self.networksText
    case .gate: Self.gateText
    case .device: Self.deviceText
    case .android: Self.androidText
    case .background: Self.backgroundText
    }
  }

  private static let feedText = """
    // How many items ahead should the feed prefetch? All keys: prefetch-sweep help sweep-file
    {
      sweep: "feed",                                // the results go to Results/feed
      question: "How many items ahead show the fewest loaders?",
      scenario: {
        feed: {
          items: 200,
          mix: { image: 0.7, video: 0.2, nativeAd: 0.1 },     // shares of the kinds; webApp is the fourth
          image: { bytes: { distribution: "lognormal", median: "120KB", sigma: 0.6 } },
          video: { bytes: "2500KB", prefix: "400KB" },        // a video starts once its prefix is there
        },
        network: { profile: "LTE", http: "2", tls: "1.3" },   // as phones speak; prefetch-sweep list networks
        user: { scroll: 200, dwell: "1s" },         // 200 items, each active for 1 s
        downloads: { connections: 4, cancel: "keep" },        // cancel: "drop" and "resume" end transfers that are no longer wanted
        prefetcher: { kind: "itemsAhead" },         // prefetch-sweep list prefetchers
      },
      axes: {
        "prefetcher.ahead": [0, 1, 2, 3, 5, 8],     // each value is a point; several axes multiply
      },
      baseline: { "prefetcher.ahead": 1 },          // what the app does today
      margin: "2%",                                 // a difference that does not matter
      repeats: 20,                                  // runs of each point, on the same 20 seeds
      seed: 1,
    }

    """

  private static let networksText = """
    // Which number of items ahead is best on each network? Each network has its own baseline and table.
    {
      sweep: "networks",
      question: "How many items ahead show the fewest loaders on each network?",
      scenario: {
        feed: { items: 200, mix: { image: 0.8, video: 0.2 } },
        network: "3G",                              // replaced by the axis below
        user: { scroll: 200, dwell: "1s" },
        prefetcher: { kind: "itemsAhead" },
      },
      axes: {
        // Named networks, numbers, and a moving phone whose rates differ in each repetition.
        network: [
          { profile: "3G", http: "2", tls: "1.3" },           // as phones speak
          { profile: "LTE", http: "2", tls: "1.3" },
          { mobile: "4G", http: "2", tls: "1.3" },
          { down: "5Mbps", up: "1Mbps", delayDown: "40ms", delayUp: "40ms", lossDown: 0.01, http: "2", tls: "1.3" },
        ],
        "prefetcher.ahead": [0, 1, 2, 3, 5],
      },
      strata: ["network"],                          // points are compared within a network only
      baseline: { "prefetcher.ahead": 2 },
      repeats: 20,
      seed: 1,
    }

    """

  private static let gateText = """
    // Production settings, and the users that `prefetch-sweep check` compares a candidate on. Weights are shares of the users.
    {
      sweep: "gate",
      question: "Is the candidate worse than production?",
      scenario: {
        feed: { items: 200, mix: { image: 0.8, video: 0.2 } },
        network: { profile: "LTE", http: "2", tls: "1.3" },
        user: { scroll: 100, dwell: { distribution: "exponential", mean: "3s", min: "300ms" } },
        prefetcher: { kind: "itemsAhead", ahead: 3 },         // production
      },
      population: [
        { weight: 0.6, name: "Wi-Fi", network: { profile: "Wi-Fi", http: "2", tls: "1.3" } },
        { weight: 0.3, name: "LTE", network: { profile: "LTE", http: "2", tls: "1.3" } },
        { weight: 0.1, name: "moving", network: { mobile: "4G", http: "2", tls: "1.3" } },
      ],
      baseline: { "prefetcher.ahead": 3 },          // production, which a candidate replaces
      margin: "5%",                                 // the candidate may have this many more loaders
      seed: 1,
    }

    """

  private static let deviceText = """
    // A sweep on real devices, so it needs a device: the command runs one UI test for each point and repetition, and prints a JSON object with its numbers.
    {
      sweep: "device",
      question: "Which budget shows the fewest loaders on the phone?",
      backend: {
        command: [
          "xcodebuild", "test", "-workspace", "Feed.xcworkspace", "-scheme", "FeedUITests", "-destination", "id={device}",
          "AHEAD={prefetcher.ahead}", "FEED_SEED={seed}",
        ],
        devices: ["00008030-001A2B3C4D5E802E"],     // one run at a time on each; `xcrun xctrace list devices` prints them
        timeLimit: "30min",                         // of one run
        retries: 1,
        line: "FEED-STATISTICS",                    // what the test prints before its JSON object
        metrics: {                                  // a column of the results, and its key in the JSON object
          viewed: "viewed",
          loaders: "loaders",
          waitMsMean: { name: "meanWaitSeconds", scale: 1000, optional: true },
        },
      },
      // What the test does, so that --set backend=emulated answers the same question without a device.
      scenario: {
        feed: { items: 300, mix: { image: 0.8, video: 0.2 } },
        network: { profile: "3G", http: "2", tls: "1.3" },
        user: { scroll: 300, dwell: "1s" },
        prefetcher: { kind: "itemsAhead" },
      },
      axes: { "prefetcher.ahead": [1, 2, 3, 5] },
      baseline: { "prefetcher.ahead": 2 },
      repeats: 10,
      seed: 1,
    }

    """

  private static let androidText = """
    // A sweep on Android phones, which needs a device: adb runs an instrumented test for each run, which sends a JSON object at its end.
    {
      sweep: "android",
      question: "How many items ahead show the fewest loaders on the phone?",
      backend: {
        command: [
          "adb", "-s", "{device}", "shell", "am", "instrument", "-w", "-r", "-e", "class", "com.example.feed.test.PrefetchTest#scroll",
          "-e", "ahead", "{prefetcher.ahead}", "-e", "seed", "{seed}",
          "com.example.feed.test/androidx.test.runner.AndroidJUnitRunner",
        ],
        devices: ["emulator-5554"],                 // one run at a time on each; `adb devices` prints them
        timeLimit: "30min",                         // of one run
        retries: 1,
        // What am prints before the object. It ends with status 0 even if the test fails: the test sends this last.
        line: "INSTRUMENTATION_STATUS: feedStatistics=",
        metrics: {                                  // a column of the results, and its key in the JSON object
          viewed: "viewed",
          loaders: "loaders",
          waitMsMean: { name: "meanWaitSeconds", scale: 1000, optional: true },
        },
      },
      // What the test does, so that --set backend=emulated answers the same question without a phone.
      scenario: {
        feed: { items: 300, mix: { image: 0.8, video: 0.2 } },
        network: { profile: "LTE", http: "2", tls: "1.3" },
        user: { scroll: 300, dwell: "1s" },
        prefetcher: { kind: "itemsAhead" },
      },
      axes: { "prefetcher.ahead": [1, 2, 3, 5] },
      baseline: { "prefetcher.ahead": 2 },
      repeats: 10,
      seed: 1,
    }

    """

  private static let backgroundText = """
    // Downloads while the app is suspended: how should an app ask the system for many files overnight?
    {
      sweep: "background",
      question: "Which strategy has all resources on the phone in the morning?",
      scenario: {
        kind: "backgroundDownload",
        resources: { count: 30, slices: 300, slice: "100KB" },
        network: "DSL",
        app: { foreground: "5s", backgroundTask: "180s" },    // in front for 5 s, then suspended
        strategy: "fourPerWake",                    // prefetch-sweep list strategies
      },
      axes: {
        network: ["3G", "DSL", "LTE"],
        strategy: ["fourPerWake", "resourcePerWake", "allAtOnce", "archive"],
      },
      baseline: { strategy: "fourPerWake" },
      repeats: 10,
      seed: 1,
    }

    """
}
