// The benchmark's few options. It is a tool for us, so a wrong one ends it with the list of right ones.

import Foundation
import Simulation

/// What the command line asks for.
struct Arguments {
  /// Where the results go as JSON.
  var jsonFile: String?
  /// The only section that is timed, if not all are.
  var section: String?
  /// A sweep whose points are timed instead: how long yours takes, or over which real log.
  var sweep: String?
  /// How often each case is timed.
  var rounds = 101
  /// Plays so many sessions of the first case and prints nothing: for tools that count instructions and allocations.
  var sessions: Int?
  /// What those sessions are, where it is not the first case.
  var items = 1000
  var connections = 1
  var transport = NetworkConfiguration.TransportKind.fluid

  init(_ words: ArraySlice<String>) {
    var words = words
    while let option = words.popFirst() {
      guard let value = words.popFirst() else { Arguments.refuse(option) }
      switch (option, Int(value)) {
      case ("--json", _): jsonFile = value
      case ("--section", _): section = value
      case ("--sweep", _): sweep = value
      case ("--rounds", let count?) where count > 0: rounds = count
      case ("--sessions", let count?) where count > 0: sessions = count
      case ("--items", let count?) where count > 0: items = count
      case ("--connections", let count?) where count > 0: connections = count
      case ("--transport", _) where NetworkConfiguration.TransportKind(rawValue: value) != nil:
        transport = NetworkConfiguration.TransportKind(rawValue: value) ?? .fluid
      default: Arguments.refuse("\(option) \(value)")
      }
    }
  }

  static func refuse(_ words: String) -> Never {
    FileHandle.standardError.write(
      Data(
        "\(words): not understood; options are --json FILE, --rounds N, --section NAME, --sweep FILE, --sessions N, --items N, --connections N, --transport NAME\n"
          .utf8))
    exit(2)
  }
}
