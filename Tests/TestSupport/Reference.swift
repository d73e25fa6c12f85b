// Finds the reference material that tests read; where it is absent they skip.

import Foundation

/// The folder of reference material: `PREFETCH_SWEEP_REFERENCE`, by default `../shared/reference` beside the package.
public enum Reference {
  /// The folder; nil where there is none.
  public static let folder: URL? = {
    let named = ProcessInfo.processInfo.environment["PREFETCH_SWEEP_REFERENCE"].map { URL(fileURLWithPath: $0) }
    let folder = named ?? packageRoot.deletingLastPathComponent().appendingPathComponent("shared/reference")
    return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
  }()

  /// The package's own folder.
  public static let packageRoot = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Whether the reference material is here.
  public static var isPresent: Bool { folder != nil }

  /// The bytes of one file of it.
  public static func data(_ path: String) throws -> Data {
    try Data(contentsOf: (folder ?? packageRoot).appendingPathComponent(path))
  }

  /// The lines of a simple CSV file (no quoting) as dictionaries by column name; lines that begin with # are left out on demand.
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
