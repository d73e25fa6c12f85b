import Foundation
import TestSupport
import Testing

@testable import Base

@Suite struct InputFileTests {
  @Test func aFileIsReadWithItsHash() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("reader-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (path, link) = (folder.appendingPathComponent("a b").path, folder.appendingPathComponent("link").path)
    try Data("foobar".utf8).write(to: URL(fileURLWithPath: path))
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: path)
    for path in [path, link] {
      let file = try InputFile(path: path)
      #expect(file.bytes == Array("foobar".utf8) && file.hash == "343e1662793c64bf6f0d3597ba446f18")
    }
  }
}

@Suite struct ContentHashTests {
  // Test vectors of draft-eastlake-fnv.
  @Test(arguments: [
    ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"), ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
  ])
  func theHashIsFNV1a(_ text: String, _ hash: String) {
    #expect(ContentHash.of(text.utf8) == hash)
  }

  @Test func piecesHashLikeTheWhole() {
    var hash = ContentHash()
    for piece in ["foo", "", "bar"] { hash.update(piece.utf8) }
    #expect(hash.hexadecimal == ContentHash.of("foobar".utf8))
    #expect(ContentHash.of(lines: ["a", "b"]) == ContentHash.of("a\nb\n".utf8))
  }
}
