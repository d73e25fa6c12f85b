// A run in the trace event format, which Perfetto and browsers' tracing pages open: what is on screen, and the transfers below it.

import Import
import Simulation

struct TraceExport {
  private let explanation: RunExplanation

  init(_ explanation: RunExplanation) { self.explanation = explanation }

  var json: String {
    let events = names + screen + transfers + moments
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n\(events.joined(separator: ",\n"))\n]}\n"
  }

  private var names: [String] {
    [(1, "screen"), (2, "transfers of items"), (3, "transfers of pages")].map { process, name in
      "{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":\(process),\"tid\":0,\"args\":{\"name\":\(jsonString(name))}}"
    }
  }

  /// The active items, and below them the loaders.
  private var screen: [String] {
    let story = explanation.story
    var slices: [String] = []
    var since: Instant?
    for event in story.events {
      switch event.event {
      case .activated: since = event.at
      case .left(let item):
        if let since { slices.append(slice("item \(item) (\(story.items[item].kind.name))", 1, 1, from: since, to: event.at, [])) }
      default: break
      }
    }
    return slices
      + story.loaders.map { loader in
        slice(
          "loader: \(loader.reason.name)", 1, 2, from: loader.activated, to: loader.activated + loader.wait,
          [
            ("item", "\(loader.item)"), ("askedMs", loader.asked?.millisecondsText ?? "null"),
            ("readyAloneMs", loader.readyAlone.millisecondsText),
          ])
      }
  }

  /// Each transfer in the first lane that is free.
  private var transfers: [String] {
    var lanes: [[Instant]] = [[], []]
    return explanation.story.requests.map { request in
      let group = request.part == .page ? 1 : 0
      let lane = lanes[group].firstIndex { $0 <= request.asked } ?? lanes[group].count
      if lane == lanes[group].count { lanes[group].append(request.ended) } else { lanes[group][lane] = request.ended }
      return slice(
        request.end == .cut ? "\(request.subject), cut" : request.subject, group + 2, lane + 1, from: request.asked, to: request.ended,
        [
          ("request", "\(request.number)"), ("bytes", "\(request.bytes)"), ("received", "\(request.received)"),
          ("activeItem", "\(request.activeItem)"), ("firstByteMs", request.began?.millisecondsText ?? "null"),
        ])
    }
  }

  private var moments: [String] {
    explanation.story.events.compactMap { event in
      let name: String
      switch event.event {
      case .pageRequested(let page, let isAgain): name = "page \(page + 1) asked for\(isAgain ? " again" : "")"
      case .moved: name = "drag end"
      case .memoryWarning: name = "memory warning"
      case .background: name = "background"
      case .foreground: name = "foreground"
      default: return nil
      }
      return "{\"name\":\(jsonString(name)),\"ph\":\"i\",\"s\":\"p\",\"pid\":1,\"tid\":1,\"ts\":\(microseconds(event.at.nanoseconds))}"
    }
  }

  private func slice(_ name: String, _ process: Int, _ lane: Int, from: Instant, to end: Instant, _ arguments: [(String, String)]) -> String
  {
    let members = arguments.map { "\(jsonString($0)):\($1)" }.joined(separator: ",")
    return "{\"name\":\(jsonString(name)),\"ph\":\"X\",\"pid\":\(process),\"tid\":\(lane),\"ts\":\(microseconds(from.nanoseconds)),"
      + "\"dur\":\(microseconds((end - from).nanoseconds)),\"args\":{\(members)}}"
  }

  private func microseconds(_ nanoseconds: Int64) -> String { NanosecondText.text(nanoseconds, unit: 1000) }
}
