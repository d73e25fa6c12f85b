// A run for other programs: lines of JSON, an HTTP archive, a Perfetto trace, and its items as a feed file.

import Base
import Simulation
import Sweep

extension RunExplanation {
  /// One JSON object on each line: the run, then each event, then each loader. Times are milliseconds of the run.
  var jsonLines: String {
    let run: JSONText = [
      "event": "run", "point": .string(point), "repetition": .number(repetition), "viewed": .number(trace.metrics.viewed),
      "loaders": .number(trace.metrics.loaders), "endMs": .number(trace.end.millisecondsText),
    ]
    return ([run] + trace.events.map(object) + trace.loaders.map(object)).map { $0.compact + "\n" }.joined()
  }

  private func object(_ event: TimedEvent) -> JSONText {
    var name = String("\(event.event)".prefix { $0 != "(" })
    let members: [(String, JSONText?)]
    switch event.event {
    case .activated(let item, let isReady):
      members = [("item", .number(item)), ("kind", .string(trace.items[item].kind.name)), ("ready", .boolean(isReady))]
    case .ready(let item), .decoded(let item), .evicted(let item), .readFromDisk(let item), .left(let item):
      members = [("item", .number(item))]
    case .planned(let trigger, let fetches): members = [("occasion", .strings(trigger.names)), ("wishes", .number(fetches))]
    case .requested(let number): members = self.members(trace.requests[number - 1], isEnd: false)
    case .ended(let number): members = self.members(trace.requests[number - 1], isEnd: true)
    case .pageRequested(let page, let isAgain), .pageArrived(let page, let isAgain):
      members = [("page", .number(page + 1)), ("again", .boolean(isAgain))]
    case .moved(let target): (name, members) = ("dragEnd", [("targetOffset", .number(Int(target.rounded())))])
    case .memoryWarning, .background, .foreground: members = []
    }
    return .object([("atMs", .number(event.at.millisecondsText)), ("event", .string(name))] + members)
  }

  private func members(_ request: RequestRecord, isEnd: Bool) -> [(String, JSONText?)] {
    let subject: (String, JSONText?) = request.part == .page ? ("page", .number(request.item + 1)) : ("item", .number(request.item))
    let ends: [(String, JSONText?)] =
      isEnd
      ? [
        ("outcome", .string(request.end.rawValue)), ("bytes", .number(request.received)), ("beganMs", Self.milliseconds(request.firstByte)),
      ]
      : [("offset", .number(request.offset)), ("bytes", .number(request.bytes)), ("activeItem", .number(request.activeItem))]
    return [("request", .number(request.number)), ("part", .string(request.part.rawValue)), subject] + ends
  }

  private func object(_ loader: LoaderEvidence) -> JSONText {
    [
      "event": "loader", "item": .number(loader.item), "kind": .string(loader.kind.name),
      "activatedMs": .number(loader.activated.millisecondsText), "waitMs": .number(loader.wait.millisecondsText),
      "shown": .boolean(loader.isShown), "reason": .string(loader.reason.name), "askedMs": Self.milliseconds(loader.requested),
      "beganMs": Self.milliseconds(loader.firstByte), "cutMs": Self.milliseconds(loader.cancelled),
      "readyAloneMs": .number(loader.readyAlone.millisecondsText),
    ]
  }

  private static func milliseconds(_ instant: Instant?) -> JSONText { instant.map { .number($0.millisecondsText) } ?? .null }

  /// The requests as an HTTP archive (HAR 1.2), for the network panels of browsers, and the feed, which `import` reads from it.
  /// The run begins at the start of the year 2000; hosts and addresses are made up.
  var httpArchive: String {
    var dates = Dates()
    let creator: JSONText = ["name": .string(Program.name), "version": .string("\(Program.modelVersion)")]
    let page: JSONText = [
      "startedDateTime": .string(dates.text(.start)), "id": "run", "title": "point \(point), repetition \(repetition)", "pageTimings": [:],
    ]
    let entries = trace.requests.map { entry($0, date: dates.text($0.requested)).compact }
    return """
      {"log":{"version":"1.2","creator":\(creator.compact),
      "pages":[\(page.compact)],
      "_feed":{
      \(feedItems.enumerated().map { "\"\($0)\": \($1)" }.joined(separator: ",\n"))
      },
      "entries":[
      \(entries.joined(separator: ",\n"))
      ]}}

      """
  }

  private func entry(_ request: RequestRecord, date: String) -> JSONText {
    let began = request.firstByte ?? request.ended
    let connecting = request.connected.flatMap { $0 > request.requested ? min($0, began) - request.requested : nil }
    let version: JSONText =
      switch trace.http.version {
      case .http1: "HTTP/1.1"
      case .http2: "h2"
      case .http3: "h3"
      }
    let isWhole = request.part == .page || (request.offset == 0 && request.bytes >= trace.items[request.item].bytes)
    let isIncomplete = request.end != .finished
    let sent: JSONText = [
      "method": "GET", "url": .string(address(request)), "httpVersion": version, "cookies": [], "headers": [], "queryString": [],
      "headersSize": -1, "bodySize": 0,
    ]
    let response: JSONText = [
      "status": .number(isIncomplete && request.received == 0 ? 0 : isWhole ? 200 : 206), "statusText": "", "httpVersion": version,
      "cookies": [], "headers": isWhole ? [] : [range(request)],
      "content": ["size": .number(request.received), "mimeType": .string(mimeType(request))],
      "redirectURL": "", "headersSize": -1, "bodySize": .number(request.received), "_error": isIncomplete ? "net::ERR_ABORTED" : nil,
    ]
    let timings: JSONText = [
      "blocked": -1, "dns": -1, "connect": connecting.map { .number($0.millisecondsText) } ?? -1, "send": 0,
      "wait": .number((began - request.requested - (connecting ?? .zero)).millisecondsText),
      "receive": .number((request.ended - began).millisecondsText), "ssl": -1,
    ]
    return [
      "pageref": "run", "startedDateTime": .string(date),
      "time": .number((request.ended - request.requested).millisecondsText), "request": sent, "response": response, "cache": [:],
      "timings": timings, "_item": request.part == .page ? nil : .number(request.item),
    ]
  }

  private func range(_ request: RequestRecord) -> JSONText {
    let bytes = trace.items[request.item].bytes
    return ["name": "Content-Range", "value": .string("bytes \(request.offset)-\(request.offset + request.bytes - 1)/\(bytes)")]
  }

  private func address(_ request: RequestRecord) -> String {
    let scheme = trace.http.security == .none && trace.http.version != .http3 ? "http" : "https"
    if request.part == .page { return "\(scheme)://\(trace.hosts.names[trace.hosts.ofPages]).feed.example/pages/\(request.item + 1)" }
    let kind = trace.items[request.item].kind
    return "\(scheme)://\(trace.hosts.names[trace.hosts.of(kind)]).feed.example/\(request.item)-\(kind.name)"
      + "?bytes=\(request.offset)-\(request.offset + request.bytes - 1)"
  }

  private func mimeType(_ request: RequestRecord) -> String {
    if request.part == .page { return "application/json" }
    return switch trace.items[request.item].kind {
    case .image: "image/jpeg"
    case .video: "video/mp4"
    case .webApp: "text/html"
    case .nativeAd: "application/octet-stream"
    }
  }

  /// Formats instants as ISO 8601, from the year 2000 on. Each day is formatted once, because Foundation is slow.
  private struct Dates {
    private var days: [Int64: String] = [:]

    mutating func text(_ instant: Instant) -> String {
      let (day, rest) = (instant.nanoseconds / 1_000_000).quotientAndRemainder(dividingBy: 86_400_000)
      let date = days[day] ?? Date(timeIntervalSince1970: 946_684_800 + Double(day) * 86_400).formatted(.iso8601.year().month().day())
      days[day] = date
      let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { "\(100 + $0)".dropFirst() }.joined(separator: ":")
      return "\(date)T\(clock).\("\(1000 + rest % 1000)".dropFirst())Z"
    }
  }

  /// The run in the trace event format of Perfetto and of browsers' tracing pages: visits and loaders, and the transfers below them.
  var perfettoTrace: String {
    let names = [(1, "screen"), (2, "transfers of items"), (3, "transfers of pages")].map { process, name -> JSONText in
      ["name": "process_name", "ph": "M", "pid": .number(process), "tid": 0, "args": ["name": .string(name)]]
    }
    let events = (names + screen + transfers + moments).map(\.compact).joined(separator: ",\n")
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\(events)\n]}\n"
  }

  /// The visits, and the loaders below them.
  private var screen: [JSONText] {
    var slices: [JSONText] = []
    var since: Instant?
    for event in trace.events {
      switch event.event {
      case .activated: since = event.at
      case .left(let item):
        if let since { slices.append(slice("item \(item) (\(trace.items[item].kind.name))", 1, 1, from: since, to: event.at, [:])) }
      default: break
      }
    }
    return slices
      + trace.loaders.map { loader in
        slice(
          "loader: \(loader.reason.name)", 1, 2, from: loader.activated, to: loader.activated + loader.wait,
          [
            "item": .number(loader.item), "askedMs": Self.milliseconds(loader.requested),
            "readyAloneMs": .number(loader.readyAlone.millisecondsText),
          ])
      }
  }

  /// Each transfer, in the first free lane.
  private var transfers: [JSONText] {
    var lanes: [[Instant]] = [[], []]
    return trace.requests.map { request in
      let group = request.part == .page ? 1 : 0
      let lane = lanes[group].firstIndex { $0 <= request.requested } ?? lanes[group].count
      if lane == lanes[group].count { lanes[group].append(request.ended) } else { lanes[group][lane] = request.ended }
      return slice(
        request.end == .cancelled ? "\(request.subject), cancelled" : request.subject, group + 2, lane + 1, from: request.requested,
        to: request.ended,
        [
          "request": .number(request.number), "bytes": .number(request.bytes), "received": .number(request.received),
          "activeItem": .number(request.activeItem), "firstByteMs": Self.milliseconds(request.firstByte),
        ])
    }
  }

  private var moments: [JSONText] {
    trace.events.compactMap { event in
      let name: JSONText
      switch event.event {
      case .pageRequested(let page, let isAgain): name = "page \(page + 1) requested\(isAgain ? " again" : "")"
      case .moved: name = "drag end"
      case .memoryWarning: name = "memory warning"
      case .background: name = "background"
      case .foreground: name = "foreground"
      default: return nil
      }
      return ["name": name, "ph": "i", "s": "p", "pid": 1, "tid": 1, "ts": .number(event.at.microsecondsText)]
    }
  }

  private func slice(_ name: String, _ process: Int, _ lane: Int, from: Instant, to end: Instant, _ arguments: JSONText) -> JSONText {
    [
      "name": .string(name), "ph": "X", "pid": .number(process), "tid": .number(lane), "ts": .number(from.microsecondsText),
      "dur": .number((end - from).microsecondsText), "args": arguments,
    ]
  }

  /// The items as a feed file, one line each; `FeedReader` reads the same items from it.
  var feed: String { "{ \"items\": [\n\(feedItems.map { "  \($0)" }.joined(separator: ",\n"))\n] }\n" }

  private var feedItems: [String] {
    trace.items.map { item in
      var members = ["\"kind\": \(JSONText.quoted(item.kind.name))", "\"bytes\": \(item.bytes)"]
      if item.kind == .video { members.append("\"prefixBytes\": \(item.readyBytes)") }
      if item.bitsPerSecond > 0 { members.append("\"bitRateBps\": \(item.bitsPerSecond)") }
      if item.height > 0 { members.append("\"height\": \(item.height)") }
      return "{ \(members.joined(separator: ", ")) }"
    }
  }
}
