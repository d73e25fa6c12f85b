// Suggestions for misspelt names.

package enum NearestName {
  /// The most letters of a name that is compared; bounds the cost of a hostile file.
  static let lengthLimit = 100
  /// The most characters of a list of names in a message; our own lists are shorter.
  private static let listLimit = 800

  /// Names that people write for others, with the names that they may mean.
  private static let synonyms = [
    "rtt": ["delayDown"], "latency": ["delayDown"], "delay": ["delayDown"], "bandwidth": ["down"], "rate": ["down"], "loss": ["lossDown"],
    "count": ["items", "repeats"], "length": ["items"], "runs": ["repeats"], "repetitions": ["repeats"], "name": ["sweep"],
    "photo": ["image"], "gif": ["image"], "ad": ["nativeAd"], "ads": ["nativeAd"], "html": ["webApp"], "abort": ["drop"], "stop": ["drop"],
    "h2": ["2"], "HTTP/2": ["2"], "h3": ["3"], "HTTP/3": ["3"], "HTTP/1.1": ["1.1"], "TLS 1.2": ["1.2"], "TLS 1.3": ["1.3"],
    "TLSv1.2": ["1.2"], "TLSv1.3": ["1.3"], "0rtt": ["earlyData"], "quic": ["http"], "alpn": ["http"], "http2": ["http"], "http3": ["http"],
    "cc": ["congestion"], "congestionControl": ["congestion"], "urgency": ["priorities"], "buffer": ["queue"], "queueSize": ["queue"],
    "loaders1000": ["loadersPer1000"], "bytes": ["bytesReceived"], "version": ["--version"], "-v": ["--version"], "-V": ["--version"],
  ]

  /// Returns a synonym of `name` or the known name nearest to it, ignoring case; nil if more than a third of its letters differ.
  /// Of equally near names the one with the longest common beginning wins, then the first. O(names × length²).
  package static func suggestion(for name: String, among known: [String]) -> String? {
    let letters = Array(name.lowercased().unicodeScalars)
    guard !letters.isEmpty, letters.count <= lengthLimit else { return nil }
    if let meant = synonyms[name]?.first(where: known.contains) { return meant }
    var nearest: (name: String, distance: Int, common: Int)?
    for candidate in known where candidate != name {
      let other = Array(candidate.lowercased().unicodeScalars)
      guard other.count <= lengthLimit else { continue }
      let limit = max(1, max(letters.count, other.count) / 3)
      let distance = distance(letters, other)
      // Two names of two letters that share one letter are not alike.
      guard distance <= limit, distance < max(letters.count, other.count) - 1 || distance == 0 else { continue }
      let common = zip(letters, other).prefix { $0 == $1 }.count
      if distance < nearest?.distance ?? .max || distance == nearest?.distance && common > nearest?.common ?? 0 {
        nearest = (candidate, distance, common)
      }
    }
    return nearest?.name
  }

  /// Returns the remedy for an unknown name: the nearest known name, if any, and the list of known names.
  package static func remedy(for name: String, among known: [String], what: String) -> String {
    remedy(
      for: name, among: known,
      list: known.isEmpty ? "there are no \(what)" : "\(what): \(shortened(known.joined(separator: ", "), to: listLimit))")
  }

  /// Returns the remedy for an unknown name, which ends with `list`, such as the command that shows all known names.
  package static func remedy(for name: String, among known: [String], list: String) -> String {
    suggestion(for: name, among: known).map { "did you mean \(quoted($0))? \(list)" } ?? list
  }

  /// Returns the number of letters to insert, remove, replace or swap with their neighbour; no letter is touched twice.
  /// Source: Damerau 1964, Levenshtein 1966 (restricted edit distance).
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
