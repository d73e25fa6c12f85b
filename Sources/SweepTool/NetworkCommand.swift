// `network`: the times of a pattern of requests on an emulated network, to compare with a client of your own.

import Simulation
import Sweep

struct NetworkCommand: Command {
  static let name = "network"
  static let summary = "Measures requests on an emulated network: connect, first byte and end of each."
  static let options: [Option] =
    networkOptions.map { .value($0.name) } + patternOptions.map { .value("--\($0)") }
    + [.value("--loss"), .values("--set"), .value("--format"), .flag("--http2")]
  static let usage = """
    usage: prefetch-sweep network NETWORK [PATTERN] --get SIZE [--format table|csv|json]

    Sends requests over an emulated network and prints, for each request and from its own start, the times at which its connection was
    ready (with handshakes; 0 if one was open), its first byte arrived and its last byte arrived. On a random network: the median, the
    minimum and the maximum of the repetitions.

    the network, by name or by numbers; numbers beside a name replace the profile's
      --profile NAME     a preset, such as 3G; `prefetch-sweep list networks` shows them
      --mobile 3G|4G     random rates of a moving phone
      --trace FILE       a trace file; --trace-format sabre, mahimahi, rows or csv, if its name does not show it
      --down RATE --up RATE --delay-down TIME --delay-up TIME     such as 780kbps, 100ms; delays are 0 unless given
      --loss SHARE       the share of packets lost in each direction: 1% or 0.01
      --queue N          packets in each queue (50)
      --transport NAME   packet (the default), tcp or fluid
      --tls VERSION      none (the default), 1.2, 1.3 or resumed
      --http2            one connection for all, instead of HTTP/1.1
      --dns TIME         the time of the first name lookup (0s: the address is known)
      --set PATH=VALUE   any other key of a sweep file's network, such as network.requestBytes=142; may repeat

    the pattern
      --get SIZE         the payload of each response, such as 200KB
      --parallel N       the number of parallel requests (1) …
      --over N           … over at most this many connections (6)
      --warm SIZE        first one GET of this size on the same connection …
      --idle TIME        … and then a pause
      --range SIZE       one request for the first bytes of the response, then one for the rest
      --cancel-after TIME --then SIZE     cancels the requests in flight, then sends another one
      --repeats N        repetitions on a random network (15)
      --seed N           the seed of a random network (1)
    """

  private static let networkOptions: [(name: String, path: String)] = [
    ("--profile", "profile"), ("--mobile", "mobile"), ("--trace", "trace"), ("--trace-format", "format"),
    ("--down", "down"), ("--up", "up"), ("--delay-down", "delayDown"), ("--delay-up", "delayUp"), ("--queue", "queue"),
    ("--transport", "transport"), ("--tls", "tls"), ("--dns", "dns"),
  ]
  private static let patternOptions = [
    "get", "parallel", "over", "warm", "idle", "cancel-after", "then", "range", "repeats", "seed",
  ]
  private enum Format { case table, csv, json }

  private let experiment: NetworkExperiment
  private let format: Format

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    if let word = arguments.words.first { throw UsageProblem(description: "\(shown(word)): takes no words; name the network by options") }
    format = try arguments.choice("--format", ["table": .table, "csv": .csv, "json": .json]) ?? .table
    try Self.check(arguments)
    let settings = try Self.settings(arguments)
    do throws(NetworkExperiment.Problems) { experiment = try NetworkExperiment(settings) } catch {
      throw UsageProblems(lines: error.lines.map { "\(Program.name) \(Self.name): \($0)" })
    }
  }

  /// - Throws: any error of the experiment.
  func run() throws -> ExitStatus {
    Interruption.install()
    let findings: NetworkFindings
    do throws(RunStop) { findings = try experiment.run(isCancelled: { Interruption.signal != 0 }) } catch {
      if error == .cancelled { return Interruption.status }
      printError("\(Program.name) \(Self.name): \(error)")
      return .failed
    }
    let text =
      switch format {
      case .table: findings.table
      case .json: findings.json
      case .csv: findings.csv
      }
    let isPrinted = printLine(text)
    // The table and the JSON contain the warnings; CSV cannot.
    if format == .csv { experiment.warnings.forEach(printError) }
    return isPrinted ? .good : .failed
  }

  /// Checks the options that depend on each other.
  /// - Throws: `UsageProblem` if an option is missing, or two exclude each other.
  private static func check(_ arguments: Arguments) throws(UsageProblem) {
    guard arguments.value("--get") != nil else {
      throw UsageProblem(description: "--get: is missing; name the size of a response, such as --get 200KB")
    }
    let hasName = ["--profile", "--mobile", "--trace"].contains { arguments.value($0) != nil }
    let isSet = arguments.values("--set").contains { $0.hasPrefix("network.") }
    if !hasName, !isSet {
      guard arguments.value("--down") != nil else {
        throw UsageProblem(description: "no network is named; write --profile 3G, or --down and --up, or --trace FILE")
      }
      guard arguments.value("--up") != nil else { throw UsageProblem(description: "--up: is missing; write such as --up 330kbps") }
    }
    if arguments.has("--http2"), arguments.has("--over") {
      throw UsageProblem(description: "--over: does not go with --http2, which has one connection; take out one of the two")
    }
  }

  /// - Throws: `UsageProblem` if a value is no setting.
  private static func settings(_ arguments: Arguments) throws(UsageProblem) -> [NetworkExperiment.Setting] {
    var settings: [NetworkExperiment.Setting] = []
    func add(_ option: String, _ path: String, _ value: String?) {
      if let value { settings.append(NetworkExperiment.Setting(option: option, path: path, value: value)) }
    }
    if !["--profile", "--mobile", "--trace"].contains(where: { arguments.value($0) != nil }) {
      add("--delay-down", "network.delayDown", "0s")
      add("--delay-up", "network.delayUp", "0s")
    }
    for option in networkOptions { add(option.name, "network.\(option.path)", arguments.value(option.name)) }
    for path in ["lossDown", "lossUp"] { add("--loss", "network.\(path)", arguments.value("--loss")) }
    if arguments.has("--http2") { add("--http2", "network.http", "2") }
    for key in patternOptions { add("--\(key)", "pattern.\(key)", arguments.value("--\(key)")) }
    for setting in arguments.values("--set") {
      guard let equals = setting.firstIndex(of: "="), setting.hasPrefix("network.") else {
        throw UsageProblem(description: "--set: is \"\(shown(setting))\"; write network.KEY=VALUE, such as network.jitter=5ms")
      }
      add("--set", String(setting[..<equals]), String(setting[equals...].dropFirst()))
    }
    return settings
  }
}
