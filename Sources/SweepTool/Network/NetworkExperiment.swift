// A pattern of requests on a network, from the command line. The readers of sweep files read it, so both accept the same keys and values.

import Base
import Simulation
import Sweep

struct NetworkExperiment {
  /// A setting from the command line: its option, dotted path and value. One option may give several.
  struct Setting {
    var option: String, path: String, value: String

    /// The setting in messages: its option, or `--set` with its path and value.
    var label: String { option == "--set" ? "--set \(path)=\(shown(value))" : option }
  }

  private let network: NetworkConfiguration
  let description: String
  let pattern: RequestPattern
  private(set) var warnings: [String]
  /// True if each repetition starts at a random time of the trace.
  private let startsAnywhere: Bool

  /// Reads settings whose paths start with `network` or `pattern`; nil after problems, one line each, without the program's name.
  /// `option` returns the option of a path, for messages; nil for --set.
  init?(_ settings: [Setting], option: (_ path: String) -> String?, _ problems: inout [String]) {
    let sink = DiagnosticSink()
    let empty = JSON5Value(kind: .object([]), location: SourceLocation(file: ""))
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
    let decoded = reader.object("network").flatMap { ScenarioDecoder(files: InputFiles(folder: "", remedy: "check the path")).network($0) }
    var part = reader.objectOrEmpty("pattern")
    pattern = RequestPattern(&part, isRandom: decoded.map { $0.startsAnywhere || $0.network.isRandom } ?? false)
    part.finish()
    reader.finish()
    guard let decoded, sink.isEmpty else {
      // The command reports missing rates in its own words.
      problems += sink.sorted.filter { $0.code != .missingNumbers }.map { Self.line($0, option) }.distinct
      return nil
    }
    var network = decoded.network
    network.http.connectionsPerHost = pattern.over
    self.network = network
    startsAnywhere = decoded.startsAnywhere
    description = decoded.text
    warnings = IgnoredSetting.warnings(decoded.ignored)
    if network.transport == .fluid {
      warnings.append("The fluid transport has no connections: a request takes one round trip, then gets its share of the rate.")
    }
    if pattern.repeats > 1, !isRandom { warnings.append("Nothing on this network is random, so there was 1 run.") }
  }

  private var isRandom: Bool { network.isRandom || startsAnywhere }

  /// - Throws: `RunStop` if `isCancelled` returns true or a run reaches its limits.
  func run(isCancelled: @escaping @Sendable () -> Bool = { false }) throws(RunStop) -> NetworkFindings {
    let runs = try (1...(isRandom ? pattern.repeats : 1)).map { repetition throws(RunStop) in
      let seed = RandomStream.seed(sweepSeed: pattern.seed, repetition: repetition)
      var run = PatternRun(network.drawn(runSeed: seed, startsAnywhere: startsAnywhere), limits: RunLimits(isCancelled: isCancelled))
      try run.run(pattern)
      return (outcomes: run.outcomes, packetsDropped: run.packetsDropped, bytesDead: run.bytesDead)
    }
    return NetworkFindings(self, runs: runs)
  }

  /// Returns the value of a setting. Names stay strings, even if they look like other JSON5 values.
  private static func value(_ setting: Setting) -> JSON5Value {
    var value = JSON5Value.scalar(fromCommandLine: setting.value, option: setting.option)
    if ["network.profile", "network.trace", "network.trace.down", "network.trace.up", "network.mobile"].contains(setting.path) {
      value.kind = .string(setting.value)
    }
    return value
  }

  /// Returns a problem as a line of the command line: with the option as location.
  private static func line(_ diagnostic: Diagnostic, _ option: (_ path: String) -> String?) -> String {
    let (file, key) = (diagnostic.location.file, diagnostic.key)
    if !file.isEmpty, !file.hasPrefix("--") { return diagnostic.description }
    switch diagnostic.code {
    case .missing(let example):
      let (name, value) = option(key).map { ($0, "\($0) ") } ?? ("--set \(key)", "--set \(key)=")
      return "\(name): \(diagnostic.problem); \(remedy(forMissing: key, name, "write \(value)\(example ?? "VALUE")"))"
    case let code:
      let name = file.isEmpty ? option(key) ?? "--set \(key)" : file == "--set" ? "--set \(key)" : file
      return "\(name): \(diagnostic.problem); \(code == .noPath ? "write the path of a file of rates" : diagnostic.remedy)"
    }
  }

  /// Returns the remedy for a missing value in the terms of the command line; by default `other`.
  private static func remedy(forMissing key: String, _ option: String, _ other: String) -> String {
    switch key {
    case "pattern.get": "name the size of a response, such as --get 200KB"
    case "network.format": "write sabre, mahimahi, rows or csv"
    case "network.trace.down", "network.trace.up": "write \(option) FILE, or --trace FILE for both directions"
    default: other
    }
  }
}
