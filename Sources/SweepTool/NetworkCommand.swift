// `network`: the times of a pattern of requests on an emulated network, to compare with a client of your own.

import Base
import Simulation
import Sweep

struct NetworkCommand: Command {
  static let name = "network"
  static let summary = "Shows when requests connect, start and end on a network."
  static let help = CommandHelp(
    synopsis: "[PROFILE] --get SIZE [options]",
    text: [
      "Requests responses over an emulated network and prints for each request, from its own start, when its connection was ready "
        + "(handshakes included; 0 if one was open), when its first byte came and when its last. With randomness: the median, minimum and "
        + "maximum of the repetitions."
    ],
    groups: [
      CommandHelp.Group(
        title: "the network, by PROFILE, another name or numbers; numbers beside a name replace its own",
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
    ("--profile", "profile", "PROFILE", "A preset, such as 3G, the same as PROFILE alone; `\(Program.name) list networks` lists them."),
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
    ("--transport", "transport", "packet|fluid", "The transport model. Default: packet."),
    ("--congestion", "congestion", "cubic|bbr", "The congestion control of the server. Default: cubic."),
    ("--tls", "tls", "none|1.2|1.3|resumed", "The version of TLS. Default: none."),
    ("--dns", "dns", "TIME", "The time of the first name lookup. Default: 0s."),
  ]
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
  private enum Format: String, CaseIterable { case table, csv, json }

  private let experiment: NetworkExperiment
  private let format: Format

  /// - Throws: `UsageProblem` if the words are wrong.
  init(_ arguments: Arguments) throws {
    if arguments.words.count > 1 {
      throw UsageProblem("\(shown(arguments.words[1])): one network is enough; take out the others, or quote \"200 KB\"")
    }
    format = try arguments.choice("--format", of: Format.self) ?? .table
    var problems: [String] = []
    let settings = Self.settings(arguments, &problems)
    guard let experiment = NetworkExperiment(settings, option: Self.option, &problems), problems.isEmpty else {
      throw Refusal(problems.map { "\(Program.name) \(Self.name): \($0)" }.joined(separator: "\n"))
    }
    self.experiment = experiment
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

  /// Returns the option that sets a path, such as `--tls` of `network.tls`; nil if only `--set` does.
  private static func option(of path: String) -> String? {
    if path.hasPrefix("pattern.") { return "--\(path.dropFirst("pattern.".count))" }
    return networkOptions.first { "network.\($0.path)" == path }?.name
  }

  /// Returns the settings of all options; reports options that exclude each other, and a network without a name or rates.
  private static func settings(_ arguments: Arguments, _ problems: inout [String]) -> [NetworkExperiment.Setting] {
    var settings: [NetworkExperiment.Setting] = []
    func add(_ option: String, _ path: String, _ value: String?) {
      guard let value else { return }
      let setting = NetworkExperiment.Setting(option: option, path: path, value: value)
      if let other = settings.first(where: { $0.path.overlaps(path) }) {
        problems.append("\(setting.label): does not go with \(other.label), which sets the same; remove one of the two")
      } else {
        settings.append(setting)
      }
    }
    // A word names a preset, as network: "3G" does in a sweep file.
    add("PROFILE", "network.profile", arguments.words.first)
    for option in networkOptions { add(option.name, "network.\(option.path)", arguments.value(option.name)) }
    for path in ["lossDown", "lossUp"] { add("--loss", "network.\(path)", arguments.value("--loss")) }
    for (option, version) in [("--http2", "2"), ("--http3", "3")] where arguments.has(option) { add(option, "network.http", version) }
    for setting in arguments.values("--set") {
      guard let equals = setting.firstIndex(of: "="), setting.hasPrefix("network.") else {
        let isKey = setting.contains("=") && !setting.hasPrefix("network")
        let remedy = isKey ? "network.\(shown(setting))" : "network.KEY=VALUE, such as network.jitter=5ms"
        problems.append("--set: is \"\(shown(setting))\"; write \(remedy)")
        continue
      }
      add("--set", String(setting[..<equals]), String(setting[equals...].dropFirst()))
    }
    func isSet(_ path: String) -> Bool { settings.contains { $0.path.overlaps("network.\(path)") } }
    if !["profile", "profileFile", "mobile", "trace"].contains(where: isSet) {
      if !isSet("down") {
        problems.append("no network is named; write --profile 3G, or --down and --up, or --trace FILE")
      } else if !isSet("up") {
        problems.append("--up: is missing; write such as --up 330kbps")
      }
      for (option, path) in [("--delay-down", "delayDown"), ("--delay-up", "delayUp")] where !isSet(path) {
        add(option, "network.\(path)", "0s")
      }
    }
    if arguments.has("--over"), let version = settings.first(where: { $0.path == "network.http" && ["2", "3"].contains($0.value) }) {
      problems.append("--over: does not go with \(version.label), which has one connection; remove one of the two")
    }
    for option in patternOptions { add(option.name, "pattern.\(option.name.dropFirst(2))", arguments.value(option.name)) }
    return settings
  }
}
