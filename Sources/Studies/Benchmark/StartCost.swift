// What a start of the tool costs: from the call that starts it to its end, as a shell meets it.

import Foundation

/// What a start of the tool costs, in ms.
struct StartCost: Codable {
  /// Until it has printed its version.
  var versionMs: Double
  /// Until a sweep of one short run has been read, run, and its tables are on the disk.
  var firstRunMs: Double

  /// The fastest of some starts of the tool beside this program; nil where there is none.
  static func measure(starts: Int) throws -> StartCost? {
    let tool = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().appendingPathComponent("prefetch-sweep").path
    guard FileManager.default.isExecutableFile(atPath: tool) else { return nil }
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("start-cost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("one.json5").path
    let text = #"{ sweep: "one", repeats: 1, scenario: { network: "3G", feed: { items: 1 }, prefetcher: "none" } }"#
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    func fastest(_ arguments: [String]) throws -> Double {
      try (0..<starts).map { _ in try milliseconds(tool, arguments) }.min() ?? 0
    }
    return StartCost(
      versionMs: try fastest(["--version"]),
      firstRunMs: try fastest(["run", file, "--fresh", "--quiet", "--output", folder.appendingPathComponent("r").path]))
  }

  /// How long a program takes from its start to its end. By the system's calls: Foundation's `Process` looks for the end every 50 ms.
  ///
  /// - Throws: `StartProblem` where the program cannot be started or fails.
  static func milliseconds(_ program: String, _ arguments: [String]) throws -> Double {
    #if canImport(Darwin)
      var actions: posix_spawn_file_actions_t?
    #else
      var actions = posix_spawn_file_actions_t()
    #endif
    guard posix_spawn_file_actions_init(&actions) == 0 else { throw StartProblem.notStarted(program, errno) }
    defer { posix_spawn_file_actions_destroy(&actions) }
    for descriptor in 0..<3 as Range<Int32> { posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0) }
    var words = ([program] + arguments).map { strdup($0) } + [nil]
    defer { words.forEach { free($0) } }
    var child = pid_t()
    var status: Int32 = 0
    var code: Int32 = 0
    let elapsed = ContinuousClock().measure {
      code = posix_spawn(&child, program, &actions, nil, &words, environ)
      guard code == 0 else { return }
      while waitpid(child, &status, 0) < 0 && errno == EINTR {}
    }
    guard code == 0 else { throw StartProblem.notStarted(program, code) }
    guard status == 0 else { throw StartProblem.failed(program, status) }
    return elapsed / Duration.milliseconds(1)
  }
}

/// Why a start could not be timed.
enum StartProblem: Error {
  /// The program and the system's error number.
  case notStarted(String, Int32)
  /// The program and its status as `waitpid` gives it.
  case failed(String, Int32)
}
