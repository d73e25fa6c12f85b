// A run for people: who asked for what and when, then why each loader was shown.

import Rendering
import Simulation

extension RunExplanation {
  /// What became of the requests and loaders, as lines of a table.
  var table: String {
    func right(_ text: String) -> String { String(repeating: " ", count: max(0, 10 - text.count)) + text }
    var lines = ["point \(point), repetition \(repetition)", "", "    time s  what happened"]
    for event in story.events {
      if let words = words(event.event) { lines.append("\(right(event.at.secondsText))  \(words)") }
    }
    lines += ["\(right(story.end.secondsText))  the run ends", ""]
    lines.append("\(story.loaders.count) loaders of \(story.metrics.viewed) items viewed" + (story.loaders.isEmpty ? "" : ":"))
    return lines.joined(separator: "\n") + "\n" + (story.loaders.isEmpty ? "" : loaderTable.plainText(hasRule: false))
  }

  private func words(_ event: SessionEvent) -> String? {
    switch event {
    case .activated(let item, let isReady):
      return "item \(item) (\(story.items[item].kind.name)) becomes active\(isReady ? "" : ": LOADER")"
    case .ready(let item): return "item \(item) is ready"
    case .left: return nil
    case .planned(let trigger, let wishes):
      return trigger.contains(.activation) ? nil : "the prefetcher is asked after \(trigger.names.joined(separator: "+")): \(wishes) wishes"
    case .requested(let number):
      let request = story.requests[number - 1]
      let who =
        request.part == .page
        ? "the list" : request.item == request.activeItem ? "the active item" : "the prefetcher at item \(request.activeItem)"
      return "request \(number): \(request.subject), \(request.bytes) bytes from \(request.offset), by \(who)"
    case .ended(let number):
      let request = story.requests[number - 1]
      return "request \(number): \(request.subject) \(request.end == .cut ? "is cut at \(request.received) bytes" : "has come")"
    case .pageRequested(let page, let isAgain): return "page \(page + 1) is asked for\(isAgain ? " again" : "")"
    case .pageArrived(let page, let isAgain): return "page \(page + 1) \(isAgain ? "comes again" : "is listed")"
    case .moved(let target): return "the finger leaves the screen; the content will rest at \(Int(target.rounded()))"
    case .memoryWarning: return "memory is short"
    case .background: return "the app goes to the background"
    case .foreground: return "the app comes back"
    }
  }

  private var loaderTable: Table {
    var table = Table(columns: ["item", "kind", "active at", "waited", "reason", "asked at", "began at", "cut at", "alone ready at"])
    for loader in story.loaders {
      table.append([
        "\(loader.item)", loader.kind.name, loader.activated.secondsText,
        loader.wait.secondsText + (loader.isShown ? "" : ", never came"), loader.reason.name, loader.asked?.secondsText ?? "not before",
        loader.began?.secondsText ?? "-", loader.cut?.secondsText ?? "-", loader.readyAlone.secondsText,
      ])
    }
    return table
  }
}
