// A run as lines of JSON, one object for each event and for each loader. Times are milliseconds of the run.

import Import
import Simulation

struct ExplanationJSON {
  private let explanation: RunExplanation

  init(_ explanation: RunExplanation) { self.explanation = explanation }

  var lines: String {
    let story = explanation.story
    var lines = [
      object([
        ("event", jsonString("run")), ("point", jsonString(explanation.point)), ("repetition", "\(explanation.repetition)"),
        ("viewed", "\(story.metrics.viewed)"), ("loaders", "\(story.metrics.loaders)"), ("endMs", story.end.millisecondsText),
      ])
    ]
    lines += story.events.map { object([("atMs", $0.at.millisecondsText)] + members($0.event)) }
    lines += story.loaders.map(loader)
    return lines.joined(separator: "\n") + "\n"
  }

  private func members(_ event: SessionEvent) -> [(String, String)] {
    switch event {
    case .activated(let item, let isReady):
      [
        ("event", jsonString("activated")), ("item", "\(item)"), ("kind", jsonString(explanation.story.items[item].kind.name)),
        ("ready", "\(isReady)"),
      ]
    case .ready(let item): [("event", jsonString("ready")), ("item", "\(item)")]
    case .left(let item): [("event", jsonString("left")), ("item", "\(item)")]
    case .planned(let occasion, let wishes):
      [
        ("event", jsonString("planned")), ("occasion", "[\(occasion.names.map(jsonString).joined(separator: ","))]"),
        ("wishes", "\(wishes)"),
      ]
    case .requested(let number): [("event", jsonString("requested"))] + members(explanation.story.requests[number - 1], isEnd: false)
    case .ended(let number): [("event", jsonString("ended"))] + members(explanation.story.requests[number - 1], isEnd: true)
    case .pageRequested(let page, let isAgain): [("event", jsonString("pageRequested")), ("page", "\(page + 1)"), ("again", "\(isAgain)")]
    case .pageArrived(let page, let isAgain): [("event", jsonString("pageArrived")), ("page", "\(page + 1)"), ("again", "\(isAgain)")]
    case .moved(let target): [("event", jsonString("dragEnd")), ("targetOffset", "\(Int(target.rounded()))")]
    case .memoryWarning: [("event", jsonString("memoryWarning"))]
    case .background: [("event", jsonString("background"))]
    case .foreground: [("event", jsonString("foreground"))]
    }
  }

  private func members(_ request: RequestRecord, isEnd: Bool) -> [(String, String)] {
    var members = [("request", "\(request.number)"), ("part", jsonString(request.part.rawValue))]
    members.append(request.part == .page ? ("page", "\(request.item + 1)") : ("item", "\(request.item)"))
    if isEnd {
      members += [
        ("outcome", jsonString(request.end.rawValue)), ("bytes", "\(request.received)"), ("beganMs", milliseconds(request.began)),
      ]
    } else {
      members += [("offset", "\(request.offset)"), ("bytes", "\(request.bytes)"), ("activeItem", "\(request.activeItem)")]
    }
    return members
  }

  private func loader(_ loader: LoaderEvidence) -> String {
    object([
      ("event", jsonString("loader")), ("item", "\(loader.item)"), ("kind", jsonString(loader.kind.name)),
      ("activatedMs", loader.activated.millisecondsText), ("waitMs", loader.wait.millisecondsText), ("shown", "\(loader.isShown)"),
      ("reason", jsonString(loader.reason.name)), ("askedMs", milliseconds(loader.asked)), ("beganMs", milliseconds(loader.began)),
      ("cutMs", milliseconds(loader.cut)), ("readyAloneMs", loader.readyAlone.millisecondsText),
    ])
  }

  private func milliseconds(_ instant: Instant?) -> String { instant?.millisecondsText ?? "null" }

  private func object(_ members: [(String, String)]) -> String { "{\(members.map { "\(jsonString($0)):\($1)" }.joined(separator: ","))}" }
}
