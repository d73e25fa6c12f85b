// The sources of this package as text, for tests that read them.

import Foundation
import TestSupport

/// A Swift file of this package.
struct SourceFile {
  /// The path below Sources or Tests.
  let path: String
  let text: String
  /// The unchanged lines.
  let raw: [String]
  /// The lines without comments.
  let lines: [String]
  /// The lines without comments and with empty string literals.
  let code: [String]

  /// The files under Sources.
  static let all = files(under: "Sources")
  /// The files under Tests, whose paths start with Tests.
  static let tests = files(under: "Tests", prefix: "Tests/")
  /// The files of the programs that judge the product, and of what they share with tests.
  static let studies = tests.filter { file in
    ["Tests/Oracles/", "Tests/Studies/", "Tests/live-link/"].contains { file.path.hasPrefix($0) }
  }

  private static func files(under folder: String, prefix: String = "") -> [SourceFile] {
    let root = Reference.packageRoot.appendingPathComponent(folder)
    let files = FileManager.default.enumerator(atPath: root.path)
    return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted().map { path in
      SourceFile(path: prefix + path, text: (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? "")
    }
  }

  private init(path: String, text: String) {
    (self.path, self.text) = (path, text)
    raw = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    lines = raw.map(Self.withoutComment)
    code = raw.map { line in
      // A regular expression over every line takes longer than all else.
      guard line.utf8.contains(where: { $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "/") }) else { return line }
      return line.replacing(#/"([^"\\]|\\.)*"/#, with: "\"\"").replacing(#/\/\/.*/#, with: "")
    }
  }

  /// Returns the line up to its comment. A string literal may have slashes.
  private static func withoutComment(_ line: String) -> String {
    var isQuoted = false
    var previous: UInt8 = 0
    for (index, byte) in line.utf8.enumerated() {
      if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") { isQuoted.toggle() }
      if !isQuoted, byte == UInt8(ascii: "/"), previous == byte { return String(decoding: line.utf8.prefix(index - 1), as: UTF8.self) }
      previous = byte
    }
    return line
  }

  /// The file's folder below Sources, such as Simulation/Network/Packet.
  var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
  /// The target: the first part of the path.
  var target: String { String(path.prefix { $0 != "/" }) }

  /// Returns the identifiers of a line in order.
  static func words(_ line: String) -> [String] {
    line.utf8.split { !(isLetter($0) || isDigit($0)) }.filter { !isDigit($0[$0.startIndex]) }.map { String($0) ?? "" }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte == 95 || 65...90 ~= byte || 97...122 ~= byte }
  private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }
}

/// A named declaration that is not local to a function.
struct SourceDeclaration {
  let name: String
  let keyword: String
  /// The file and the index of the line.
  let file: SourceFile
  let line: Int
  /// The lines up to the closing brace of a declaration at the top of the file; one line for others.
  let extent: Range<Int>

  private static let keywords: Set = ["struct", "class", "enum", "protocol", "typealias", "actor", "func", "var", "let", "case"]
  static let types: Set = ["struct", "class", "enum", "protocol", "typealias", "actor"]
  private static let modifiers: Set = [
    "public", "package", "internal", "private", "fileprivate", "final", "indirect", "static", "mutating", "nonmutating", "consuming",
    "borrowing", "override", "convenience", "set", "lazy", "unowned", "weak", "nonisolated",
  ]

  /// The declarations of all files under Sources, and of the studies.
  static let all = SourceFile.all.flatMap(declarations), studies = SourceFile.studies.flatMap(declarations)

  private static func declarations(of file: SourceFile) -> [SourceDeclaration] {
    file.code.indices.compactMap { line -> SourceDeclaration? in
      let code = file.code[line]
      // Members of types at the top, and of types in these; deeper ones are mostly locals.
      guard code.prefix(while: { $0 == " " }).count <= 4 else { return nil }
      let words = SourceFile.words(SourceFile.withoutAttributes(code))
      guard let index = words.firstIndex(where: { !modifiers.contains($0) }), keywords.contains(words[index]), index + 1 < words.count
      else { return nil }
      let keyword = words[index]
      // A case of a switch declares nothing.
      if keyword == "case",
        !file.owner(of: line).utf8.split(separator: UInt8(ascii: " ")).contains(where: { $0.elementsEqual("enum".utf8) })
      {
        return nil
      }
      let isTop = !code.hasPrefix(" ")
      let end = isTop ? file.code[line...].dropFirst(code.hasSuffix("}") ? 0 : 1).firstIndex { $0.hasPrefix("}") } ?? line : line
      return SourceDeclaration(name: words[index + 1], keyword: keyword, file: file, line: line, extent: line..<max(line, end) + 1)
    }
  }

  /// True if the declaration is at the top level of its file.
  var isTop: Bool { !file.code[line].hasPrefix(" ") }
}

extension SourceFile {
  /// Returns the signature that begins at a line, without the body, in one line, or nil if no signature begins there.
  func signature(at line: Int) -> String? {
    guard ["func", "init", "subscript"].contains(where: code[line].contains) else { return nil }
    let start = Self.withoutAttributes(code[line])
    guard start.firstMatch(of: SourceDeclaration.signatureStart) != nil else { return nil }
    var text = ""
    var depth = 0
    for (offset, code) in code[line...].prefix(12).enumerated() {
      for character in offset == 0 ? start : code {
        if character == "{", depth == 0 { return text }
        if "([".contains(character) { depth += 1 }
        if ")]".contains(character) { depth -= 1 }
        text.append(character == " " && text.hasSuffix(" ") ? "" : String(character))
      }
      // The signature goes on if a bracket is open, or the next line says what it throws or returns.
      let next = line + offset + 1 < self.code.count ? self.code[line + offset + 1].drop { $0 == " " } : ""
      if depth == 0, !["->", "throws", "where", "async", "{"].contains(where: { next.hasPrefix($0) }) { return text }
    }
    return text
  }

  /// Returns the line without indentation and attributes.
  static func withoutAttributes(_ line: String) -> String {
    line.utf8.contains(UInt8(ascii: "@")) ? line.replacing(#/^\s*(@\w+(\([^)]*\))?\s+)*/#, with: "") : String(line.drop { $0 == " " })
  }

  /// Returns the line that opens the braces around a line; empty at the top level of the file.
  func owner(of line: Int) -> String {
    let indent = code[line].utf8.prefix { $0 == UInt8(ascii: " ") }.count
    return code[..<line].last { !$0.isEmpty && $0.hasSuffix("{") && $0.utf8.prefix { $0 == UInt8(ascii: " ") }.count < indent } ?? ""
  }

  /// Returns the lines of the doc comment above a line, or above the attributes over that line.
  func documentation(above line: Int) -> [String] {
    raw[..<line].reversed().prefix { $0.contains(#/^\s*(\/\/\/|@)/#) }.reversed().filter { $0.contains("///") }
  }
}

extension SourceDeclaration {
  nonisolated(unsafe) fileprivate static let signatureStart =
    #/^(?:(?:public|package|internal|private|fileprivate|static|mutating|nonmutating|final|override|consuming|borrowing|convenience|required)\s+)*(?:func|init|subscript)\b/#
}
