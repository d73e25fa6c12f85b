// The items of a run as a feed file, a line an item: for a server that has files of just these sizes, or for a sweep over this very feed.

import Import
import Simulation

struct FeedExport {
  private let items: ContiguousArray<Item>

  init(_ items: ContiguousArray<Item>) { self.items = items }

  /// What `FeedReader` reads as the same items.
  var json: String { "{ \"items\": [\n\(items.map(line).joined(separator: ",\n"))\n] }\n" }

  private func line(_ item: Item) -> String {
    var members = [("kind", jsonString(item.kind.name)), ("bytes", "\(item.bytes)")]
    if item.kind == .video { members.append(("prefixBytes", "\(item.readyBytes)")) }
    if item.bitsPerSecond > 0 { members.append(("bitRateBps", "\(item.bitsPerSecond)")) }
    if item.height > 0 { members.append(("height", "\(item.height)")) }
    return "  { \(members.map { "\(jsonString($0)): \($1)" }.joined(separator: ", ")) }"
  }
}
