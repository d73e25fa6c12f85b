// Finds the segments that belong to one video of an HTTP archive (HLS, DASH), by their addresses.

/// The videos that are played in segments. A list of segments names them relative to its own folder, so its folder says which are its own.
struct HARStreams {
  /// The names of the lists of each folder, without their endings, first requested first.
  private var lists: [Substring: [Substring]] = [:]
  /// The lists whose segments begin with their name.
  private var named: Set<Substring> = []
  /// A segment's stream, by the folder of the segments; for folders without a list.
  private var folders: [Substring: Substring] = [:]

  /// Reads the addresses of all entries, in the order of their starts.
  init(_ entries: [HAREntry]) {
    for entry in entries where entry.role == .manifest {
      let path = Self.path(entry.address)
      let stem = path[..<(path.lastIndex(of: ".") ?? path.endIndex)]
      if lists[Self.folder(path)]?.contains(stem) != true { lists[Self.folder(path), default: []].append(stem) }
    }
    let stems = Set(lists.values.joined())
    for entry in entries where entry.isSegment || entry.role == .item(.video) || entry.role == .audio {
      let path = Self.path(entry.address)
      if let stem = Self.stem(of: path, in: stems) { named.insert(stem) }
      if entry.isSegment, !Self.isStart(path), folders[Self.folder(path)] == nil { folders[Self.folder(path)] = Self.series(path) }
    }
  }

  /// Returns the stream of an entry; nil if it is a resource of its own.
  func stream(of entry: HAREntry) -> String? {
    let path = Self.path(entry.address)
    if entry.isSegment || !entry.isOfElement {
      if let stem = Self.stem(of: path, in: named), let first = lists[Self.folder(stem)]?.first, named.contains(first) {
        return String(stem)
      }
      // A list of renditions stands above those of its renditions. The root of a host is above everything.
      let above = path.indices.lazy.filter { path[$0] == "/" }.map { path[...$0] }.filter { lists[$0] != nil }
      if let folder = above.first(where: { !$0.dropLast().hasSuffix("/") && $0.count { $0 == "/" } != 3 }) ?? above.last {
        return String(folder)
      }
    }
    let folder = Self.folder(path)
    if entry.role == .audio || Self.isStart(path), let series = folders[folder] { return String(series) }
    return entry.isSegment ? String(Self.series(path)) : nil
  }

  private static func path(_ address: String) -> Substring { address.prefix { $0 != "?" } }
  private static func folder(_ path: Substring) -> Substring {
    path[..<(path.lastIndex(of: "/").map(path.index(after:)) ?? path.startIndex)]
  }

  /// Returns the longest list's name that a path begins with, up to a character that ends a word.
  private static func stem(of path: Substring, in stems: Set<Substring>) -> Substring? {
    path.indices.last { !path[$0].isLetter && !path[$0].isNumber && stems.contains(path[..<$0]) }.map { path[..<$0] }
  }

  /// Returns a segment's path up to its last number.
  private static func series(_ path: Substring) -> Substring {
    let name = path[..<(path.lastIndex(of: ".") ?? path.endIndex)]
    guard let last = name.lastIndex(where: \.isNumber), last >= folder(path).endIndex else { return name }
    let digits = name[...last].reversed().prefix { $0.isNumber }.count
    return name[...last].dropLast(digits)
  }

  /// True for the part that comes before the segments.
  private static func isStart(_ path: Substring) -> Bool { path[folder(path).endIndex...].contains("init") }
}
