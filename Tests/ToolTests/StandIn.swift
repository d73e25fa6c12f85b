// A sweep on devices as a user runs it, with StandIn/xcodebuild in place of Xcode and phones.

import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder with the results of a sweep on devices and what the stand-in wrote down.
struct StandIn {
  /// What the stand-in was asked for in one run.
  struct Run: Hashable {
    var device: String
    var seed: String
    /// maxCost, videoCost, imageCost.
    var settings: String
  }

  static let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("StandIn")

  let folder: URL
  /// How the stand-in behaves and what else is in its environment.
  var environment: [String: String] = [:]
  /// What is set in the sweep; rests and waits are short.
  var settings = ["backend.coolDown=0s", "backend.backOff=10ms", "backend.grace=300ms", #"backend.devices=["one", "two"]"#]
  var repeats = 3

  /// Runs a body with a folder of its own, in which the stand-in can write.
  static func with(_ body: (inout StandIn) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("notes"), withIntermediateDirectories: true)
      var standIn = StandIn(folder: folder)
      try body(&standIn)
    }
  }

  private var whole: [String: String] {
    let own = ["NOTES": folder.appendingPathComponent("notes").path, "PATH": Self.folder.path + ":/usr/bin:/bin"]
    return environment.merging(own) { $1 }
  }

  func arguments(_ more: [String], results: String) -> [String] {
    ["run", "Sweeps/device-xcodebuild.json5", "--repeats", "\(repeats)", "--quiet", "--output", path(results)]
      + settings.flatMap { ["--set", $0] } + more
  }

  /// Runs the sweep into a folder of its own.
  func run(_ more: [String] = [], results: String = "results") throws -> ToolResult {
    try BuiltTool.run(arguments(more, results: results), environment: whole)
  }

  /// Starts the sweep and does not wait for it.
  func start(_ more: [String] = [], results: String = "results") throws -> Process {
    let process = Process()
    process.executableURL = BuiltTool.path
    process.arguments = arguments(more, results: results)
    process.currentDirectoryURL = Reference.packageRoot
    process.environment = ProcessInfo.processInfo.environment.merging(whole) { $1 }
    process.standardOutput = FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return process
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// The text of a file; empty where there is none.
  func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

  /// The tables of a folder of results.
  func tables(_ results: String = "results") -> [String] { Self.files.map { text("\(results)/\($0)") } }

  /// The runs that the stand-in was asked for, in order.
  var runs: [Run] {
    text("notes/runs").split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return Run(device: words[0], seed: words[1], settings: words[2...].joined(separator: " "))
    }
  }

  /// Whether any two runs were on one device at once.
  var hasCollisions: Bool { !text("notes/collisions").isEmpty }

  /// Whether the process that the stand-in left on purpose still lives; a zombie that nobody has reaped does not.
  var hasGrandchild: Bool {
    guard let id = pid_t(text("notes/grandchild").trimmingCharacters(in: .whitespacesAndNewlines)) else { return false }
    guard kill(id, 0) == 0 else { return false }
    let status = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
    return !status.contains(") Z ")
  }

  /// Waits until something holds; false if it does not within ten seconds.
  func waits(until condition: () -> Bool) -> Bool {
    for _ in 0..<500 {
      if condition() { return true }
      usleep(20_000)
    }
    return condition()
  }
}
