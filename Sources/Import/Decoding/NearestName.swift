// Finds what the user probably meant.

/// Suggests the nearest of some known names.
package enum NearestName {
  /// Longer names are not compared, so that a hostile file costs little.
  static let lengthLimit = 100

  /// Names that people write for others: each with those that may be meant.
  private static let synonyms = [
    "rtt": ["delayDown"], "latency": ["delayDown"], "delay": ["delayDown"], "bandwidth": ["down"], "rate": ["down"], "loss": ["lossDown"],
    "count": ["items", "repeats"], "length": ["items"], "runs": ["repeats"], "repetitions": ["repeats"], "name": ["sweep"],
    "photo": ["image"], "gif": ["image"], "ad": ["nativeAd"], "ads": ["nativeAd"], "html": ["webApp"], "abort": ["drop"], "stop": ["drop"],
    "loaders1000": ["loadersPer1000"], "bytes": ["bytesReceived"], "version": ["--version"], "-v": ["--version"], "-V": ["--version"],
  ]

  /// The known name nearest to `name` without regard to case, if it is near enough to be meant: at most a third of its
  /// letters differ. Among equally near ones, the first. O(names × length²).
  package static func suggestion(for name: String, among known: [String]) -> String? {
    let wanted = Array(name.lowercased().unicodeScalars)
    guard !wanted.isEmpty, wanted.count <= lengthLimit else { return nil }
    if let meant = synonyms[name]?.first(where: known.contains) { return meant }
    var nearest: (name: String, distance: Int)?
    for candidate in known where candidate != name {
      let letters = Array(candidate.lowercased().unicodeScalars)
      guard letters.count <= lengthLimit else { continue }
      let limit = max(1, max(wanted.count, letters.count) / 3)
      let distance = distance(wanted, letters)
      // Of a name of two letters, one that differs leaves nothing to recognise.
      guard distance <= limit, distance < max(wanted.count, letters.count) - 1 || distance == 0 else { continue }
      if distance < nearest?.distance ?? .max { nearest = (candidate, distance) }
    }
    return nearest?.name
  }

  /// The remedy for an unknown name: the suggestion if there is one, and the list of what is known.
  package static func remedy(for name: String, among known: [String], what: String) -> String {
    let list = known.isEmpty ? "there are no \(what)" : "\(what): \(known.joined(separator: ", "))"
    return suggestion(for: name, among: known).map { "did you mean \(quoted($0))? \(list)" } ?? list
  }

  /// How many letters must be inserted, removed, replaced or swapped with their neighbour (Damerau 1964, Levenshtein
  /// 1966; the restricted form, in which no letter is touched twice).
  private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...right.count)
    for row in 1..<(left.count + 1) {
      var current = [row]
      for column in 1..<(right.count + 1) {
        let replaced = last[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
        var best = min(replaced, last[column] + 1, current[column - 1] + 1)
        if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
          best = min(best, beforeLast[column - 2] + 1)
        }
        current.append(best)
      }
      (beforeLast, last) = (last, current)
    }
    return last[right.count]
  }
}
