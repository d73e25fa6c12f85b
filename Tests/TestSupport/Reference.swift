// Finds the reference material that tests read: our measurements in Tests/Reference, and public traces elsewhere.

import Foundation

/// Reference measurements and vectors, which are part of the repository, and public traces, which are not.
public enum Reference {
  /// The folder of this package.
  public static let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()
  /// The folder of our measurements.
  public static let measurements = packageRoot.appendingPathComponent("Tests/Reference")
  /// The folder of public traces: `PREFETCH_SWEEP_REFERENCE`, or by default `../shared/reference` beside the package.
  public static let publicFolder =
    ProcessInfo.processInfo.environment["PREFETCH_SWEEP_REFERENCE"].map { URL(fileURLWithPath: $0) }
    ?? packageRoot.deletingLastPathComponent().appendingPathComponent("shared/reference")

  /// The names of the committed results of sweeps.
  public static let results: [String] = {
    let folder = packageRoot.appendingPathComponent("Results")
    let all = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return all.filter { FileManager.default.fileExists(atPath: folder.appendingPathComponent("\($0)/sweep.json").path) }.sorted()
  }()

  /// Returns a file of committed results.
  /// - Throws: If the file cannot be read.
  public static func result(_ file: String, of name: String) throws -> String {
    try String(contentsOf: packageRoot.appendingPathComponent("Results/\(name)/\(file)"), encoding: .utf8)
  }

  /// True if the public traces are on this machine.
  public static var hasTraces: Bool {
    ["traces/3g", "kernel/traces"].allSatisfy {
      FileManager.default.fileExists(atPath: publicFolder.appendingPathComponent($0).path)
    }
  }

  /// Returns the bytes of a measurement or, if it is none, of a public trace.
  /// - Throws: If the file cannot be read.
  public static func data(_ path: String) throws -> Data {
    let own = measurements.appendingPathComponent(path)
    let isOwn = FileManager.default.fileExists(atPath: own.path)
    return try Data(contentsOf: isOwn ? own : publicFolder.appendingPathComponent(path))
  }

  /// Returns the rows of a CSV file without quoted cells, each as a dictionary by column name.
  /// `comments` skips lines that begin with #.
  /// - Throws: If the file cannot be read.
  public static func rows(_ path: String, comments: Bool = false) throws -> [[String: String]] {
    var lines = String(decoding: try data(path), as: UTF8.self).split(whereSeparator: \.isNewline)
    if comments { lines.removeAll { $0.hasPrefix("#") } }
    guard let head = lines.first else { return [] }
    let names = head.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return lines.dropFirst().map { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Dictionary(zip(names, cells), uniquingKeysWith: { first, _ in first })
    }
  }
}
