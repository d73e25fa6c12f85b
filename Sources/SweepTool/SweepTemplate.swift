// The sweeps that `init` writes.

import Base

/// A commented sweep for a common question. All run unchanged except `device` and `android`, which need a UI test of the app.
struct SweepTemplate {
  let name: String, summary: String
  /// The contents of the file, one of the folder `Templates`.
  private let bytes: [UInt8]

  static let all = [
    ("feed", "How far ahead should a feed prefetch? One network, one axis.", PackageResources.feed_json5),
    ("networks", "Which setting is best on each of several networks?", PackageResources.networks_json5),
    ("gate", "The production settings and the users that `check` compares a candidate on.", PackageResources.gate_json5),
    ("device", "Runs on iPhones: xcodebuild and a UI test make each run.", PackageResources.device_json5),
    ("android", "Runs on Android phones: adb and an instrumented test make each run.", PackageResources.android_json5),
    ("background", "Downloads in the background while the app is suspended.", PackageResources.background_json5),
  ].map { SweepTemplate(name: $0, summary: $1, bytes: $2) }

  var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The commands to run next, without the program's name.
  func next(_ path: String) -> [String] {
    let file = ShellText.quoted(path)
    return switch name {
    case "gate": ["check --sweep \(file) --set prefetcher.ahead=4"]
    case "device", "android":
      ["run \(file) --list", "run \(file) --set backend=emulated --output Results/\(name)-emulated", "run \(file)"]
    default: ["run \(file)"]
    }
  }
}
