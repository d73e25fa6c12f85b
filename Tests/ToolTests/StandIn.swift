// A sweep on devices, with StandIn/xcodebuild instead of Xcode and phones.

import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// A folder with the results of a sweep on devices and with the notes of the stand-in.
struct StandIn {
  /// The arguments of one run of the stand-in.
  struct Run: Hashable {
    var device: String
    var seed: String
    /// maxCost, videoCost, imageCost.
    var settings: String
  }

  static let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]
  static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("StandIn")

  let folder: URL
  /// The environment of the stand-in, which sets its faults.
  var environment: [String: String] = [:]
  /// The values of `--set`. Cool-downs and waits are short.
  var settings = ["backend.coolDown=0s", "backend.backOff=10ms", "backend.grace=300ms", #"backend.devices=["one", "two"]"#]
  var repeats = 3

  /// Passes a stand-in with a new folder to the body.
  /// - Throws: The error of the body, or if the folder cannot be made.
  static func with(_ body: (inout StandIn) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      try FileManager.default.createDirectory(at: folder.appendingPathComponent("notes"), withIntermediateDirectories: true)
      var standIn = StandIn(folder: folder)
      try body(&standIn)
    }
  }

  private var fullEnvironment: [String: String] {
    let own = ["NOTES": folder.appendingPathComponent("notes").path, "PATH": Self.folder.path + ":/usr/bin:/bin"]
    return environment.merging(own) { $1 }
  }

  func arguments(_ more: [String], results: String) -> [String] {
    ["run", "Sweeps/device-xcodebuild.json5", "--repeats", "\(repeats)", "--quiet", "--output", path(results)]
      + settings.flatMap { ["--set", $0] } + more
  }

  /// Runs the sweep and waits for its end.
  /// - Throws: If the program cannot be started.
  func run(_ more: [String] = [], results: String = "results") throws -> ToolResult {
    try BuiltTool.run(arguments(more, results: results), environment: fullEnvironment)
  }

  /// Starts the sweep. What it prints on standard error is in the file `errors`.
  /// - Throws: If the program cannot be started.
  func start(_ more: [String] = [], results: String = "results") throws -> Process {
    let process = Process()
    process.executableURL = BuiltTool.path
    process.arguments = arguments(more, results: results)
    process.currentDirectoryURL = Reference.packageRoot
    process.environment = ProcessInfo.processInfo.environment.merging(fullEnvironment) { $1 }
    process.standardOutput = FileHandle.nullDevice
    try Data().write(to: URL(fileURLWithPath: path("errors")))
    process.standardError = FileHandle(forWritingAtPath: path("errors"))
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return process
  }

  func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  /// Returns the text of a file, or an empty string if there is none.
  func text(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

  /// Returns the tables in a folder of results.
  func tables(_ results: String = "results") -> [String] { Self.files.map { text("\(results)/\($0)") } }

  /// The runs of the stand-in, in order.
  var runs: [Run] {
    text("notes/runs").split(separator: "\n").map { line in
      let words = line.split(separator: " ").map(String.init)
      return Run(device: words[0], seed: words[1], settings: words[2...].joined(separator: " "))
    }
  }

  /// True if two runs were on one device at the same time.
  var hasCollisions: Bool { !text("notes/collisions").isEmpty }

  /// True if the process that the stand-in left behind still runs. A zombie does not run.
  var hasGrandchild: Bool {
    guard let id = pid_t(text("notes/grandchild").trimmingCharacters(in: .whitespacesAndNewlines)) else { return false }
    guard kill(id, 0) == 0 else { return false }
    let status = (try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8)) ?? ""
    return !status.contains(") Z ")
  }

  /// Waits up to 10 s for a condition and returns true if it holds.
  func waits(until condition: () -> Bool) -> Bool {
    for _ in 0..<500 {
      if condition() { return true }
      usleep(20_000)
    }
    return condition()
  }
}
