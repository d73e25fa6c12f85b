// Removes repetitions from names and other values.

extension Sequence where Element: Hashable {
  /// The elements, each once, in the order of their first occurrences. O(n).
  package var distinct: [Element] {
    var seen: Set<Element> = []
    return filter { seen.insert($0).inserted }
  }
}
