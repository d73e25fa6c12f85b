// Whole outputs compared with files; UPDATE_GOLDENS=1 rewrites the files, and the diff is reviewed.

import Foundation
import Testing

/// Expects `actual` to be the file `name` of the goldens.
package func expectGolden(_ actual: String, _ name: String, location: SourceLocation = #_sourceLocation) throws {
  let file = Reference.packageRoot.appendingPathComponent("Tests/Goldens/\(name)")
  if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
    try Data(actual.utf8).write(to: file)
    return
  }
  let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
  #expect(actual == expected, "\(name) differs; UPDATE_GOLDENS=1 rewrites it", sourceLocation: location)
}
