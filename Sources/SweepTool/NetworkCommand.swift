// `network`: the times of a pattern of requests on an emulated network, to compare with a client of your own.

import Simulation
import Sweep

struct NetworkCommand: Command {
  static let name = "network"
  static let summary = "Shows when requests connect, start and end on a network."
  static let help = CommandHelp(
    synopsis: "NETWORK [PATTERN] --get SIZE [--format table|csv|json]",
    text: [
      "Requests responses over an emulated network and prints for each request, from its own start, when its connection was ready "
        + "(handshakes included; 0 if one was open), when its first byte came and when its last. With randomness: the median, minimum and "
        + "maximum of the repetitions."
    ],
    groups: [
      CommandHelp.Group(
        title: "the network, by name or by numbers; numbers beside a name replace its own",
        options: networkOptions.map { .value($0.name, $0.value, $0.text) } + [
          .value("--loss", "SHARE", "Packet loss in each direction, such as 1% or 0.01."),
          .flag("--http2", "One connection for all requests, instead of HTTP/1.1."),
          .flag("--http3", "One QUIC connection for all requests; --set network.earlyData=true for 0-RTT."),
          .values("--set", "network.KEY=VALUE", "Any other key of a sweep file's network, such as network.requestBytes=142B. May repeat."),
        ]),
      CommandHelp.Group(title: "the pattern", options: patternOptions),
      CommandHelp.Group(title: "output", options: [.value("--format", "table|csv|json", "The format of the output. Default: table.")]),
    ])

  private static let networkOptions: [(name: String, path: String, value: String, text: String)] = [
    ("--profile", "profile", "PROFILE", "A preset, such as 3G; `\(Program.name) list networks` lists them."),
    ("--mobile", "mobile", "3G|4G", "The varying rates of a moving phone."),
    ("--trace", "trace", "FILE", "A file of rates."),
    ("--trace-down", "trace.down", "FILE", "A file of rates to the client; with --trace-up."),
    ("--trace-up", "trace.up", "FILE", "A file of rates from the client; with --trace-down."),
    ("--trace-format", "format", "sabre|mahimahi|rows|csv", "The format of --trace, if its name does not say it."),
    ("--down", "down", "RATE", "The rate to the client, such as 780kbps."), ("--up", "up", "RATE", "The rate from the client."),
    ("--delay-down", "delayDown", "TIME", "The delay to the client, such as 100ms. Default: 0 without a name."),
    ("--delay-up", "delayUp", "TIME", "The delay from the client."),
    ("--queue", "queue", "N", "Packets in the queue of each direction. Default: 50."),
    ("--queue-down", "queueDown", "N", "Packets in the queue to the client, instead of --queue."),
    ("--queue-up", "queueUp", "N", "Packets in the queue from the client, instead of --queue."),
    ("--transport", "transport", "packet|tcp|fluid", "The transport model. Default: packet."),
    ("--congestion", "congestion", "cubic|bbr", "The congestion control of the server. Default: cubic."),
    ("--tls", "tls", "none|1.2|1.3|resumed", "The version of TLS. Default: none."),
    ("--dns", "dns", "TIME", "The time of the first name lookup. Default: 0s."),
  ]
  /// The options that name a network, whose numbers are complete.
  private static let names = ["--profile", "--mobile", "--trace", "--trace-down", "--trace-up"]
  private static let patternOptions: [Option] = [
    .value("--get", "SIZE", "The payload of each response, such as 200KB."),
    .value("--parallel", "N", "The number of requests at the same time. Default: 1."),
    .value("--over", "N", "The most connections for them. Default: 6."),
    .value("--warm", "SIZE", "First requests a response of this size on the same connection."),
    .value("--idle", "TIME", "The pause after --warm."),
    .value("--range", "SIZE", "Requests the first bytes of the response, then the rest by another request."),
    .value("--cancel-after", "TIME", "Cancels the requests in flight after this time."),
    .value("--then", "SIZE", "Requests another response of this size after --cancel-after."),
    .value("--repeats", "N", "Repetitions if there is randomness. Default: 15."),
    .value("--seed", "N", "The seed of all randomness. Default: 1."),
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
    let hasName = Self.names.contains { arguments.value($0) != nil }
    let isSet = arguments.values("--set").contains { $0.hasPrefix("network.") }
    if !hasName, !isSet {
      guard arguments.value("--down") != nil else {
        throw UsageProblem(description: "no network is named; write --profile 3G, or --down and --up, or --trace FILE")
      }
      guard arguments.value("--up") != nil else { throw UsageProblem(description: "--up: is missing; write such as --up 330kbps") }
    }
    if arguments.has("--http2"), arguments.has("--http3") {
      throw UsageProblem(description: "--http2: does not go with --http3; remove one of the two")
    }
    for version in ["--http2", "--http3"] where arguments.has(version) && arguments.has("--over") {
      throw UsageProblem(description: "--over: does not go with \(version), which has one connection; remove one of the two")
    }
  }

  /// - Throws: `UsageProblem` if a value is no setting.
  private static func settings(_ arguments: Arguments) throws(UsageProblem) -> [NetworkExperiment.Setting] {
    var settings: [NetworkExperiment.Setting] = []
    func add(_ option: String, _ path: String, _ value: String?) {
      if let value { settings.append(NetworkExperiment.Setting(option: option, path: path, value: value)) }
    }
    if !names.contains(where: { arguments.value($0) != nil }) {
      add("--delay-down", "network.delayDown", "0s")
      add("--delay-up", "network.delayUp", "0s")
    }
    for option in networkOptions { add(option.name, "network.\(option.path)", arguments.value(option.name)) }
    for path in ["lossDown", "lossUp"] { add("--loss", "network.\(path)", arguments.value("--loss")) }
    for (option, version) in [("--http2", "2"), ("--http3", "3")] where arguments.has(option) { add(option, "network.http", version) }
    for option in patternOptions { add(option.name, "pattern.\(option.name.dropFirst(2))", arguments.value(option.name)) }
    for setting in arguments.values("--set") {
      guard let equals = setting.firstIndex(of: "="), setting.hasPrefix("network.") else {
        throw UsageProblem(description: "--set: is \"\(shown(setting))\"; write network.KEY=VALUE, such as network.jitter=5ms")
      }
      add("--set", String(setting[..<equals]), String(setting[equals...].dropFirst()))
    }
    return settings
  }
}
