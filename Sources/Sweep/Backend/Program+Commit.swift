// The commit that the program was built from.

import Base

extension Program {
  /// The program, its version, the version of its model, its build and its commit, as `--version` prints them.
  package static var versionText: String { "\(name) \(version) (model \(modelVersion), build \(build), commit \(commit))" }

  /// The commit of the source: of an exported archive, or of the checkout whose .build folder holds the program; else "unknown".
  package static let commit = archived ?? checkedOut ?? "unknown"

  /// The commit that `git archive` writes into the next line, by .gitattributes.
  private static var archived: String? {
    let commit = "$Format:%H$"
    return commit.hasPrefix("$") ? nil : commit
  }

  /// The commit that is checked out where the program was built.
  private static var checkedOut: String? {
    guard let link = Platform.executablePath, let real = realpath(link, nil) else { return nil }
    defer { free(real) }
    let program = String(cString: real)
    guard let end = program.firstRange(of: "/.build/")?.lowerBound else { return nil }
    var folder = "\(program[..<end])/.git"
    // In a linked worktree .git is a file that names the folder.
    if let text = line(folder), text.hasPrefix("gitdir: ") { folder = String(text.dropFirst("gitdir: ".count)) }
    guard let head = line("\(folder)/HEAD") else { return nil }
    guard head.hasPrefix("ref: ") else { return head }
    let reference = head.dropFirst("ref: ".count)
    let common = line("\(folder)/commondir").map { InputFile.path($0, in: folder) } ?? folder
    if let commit = line("\(common)/\(reference)") { return commit }
    let packed = (try? SystemFile.contents("\(common)/packed-refs")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return packed.split(separator: "\n").first { $0.hasSuffix(" \(reference)") }.map { String($0.prefix { $0 != " " }) }
  }

  /// The first line of a small file; nil if it cannot be read.
  private static func line(_ path: String) -> String? {
    guard let bytes = try? SystemFile.contents(path, limit: 1 << 16) else { return nil }
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
