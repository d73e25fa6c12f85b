// Programs by name, and absolute paths.

/// Finds programs, as a shell does.
package enum ProgramPath {
  /// Returns the path of an executable, by its path or from PATH; nil if there is none. Relative paths start from `folder`.
  package static func find(
    _ name: String, folder: String, environment: [String: String] = ProcessInfo.processInfo.environment
  ) -> String? {
    func runs(_ path: String) -> Bool { access(path, X_OK) == 0 && !SystemFile.isFolder(path) }
    let folder = absolute(folder.isEmpty ? "." : folder)
    if name.contains("/") { return runs(absolute(name, in: folder)) ? absolute(name, in: folder) : nil }
    let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { absolute(String($0), in: folder) }
    return folders.map { "\($0)/\(name)" }.first(where: runs)
  }

  /// Returns an absolute path; a relative one starts from `folder`, by default the working folder.
  package static func absolute(_ path: String, in folder: String = FileManager.default.currentDirectoryPath) -> String {
    path.hasPrefix("/") ? path : "\(folder)/\(path)"
  }
}
