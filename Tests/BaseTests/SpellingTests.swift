import Foundation
import Testing

@testable import Base

/// One file has one spelling in results.
@Suite struct SpellingTests {
  @Test(arguments: [
    ("Package.swift", "Package.swift"), ("./Package.swift", "Package.swift"), ("Sources/../Package.swift", "Package.swift"),
    ("Sources//README.md", "Sources/README.md"), ("Sources/./README.md", "Sources/README.md"), ("-", "-"), ("./-x", "./-x"),
    ("no folder/x", "no folder/x"), (".", "."), ("Sources/", "Sources"), ("./-", "./-"), ("Tests/../Sources", "Sources"),
  ]) func aPathInTheWorkingFolderIsRelativeToIt(_ path: String, _ canonical: String) {
    #expect(SystemFile.canonical(path) == canonical)
    if !path.hasPrefix("-"), !path.hasPrefix("no") {
      let here = SystemFile.canonical(FileManager.default.currentDirectoryPath)
      let inner = canonical == "." ? "" : "/" + (canonical.hasPrefix("./") ? canonical.dropFirst(2) : canonical[...])
      #expect(SystemFile.canonical(here + "/" + path) == here + inner)
    }
  }

  @Test func aPathElsewhereIsAbsolute() {
    #expect(SystemFile.canonical("/") == "/" && SystemFile.canonical("/etc/../dev/null") == "/dev/null")
    #expect(SystemFile.canonical("../x") == SystemFile.canonical("./../x"))
    #expect(SystemFile.canonical("../x").hasPrefix("/"))
  }
}
