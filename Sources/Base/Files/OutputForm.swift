// How the files of each output begin. An output replaces or removes only a file that it wrote, and never an input of the command.

package struct OutputForm: Sendable {
  /// The beginnings of its files, of this version and the last.
  private let starts: [String]
  /// Files of other forms, one of which is in the same folder, for a form that anybody may write.
  private let companions: [String]

  private init(_ starts: String..., beside companions: String...) { (self.starts, self.companions) = (starts, companions) }

  private static let headSize = 256

  /// Returns the problem of replacing the file at a path; nil if there is none, an empty one, or one of this form.
  package func problem(at path: String) -> String? {
    if let input = InputFile.input(at: path) { return "is \(shortened(input, to: 200)), which this command reads" }
    return isOwn(path) ? nil : "is a file that this option did not write"
  }

  private func isOwn(_ path: String) -> Bool {
    guard let status = SystemFile.status(path), status.isRegular, status.st_size > 0 else { return true }
    guard let file = try? SystemFile(regular: path, flags: O_RDONLY) else { return false }
    defer { file.close() }
    guard let head = file.bytes(atMost: Self.headSize), starts.contains(where: { head.starts(with: $0.utf8) }) else { return false }
    let others = companions.map { "\(OutputFile.parts(of: path).folder)/\($0)" }
    return others.isEmpty || others.contains { SystemFile.exists($0) && Self.ofResults($0)?.isOwn($0) != false }
  }

  package static let winner = OutputForm("// The winner of the sweep ")
  package static let population = OutputForm("// A population fitted to ")
  package static let gateJSON = OutputForm("{\n  \"baseline\" : {\n    \"point\" : ")
  package static let jUnit = OutputForm("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"prefetch-sweep\"")
  package static let gateMarkdown = OutputForm("### ✅ Prefetch gate: ", "### ❌ Prefetch gate: ", "### ⚠️ Prefetch gate: ")
  package static let benchmark = OutputForm("program: prefetch-sweep\nmodel: ")
  package static let archive = OutputForm("{\"log\":{\"version\":\"1.2\",\"creator\":{\"name\":\"prefetch-sweep\"")
  package static let eventTrace = OutputForm("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n")
  package static let feed = OutputForm("{ \"items\": [\n")
  /// A trace, a feed, a recording or a network.
  package static let imported = OutputForm("[\n    {\"duration_ms\": ", "{ \"items\": [\n", "item,dwellMs\n", "// The network ")
  package static let scenario = OutputForm("// A session rebuilt from ")
  package static let timings = OutputForm("item,startMs,blockedMs,")
  package static let history = OutputForm("{\"crc32\":\"")

  /// Returns the form of a file of results, a history's report or a calibration by its name; nil for other names.
  static func ofResults(_ path: String) -> OutputForm? {
    let name = OutputFile.parts(of: path).name
    return names[name] ?? (name.hasSuffix(".svg") ? chart : nil)
  }

  package static func isResults(_ path: String) -> Bool {
    guard let status = SystemFile.status(path, followsLinks: false), status.isRegular, status.st_size > 0 else { return false }
    return ofResults(path)?.isOwn(path) == true
  }

  private static let chart = OutputForm(
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart")
  private static let page = "<!DOCTYPE html>\n<html lang=\"en\""
  private static let runs = OutputForm("point,repetition,seed,")
  private static let names: [String: OutputForm] = [
    "runs.csv": runs, "confirmation.csv": runs, "failures.csv": runs, "summary.csv": OutputForm("point,"),
    "sweep.json": OutputForm("{\n  \"axes\" : ["), "manifest.json": OutputForm("{", beside: "sweep.json"),
    "shard.json": OutputForm("{", beside: "sweep.json"), "standard-input.json5": OutputForm("", beside: "sweep.json"),
    "report.md": OutputForm("# ", beside: "summary.csv", "sweep.json"),
    "report.html": OutputForm(page, beside: "summary.csv", "sweep.json"),
    "comparison.md": OutputForm("# ", beside: "summary.csv"), "comparison.html": OutputForm(page, beside: "comparison.md"),
    "comparison.xml": jUnit, "overnight.md": OutputForm("# Overnight run of "), "history.md": OutputForm("# History\n"),
    "history.html": OutputForm(page, beside: "history.md"),
    "calibration.md": OutputForm("# Emulator and device\n"), "calibration.csv": OutputForm("", beside: "calibration.md"),
    "calibrated.json5": OutputForm("// Settings that fit the emulator to a device."),
  ]
}
