// What the program calls itself, the version of its model, and which build of it runs.

import Import

package enum Program {
  package static let name = "prefetch-sweep"
  package static let liveName = "prefetch-sweep-live"
  /// The version of its model: raised whenever the same scenario and seed may give another row. Part of every point's id.
  package static let modelVersion = "2"

  /// A hash of the file that runs, 16 hexadecimal digits; "unknown" where that cannot be read. It tells builds apart whose authors
  /// forgot to raise the version of the model, a prefetcher of a package outside of this one among them. It is in journals and in the
  /// labels of shards, never in results: those are the same whoever built the program.
  package static let build = hash ?? "unknown"

  private static var hash: String? {
    #if DEBUG
      // Without optimization a hash takes longer than a test's sweep; a file that was built anew is another file.
      return Platform.executablePath.flatMap(SystemFile.version)
    #else
      return Platform.executablePath.flatMap(ContentHash.quick)
    #endif
  }
}
