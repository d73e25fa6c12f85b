// The servers of items and pages. A client has a pool of connections for each.

/// The hosts of a feed, numbered in the order of first use: those of the kinds, then that of the pages.
package struct FeedHosts: Hashable, Sendable {
  package let names: [String]
  /// The number of hosts with items; at most one more has only pages.
  package let itemHosts: Int
  package let ofPages: Int
  private let ofKinds: [Int]

  /// Creates hosts from names, in the order of `ItemKind.allCases`; equal names are one host.
  package init(kinds: [String] = Array(repeating: "media", count: ItemKind.allCases.count), pages: String = "api") {
    precondition(kinds.count == ItemKind.allCases.count, "each kind needs a host")
    var names: [String] = []
    for name in kinds where !names.contains(name) { names.append(name) }
    itemHosts = names.count
    ofKinds = kinds.map { name in names.firstIndex { $0 == name } ?? 0 }
    if !names.contains(pages) { names.append(pages) }
    ofPages = names.firstIndex(of: pages) ?? 0
    self.names = names
  }

  package func of(_ kind: ItemKind) -> Int { ofKinds[Int(kind.rawValue)] }
}
