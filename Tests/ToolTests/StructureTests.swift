import Foundation
import TestSupport
import Testing

/// Checks the rules of Sources/README.md: no cycle of folders, no code that only tests use, a listed public API.
@Suite struct StructureTests {
  // MARK: Folders

  @Test func theFoldersOfATargetFormNoCycle() {
    var folders: [String: Set<String>] = [:]
    for type in SourceDeclaration.all where type.isTop && SourceDeclaration.types.contains(type.keyword) {
      folders[type.name, default: []].insert(type.file.folder)
    }
    var uses: [String: Set<String>] = [:]
    for file in SourceFile.all {
      for line in file.code {
        for word in SourceFile.words(line) where word.first?.isUppercase == true {
          for folder in folders[word] ?? [] where folder != file.folder && folder.split(separator: "/")[0] == file.target {
            uses[file.folder, default: []].insert(folder)
          }
        }
      }
    }
    #expect(uses.values.reduce(0) { $0 + $1.count } > 50, "the folders use each other")
    #expect(Self.cycles(in: uses) == [])
    #expect(Self.cycles(in: ["a": ["b", "d"], "b": ["c"], "c": ["a"], "d": ["e"]]) == ["a, b, c"])
  }

  /// Returns the largest groups of folders that use each other, directly or through others. O(folders³).
  private static func cycles(in uses: [String: Set<String>]) -> [String] {
    var reached = uses
    for through in uses.keys {
      for folder in uses.keys where reached[folder, default: []].contains(through) {
        let further = reached[through, default: []]
        reached[folder, default: []].formUnion(further)
      }
    }
    let groups = uses.keys.filter { reached[$0]?.contains($0) == true }.map { folder in
      uses.keys.filter { reached[folder]?.contains($0) == true && reached[$0]?.contains(folder) == true }.sorted().joined(separator: ", ")
    }
    return Set(groups).sorted()
  }

  @Test func theTestsOfATargetStandInItsFolder() {
    for target in ["Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep"] {
      let suites = SourceFile.tests.filter { $0.path.hasPrefix("Tests/\(target)Tests/") && $0.text.contains("@Suite") }
      #expect(!suites.isEmpty, "Tests/\(target)Tests")
      for file in suites {
        #expect(file.text.split(separator: "\n").contains { $0.hasSuffix("import \(target)") }, "\(file.path) does not import \(target)")
      }
    }
  }

  // MARK: Code that only tests use

  /// Names that Sources declare and do not use, each with the reason.
  private static let unusedNames = [
    "cores": "written into manifest.json",
    "unsyncedCount": "read by tests of the journal",
    "urlSession": "called by Foundation",
  ]

  @Test func everyTypeIsUsedOutsideOfItself() {
    var uses: [String: [(file: String, line: Int)]] = [:]
    for file in SourceFile.all {
      for (number, line) in file.lines.enumerated() {
        for word in SourceFile.words(line) { uses[word, default: []].append((file.path, number)) }
      }
    }
    var extents: [String: [(file: String, lines: Range<Int>)]] = [:]
    for type in SourceDeclaration.all where type.isTop && SourceDeclaration.types.contains(type.keyword) {
      extents[type.name, default: []].append((type.file.path, type.extent))
    }
    for file in SourceFile.all {
      for (line, code) in file.code.enumerated() where code.hasPrefix("extension ") {
        let end = file.code[line...].dropFirst().firstIndex { $0.hasPrefix("}") } ?? line
        // A type of the system is not ours to use.
        extents[SourceFile.words(code)[1]]?.append((file.path, line..<end + 1))
      }
    }
    let unused = extents.filter { name, own in
      uses[name]?.allSatisfy { use in own.contains { $0.file == use.file && $0.lines.contains(use.line) } } ?? false
    }
    #expect(unused.keys.filter { Self.unusedNames[$0] == nil && extents[$0]?.isEmpty == false }.sorted() == [])
  }

  /// Returns the names that some files have only where they are declared.
  private static func unused(_ declarations: [SourceDeclaration], in files: [SourceFile]) -> [String] {
    var counts: [String: Int] = [:]
    for file in files {
      for line in file.lines { for word in SourceFile.words(line) { counts[word, default: 0] += 1 } }
    }
    var declared: [String: Int] = [:]
    for declaration in declarations { declared[declaration.name, default: 0] += 1 }
    return declared.filter { counts[$0.key] == $0.value }.keys.sorted()
  }

  @Test func everyMemberIsNamedTwice() {
    let ofStudies = Self.unused(SourceDeclaration.studies, in: SourceFile.all + SourceFile.tests)
    // The system calls its main.
    #expect(ofStudies.filter { $0 != "StudyProgram" } == [])
    let unused = Self.unused(SourceDeclaration.all, in: SourceFile.all)
    #expect(unused.filter { Self.unusedNames[$0] == nil } == [])
    #expect(Self.unusedNames.keys.filter { !unused.contains($0) }.sorted() == [], "these are used or gone")
  }

  // MARK: Errors

  @Test func everyThrowingDeclarationSaysWhatItThrows() {
    let missing = (SourceFile.all + SourceFile.studies).flatMap { file in
      file.code.indices.filter { line in
        guard file.code[line...].prefix(12).contains(where: { $0.contains("throws") }) else { return false }
        // A closure that throws stands in brackets.
        let isThrowing = file.signature(at: line).map { Self.withoutBrackets($0).contains(#/\b(re)?throws\b/#) } ?? false
        let isGetter = file.code[line].contains(#/\bget (async )?throws\b/#)
        // The doc comment of a getter stands above its variable.
        return (isThrowing || isGetter)
          && !file.documentation(above: isGetter ? line - 1 : line).contains { $0.contains("- Throws:") }
      }.map { "\(file.path):\($0 + 1): \(file.code[$0].drop { $0 == " " })" }
    }
    #expect(missing == [])
  }

  private static func withoutBrackets(_ text: String) -> String {
    var depth = 0
    return text.filter { character in
      if character == "(" { depth += 1 }
      defer { if character == ")" { depth -= 1 } }
      return depth == 0
    }
  }

  // MARK: Public API

  /// Compares all public declarations with PublicAPI.txt. `UPDATE_GOLDENS=1` writes that file again; read the diff.
  @Test func thePublicAPIIsTheListedOne() throws {
    var text = ""
    var missing: [String] = []
    for file in SourceFile.all {
      let declarations = file.code.indices.filter { file.isPublic($0) }
      if declarations.isEmpty { continue }
      text += "\(file.path)\n"
      for line in declarations {
        let declared = file.signature(at: line) ?? file.code[line].replacing(#/ *(\{.*|= .*)$/#, with: "")
        text += "  \(declared.drop { $0 == " " }.replacing(#/\s+$/#, with: ""))\n"
        if file.documentation(above: line).isEmpty { missing.append("\(file.path):\(line + 1)") }
      }
    }
    #expect(missing == [], "public declarations without a doc comment")
    let golden = Reference.packageRoot.appendingPathComponent("Tests/ToolTests/PublicAPI.txt")
    if ProcessInfo.processInfo.environment["UPDATE_GOLDENS"] == "1" {
      try Data(text.utf8).write(to: golden)
      return
    }
    #expect(text == String(decoding: try Data(contentsOf: golden), as: UTF8.self), "UPDATE_GOLDENS=1 rewrites PublicAPI.txt")
  }
}

extension SourceFile {
  /// True if a line declares something public: by the keyword, or as a case of a public enum or a requirement of a public protocol.
  fileprivate func isPublic(_ line: Int) -> Bool {
    let code = code[line]
    if code.contains("public ") { return !code.contains("extension") }
    guard text.contains("public enum") || text.contains("public protocol"), code.hasPrefix("  "),
      code.contains(#/^\s+(?:indirect )?(?:case|static func|func|var|init|mutating func|associatedtype)\b/#)
    else { return false }
    return owner(of: line).contains(code.contains("case ") ? #/public (?:indirect )?enum\b/# : #/public protocol\b/#)
  }
}
