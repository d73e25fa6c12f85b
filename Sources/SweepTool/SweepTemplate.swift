// The sweeps that `init` writes.

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

  /// The contents of the file, one of the folder `Templates`.
  var text: String {
    let bytes =
      switch self {
      case .feed: PackageResources.feed_json5
      case .networks: PackageResources.networks_json5
      case .gate: PackageResources.gate_json5
      case .device: PackageResources.device_json5
      case .android: PackageResources.android_json5
      case .background: PackageResources.background_json5
      }
    return String(decoding: bytes, as: UTF8.self)
  }
}
