// `backend: "live"` or `backend: { live: { … } }`: what a sweep file says of a real client.

import Analysis
import Import
import Simulation

/// The settings of live runs: a server whose files match the feed, so that item 7 is a file of as many bytes as item 7 has.
package struct LiveBackend: Sendable {
  /// The start of all addresses, without a slash at its end.
  package var server = "http://127.0.0.1:8080"
  /// The path of an item; `{repetition}` counts from 1 and `{item}` from 0. A folder for each repetition, because each may draw another feed.
  package var items = "{repetition}/{item}"
  /// The path of a page; `{page}` counts from 0.
  package var pages = "{repetition}/page-{page}"
  /// The longest time without a byte of a request; then its run fails.
  package var requestTimeout = Interval.seconds(60)
  /// How long a run may last; nil for as long as its user takes.
  package var timeLimit: Interval?
  /// How long is waited after a run, until what was on the way has left the link.
  package var coolDown = Interval.seconds(1)
  package let location: SourceLocation

  /// All defaults, without a place for one that no sweep file asks for.
  package init(at location: SourceLocation = SourceLocation(file: "")) { self.location = location }

  package init(from reader: ObjectReader) {
    self.init(at: reader.location)
    var reader = reader
    server = Self.address(&reader, default: server)
    items = Self.path(&reader, "items", default: items, needs: "{item}")
    pages = Self.path(&reader, "pages", default: pages, needs: "{page}")
    let limits = 1_000_000_000...Parameter.day
    requestTimeout = Interval(nanoseconds: reader.duration("requestTimeout", default: requestTimeout.nanoseconds, in: limits))
    timeLimit = reader.optional("timeLimit") { $0.duration("timeLimit", in: limits) }.map { Interval(nanoseconds: $0) }
    coolDown = Interval(
      nanoseconds: reader.duration("coolDown", default: coolDown.nanoseconds, in: 0...Parameter.day))
    reader.finish()
  }

  private static func address(_ reader: inout ObjectReader, default fallback: String) -> String {
    let text = reader.text("server", default: fallback)
    let host = text.split(separator: "://", maxSplits: 1).last.map(String.init) ?? ""
    let isAddress = (text.hasPrefix("http://") || text.hasPrefix("https://")) && !host.isEmpty && !text.contains { $0.isWhitespace }
    if !isAddress || text.contains("?") || text.contains("#") {
      reader.report("server", problem: "is \(quoted(text)), not where files are", remedy: "write it such as \(quoted(fallback))")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private static func path(_ reader: inout ObjectReader, _ key: String, default fallback: String, needs placeholder: String) -> String {
    let text = reader.text(key, default: fallback)
    let rest = text.replacing(placeholder, with: "").replacing("{repetition}", with: "")
    if !text.contains(placeholder) || rest.contains("{") || rest.contains("}") || text.contains(where: \.isWhitespace) {
      reader.report(
        key, problem: "is \(quoted(text)), which does not name one file each", remedy: "write \(placeholder), and {repetition} if you like")
    }
    return text.hasPrefix("/") ? String(text.dropFirst()) : text
  }

  package var summary: String {
    "a real client in real time, files from \(server); of its link is known what stands below, by which bound, impossible and late are judged"
  }

  /// Whatever of the settings decides a run, in one line: part of a point's id, and of what a folder's runs belong to.
  package var identity: String { "backend=live server=\(server) items=\(items) pages=\(pages)" }
}
