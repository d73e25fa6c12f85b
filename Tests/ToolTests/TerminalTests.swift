import Foundation
import TestSupport
import Testing

@testable import SweepTool

/// Tables and bars as a person sees them: in terminals of four widths, and in one that is resized.
@Suite(.enabled(if: PseudoTerminal.isSupported, "there are no pseudo-terminals as on Linux")) struct TerminalTests {
  private let small = [
    "run", "Sweeps/featured-3g.json5", "--set", "network.transport=fluid", "--set", "feed.items=200", "--set", "user.scroll=200",
    "--repeats", "8",
  ]

  /// The widest line may be the last one, whose path is not folded by the program.
  @Test(arguments: [40, 60, 80, 100, 200]) func theTableFitsAndKeepsItsVerdicts(width: Int) throws {
    try BuiltTool.withFolder { folder in
      let terminal = try PseudoTerminal(width: width)
      let output = folder.appendingPathComponent("r").path
      let result = try terminal.run(small + ["--output", output])
      #expect(result.status == 0, "\(result.text)")
      var screen = Screen(width: width)
      screen.write(result.text)
      let lines = screen.texts.map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(lines[0].hasPrefix("#") && lines[0].hasSuffix("verdict"), "no bar is left above the table: \(lines[0])")
      let rows = lines[2...7]
      let words = /(better|worse|inconclusive|baseline)( \(\d+ more\))?( ≈)?$/
      #expect(rows.allSatisfy { $0.contains(words) }, "\(rows)")
      // A command is a line of its own for the reader to paste, with the folder of this run.
      let commands = lines.filter { $0.hasPrefix("prefetch-sweep run Sweeps/featured-3g.json5 ") }
      #expect(lines.dropLast(2).allSatisfy { $0.count <= width || commands.contains($0) }, "\(lines)")
      #expect((1...3).contains(commands.count), "\(commands)")
      #expect(commands.allSatisfy { $0.contains(" --repeats ") && $0.contains(" --output ") }, "\(commands)")
      #expect(lines.contains { $0.hasPrefix("Not shown in \(width) columns: ") } == (width < 200))
      // Rank, point, mean, difference and verdict are in each row, and no two rows are of one point.
      let heads = lines[0].split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }
      #expect(heads.contains("per 1000") && heads.contains { $0.hasPrefix("difference") }, "\(heads)")
      let named = lines.joined(separator: " ").contains("which follow by #")
      let points = rows.map { $0.split(separator: "  ").map { $0.trimmingCharacters(in: .whitespaces) }.dropFirst().prefix(2) }
      #expect(named || Set(points).count == rows.count, "\(rows)")
      #expect(result.text.contains("\u{1B}[32mbetter") && result.text.contains("\u{1B}[1mbaseline"))
      let last = try #require(lines.last { !$0.isEmpty })
      #expect(last.contains(/^400 runs in \d+\.\d s\. Report: .*\/r\/report\.html$/) && last.hasSuffix("\(output)/report.html"), "\(last)")
      #expect(screen.mostRows <= last.count / width + 1)
    }
  }

  @Test(arguments: [40, 60, 80, 200]) func theTableOfACheckFitsAndKeepsItsVerdicts(width: Int) throws {
    let result = try PseudoTerminal(width: width).run(
      ["check", "--sweep", "Sweeps/networks.json5", "--set", "prefetcher.ahead=2", "--repeats", "500", "--quiet", "--format", "text"]
        + ["feed.items=40", "user.scroll=40", "network.transport=fluid"].flatMap { ["--scenario", $0] },
      environment: ["GITHUB_STEP_SUMMARY": ""])
    var screen = Screen(width: width)
    screen.write(result.text)
    let lines = screen.texts.map { $0.trimmingCharacters(in: .whitespaces) }
    let first = try #require(lines.firstIndex { $0.hasPrefix("stratum ") && $0.hasSuffix("verdict") }, "\(result.text)")
    let rows = lines[(first + 2)...].prefix { !$0.isEmpty && !$0.hasPrefix("Not shown") }
    #expect(rows.count == 7 && rows.allSatisfy { $0.contains(/(worse|better|identical|inconclusive)$/) && $0.count <= width }, "\(rows)")
    #expect(lines.contains { $0.hasPrefix("Not shown in \(width) columns: baseline") } == (width < 200), "\(lines)")
  }

  @Test(arguments: [["NO_COLOR": "1"], ["TERM": "dumb"]]) func coloursCanBeSwitchedOff(environment: [String: String]) throws {
    try BuiltTool.withFolder { folder in
      let result = try PseudoTerminal(width: 100).run(
        small + ["--progress", "none", "--output", folder.appendingPathComponent("r").path], environment: environment)
      #expect(result.status == 0 && result.text.contains("better") && !result.text.contains("\u{1B}"), "\(result.text)")
    }
  }

  @Test func aDumbTerminalHasNoBar() throws {
    try BuiltTool.withFolder { folder in
      let result = try PseudoTerminal(width: 80).run(
        small + ["--output", folder.appendingPathComponent("r").path], environment: ["TERM": "dumb"])
      #expect(!result.text.contains("\r") && !result.text.contains("[#"), "\(result.text)")
    }
  }

  @Test func columnsNamesTheWidth() throws {
    try BuiltTool.withFolder { folder in
      let output = folder.appendingPathComponent("r").path
      let piped = try BuiltTool.run(small + ["--output", output, "--quiet"])
      #expect(piped.status == 0 && piped.output.isEmpty, "\(piped.errors)")
      for (columns, width) in [("60", 60), ("200", nil), ("many", 100), ("0", 100), ("", 100)] {
        let text = try BuiltTool.run(small + ["--output", output], environment: ["COLUMNS": columns]).output
        #expect(text.contains("Not shown in \(width ?? 0) columns") == (width != nil), "\(columns): \(text)")
        #expect(!text.contains("\u{1B}"))
      }
      let terminal = try PseudoTerminal(width: 80).run(small + ["--output", output], environment: ["COLUMNS": "60"])
      #expect(terminal.text.contains("Not shown in 60 columns"))
    }
  }

  /// Starts at 80 columns, becomes narrower while the bar is shown, then wider again, and is stopped.
  @Test(arguments: [[40], [30, 120], [79, 41, 200]]) func aResizedTerminalShowsOneBar(widths: [Int]) throws {
    try BuiltTool.withFolder { folder in
      let terminal = try PseudoTerminal(width: 80)
      var screen = Screen(width: 80)
      var left = widths
      let output = folder.appendingPathComponent("r").path
      let result = try terminal.run(
        ["run", "Sweeps/featured-3g.json5", "--set", "network.transport=fluid", "--repeats", "100000", "--output", output]
      ) { piece, process in
        screen.write(piece)
        guard piece.contains(" left") else { return }
        #expect(screen.texts.count { $0.contains(" %  ") } == 1 && screen.texts.count == 1, "one bar: \(screen.texts)")
        #expect((screen.texts.last ?? "").count < screen.width, "\(screen.texts) in \(screen.width)")
        if left.isEmpty {
          process.interrupt()
        } else {
          screen.resize(to: left[0])
          terminal.resize(to: left.removeFirst())
        }
      }
      #expect(result.status == 130 && left.isEmpty, "\(result.text)")
      #expect(screen.texts[0].hasPrefix("stopped: "), "the bar is erased: \(screen.texts)")
    }
  }

  @Test func theScreenOfTheseTestsFoldsAndErases() {
    var screen = Screen(width: 10)
    screen.write("12345678901234\r\u{1B}[K")
    #expect(screen.texts == ["1234567890"], "only the last row is erased")
    screen.write("\r\u{1B}[1A\u{1B}[Jab\ncd")
    #expect(screen.texts == ["ab", "cd"])
    screen = Screen(width: 10)
    screen.write("1234567890\r12")
    #expect(screen.texts == ["1234567890"] && screen.mostRows == 1)
    screen.resize(to: 4)
    screen.write("\u{1B}[31m3\u{1B}[0m\u{1B}[J")
    #expect(screen.texts == ["123"])
  }
}
