// Makes the items of a feed from the entries of an HTTP archive.

import Base
import Inputs
import Simulation

/// Collects the entries of an archive and writes them as the items of a feed file, in the order of their starts.
/// Parts of one resource, and the segments of one video, are one item, wherever they stand; bytes that come twice count once.
struct HARItems {
  private struct Item {
    var kind: ItemKind
    var bytes: Int64 = 0
    /// True if all of it came from a cache.
    var isCached = true
    /// True if each of its transfers was ended by the client.
    var isCancelled = true
    /// False for sound without a video.
    var isShown = false
    /// The bytes of the resource, if a response says so, and those of its first part.
    var total: Int64?, prefix: Int64?

    /// The item as a row of a feed. Only a session needs the prefix of a video, and the bytes that it did not request.
    func row(usualPrefix: Int64?) -> String {
      let isVideo = kind == .video && usualPrefix != nil
      let prefix = isVideo ? ", \"prefixBytes\": \(min(bytes, prefix ?? usualPrefix ?? bytes))" : ""
      return "{ \"kind\": \"\(kind.name)\", \"bytes\": \(bytes)\(prefix) }"
    }
  }

  /// The most entries that are kept; a feed has at most as many items.
  private static let entryLimit = 4 * FeedReader.itemLimit
  /// The most entries without a size, and the most pages, that are named.
  private static let namedLimit = 20

  private let feed: OutputFile?
  private let timings: OutputFile?
  private let needs: HAREntry.Needs
  /// The page whose entries are read; nil for an archive of one page.
  private let page: String?
  private var entries: [HAREntry] = []
  private var items: [Item] = []
  /// The items written so far.
  private(set) var count = 0
  /// The entries that are no items, by reason.
  private(set) var omitted: [HAREntry.Omission: Int] = [:]
  /// The addresses of the first entries without a size.
  private(set) var unsized: [String] = []
  /// The feed as written; empty unless a session is read.
  private(set) var feedText = "{ \"items\": [\n"
  /// The number of requests for manifests and playlists of videos.
  private(set) var manifests = 0
  /// The requests of the session, in the order of their starts; empty unless one is read.
  private(set) var requests: [RecordedRequest] = []

  /// Creates an empty feed; `session` is true if the requests are kept.
  /// - Throws: `OutputProblem` if the disk refuses the rows.
  init(feed: OutputFile?, timings: OutputFile?, page: String? = nil, isSession: Bool = false, api: String? = nil) throws(OutputProblem) {
    (self.feed, self.timings, self.page) = (feed, timings, page)
    needs = HAREntry.Needs(details: timings != nil || isSession, cancelled: isSession, api: api)
    try feed?.append("{ \"items\": [\n".utf8)
    try timings?.append("item,startMs,\(HAREntry.timeNames.map { "\($0)Ms" }.joined(separator: ",")),bytes\n".utf8)
  }

  /// - Throws: `ValueProblem` if it is malformed, or one too many.
  mutating func add(_ value: JSON5Value) throws {
    guard entries.count < Self.entryLimit else {
      throw ValueProblem("is one entry more than the \(Self.entryLimit) that are read", remedy: "shorten the archive")
    }
    do {
      entries.append(try HAREntry(value, order: entries.count, after: entries.last?.start ?? .min, needs: needs))
    } catch let reason as HAREntry.Omission {
      // An archive of `explain --har` has its items apart from its requests.
      if value["_item"] != nil { return }
      omitted[reason, default: 0] += 1
      guard reason == .unsized, unsized.count < Self.namedLimit else { return }
      unsized.append(value["request"]?["url"]?.text ?? "")
    }
  }

  /// Writes the items, or the whole feed that an archive of `explain --har` has in its log, and ends the feed.
  /// - Throws: `ValueProblem` if the archive has several pages or a malformed feed, `OutputProblem` if the disk refuses the rows.
  mutating func finish(_ log: JSON5Value) throws {
    try choosePage()
    entries.sort { ($0.start, $0.order) < ($1.start, $1.order) }
    let owners = owners()
    var numbers: [Int?] = []
    let usualPrefix = needs.cancelled ? completeItems() : nil
    for item in items {
      numbers.append(item.isShown ? count : nil)
      guard item.isShown else { continue }
      guard item.bytes <= FeedReader.bytesLimit else {
        throw ValueProblem("has an item of \(item.bytes) bytes, more than \(FeedReader.bytesLimit)", remedy: "remove its entries")
      }
      try write(item.row(usualPrefix: usualPrefix))
    }
    for item in log["_feed"]?.members ?? [] {
      guard ItemKind.allCases.contains(where: { $0.name == item.value["kind"]?.text }), HAREntry.number(item.value["bytes"]) ?? 0 > 0 else {
        throw ValueProblem("has no kind or no bytes of the item \(quoted(item.key)) in _feed", remedy: "write the archive again")
      }
      try write(item.value.canonicalText)
    }
    try feed?.append("\n] }\n".utf8)
    if needs.cancelled { feedText += "\n] }\n" }
    guard needs.details else { return }
    var (first, pages): (Int64?, Int) = (nil, 0)
    for (entry, owner) in zip(entries, owners) {
      var number = owner.flatMap { numbers[$0].map(Int64.init) }
      if case .indexed(let index) = entry.role { number = index }
      if needs.cancelled, entry.role == .page { (number, pages) = (Int64(pages), pages + 1) }
      guard let number, let details = entry.details else { continue }
      if entry.start > .min { first = first ?? entry.start }
      if needs.cancelled, let first, !entry.isCached || details.isCancelled {
        requests.append(RecordedRequest(entry, details, number: Int(clamping: number), since: first))
      }
      let offset = first.map { ExactDecimal.text(entry.start - $0, decimals: 3) } ?? ""
      let times = details.times.map { $0.map { ExactDecimal.text($0, decimals: 3) } ?? "" }.joined(separator: ",")
      try timings?.append("\(number),\(offset),\(times),\(entry.bytes)\n".utf8)
    }
  }

  /// Adds the bytes of a session's items that were not requested; returns the prefix of videos without one: the largest, or 200 KB.
  private mutating func completeItems() -> Int64 {
    for index in items.indices {
      items[index].bytes = max(1, items[index].bytes, items[index].total ?? 0)
      if let prefix = items[index].prefix, prefix >= items[index].bytes { items[index].prefix = nil }
    }
    return items.compactMap(\.prefix).max() ?? 200_000
  }

  /// Keeps the entries of one page.
  /// - Throws: `ValueProblem` if there are several and none is chosen, or another one is.
  private mutating func choosePage() throws(ValueProblem) {
    let pages = entries.compactMap(\.page)
    let counts = Dictionary(pages.lazy.map { ($0, 1) }, uniquingKeysWith: +)
    let names = pages.distinct.prefix(Self.namedLimit).map { "\(quoted($0)) (\(counts[$0] ?? 0))" }
    let list = names.joined(separator: ", ") + (counts.count > names.count ? ", …" : "")
    if let page {
      guard counts[page] != nil else {
        throw ValueProblem(
          "has no page \(quoted(page))", remedy: counts.isEmpty ? "leave out --page" : "name one of its pages, with their entries: \(list)")
      }
      entries.removeAll { $0.page != page }
    } else if counts.count > 1 {
      throw ValueProblem("has \(counts.count) pages or loads, with their entries: \(list)", remedy: "choose one with --page")
    }
  }

  /// Returns the item of each entry, in the order of their starts; nil for entries of none.
  private mutating func owners() -> [Int?] {
    let streams = HARStreams(entries)
    // The items by address or stream, and the bytes that each address of a part has.
    var (known, ranges) = ([UInt64: Int](), [UInt64: [Range<Int64>]]())
    // The first address of each resource that several hosts have, by its path and length and by its further addresses.
    var (originals, aliases) = ([UInt64: UInt64](), [UInt64: UInt64]())
    return entries.map { entry in
      guard let kind = entry.kind, case let stream = kind == .video ? streams.stream(of: entry) : nil, entry.role != .audio || stream != nil
      else {
        if entry.role == .audio || entry.role == .manifest { omitted[.other, default: 0] += 1 }
        if entry.role == .manifest { manifests += 1 }
        return nil
      }
      if let copy = entry.copyKey, aliases[entry.key] == nil, known[entry.key] == nil {
        aliases[entry.key] = originals[copy] ?? entry.key
        originals[copy] = aliases[entry.key]
      }
      let address = stream == nil ? aliases[entry.key] ?? entry.key : entry.key
      let key = stream.map(StableHash.of) ?? address
      let open = known[key]
      if let open, entry.isCached, !items[open].isCached {
        omitted[.cached, default: 0] += 1
        return nil
      }
      let isWhole = !entry.isPart && kind != .video
      let isCancelled = entry.details?.isCancelled ?? false
      // A whole image or page that arrives again is another item, unless only a cache had it before, or no transfer reached its end.
      var item = Item(kind: kind)
      let isKnown = open.map { !isWhole || items[$0].isCached || items[$0].isCancelled } ?? false
      if let open, isKnown { item = items[open] }
      if isWhole { item.bytes = 0 }
      let offset = entry.range?.lowerBound ?? 0
      if item.prefix == nil, entry.isPart || stream != nil, !isCancelled, offset == 0, entry.bytes > 2 { item.prefix = entry.bytes }
      // Some players count a range's last byte as the first of the next one.
      if let prefix = item.prefix, offset < prefix, offset > prefix - 4 { item.prefix = offset }
      if stream == nil { item.total = item.total ?? entry.details?.total }
      item.isCancelled = item.isCancelled && isCancelled
      item.bytes += entry.range.flatMap { isWhole ? nil : ranges[address, default: []].cover($0) } ?? entry.bytes
      item.isCached = item.isCached && entry.isCached
      item.isShown = item.isShown || entry.role != .audio
      let index = open.flatMap { isKnown ? $0 : nil } ?? items.count
      if index == items.count { items.append(item) } else { items[index] = item }
      known[key] = index
      return index
    }
  }

  /// - Throws: `OutputProblem` if the disk refuses the row.
  private mutating func write(_ item: String) throws(OutputProblem) {
    let row = "\(count == 0 ? "" : ",\n")    \(item)"
    try feed?.append(row.utf8)
    if needs.cancelled { feedText += row }
    count += 1
  }
}

extension [Range<Int64>] {
  /// Adds a range and returns its bytes that no other has. The ranges stay in order and apart. O(ranges).
  fileprivate mutating func cover(_ new: Range<Int64>) -> Int64 {
    let first = firstIndex { $0.upperBound >= new.lowerBound } ?? endIndex
    let end = self[first...].firstIndex { $0.lowerBound > new.upperBound } ?? endIndex
    let touched = self[first..<end]
    let all = touched.reduce(new) { Swift.min($0.lowerBound, $1.lowerBound)..<Swift.max($0.upperBound, $1.upperBound) }
    let before = touched.reduce(0) { $0 + ($1.upperBound - $1.lowerBound) }
    replaceSubrange(first..<end, with: CollectionOfOne(all))
    return all.upperBound - all.lowerBound - before
  }
}
