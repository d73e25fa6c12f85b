// On what the figures were taken.

import Foundation

/// The machine that the benchmark runs on.
struct Machine: Codable {
  /// The processor's model name, as the system tells it.
  var model: String
  /// Logical processors that are up.
  var cores: Int

  /// This machine.
  static var current: Machine { Machine(model: modelName ?? "unknown", cores: ProcessInfo.processInfo.activeProcessorCount) }

  #if canImport(Darwin)
    private static var modelName: String? {
      var size = 0
      guard sysctlbyname("machdep.cpu.brand_string", nil, &size, nil, 0) == 0 else { return nil }
      var text = [UInt8](repeating: 0, count: size)
      guard sysctlbyname("machdep.cpu.brand_string", &text, &size, nil, 0) == 0 else { return nil }
      return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  #else
    /// From /proc/cpuinfo: x86 says "model name", most ARM boards "Model" or nothing.
    private static var modelName: String? {
      guard let text = try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8) else { return nil }
      for line in text.split(separator: "\n") {
        let parts = line.split(separator: ":", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
        if parts.count == 2, parts[0].lowercased() == "model name" || parts[0] == "Model" { return parts[1] }
      }
      return nil
    }
  #endif
}
