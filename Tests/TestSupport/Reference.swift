// Finds the reference material that tests read. Tests are skipped where it is missing.

import Foundation

/// The folder of reference material: `PREFETCH_SWEEP_REFERENCE`, or by default `../shared/reference` beside the package.
public enum Reference {
  /// The folder, or nil if there is none.
  public static let folder: URL? = {
    let named = ProcessInfo.processInfo.environment["PREFETCH_SWEEP_REFERENCE"].map { URL(fileURLWithPath: $0) }
    let folder = named ?? packageRoot.deletingLastPathComponent().appendingPathComponent("shared/reference")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  /// The folder of this package.
  public static let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// True if the reference material is on this machine.
  public static var isPresent: Bool { folder != nil }

  /// Returns the bytes of a file of the reference material.
  /// - Throws: If the file cannot be read.
  public static func data(_ path: String) throws -> Data {
    try Data(contentsOf: (folder ?? packageRoot).appendingPathComponent(path))
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
