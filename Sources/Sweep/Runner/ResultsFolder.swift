// The folder of results: every file is written beside its place and moved there when all are whole.

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Results could not be written.
public struct OutputProblem: Error, CustomStringConvertible, Sendable {
  /// The file or folder.
  public let path: String
  /// What the system said.
  public let problem: String

  /// `path: problem; remedy`.
  public var description: String { "\(path):1:1: output: \(problem); name another folder with --output, or make room or rights there" }
}

/// Files on their way into a folder: `add` and `open` write under hidden names, `publish` renames them all.
public final class ResultsFolder {
  /// The folder.
  public let path: String
  private var pending: [String] = []
  /// The folders that were made for it, the innermost first.
  private var madeFolders: [String] = []

  /// Prepares a folder, which is made if it is not there.
  public init(path: String) throws(OutputProblem) {
    self.path = path
    madeFolders = Self.missing(path)
    try Self.make(path)
  }

  /// What is not there of a folder and those around it, the innermost first.
  private static func missing(_ path: String) -> [String] {
    var folder = path[...]
    var missing: [String] = []
    while !folder.isEmpty, !FileManager.default.fileExists(atPath: String(folder)) {
      missing.append(String(folder))
      folder = folder.lastIndex(of: "/").map { folder[..<$0] } ?? ""
    }
    return missing
  }

  /// Makes a folder, if it is not there.
  static func make(_ path: String) throws(OutputProblem) {
    do {
      try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    } catch {
      // Asked once more for the system's own word.
      _ = mkdir(path, 0o777)
      throw OutputProblem(path: path, problem: "the folder cannot be made: \(SystemFile.message)")
    }
  }

  /// Takes the folder's lock, which is held until what is returned goes away.
  ///
  /// - Throws: `Refusal` where another process holds it.
  public func lock() throws -> AnyObject {
    let inner = "\(path)/\(JournaledSweep.folderName)"
    let isNew = !FileManager.default.fileExists(atPath: inner)
    try Self.make(inner)
    let lock = try FolderLock(path: "\(inner)/\(Self.lockName)", folder: path)
    if isNew { madeFolders.insert(inner, at: 0) }
    return lock
  }

  private static let lockName = "lock"
  /// The lock of whoever ends what an earlier start left running.
  static let processesName = "processes"

  /// Opens a file that will be called `name`, which may be in a folder of its own: `charts/cost.svg`.
  public func open(_ name: String) throws(OutputProblem) -> OutputFile {
    if let slash = name.lastIndex(of: "/") {
      let inner = "\(path)/\(name[..<slash])"
      let missing = Self.missing(inner)
      if !missing.isEmpty { try Self.make(inner) }
      madeFolders = missing + madeFolders
    }
    let file = try OutputFile(path: hidden(name), shownAs: "\(path)/\(name)")
    pending.append(name)
    return file
  }

  /// Writes a whole file that will be called `name`.
  public func add(_ name: String, _ contents: some Sequence<UInt8>) throws(OutputProblem) {
    let file = try open(name)
    try file.append(contents)
    try file.close()
  }

  /// The rows of a file that has been written and is not yet published.
  ///
  /// - Throws: `Refusal` where it cannot be read.
  public func rows(of name: String) throws(Refusal) -> RunFile { try RunFile(path: hidden(name), shownAs: "\(path)/\(name)") }

  /// Moves all files to their places, each at once and whole.
  public func publish() throws(OutputProblem) {
    for name in pending {
      guard rename(hidden(name), "\(path)/\(name)") == 0 else { throw OutputProblem(path: "\(path)/\(name)", problem: SystemFile.message) }
    }
    for inner in innerFolders { SystemFile.syncFolder("\(path)/\(inner)") }
    SystemFile.syncFolder(path)
    pending = []
    madeFolders = []
  }

  /// Takes away a file that an earlier publication left and that no longer holds, and the folder within this one that it was the last of.
  public func remove(_ name: String) {
    guard unlink("\(path)/\(name)") == 0, let slash = name.lastIndex(of: "/") else { return }
    rmdir("\(path)/\(name[..<slash])")
  }

  /// Takes away whatever was not published, and the folders that were made for it; locks that were taken in a folder of their own while
  /// nothing else was written there go with it.
  public func discard() {
    for name in pending { unlink(hidden(name)) }
    pending = []
    for folder in madeFolders {
      let locks = [Self.lockName, Self.processesName]
      let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      if names.allSatisfy(locks.contains) { for name in names { unlink("\(folder)/\(name)") } }
      rmdir(folder)
    }
    madeFolders = []
  }

  /// The folders within this one that files wait to be moved in.
  private var innerFolders: [String] {
    pending.reduce(into: []) { folders, name in
      let folder = name.lastIndex(of: "/").map { String(name[..<$0]) }
      if let folder, !folders.contains(folder) { folders.append(folder) }
    }
  }

  /// A name of this process' own, so that two runs into one folder do not write into each other's files.
  private func hidden(_ name: String) -> String {
    let start = name.lastIndex(of: "/").map { name.index(after: $0) } ?? name.startIndex
    return "\(path)/\(name[..<start]).\(name[start...]).\(getpid()).partial"
  }
}

/// A file that is written piece by piece.
public final class OutputFile {
  private static let bufferSize = 1 << 16
  private let descriptor: Int32
  private let name: String
  private var buffer: [UInt8] = []

  init(path: String, shownAs name: String) throws(OutputProblem) {
    self.name = name
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw OutputProblem(path: name, problem: SystemFile.message) }
    buffer.reserveCapacity(Self.bufferSize * 2)
  }

  /// Adds bytes at the end.
  public func append(_ bytes: some Sequence<UInt8>) throws(OutputProblem) {
    buffer.append(contentsOf: bytes)
    if buffer.count >= Self.bufferSize { try flush() }
  }

  /// Writes what is left, to the disk itself, and closes.
  public func close() throws(OutputProblem) {
    try flush()
    let synced = fsync(descriptor) == 0
    let message = SystemFile.message
    // The name is taken by the method.
    #if canImport(Glibc)
      let closed = Glibc.close(descriptor) == 0
    #elseif canImport(Musl)
      let closed = Musl.close(descriptor) == 0
    #else
      let closed = Darwin.close(descriptor) == 0
    #endif
    if !synced || !closed { throw OutputProblem(path: name, problem: message) }
  }

  private func flush() throws(OutputProblem) {
    var written = 0
    while written < buffer.count {
      let count = buffer.withUnsafeBytes { write(descriptor, $0.baseAddress! + written, buffer.count - written) }
      if count < 0 {
        if errno == EINTR { continue }
        throw OutputProblem(path: name, problem: SystemFile.message)
      }
      written += count
    }
    buffer.removeAll(keepingCapacity: true)
  }
}
