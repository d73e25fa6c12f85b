import Simulation

enum TraceReader {
  static func read(_ file: InputFile, options: TraceOptions, into sink: DiagnosticSink) -> LinkRate? { nil }
}
