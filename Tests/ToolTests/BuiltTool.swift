// Runs the built program as a user does.

import Foundation
import TestSupport

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The output and the exit status of a process.
struct ToolResult {
  var output: String
  var errors: String
  var status: Int32
}

enum BuiltTool {
  /// The program that tests start: the one beside the test bundle, or the one that `PREFETCH_SWEEP_TOOL` names, such as a release build.
  static let path: URL = ProcessInfo.processInfo.environment["PREFETCH_SWEEP_TOOL"].map { URL(fileURLWithPath: $0) } ?? built

  /// The program beside the test bundle, a debug build.
  private static let built: URL = {
    let bundle = Bundle.allBundles.first { $0.bundlePath.hasSuffix(".xctest") }.map(\.bundleURL)
    let own = bundle ?? URL(fileURLWithPath: ProcessInfo.processInfo.arguments[0])
    return own.deletingLastPathComponent().appendingPathComponent("prefetch-sweep")
  }()

  /// The program that makes our own tables, beside the tool.
  static let studies = built.deletingLastPathComponent().appendingPathComponent("run-studies")

  /// Runs the tool, or another program, in a folder without a terminal. `output` replaces the standard output.
  /// - Throws: If the program cannot be started or its output not be read.
  static func run(
    _ arguments: [String], in folder: URL = Reference.packageRoot, environment: [String: String] = [:], output: FileHandle? = nil,
    program: URL = path
  ) throws -> ToolResult {
    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    // Files instead of pipes: the program would block on a full pipe.
    let scratch = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: scratch, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: scratch) }
    let outputs = ["out", "err"].map { scratch.appendingPathComponent($0) }
    for file in outputs { try Data().write(to: file) }
    let handles = try outputs.map { try FileHandle(forWritingTo: $0) }
    process.standardOutput = output ?? handles[0]
    process.standardError = handles[1]
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let texts = try outputs.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return ToolResult(output: texts[0], errors: texts[1], status: process.terminationStatus)
  }

  /// Runs a script in bash, in which `prefetch-sweep` is the built tool.
  /// - Throws: If the script cannot be started, or its output cannot be read.
  static func shell(_ script: String, in folder: URL) throws -> ToolResult {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/bash")
    process.arguments = ["-c", "prefetch-sweep() { '\(path.path)' \"$@\"; }\n\(script)"]
    process.currentDirectoryURL = folder
    process.environment = ProcessInfo.processInfo.environment.merging(["GITHUB_STEP_SUMMARY": ""]) { $1 }
    let files = ["out", "err"].map { folder.appendingPathComponent("shell.\($0)") }
    for file in files { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: files[0])
    process.standardError = try FileHandle(forWritingTo: files[1])
    process.standardInput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    let texts = try files.map { String(decoding: try Data(contentsOf: $0), as: UTF8.self) }
    return ToolResult(output: texts[0], errors: texts[1], status: process.terminationStatus)
  }

  /// Starts a process that SIGHUP stops, even if the tests run under nohup: a child inherits ignored signals.
  /// - Throws: If the process cannot be started.
  static func startWithHangUp(_ process: Process) throws {
    let before = signal(SIGHUP, SIG_DFL)
    defer { signal(SIGHUP, before) }
    // A child inherits the signal mask of the thread too, and a script cannot change its own.
    var (stopping, mask) = (sigset_t(), sigset_t())
    sigemptyset(&stopping)
    for number in [SIGINT, SIGTERM, SIGHUP] { sigaddset(&stopping, number) }
    pthread_sigmask(SIG_UNBLOCK, &stopping, &mask)
    defer { pthread_sigmask(SIG_SETMASK, &mask, nil) }
    try process.run()
  }

  /// Passes a new folder to the body and deletes it afterwards.
  /// - Throws: The error of the body, or if the folder cannot be made.
  static func withFolder(_ body: (URL) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("prefetch-sweep-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(folder)
  }
}
