// What a start of the tool costs: from the call that starts it to its end, as a shell meets it.

import Foundation
import Import

/// What a start of the tool costs, in ms.
struct StartCost: Codable {
  /// Until it has printed its version.
  var versionMs: Double
  /// Until a sweep of one short run has been read, run, and its tables are on the disk.
  var firstRunMs: Double

  /// The fastest of some starts of the tool beside this program; nil where there is none.
  /// - Throws: what starting the tool and its files throw.
  static func measure(starts: Int) throws -> StartCost? {
    let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("prefetch-sweep").path
    guard FileManager.default.isExecutableFile(atPath: tool) else { return nil }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("start-cost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("one.json5").path
    let text = #"{ sweep: "one", repeats: 1, scenario: { network: "3G", feed: { items: 1 }, prefetcher: "none" } }"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    /// - Throws: what starting the tool throws.
    func fastest(_ arguments: [String]) throws -> Double {
      try (0..<starts).map { _ in try milliseconds(tool, arguments) }.min() ?? 0
    }
    return StartCost(
      versionMs: try fastest(["--version"]),
      firstRunMs: try fastest(["run", file, "--fresh", "--quiet", "--output", folder.appendingPathComponent("r").path]))
  }

  /// How long a program takes from its start to its end. By the system's calls: Foundation's `Process` looks for the end every 50 ms.
  ///
  /// - Throws: `StudyProblem` where the program cannot be started or fails.
  static func milliseconds(_ program: String, _ arguments: [String]) throws -> Double {
    let null = open("/dev/null", O_RDWR)
    defer { close(null) }
    let start = ProcessStart(
      path: program, arguments: [program] + arguments, environment: ProcessInfo.processInfo.environment.map { "\($0)=\($1)" },
      descriptors: [(null, 1), (null, 2)])
    var status: Int32 = 0
    let elapsed = try ContinuousClock().measure {
      let child = try Platform.spawn(start).get()
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    }
    guard status == 0 else { throw StudyProblem(description: "\(program): ended with status \(status)") }
    return elapsed / Duration.milliseconds(1)
  }
}
