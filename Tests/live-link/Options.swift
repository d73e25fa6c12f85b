// The command line of live-link.

/// The parameters of the link, and the command that runs behind it.
struct Options {
  var downKbps: UInt64 = 2000
  var upKbps: UInt64 = 512
  var delayDownMs: UInt64 = 40
  var delayUpMs: UInt64 = 40
  var queuePackets: UInt64 = 50
  var lossPpm: UInt64 = 0
  var seed: UInt64 = 1
  /// The congestion control of the server, by the kernel's name; nil for the machine's default.
  var congestion: String?
  var command: [String] = []

  static let usage = """
    usage: live-link [options] -- COMMAND …

    Runs COMMAND in a new network namespace behind a slow link. It reaches this machine as 10.98.0.1. The exit status is that of COMMAND.
    Needs Linux, `ip` (iproute2) and permission to create namespaces: root, or `unshare --map-root-user --net live-link …`.

      --down-kbps N       rate towards COMMAND (2000)
      --up-kbps N         rate from COMMAND (512)
      --delay-down-ms N   constant delay towards COMMAND, after the last bit (40)
      --delay-up-ms N     constant delay from COMMAND (40)
      --queue-packets N   drop-tail queue of each direction (50)
      --loss-ppm N        packets of a million that are lost at random in each direction (0)
      --seed N            the seed of the losses (1)
      --congestion NAME   the congestion control towards COMMAND, such as cubic (the machine's default)
    """

  /// Parses a command line; returns nil and the problem if it is not valid.
  static func parse(_ arguments: [String]) -> (options: Options?, problem: String) {
    var options = Options()
    var rest = arguments[...]
    let numbers: [(name: String, path: WritableKeyPath<Options, UInt64>, least: UInt64)] = [
      ("--down-kbps", \.downKbps, 1), ("--up-kbps", \.upKbps, 1), ("--delay-down-ms", \.delayDownMs, 0),
      ("--delay-up-ms", \.delayUpMs, 0), ("--queue-packets", \.queuePackets, 1), ("--loss-ppm", \.lossPpm, 0), ("--seed", \.seed, 0),
    ]
    while let argument = rest.popFirst() {
      if argument == "--" {
        options.command = Array(rest)
        return options.command.isEmpty ? (nil, "no command; write it after --") : (options, "")
      }
      if argument == "--congestion" {
        guard let name = rest.popFirst() else { return (nil, "\(argument): needs a name, such as cubic") }
        options.congestion = name
        continue
      }
      guard let number = numbers.first(where: { $0.name == argument }) else { return (nil, "\(argument): unknown option") }
      guard let value = rest.popFirst().flatMap(UInt64.init), (number.least...1_000_000_000).contains(value) else {
        return (nil, "\(argument): needs a whole number, at least \(number.least)")
      }
      options[keyPath: number.path] = value
    }
    return (nil, "no command; write it after --")
  }
}
