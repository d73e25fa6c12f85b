// A run as a table for people: who asked for what and when, then why each loader was shown.

import Rendering
import Simulation

struct ExplanationTable {
  private let explanation: RunExplanation

  init(_ explanation: RunExplanation) { self.explanation = explanation }

  var text: String {
    let story = explanation.story
    var lines = ["point \(explanation.point), repetition \(explanation.repetition)", "", "    time s  what happened"]
    for event in story.events {
      guard let words = words(event.event) else { continue }
      lines.append("\(right(event.at.secondsText, 10))  \(words)")
    }
    lines += ["\(right(story.end.secondsText, 10))  the run ends", ""]
    lines.append("\(story.loaders.count) loaders of \(story.metrics.viewed) items viewed" + (story.loaders.isEmpty ? "" : ":"))
    return lines.joined(separator: "\n") + "\n" + (story.loaders.isEmpty ? "" : loaderTable.plainText(hasRule: false))
  }

  private func words(_ event: SessionEvent) -> String? {
    let story = explanation.story
    switch event {
    case .activated(let item, let isReady):
      return "item \(item) (\(story.items[item].kind.name)) becomes active\(isReady ? "" : ": LOADER")"
    case .ready(let item): return "item \(item) is ready"
    case .left: return nil
    case .planned(let occasion, let wishes):
      let activation = occasion.contains(.activation)
      return activation ? nil : "the prefetcher is asked after \(occasion.names.joined(separator: "+")): \(wishes) wishes"
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
    let heads = ["item", "kind", "active at", "waited", "reason", "asked at", "began at", "cut at", "alone ready at"]
    var table = Table(columns: heads.map { Table.Column($0) })
    for loader in explanation.story.loaders {
      let texts = [
        "\(loader.item)", loader.kind.name, loader.activated.secondsText,
        loader.wait.secondsText + (loader.isShown ? "" : ", never came"),
        loader.reason.name, loader.asked?.secondsText ?? "not before", loader.began?.secondsText ?? "-", loader.cut?.secondsText ?? "-",
        loader.readyAlone.secondsText,
      ]
      table.append(texts.map { Table.Cell($0) })
    }
    return table
  }

  private func right(_ text: String, _ width: Int) -> String { String(repeating: " ", count: max(0, width - text.count)) + text }
}
