// The import of an archive as a whole session: a sweep file, and the files that it names.

import Base
import Inputs
import Simulation

extension ImportJob {
  /// Rebuilds the session of an archive: writes a sweep file, and its feed, trace and visits beside it.
  /// Calls `progress` and `isCancelled` as `run` does.
  /// - Throws: `InvalidInput`, `OutputProblem`, and `ImportCancelled` after `isCancelled` returns true.
  package func rebuild(
    to path: String, progress: @escaping (ImportProgress) -> Void, isCancelled: @escaping () -> Bool
  ) throws -> (outcome: Outcome, session: RebuiltSession) {
    let source = try ImportSource(path: input, progress: progress, isCancelled: isCancelled)
    let (folder, name) = OutputFile.parts(of: path)
    let stem = name.hasSuffix(".json5") ? String(name.dropLast(6)) : name
    func beside(_ part: String) -> String { folder.isEmpty || folder == "." ? "\(stem)-\(part)" : "\(folder)/\(stem)-\(part)" }
    let visits = try dwells.map { path in
      let sink = DiagnosticSink()
      let file: InputFile
      do throws(ValueProblem) { file = try InputFile(path: path, remedy: "check the path") } catch {
        throw InvalidInput(at: SourceLocation(whole: path), key: "--dwells", problem: error.problem, remedy: error.remedy)
      }
      let visits = RecordingReader.read(file, into: sink)
      try sink.throwIfAny()
      return visits
    }
    let malformed = MalformedLines(file: source.name, isSkipping: skipsMalformed)
    var items = try HARItems(feed: nil, timings: nil, page: page, isSession: true, api: api)
    var outcome = try readArchive(source, into: &items, malformed)
    try malformed.finish()
    (outcome.skipped, outcome.firstSkipped) = (malformed.count, malformed.named)
    let sink = DiagnosticSink()
    let feed = FeedReader.read(InputFile(name: source.name, bytes: Array(items.feedText.utf8)), into: sink)
    let requests = RecordedRequest.aligned(items.requests.filter { $0.isPage || $0.number < feed?.count ?? 0 })
    guard let feed, let last = requests.last, requests.contains(where: { !$0.isPage }) else {
      throw malformed.fatal("has no requests for items of a feed\(outcome.reasonText)", remedy: "check that it is the archive of a session")
    }
    guard requests.count <= Self.sessionLimit, last.start <= Self.sessionDuration else {
      throw malformed.fatal(
        "has \(requests.count) requests over \(last.start / 1_000_000_000) s, more than the \(Self.sessionLimit) and "
          + "\(Self.sessionDuration / 1_000_000_000) s of one session", remedy: "shorten the archive, or choose a page with --page")
    }
    if let visit = visits?.enumerated().first(where: { $0.offset != $0.element.item }) {
      throw InvalidInput(
        at: SourceLocation(whole: dwells ?? ""), key: "--dwells", problem: "has item \(visit.element.item) as visit \(visit.offset + 1)",
        remedy: "give each item from 0 on once, in order; other sessions cannot be rebuilt")
    }
    let session = RecordedSession(source: source.name, items: feed, requests: requests, manifests: items.manifests)
    let rebuilt = try RebuiltSession(session, dwells: visits, check: source.check)
    var files: [(option: String, path: String, form: OutputForm, text: String)] = [
      ("--scenario", path, .scenario, rebuilt.sweep(named: Self.sweepName(stem), stem: stem)),
      ("--scenario", beside("feed.json"), .feed, items.feedText),
    ]
    if let trace = rebuilt.trace { files.append(("--scenario", beside("trace.json"), .imported, trace)) }
    if let visits = rebuilt.visits { files.append(("--scenario", beside("visits.csv"), .imported, visits)) }
    try source.check()
    try OutputTargets(files.map { ($0.option, $0.path, $0.form) }).publish(files.map(\.text))
    return (outcome, rebuilt)
  }

  /// The most requests of a session, and its longest duration in nanoseconds.
  private static let sessionLimit = 20_000
  private static let sessionDuration: Int64 = 6 * 3_600_000_000_000

  /// Returns the name of a sweep: letters, digits, '-' and '_'.
  private static func sweepName(_ stem: String) -> String {
    let name = String(stem.map { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") ? $0 : "-" }.prefix(60))
    return name.allSatisfy { $0 == "-" } ? "session" : name
  }
}
