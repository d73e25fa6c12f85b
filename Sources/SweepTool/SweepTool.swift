// The door for a program of one's own: the whole tool, with more prefetchers, in one call.

import Sweep

/// The whole tool.
public enum SweepTool {
  /// Runs the command that the program's arguments name, and ends the process with its status. `prefetchers` can be named in sweeps
  /// beside those that the program comes with, and are in `list`; `live` makes the runs of sweeps that say `backend: "live"`.
  public static func main(prefetchers: [PrefetcherDefinition] = [], live: LiveClient? = nil) -> Never {
    do {
      let catalogue = try PrefetcherCatalogue(adding: prefetchers)
      exitProcess(Tool.run(Array(CommandLine.arguments.dropFirst()), prefetchers: catalogue, live: live))
    } catch {
      printError(error.description)
      exitProcess(.badInput)
    }
  }
}
