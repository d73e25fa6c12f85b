// A pattern of requests on a network that the command line describes: read by the same readers as a sweep file, so that both mean
// the same and refuse the same.

import Import
import Simulation
import Sweep

struct NetworkExperiment {
  /// A word of the command line: an option, the dotted path that it sets, and its value. Several may come from one option.
  struct Setting {
    var option: String, path: String, value: String
  }

  /// What is wrong with the command line: a line for each problem, without the program's name.
  struct Problems: Error {
    var lines: [String]
  }

  private let network: NetworkConfiguration
  let description: String
  let pattern: RequestPattern
  private(set) var warnings: [String]
  /// True if each repetition starts at its own place of the trace.
  private let startsAnywhere: Bool

  /// Reads settings whose paths start with `network` or `pattern`.
  /// - Throws: `Problems` if a setting is malformed.
  init(_ settings: [Setting]) throws(Problems) {
    let sink = DiagnosticSink()
    let empty = JSON5Value(kind: .object([]), location: SourceLocation(file: "--get"))
    let parts = ["network", "pattern"].map { JSON5Member(key: $0, keyLocation: empty.location, value: empty) }
    var root = JSON5Value(kind: .object(parts), location: empty.location)
    for setting in settings {
      do throws(ValueProblem) {
        root = try root.setting(path: setting.path, to: Self.value(setting), expanding: ScenarioText.expanding)
      } catch {
        sink.report(error, at: SourceLocation(file: setting.option), key: setting.path)
      }
    }
    let context = DecodingContext(sink: sink)
    var reader = ObjectReader(root, context: context)
    let decoded = reader.object("network").flatMap { ScenarioDecoder(files: InputFiles(folder: "")).network($0) }
    var part = reader.objectOrEmpty("pattern")
    pattern = RequestPattern(&part, isRandom: decoded.map { $0.startsAnywhere || $0.network.isRandom } ?? false)
    part.finish()
    reader.finish()
    guard let decoded, sink.isEmpty else { throw Problems(lines: Self.lines(sink.sorted)) }
    var network = decoded.network
    network.http.connectionsPerHost = pattern.over
    self.network = network
    startsAnywhere = decoded.startsAnywhere
    description = decoded.text
    warnings = IgnoredSetting.warnings(decoded.ignored)
    if network.transport == .fluid {
      warnings.append("The fluid transport has no connections: a request costs one round trip, then its share of the rate.")
    }
    if pattern.repeats > 1, !isRandom { warnings.append("Nothing of this network is random: it was run once.") }
  }

  private var isRandom: Bool { network.isRandom || startsAnywhere }

  /// Runs all repetitions.
  ///
  /// - Throws: why a run was stopped before its end: because `isCancelled` said so, or at its limits.
  func run(isCancelled: @escaping @Sendable () -> Bool = { false }) throws(RunStop) -> NetworkFindings {
    let runs = try (1...(isRandom ? pattern.repeats : 1)).map { repetition throws(RunStop) in
      let seed = RandomStream.seed(sweepSeed: pattern.seed, repetition: repetition)
      var run = PatternRun(network.drawn(runSeed: seed, startsAnywhere: startsAnywhere), limits: RunLimits(isCancelled: isCancelled))
      try run.run(pattern)
      return (outcomes: run.outcomes, packetsDropped: run.packetsDropped, bytesDead: run.bytesDead)
    }
    return NetworkFindings(self, runs: runs)
  }

  /// Sizes, times and names are texts; what reads as another value where the option takes one is that.
  private static func value(_ setting: Setting) -> JSON5Value {
    var value = JSON5Value.scalar(fromCommandLine: setting.value, option: setting.option)
    if ["network.profile", "network.trace", "network.mobile"].contains(setting.path) { value.kind = .string(setting.value) }
    return value
  }

  /// Problems as the command line's: the option instead of a place, and each once.
  private static func lines(_ diagnostics: [Diagnostic]) -> [String] {
    var known: Set<String> = []
    return diagnostics.map(line).filter { known.insert($0).inserted }
  }

  private static func line(_ diagnostic: Diagnostic) -> String {
    let option = diagnostic.location.file
    if !option.hasPrefix("--") { return diagnostic.description }
    if diagnostic.problem == "is missing" {
      return diagnostic.key == "network.format"
        ? "--trace-format: is missing; write sabre, mahimahi, rows or csv"
        : "\(diagnostic.key): is missing; \(diagnostic.remedy), as an option or with --set"
    }
    let remedy = diagnostic.remedy.hasPrefix("check the path") ? "check the path" : diagnostic.remedy
    return "\(option == "--set" ? "--set \(diagnostic.key)" : option): \(diagnostic.problem); \(remedy)"
  }
}
