// Which server each kind of item comes from, and the pages: a client keeps a pool of connections for each.

/// The hosts of a feed, numbered from 0 in the order of their first use: the kinds', then the pages'.
package struct FeedHosts: Hashable, Sendable {
  package let names: [String]
  /// How many of them serve items; the rest, one or none, only pages.
  package let itemHosts: Int
  package let ofPages: Int
  private let ofKinds: [Int]

  /// Hosts by name, those of the kinds in the order of `ItemKind.allCases`; equal names are one host.
  package init(kinds: [String] = Array(repeating: "media", count: ItemKind.allCases.count), pages: String = "api") {
    precondition(kinds.count == ItemKind.allCases.count, "each kind has a host")
    var names: [String] = []
    for name in kinds where !names.contains(name) { names.append(name) }
    itemHosts = names.count
    ofKinds = kinds.map { name in names.firstIndex { $0 == name } ?? 0 }
    if let shared = names.firstIndex(of: pages) {
      ofPages = shared
    } else {
      ofPages = names.count
      names.append(pages)
    }
    self.names = names
  }

  package func of(_ kind: ItemKind) -> Int { ofKinds[Int(kind.rawValue)] }
}
