// The entry point for programs with prefetchers of their own.

import Base
import Simulation
import Sweep

/// The command line tool as a library, for programs with prefetchers of their own.
public enum SweepTool {
  /// Runs the command that the program's arguments name, and ends the process with its exit status. Sweeps may name `prefetchers` in
  /// addition to the built-in ones.
  public static func main(prefetchers: [PrefetcherDefinition] = []) -> Never { main(prefetchers: prefetchers, live: nil) }

  /// Runs the program's command and ends the process; `live` makes the runs of sweeps with `backend: "live"`.
  package static func main(prefetchers: [PrefetcherDefinition] = [], live: LiveClient?) -> Never {
    reserveStandardDescriptors()
    let words = Array(CommandLine.arguments.dropFirst())
    let program = called(CommandLine.arguments.first ?? "")
    exit(Tool.run(words, prefetchers: try PrefetcherCatalogue(adding: prefetchers), live: live, program: program).rawValue)
  }

  /// Runs a command in this process and returns its exit status, for studies that run many commands or inject a fault.
  package static func run(_ words: [String], fault: FileFault? = nil) -> Int32 {
    Tool.run(words, prefetchers: .standard, live: nil, fault: fault).rawValue
  }

  /// Returns the word that calls the program at a path, wherever it is installed; nil for this package's products.
  static func called(_ path: String) -> String? {
    let name = String(path.split(separator: "/").last ?? "")
    return ["", Program.name, Program.liveName].contains(name) ? nil : ShellText.quoted(name)
  }

  /// Opens closed standard descriptors, so that no file gets their numbers and receives messages.
  private static func reserveStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // `open` returns the lowest free number, which is this one.
      if open("/dev/null", O_RDWR) < 0 { _ = open("/", O_RDONLY) }
    }
  }
}
