// `backend: "live"` or `backend: { live: { … } }`: the settings of a real client.

import Analysis
import Base
import Simulation

/// The settings of live runs against a server whose files match the feed: item 7's file is as large as item 7.
package struct LiveBackend: Sendable {
  /// The common start of all URLs, without a slash at its end.
  package var server = "http://127.0.0.1:8080"
  /// The path of an item; `{item}` counts from 0. Each `{repetition}`, from 1, has a folder, since feeds may differ between repetitions.
  package var items = "{repetition}/{item}"
  /// The path of a page; `{page}` counts from 0.
  package var pages = "{repetition}/page-{page}"
  /// The longest time without a byte of a request, after which its run fails.
  package var requestTimeout = Interval.seconds(60)
  /// The longest time of a run; nil for no limit.
  package var timeLimit: Interval?
  /// The wait after a run, in which bytes in flight leave the link.
  package var coolDown = Interval.seconds(1)
  package let location: SourceLocation

  /// Creates the default settings. The default location is for settings that come from no file.
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
    coolDown = Interval(nanoseconds: reader.duration("coolDown", default: coolDown.nanoseconds, in: 0...Parameter.day))
    reader.finish()
  }

  private static func address(_ reader: inout ObjectReader, default fallback: String) -> String {
    let text = reader.text("server", default: fallback)
    let host = text.split(separator: "://", maxSplits: 1).last.map(String.init) ?? ""
    let isAddress = (text.hasPrefix("http://") || text.hasPrefix("https://")) && !host.isEmpty && !text.contains { $0.isWhitespace }
    if !isAddress || text.contains("?") || text.contains("#") {
      reader.report("server", problem: "is \(quoted(text)), not an address of files", remedy: "write it such as \(quoted(fallback))")
    }
    return text.hasSuffix("/") ? String(text.dropLast()) : text
  }

  private static func path(_ reader: inout ObjectReader, _ key: String, default fallback: String, needs placeholder: String) -> String {
    let text = reader.text(key, default: fallback)
    let rest = text.replacing(placeholder, with: "").replacing("{repetition}", with: "")
    if !text.contains(placeholder) || rest.contains("{") || rest.contains("}") || text.contains(where: \.isWhitespace) {
      reader.report(
        key, problem: "is \(quoted(text)), which does not give each file its own path",
        remedy: "write \(placeholder), and {repetition} if you like")
    }
    return text.hasPrefix("/") ? String(text.dropFirst()) : text
  }

  package var summary: String {
    "a real client in real time, files from \(server); bound, impossible and late are computed from the network described below"
  }

  /// The settings that decide a run, in one line. Point ids and the journal's identity contain it.
  package var identity: String { "backend=live server=\(server) items=\(items) pages=\(pages)" }
}
