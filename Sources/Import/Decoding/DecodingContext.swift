// What the readers of one file share: where problems go, and the canonical lines that a content hash is made from.

/// The problems and the canonical lines of one decoding. A class, because the readers of the parts share it.
package final class DecodingContext {
  /// Where problems are reported.
  package let sink: DiagnosticSink
  /// Every scalar that was read, as `path=canonical value` in reading order, defaults filled in and quantities in base units.
  package private(set) var lines: [String] = []
  /// Those of them that decide the runs. What only names what other lines spell out does not: a profile its numbers, a file its contents.
  package private(set) var identity: [String] = []

  /// The paths that only name something.
  private let names: Set<String>

  /// A decoding that reports to `sink`; what stands at a path of `names` is no part of the identity.
  package init(sink: DiagnosticSink = DiagnosticSink(), names: Set<String> = []) { (self.sink, self.names) = (sink, names) }

  /// Adds a canonical line, such as the content hash of a file that a path names. Line breaks are escaped, so that no
  /// text can pass for two lines.
  package func record(_ path: String, _ value: String) {
    let isPlain = !value.utf8.contains { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") || $0 == UInt8(ascii: "\\") }
    let line = "\(path)=\(isPlain ? value : jsonString(value))"
    lines.append(line)
    if !names.contains(path) { identity.append(line) }
  }
}
