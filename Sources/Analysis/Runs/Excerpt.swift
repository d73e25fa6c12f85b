// Input repeated in a message: short, whatever the file holds.

/// Text of a file or command line as a message repeats it.
package enum Excerpt {
  /// The most characters (Unicode scalars) of input in a message.
  package static let limit = 200

  /// The text, cut after `limit` characters.
  package static func text(_ text: String) -> String {
    let scalars = text.unicodeScalars
    guard let end = scalars.index(scalars.startIndex, offsetBy: limit, limitedBy: scalars.endIndex), end < scalars.endIndex else {
      return text
    }
    return String(scalars[..<end]) + "…"
  }
}
