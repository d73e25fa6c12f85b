// The lines that a policy's program answers: protocol version 1.

import Base
import Simulation

enum PolicyAnswer {
  /// The longest answer, in bytes.
  static let sizeLimit = 16_000_000
  /// The least time from a plan to the instant at which it asks to be called again.
  private static let shortestPause = Interval.milliseconds(1)

  /// Checks the answer to the first line: `{"ready": 1}`.
  /// - Throws: `InvalidInput` if it is anything else.
  static func readReady(_ line: [UInt8]) throws(InvalidInput) {
    try read(line, "answer to begin") { reader in
      let version = reader.integer("ready", in: 0...Int.max)
      if version != PolicyFeed.version, !reader.isBroken, reader.context.sink.isEmpty {
        reader.report(
          "ready", problem: "is \(version), an unknown version of the protocol", remedy: "answer {\"ready\": \(PolicyFeed.version)}")
      }
    }
  }

  /// Reads the answer to a plan: `{"id": 7, "fetches": [{"item": 6, "bytes": "ready", "priority": 1}], "askAgainAt": 3.5}`.
  /// - Throws: `InvalidInput` if it is malformed or names an item that is not listed.
  static func read(_ line: [UInt8], number: Int, renditions: Int, _ view: borrowing FeedView, into plan: inout Plan) throws(InvalidInput) {
    let listed = view.items.count
    try read(line, "answer to plan \(number)") { reader in
      let id = reader.integer("id", in: 0...Int.max)
      if id != number, reader.has("id"), reader.context.sink.isEmpty {
        reader.report("id", problem: "is \(id), but plan \(number) was asked for", remedy: "answer each line once, with its id")
      }
      for (index, value) in (reader.array("fetches", required: true) ?? []).enumerated() {
        var fetch = ObjectReader(value, path: "fetches.\(index)", context: reader.context)
        let item = fetch.integer("item", in: 0...max(0, listed - 1))
        let isReady = fetch.value("bytes")?.text == "ready"
        let bytes = isReady ? Plan.toReady : fetch.optional("bytes") { $0.bytes("bytes", in: 1...Int64.max) } ?? .max
        let priority = fetch.integer("priority", default: 0, in: -1_000_000...1_000_000)
        let rendition = fetch.optional("rendition") { $0.integer("rendition", in: 0...max(0, renditions - 1)) }
        fetch.finish()
        if reader.context.sink.isEmpty { plan.fetch(item, bytes: bytes, priority: priority, rendition: rendition ?? -1) }
      }
      let again = reader.optional("askAgainAt") { $0.number("askAgainAt", in: 0...1e9) }
      plan.askAgain = again.map { Instant(nanoseconds: Int64(($0 * 1e9).rounded())) }
      if let again = plan.askAgain, again < view.now + shortestPause {
        reader.report(
          "askAgainAt", problem: "is less than \(Quantity.described(shortestPause.nanoseconds, .duration)) after the plan's time",
          remedy: "name a later instant, or none; the next trigger asks in any case")
      }
    }
  }

  /// - Throws: `InvalidInput` if the line is no object, or `body` reports a problem.
  private static func read(_ line: [UInt8], _ name: String, _ body: (inout ObjectReader) -> Void) throws(InvalidInput) {
    let sink = DiagnosticSink()
    guard let value = JSON5Parser.parse(line, file: name, into: sink) else {
      throw InvalidInput(
        at: sink.found.diagnostics.first?.location ?? SourceLocation(file: name), key: "",
        problem: "is no line of JSON: \(quoted(String(decoding: line.prefix(400), as: UTF8.self)))",
        remedy: "print nothing but answers to standard output, and messages to standard error")
    }
    var reader = ObjectReader(value, context: DecodingContext(sink: sink, keepsLines: false))
    body(&reader)
    reader.finish()
    if !sink.isEmpty { throw sink.found }
  }
}
