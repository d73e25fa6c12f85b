// The door for a program of one's own: the whole tool in one call.

import Sweep

/// The whole tool.
public enum SweepTool {
  /// Runs the command that the program's arguments name, and ends the process with its status.
  public static func main() -> Never { exitProcess(Tool.run(Array(CommandLine.arguments.dropFirst()))) }
}
