enum FeedReader {
  static func read(_ file: InputFile, into sink: DiagnosticSink) -> [FeedItemRecord]? { nil }
}
