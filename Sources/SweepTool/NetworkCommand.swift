// `network`: what a pattern of requests would see on a network, to compare with a client of one's own.

import Simulation
import Sweep

struct NetworkCommand: Command {
  static let name = "network"
  static let summary = "Shows what requests would see on a network: connect, first byte and end of each."
  static let options: [Option] =
    networkOptions.map { .value($0.name) } + patternOptions.map { .value("--\($0)") }
    + [.value("--loss"), .values("--set"), .value("--format"), .flag("--http2")]
  static let usage = """
    usage: prefetch-sweep network NETWORK [PATTERN] --get SIZE [--format table|csv|json]

    Asks for responses over an emulated network and prints, for each request and from its own start, when its connection was ready
    (handshakes included; 0 where one was open), when its first byte came and when its last. For a network with chance in it: the
    median, the least and the most of the repetitions.

    the network, by name or by numbers; numbers beside a name replace its own
      --profile NAME     a preset, such as 3G; `prefetch-sweep list networks` shows them
      --mobile 3G|4G     rates of a phone on the move
      --trace FILE       a file of rates; --trace-format sabre, mahimahi, rows or csv, if its name does not say it
      --down RATE --up RATE --delay-down TIME --delay-up TIME     such as 780kbps, 100ms; delays are 0 unless given
      --loss SHARE       of packets, each way: 1% or 0.01
      --queue N          packets in each queue (50)
      --transport NAME   packet (the default), tcp or fluid
      --tls VERSION      none (the default), 1.2, 1.3 or resumed
      --http2            one connection for all, instead of HTTP/1.1
      --dns TIME         until a name is found the first time (0s: it is known)
      --set PATH=VALUE   any other key of a sweep file's network, such as network.requestBytes=142; may repeat

    the pattern
      --get SIZE         the payload of each response, such as 200KB
      --parallel N       so many at once (1) …
      --over N           … over at most so many connections (6)
      --warm SIZE        after one GET of that size on the same connection …
      --idle TIME        … and after a rest
      --range SIZE       the first bytes of the response by one request, then the rest by another
      --cancel-after TIME --then SIZE     cuts what is on the way, then asks for another response
      --repeats N        repetitions where chance plays (15)
      --seed N           what chance comes from (1)
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

  /// - Throws: what the experiment and encoding throw.
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
    // A table and JSON show the warnings themselves; CSV has no place for them.
    if format == .csv { experiment.warnings.forEach(printError) }
    return isPrinted ? .good : .failed
  }

  /// What no single option can know.
  /// - Throws: `UsageProblem` if an option is missing.
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
