// A history file: a line for each run of a sweep or check, appended as safely as runs are to a journal.

import Analysis
import Base

/// A file of JSON lines `{"crc32":"…","entry":{…}}`; the checksum is that of the entry's bytes, as in journals.
package enum HistoryFile {
  private static let start = "{\"crc32\":\"", middle = "\",\"entry\":"
  /// The bytes of a line before the entry.
  package static let headSize = start.utf8.count + 8 + middle.utf8.count
  /// The largest magnitude of a mean or a variance.
  private static let valueLimit = 1e15
  /// The longest wait for another process that writes the file.
  private static let lockTime = Duration.seconds(20)

  /// The entries of a file, the ignored lines, and the size up to the end of the last whole line.
  package struct Contents {
    package fileprivate(set) var entries: [HistoryEntry] = []
    package fileprivate(set) var notes: [String] = []
    fileprivate var size = 0
    fileprivate var lacksLineFeed = false
  }

  /// Reads a file. A torn last line, as after a power failure, and damaged lines are ignored, with a note for each.
  /// - Throws: `OutputProblem` if the file cannot be read; `InvalidInput` for a file that is no history, or lines of another form.
  package static func contents(_ path: String) throws -> Contents { try contents(InputFile(name: path, bytes: SystemFile.contents(path))) }

  /// Reads the bytes of a file. O(bytes).
  /// - Throws: `InvalidInput` for a file that is no history, or lines of another form.
  package static func contents(_ file: InputFile) throws -> Contents {
    var (contents, sink) = (Contents(), DiagnosticSink())
    var number = 0
    var position = 0
    while position < file.bytes.count {
      let end = file.bytes[position...].firstIndex(of: 0x0A) ?? file.bytes.count
      number += 1
      let line = file.bytes[position..<end]
      let location = SourceLocation(file: file.name, line: number)
      if let entry = payload(line), entry != nil || end < file.bytes.count {
        if let entry = entry.flatMap({ read($0, location, sink) }) { contents.entries.append(entry) }
        if entry == nil { contents.notes.append("\(location): the checksum is another; the line was damaged or edited, and is ignored") }
        (contents.size, contents.lacksLineFeed) = (min(end + 1, file.bytes.count), end == file.bytes.count)
      } else if end == file.bytes.count, line.starts(with: start.utf8.prefix(line.count)) || !contents.entries.isEmpty {
        contents.notes.append("\(location): the last line is incomplete and ignored")
      } else if contents.entries.isEmpty {
        sink.report(
          at: location, key: "history", problem: "this is no history", remedy: "name a file that `\(Program.name) history add` wrote")
        throw sink.found
      } else {
        contents.notes.append("\(location): is no entry and is ignored")
        contents.size = end + 1
      }
      position = end + 1
    }
    try sink.throwIfAny()
    return contents
  }

  /// Returns the entry's bytes of a line, or nil in their stead if they have another checksum; nil for a line of another form.
  private static func payload(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8>?? {
    guard line.count > headSize, line.starts(with: start.utf8), line.last == UInt8(ascii: "}") else { return nil }
    let digits = line.dropFirst(start.utf8.count).prefix(8)
    guard line.dropFirst(start.utf8.count + 8).starts(with: middle.utf8) else { return nil }
    let entry = line.dropFirst(headSize).dropLast()
    let sum = entry.withUnsafeBytes(RecordCoding.checksum)
    return .some(UInt32(String(decoding: digits, as: UTF8.self), radix: 16) == sum ? entry : nil)
  }

  private static func read(_ json: ArraySlice<UInt8>, _ location: SourceLocation, _ sink: DiagnosticSink) -> HistoryEntry? {
    func report(_ key: String, _ problem: String, _ remedy: String) -> HistoryEntry? {
      sink.report(at: location, key: key, problem: problem, remedy: remedy)
      return nil
    }
    let entry: HistoryEntry
    do { entry = try JSONDecoder().decode(HistoryEntry.self, from: Data(json)) } catch {
      return report("entry", "is of another form", "remove the line, or use the program that wrote it")
    }
    guard entry.formatVersion == HistoryEntry.currentFormatVersion else {
      return report(
        "formatVersion", "this program reads version \(HistoryEntry.currentFormatVersion), the line has \(entry.formatVersion)",
        "use the program that wrote it")
    }
    guard HistoryEntry.isTimestamp(entry.date) else {
      return report("date", "\(quoted(entry.date)) is no time such as 2027-01-31T22:00:00Z", "remove the line")
    }
    for point in entry.strata.flatMap(\.points) {
      guard point.mean.magnitude <= valueLimit, (0...valueLimit).contains(point.variance), point.count > 0 else {
        return report("points", "\(shortened(point.name, to: 60)) has an impossible mean, variance or count", "remove the line")
      }
    }
    return entry.bounded
  }

  /// Appends an entry and syncs it. False if the file has its rows, objective and weights and none was made since (`isResumed`, or the
  /// same date), or if it is a check with the result of the last one.
  /// - Throws: `Refusal` if another process writes for long, `InvalidInput` if the file is no history, `OutputProblem` if the disk refuses.
  @discardableResult package static func add(
    _ entry: HistoryEntry, to path: String, isResumed: Bool = false, fault: FileFault? = nil
  ) throws -> Bool {
    let entry = entry.bounded
    let parts = OutputFile.parts(of: path)
    _ = try ResultsFolder(path: parts.folder)
    let lock = try lock(path, "\(parts.folder)/.\(parts.name).lock", fault)
    defer { withExtendedLifetime(lock) {} }
    let known = SystemFile.exists(path) ? try contents(path) : Contents()
    let series = known.entries.filter { $0.sweep == entry.sweep && $0.isCheck == entry.isCheck }
    /// True if the runs of two equal tables are the same.
    func isSameStart(_ other: HistoryEntry) -> Bool { other.date == entry.date && [other.commit, nil].contains(entry.commit) }
    let isKnown =
      entry.isCheck
      ? series.last?.isEqual(to: entry) == true
      : series.contains {
        $0.rows == entry.rows && $0.objective == entry.objective && !entry.hasOtherWeights(than: $0) && (isResumed || isSameStart($0))
      }
    if isKnown { return false }
    let journal = try Journal(path: path, folder: parts.folder, size: known.size, fault: fault)
    try journal.append((known.lacksLineFeed ? [0x0A] : []) + withChecksum(entry.sortedJSON(isIndented: false)[...]))
    try journal.sync()
    SystemFile.syncFolder(parts.folder)
    return true
  }

  /// Returns the line of an entry's bytes.
  package static func withChecksum(_ json: ArraySlice<UInt8>) -> [UInt8] {
    let sum = ContentHash.hexadecimal(json.withUnsafeBytes(RecordCoding.checksum))
    return Array("\(start)\(sum)\(middle)".utf8) + json + Array("}\n".utf8)
  }

  /// Locks a file, which other sweeps of the same start may be writing.
  /// - Throws: `Refusal` if it stays locked, `OutputProblem` if no lock can be made.
  private static func lock(_ path: String, _ lockPath: String, _ fault: FileFault?) throws -> FolderLock {
    let end = ContinuousClock.now + lockTime
    while true {
      do { return try FolderLock(path: lockPath, folder: path, fault: fault) } catch let refusal as Refusal {
        guard ContinuousClock.now < end else { throw refusal }
        usleep(20_000)
      }
    }
  }
}
