// Reads an entry of an HTTP archive: its part in a feed, its bytes on the wire, and where they stand in their resource.
// Sources: HAR 1.2; the exporters of Chrome (`_resourceType`, `_fromCache`, `_transferSize`), Safari (`_fetchType`), Firefox, Playwright,
// WebPageTest, Charles and mitmproxy.

import Base
import Inputs
import Simulation

/// A successful response that a feed may show, or that belongs to a video.
struct HAREntry {
  enum Role: Equatable {
    case item(ItemKind)
    /// A part of a video if it is played in segments, else nothing of a feed.
    case audio
    /// A list of a video's segments (HLS, DASH).
    case manifest
    /// A page of the feed's API.
    case page
    /// A request for the item with this index in the archive's own feed.
    case indexed(Int64)
  }

  /// The fields that timings and sessions need and feeds do not. A class, so that other imports hold one pointer for it.
  final class Details {
    /// The timings in the order of `timeNames`, in microseconds; nil where the archive has none.
    let times: [Int64?]
    let host: Substring, version: String
    let isSecure: Bool
    /// True if the client ended the transfer before its end.
    let isCancelled: Bool
    /// The bytes of the resource, and of the range that was asked for; nil if they are unknown.
    let total: Int64?, asked: Int64?

    fileprivate init(_ entry: JSON5Value, url: String, isCancelled: Bool, total: Int64?, asked: Int64?) {
      times = HAREntry.timeNames.map { HAREntry.number(entry["timings"]?[$0], decimals: 3) }
      let scheme = url.firstRange(of: "://")
      host = scheme.map { url[$0.upperBound...].prefix { $0 != "/" && $0 != "?" } } ?? ""
      isSecure = scheme.map { url[..<$0.lowerBound].lowercased() == "https" } ?? false
      let sent = entry["request"]?["httpVersion"]?.text ?? "", answered = entry["response"]?["httpVersion"]?.text ?? ""
      version = (answered.isEmpty || answered.lowercased() == "unknown" ? sent : answered).lowercased()
      (self.isCancelled, self.total, self.asked) = (isCancelled, total, asked)
    }
  }

  /// The parts of an archive's entries that an import needs besides its items.
  struct Needs {
    /// True for timings and sessions.
    var details = false
    /// True for sessions: transfers that the client ended are entries too.
    var cancelled = false
    /// The text in the addresses of the feed's API; nil for none.
    var api: String?
  }

  /// The reason why an entry is no item.
  enum Omission: String, Error, CaseIterable {
    case failed = "no successful GET"
    case local = "local addresses"
    case cached = "repeated from a cache"
    case unsized = "without a size"
    case other = "of other types"
  }

  /// The timings of HAR, in the order of the columns.
  static let timeNames = ["blocked", "dns", "connect", "ssl", "send", "wait", "receive"]

  /// Types that say nothing.
  private static let opaqueTypes = ["", "x-unknown", "application/octet-stream", "binary/octet-stream", "application/mp4", "text/plain"]
  private static let segmentEndings = ["ts", "m4s", "m4f", "cmfv", "cmfa"]
  private static let endings: [(names: [String], role: Role)] = [
    (["m3u8", "mpd"], .manifest), (["mp4", "m4v", "webm", "mov", "ts", "m4s", "m4f", "cmfv"], .item(.video)),
    (["jpg", "jpeg", "png", "gif", "webp", "avif", "heic"], .item(.image)), (["m4a", "aac", "mp3", "cmfa"], .audio),
  ]
  private static let localSchemes = ["data:", "blob:", "about:", "file:", "chrome-extension:", "moz-extension:", "safari-web-extension:"]

  let role: Role
  /// The address of media and lists, without its fragment and without a range that the player wrote into it; empty for other roles.
  let address: String
  /// The hash of the address.
  let key: UInt64
  /// The hash of a part's address without its host, and of the resource's length; nil for other entries.
  /// Hosts of one content delivery network agree in it.
  let copyKey: UInt64?
  /// The microseconds since 1970; those of the entry before if it has none.
  let start: Int64
  /// The place among the entries of the archive.
  let order: Int
  /// The id of the entry's page; nil if it has none.
  let page: String?
  /// The bytes of the body on the wire.
  let bytes: Int64
  let isPart: Bool
  /// The bytes of the resource that the response has; nil if that is unknown.
  let range: Range<Int64>?
  let isCached: Bool
  let isSegment: Bool
  /// True if the page's own element requested it, as for a video that is no list of segments.
  let isOfElement: Bool
  /// Nil unless they are needed.
  private(set) var details: Details?

  /// Reads the entry with an index; `previous` is the start of the one before.
  /// - Throws: `Omission` if it is no part of a feed, `ValueProblem` if it is malformed.
  init(_ entry: JSON5Value, order: Int, after previous: Int64, needs: Needs) throws {
    self.order = order
    let (request, response) = (entry["request"], entry["response"])
    guard let method = request?["method"]?.text else {
      throw ValueProblem("is an entry without a request's method or a response's status", remedy: "save the archive again")
    }
    // A longer address is kept as its length only; browsers take none that long except for data.
    let url = request?["url"]?.text ?? (request?["url"] == nil ? "" : Self.localSchemes[0])
    if Self.localSchemes.contains(where: { url.prefix($0.utf8.count).lowercased() == $0 }) { throw Omission.local }
    let status = Self.number(response?["status"])
    let isCancelled = needs.cancelled && Self.isCancelled(entry, response)
    guard method == "GET" || needs.api != nil, status == 200 || status == 206 || isCancelled else { throw Omission.failed }
    let content = response?["content"]
    let type = (content?["mimeType"]?.text ?? "").prefix { $0 != ";" }.lowercased()
    let path = url.prefix { $0 != "?" && $0 != "#" }
    let ending = path.lastIndex { $0 == "." || $0 == "/" }.map { path[$0...].dropFirst().lowercased() } ?? ""
    let source = entry["_resourceType"]?.text
    let own = Self.number(entry["_item"]).map { Role.indexed($0) }
    let isPage = needs.api.map { url.contains($0) } ?? false
    guard isPage || method == "GET" else { throw Omission.failed }
    guard let found = isPage ? .page : own ?? Self.role(type: type, ending: ending, source: source) else { throw Omission.other }
    role = found
    isSegment = Self.segmentEndings.contains(ending) || type == "video/mp2t" || type.hasSuffix("/iso.segment")
    isOfElement = source == "media"
    guard let size = isCancelled ? Self.read(response) : Self.size(response) ?? (isPage ? 0 : nil) else { throw Omission.unsized }
    guard size <= FeedReader.bytesLimit else {
      throw ValueProblem("is a response of \(size) bytes, more than \(FeedReader.bytesLimit)", remedy: "remove the entry")
    }
    bytes = size
    let isMedia = role == .item(.video) || role == .audio
    let (bare, written) = Self.split(url.prefix { $0 != "#" }, takesRange: isMedia)
    (address, key, isPart) = (isMedia || role == .manifest ? bare : "", StableHash.of(bare), status == 206 || isCancelled)
    let sent = Self.range(Self.header(response, "content-range"))
    let local = bare.firstRange(of: "://").flatMap { bare[$0.upperBound...].firstIndex(of: "/") }.map { bare[$0...] }
    copyKey = isPart ? sent?.total.flatMap { total in local.map { StableHash.of("\(total) \($0)") } } : nil
    let first = sent?.first ?? (isPart ? Self.range(Self.header(request, "range"))?.first : written ?? 0)
    let last = isPart ? sent?.last : nil
    range = first.map { first in first..<(last.map { max(first, $0 + 1) } ?? first + size) }
    isCached = !isCancelled && Self.isCached(entry, response)
    page = entry["pageref"]?.text
    start = entry["startedDateTime"]?.text.flatMap(Self.microseconds) ?? previous
    guard needs.details else { return }
    let length = Self.header(response, "content-length").flatMap { Int64($0) }
    let total = sent?.total ?? (status == 200 ? length ?? (isCancelled ? nil : size) : nil)
    func valid(_ bytes: Int64?) -> Int64? { bytes.flatMap { (1...FeedReader.bytesLimit).contains($0) ? $0 : nil } }
    let asked = isPart ? sent.flatMap { sent in sent.last.map { $0 - sent.first + 1 } } : nil
    details = Details(entry, url: url, isCancelled: isCancelled, total: valid(total), asked: valid(asked))
  }

  /// Returns true if the client ended the transfer: the error that browsers note or, without any, no status. A negative status is a failure.
  private static func isCancelled(_ entry: JSON5Value, _ response: JSON5Value?) -> Bool {
    let error = (response?["_error"] ?? response?["_failureText"] ?? entry["_error"])?.text?.lowercased() ?? ""
    if error.isEmpty { return ["0", "null"].contains(response?["status"]?.canonicalText ?? "0") }
    return ["abort", "cancel"].contains { error.contains($0) }
  }

  /// Returns the bytes of the body that a client read before it ended the transfer.
  private static func read(_ response: JSON5Value?) -> Int64 {
    let content = response?["content"]
    return [number(content?["size"]), number(response?["bodySize"]), number(response?["_transferSize"])].compactMap(\.self).filter {
      $0 > 0
    }.min() ?? 0
  }

  /// The kind of an item, or of the video to which sound belongs.
  var kind: ItemKind? {
    switch role {
    case .item(let kind): kind
    case .audio: .video
    case .manifest, .page, .indexed: nil
    }
  }

  /// Returns true if the response came from a cache or a service worker, which requests it itself if it must.
  private static func isCached(_ entry: JSON5Value, _ response: JSON5Value?) -> Bool {
    // Chrome; a service worker; Safari; Firefox; HAR 1.2.
    if ![nil, .null, .boolean(false), .string("")].contains(entry["_fromCache"]?.kind) { return true }
    if [entry, response].contains(where: { $0?["_fetchedViaServiceWorker"]?.kind == .boolean(true) }) { return true }
    if let type = entry["_fetchType"]?.text, type.hasSuffix("Cache") || type == "Service Worker" { return true }
    if entry["cache"]?["afterRequest"] != nil, number(response?["bodySize"]) == nil { return true }
    return number(response?["_transferSize"]) == 0 || number(response?["bodySize"]) == 0
  }

  /// Returns the part of a response in a feed by its type, or by its address and element if the type says nothing; nil for none.
  private static func role(type: String, ending: String, source: String?) -> Role? {
    if type.contains("mpegurl") || type.hasPrefix("application/dash+xml") { return .manifest }
    if let role = endings.first(where: { $0.names.contains(ending) })?.role,
      opaqueTypes.contains(type) || role == .manifest && !type.hasPrefix("text/html")
    {
      return role
    }
    if type.hasPrefix("image/") { return .item(.image) }
    if type.hasPrefix("video/") { return .item(.video) }
    if type.hasPrefix("audio/") { return .audio }
    if type == "text/html" { return .item(.webApp) }
    guard opaqueTypes.contains(type), type != "text/plain" else { return nil }
    return source == "image" ? .item(.image) : source == "media" ? .item(.video) : source == "document" ? .item(.webApp) : nil
  }

  /// Returns the bytes of the body on the wire; nil if the archive has no size above 0.
  /// Of the sizes with and without encoding and headers, the smallest is that of the body.
  private static func size(_ response: JSON5Value?) -> Int64? {
    if let text = header(response, "content-length"), let length = Int64(text), length > 0 { return length }
    let content = response?["content"]
    let transfer = number(response?["_transferSize"]).map { $0 - (number(response?["headersSize"]) ?? 0) }
    if let smallest = [number(content?["size"]), number(response?["bodySize"]), transfer].compactMap(\.self).filter({ $0 > 0 }).min() {
      return smallest
    }
    // The splitter keeps the length of a long text, without the signs that pad base64.
    let isBase64 = content?["encoding"]?.text == "base64"
    let written = content?["text"]?.text.map { Int64($0.utf8.count - (isBase64 ? $0.utf8.reversed().prefix { $0 == 0x3D }.count : 0)) }
    let length = (written ?? number(content?["text"]) ?? 0) * (isBase64 ? 3 : 4) / 4
    return length > 0 ? length : nil
  }

  private static func header(_ message: JSON5Value?, _ name: String) -> String? {
    message?["headers"]?.elements?.first { $0["name"]?.text?.lowercased() == name }?["value"]?.text
  }

  /// Returns the first and last byte, and the size of the resource, of `bytes=0-99`, `bytes 0-99/1000` or `bytes=100-`; nil for others.
  private static func range(_ text: String?) -> (first: Int64, last: Int64?, total: Int64?)? {
    guard let parts = text?.lowercased().split(separator: "-", maxSplits: 1), parts.count > 0, parts[0].hasPrefix("bytes") else {
      return nil
    }
    let total = parts.last.flatMap { $0.split(separator: "/").dropFirst().first }.flatMap(position)
    return position(parts[0].dropFirst(6)).map { ($0, parts.count > 1 ? position(parts[1].prefix { $0.isNumber }) : nil, total) }
  }

  private static func position(_ text: Substring) -> Int64? { Int64(text).flatMap { (0..<1 << 50).contains($0) ? $0 : nil } }

  /// Returns an address without a range that it has as a parameter, such as `bytestart`, and the range's first byte.
  private static func split(_ address: Substring, takesRange: Bool) -> (address: String, first: Int64?) {
    guard takesRange, let mark = address.firstIndex(of: "?") else { return (String(address), nil) }
    var first: Int64?
    let rest = address[mark...].dropFirst().split(separator: "&").filter { part in
      let pair = part.lowercased().split(separator: "=")
      guard pair.count == 2, ["range", "bytes", "bytestart", "byteend"].contains(pair[0]),
        let number = position(pair[1].prefix { $0 != "-" })
      else { return true }
      first = pair[0] == "byteend" ? first : number
      return false
    }
    return (address[...mark] + rest.joined(separator: "&"), first)
  }

  /// Returns a non-negative number × 10^`decimals`; nil if the archive has none.
  static func number(_ value: JSON5Value?, decimals: Int = 0) -> Int64? {
    guard case .number(var text)? = value?.kind else { return nil }
    return text.withUTF8 { TextLine(number: 0, bytes: UnsafeRawBufferPointer($0)).number(0..<$0.count, decimals: decimals) }
  }

  /// Returns microseconds since 1970 of an entry's start: `2024-05-01T10:00:00.123Z`, `…+02:00`, or without a zone, which is then UTC.
  private static func microseconds(_ text: String) -> Int64? {
    var text = text
    return text.withUTF8 { bytes in
      let line = TextLine(number: 0, bytes: UnsafeRawBufferPointer(bytes))
      let end = bytes.indices.dropFirst(17).first { bytes[$0] != UInt8(ascii: ".") && !(0x30...0x39).contains(bytes[$0]) } ?? bytes.count
      guard end > 17, let minutes = line.minutes(0..<bytes.count), let second = line.number(17..<end, decimals: 6) else { return nil }
      func result(_ minutes: Int64) -> Int64 { minutes * 60_000_000 + second }
      if end == bytes.count || bytes[end] == UInt8(ascii: "Z") { return result(minutes) }
      func number(_ start: Int) -> Int64? { start + 2 <= bytes.count ? line.number(start..<start + 2) : nil }
      let hasColon = end + 3 < bytes.count && bytes[end + 3] == UInt8(ascii: ":")
      guard let hours = number(end + 1), let rest = number(end + (hasColon ? 4 : 3)) else { return nil }
      return result(minutes - (hours * 60 + rest) * (bytes[end] == UInt8(ascii: "-") ? -1 : 1))
    }
  }
}
