// Our own sources as text, for the tests that read them.

import Foundation
import TestSupport

/// A file under Sources.
struct SourceFile {
  /// The path below Sources.
  let path: String
  let text: String
  /// The lines as they are.
  let raw: [String]
  /// The lines without comments.
  let lines: [String]
  /// The lines without comments and without what stands in quotes.
  let code: [String]

  static let all: [SourceFile] = {
    let root = Reference.packageRoot.appendingPathComponent("Sources")
    let files = FileManager.default.enumerator(atPath: root.path)
    return (files?.compactMap { $0 as? String } ?? []).filter { $0.hasSuffix(".swift") }.sorted().map { path in
      SourceFile(path: path, text: (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)) ?? "")
    }
  }()

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

  /// The line up to a comment; what stands in quotes may have slashes.
  private static func withoutComment(_ line: String) -> String {
    var isQuoted = false
    var previous: UInt8 = 0
    for (place, byte) in line.utf8.enumerated() {
      if byte == UInt8(ascii: "\""), previous != UInt8(ascii: "\\") { isQuoted.toggle() }
      if !isQuoted, byte == UInt8(ascii: "/"), previous == byte { return String(decoding: line.utf8.prefix(place - 1), as: UTF8.self) }
      previous = byte
    }
    return line
  }

  /// The folder: a target, or a folder of it.
  var folder: String { path.split(separator: "/").dropLast().prefix(2).joined(separator: "/") }
  /// The target.
  var target: String { String(path.prefix { $0 != "/" }) }

  /// The identifiers of a line, in their order.
  static func words(_ line: String) -> [String] {
    line.utf8.split { !(isLetter($0) || isDigit($0)) }.filter { !isDigit($0[$0.startIndex]) }.map { String($0) ?? "" }
  }

  private static func isLetter(_ byte: UInt8) -> Bool { byte == 95 || 65...90 ~= byte || 97...122 ~= byte }
  private static func isDigit(_ byte: UInt8) -> Bool { 48...57 ~= byte }
}

/// A declaration with a name, found by its keyword.
struct SourceDeclaration {
  let name: String
  let keyword: String
  /// The file, and the line from 0.
  let file: SourceFile
  let line: Int
  /// The lines up to its closing brace, where it stands at the start of a line.
  let extent: Range<Int>

  private static let keywords: Set = ["struct", "class", "enum", "protocol", "typealias", "actor", "func", "var", "let", "case"]
  static let types: Set = ["struct", "class", "enum", "protocol", "typealias", "actor"]
  private static let modifiers: Set = [
    "public", "package", "internal", "private", "fileprivate", "final", "indirect", "static", "mutating", "nonmutating", "consuming",
    "borrowing", "override", "convenience", "set", "lazy", "unowned", "weak", "nonisolated",
  ]

  /// All declarations with names that are no local ones.
  static let all = SourceFile.all.flatMap { file in
    file.code.indices.compactMap { line -> SourceDeclaration? in
      let code = file.code[line]
      // Members of types at the top, and of types in these; deeper ones are mostly locals.
      guard code.prefix(while: { $0 == " " }).count <= 4 else { return nil }
      let words = SourceFile.words(SourceFile.withoutAttributes(code))
      guard let place = words.firstIndex(where: { !modifiers.contains($0) }), keywords.contains(words[place]), place + 1 < words.count
      else { return nil }
      let keyword = words[place]
      // A case of a switch declares nothing.
      if keyword == "case",
        !file.owner(of: line).utf8.split(separator: UInt8(ascii: " ")).contains(where: { $0.elementsEqual("enum".utf8) })
      {
        return nil
      }
      let isTop = !code.hasPrefix(" ")
      let end = isTop ? file.code[line...].dropFirst(code.hasSuffix("}") ? 0 : 1).firstIndex { $0.hasPrefix("}") } ?? line : line
      return SourceDeclaration(name: words[place + 1], keyword: keyword, file: file, line: line, extent: line..<max(line, end) + 1)
    }
  }

  /// True if it is declared at the top of its file.
  var isTop: Bool { !file.code[line].hasPrefix(" ") }
}

extension SourceFile {
  /// The signature that begins at a line, up to the body, in one line; nil if the line begins none.
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

  /// A line without what stands before the declaration's first word.
  static func withoutAttributes(_ line: String) -> String {
    line.utf8.contains(UInt8(ascii: "@")) ? line.replacing(#/^\s*(@\w+(\([^)]*\))?\s+)*/#, with: "") : String(line.drop { $0 == " " })
  }

  /// The line that opens the braces around a line; empty at the top of a file.
  func owner(of line: Int) -> String {
    let indent = code[line].utf8.prefix { $0 == UInt8(ascii: " ") }.count
    return code[..<line].last { !$0.isEmpty && $0.hasSuffix("{") && $0.utf8.prefix { $0 == UInt8(ascii: " ") }.count < indent } ?? ""
  }

  /// The doc comment above a line, attributes left out.
  func documentation(above line: Int) -> [String] {
    raw[..<line].reversed().prefix { $0.contains(#/^\s*(\/\/\/|@)/#) }.reversed().filter { $0.contains("///") }
  }
}

extension SourceDeclaration {
  nonisolated(unsafe) fileprivate static let signatureStart =
    #/^(?:(?:public|package|internal|private|fileprivate|static|mutating|nonmutating|final|override|consuming|borrowing|convenience|required)\s+)*(?:func|init|subscript)\b/#
}
