import Simulation
enum JSON5Parser {
  static func parse(_ text: String, file: String, into sink: DiagnosticSink) -> JSON5Value? {
    parse(Array(text.utf8), file: file, into: sink)
  }
  static func parse(_ bytes: [UInt8], file: String, into sink: DiagnosticSink) -> JSON5Value? { nil }
}
