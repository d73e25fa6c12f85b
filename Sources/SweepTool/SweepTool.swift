// The door for a program of one's own: the whole tool, with more prefetchers, in one call.

import Import
import Simulation
import Sweep

/// The whole tool.
public enum SweepTool {
  /// Runs the command that the program's arguments name, and ends the process with its exit status. Sweeps may name `prefetchers` beside
  /// the program's own.
  public static func main(prefetchers: [PrefetcherDefinition] = []) -> Never { main(prefetchers: prefetchers, live: nil) }

  /// The same; `live` makes the runs of sweeps with `backend: "live"`.
  package static func main(prefetchers: [PrefetcherDefinition] = [], live: LiveClient?) -> Never {
    reserveStandardDescriptors()
    do {
      let catalogue = try PrefetcherCatalogue(adding: prefetchers)
      exit(Tool.run(Array(CommandLine.arguments.dropFirst()), prefetchers: catalogue, live: live).rawValue)
    } catch {
      printError(error.description)
      exit(ExitStatus.badInput.rawValue)
    }
  }

  /// Runs the command that `words` name in this process and returns its exit status, for studies that need many of them.
  package static func run(_ words: [String]) -> Int32 { Tool.run(words, prefetchers: .standard, live: nil).rawValue }

  /// Opens what is closed of standard input, output and error: the next file to be opened would get its number, and our messages.
  private static func reserveStandardDescriptors() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one.
      if open("/dev/null", O_RDWR) < 0 { _ = open("/", O_RDONLY) }
    }
  }
}
