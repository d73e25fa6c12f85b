// `backend: { command: [ … ], … }`: what a sweep file says of the program that makes a run.

/// The program that makes a run, and how it is run.
public struct CommandBackend: Sendable {
  /// Where the sweep file asks for it.
  let location: SourceLocation
  /// The program and its arguments, with placeholders.
  let command: [String]

  /// Reads the object under `backend`.
  init(from reader: inout ObjectReader, files: InputFiles) {
    location = reader.location
    command = (reader.array("command", required: true) ?? []).compactMap(\.text)
    reader.finish()
  }

  /// What the head of a report says.
  var summary: String { "a program for each run" }

  /// What a folder's runs belong to besides the points.
  var identity: String { "command \(ContentHash.of(lines: command))" }

  /// The lines that a point's id is made of.
  func pointLines(_ text: ScenarioText) -> [String] { ["backend=command"] + command }
}

/// Runs the program for each run.
struct CommandMaker: RunMaker {
  let laneCount = 1

  init(_ backend: CommandBackend, sweep: SweepFile) throws {
    throw InvalidInput(diagnostics: [
      Diagnostic(location: backend.location, key: "backend", problem: "cannot be run yet", remedy: "leave it out")
    ])
  }

  func make(_ run: WantedRun, isCancelled: @Sendable () -> Bool) -> RunOutcome? { nil }
}
