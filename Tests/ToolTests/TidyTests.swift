import Foundation
import TestSupport
import Testing

@testable import Analysis
@testable import Simulation

/// Checks rules that the compiler does not know, by reading the sources of this package.
@Suite struct TidyTests {
  // MARK: Determinism and structure

  private func lines(in folders: [String], matching pattern: some RegexComponent) -> [String] {
    (SourceFile.all + SourceFile.studies).filter { source in folders.contains { source.path.hasPrefix($0) } }.flatMap { source in
      source.code.enumerated().filter { $0.element.firstMatch(of: pattern) != nil }.map { "\(source.path):\($0.offset + 1): \($0.element)" }
    }
  }

  @Test func thereAreSources() { #expect(SourceFile.all.count > 50) }

  @Test func simulationAndAnalysisImportBaseAlone() {
    #expect(lines(in: ["Simulation/", "Analysis/"], matching: #/^\s*(@\w+ )?import (?!Base$|Synchronization$)/#) == [])
  }

  /// All of Foundation, with its tables of Unicode, takes 20 ms of each start.
  @Test func theToolNeedsFoundationsEssentialsAlone() {
    let tool = ["Base/", "Simulation/", "Analysis/", "Inputs/", "Import/", "Rendering/", "Sweep/", "SweepTool/", "prefetch-sweep/"]
    let found = lines(in: tool, matching: #/\bimport Foundation\b/#)
    // Where there are no essentials apart.
    #expect(found.map { $0.prefix { $0 != ":" } } == ["Base/Files/Platform.swift"])
  }

  @Test func noRunReadsAClockOrRandomnessOfTheSystem() {
    let pattern =
      #/ContinuousClock|SuspendingClock|clock_gettime|Date\(|SystemRandomNumberGenerator|\.random\(in|\.shuffled\(\)|\.randomElement\(/#
    #expect(lines(in: ["Simulation/", "Analysis/"], matching: pattern) == [])
  }

  @Test func nothingThatReachesAResultCallsTheMathLibrary() {
    let pattern = #/(?:^|[^\w.])(exp|log|log2|log10|pow|cbrt|lgamma|tgamma|erf|erfc|sin|cos|tan|atan|sinh|cosh|tanh)\(/#
    // This file computes exp and log from + − × ÷.
    let own = ["Base/Numbers/StableMath.swift"]
    let found = lines(in: ["Base/", "Simulation/", "Analysis/", "Sweep/"], matching: pattern).filter { line in
      !own.contains { line.hasPrefix($0) }
    }
    #expect(found == [])
  }

  @Test func noHashOrderReachesARun() {
    #expect(lines(in: ["Simulation/"], matching: #/\bSet<|\bDictionary<|\[\w+: \w+\]\(\)|: \[(String|Int): /#) == [])
  }

  @Test func everyFileHasAHead() {
    for source in SourceFile.all + SourceFile.studies {
      #expect(source.text.hasPrefix("// ") || source.text.hasPrefix("/*"), "\(source.path)")
    }
  }

  @Test func noFileIsTooLong() {
    // The text after the last newline is no line.
    for source in SourceFile.all + SourceFile.studies {
      #expect(source.code.count - 1 <= 400, "\(source.path) has \(source.code.count - 1) lines")
    }
  }

  @Test func noFunctionIsTooLong() {
    var longest = 0
    for source in SourceFile.all {
      for line in source.code.indices where source.signature(at: line) != nil {
        guard let end = Self.end(ofFunctionAt: line, in: source) else { continue }
        longest = max(longest, end - line + 1)
        #expect(end - line < 70, "\(source.path):\(line + 1) has \(end - line + 1) lines")
      }
    }
    #expect(longest > 40, "the lengths are measured")
  }

  /// Returns the line of the closing brace of a function with a body of several lines; nil for others.
  private static func end(ofFunctionAt line: Int, in source: SourceFile) -> Int? {
    let indent = source.code[line].prefix { $0 == " " }
    var open = line
    while !source.code[open].hasSuffix("{") {
      open += 1
      guard open < source.code.count, ["  ", ")", "{", "->"].contains(where: { source.code[open].hasPrefix(indent + $0) }) else {
        return nil
      }
    }
    return source.code[open...].dropFirst().firstIndex { $0.hasPrefix(indent + "}") }
  }

  @Test func noDocCommentIsTooLong() {
    for source in SourceFile.all {
      var lines = 0
      for (index, line) in source.raw.enumerated() {
        let text = line.drop { $0 == " " }
        guard text.hasPrefix("///") else {
          lines = 0
          continue
        }
        if text.count > 3 { lines += 1 }
        #expect(lines <= 3, "\(source.path):\(index + 1)")
      }
    }
  }

  @Test func nothingIsForcedOrLeftForLater() {
    #expect(lines(in: [""], matching: #/try!|fatalError\(/#) == [])
    for source in SourceFile.all + SourceFile.studies { #expect(source.text.firstMatch(of: #/TODO|FIXME|XXX/#) == nil, "\(source.path)") }
  }

  // MARK: Language

  /// The parts of identifiers that are not used, each with the words to use instead.
  private static let bannedWords = [
    "befall": "apply", "cut": "cancel", "cuts": "cancels", "dear": "", "fate": "draw", "fates": "draws", "house": "", "maker": "executor",
    "mend": "repair", "night": "overnight run", "nights": "overnight runs", "occasion": "trigger or event",
    "occasions": "triggers or timers", "place": "index, location, slot, rank or position", "places": "indices, locations, slots or ranks",
    "stories": "traces", "story": "trace", "take": "allocate, read, or the verb for what happens",
    "thumb": "script", "told": "trace", "wanted": "fetch or request", "warden": "reaper", "widened": "skewness-adjusted",
    "wish": "fetch", "wishes": "fetches",
  ]
  /// The first words that no doc comment has.
  private static let bannedOpenings = ["How", "The same", "What", "When", "Where", "Whether", "Who", "Why"]
  /// The figures of speech that appear in no comment, message, page or script.
  private static let bannedPhrases = [
    "asks nobody", "by ear", "for nobody", "group mean", "lean to one side", "leans to one side", "nobody asked", "of those whose",
    "on its way",
    "on the way", "on their way", "taken away", "takes away", "that which", "the house", "the same thumb", "thumb", "what of it",
  ]
  /// The columns of results that keep their names.
  private static let columns = ["occasionWaitMs"]
  /// The file that is not checked: the program `cut` in a script.
  private static let exceptions = ["Tests/ToolTests/HelpTests.swift"]

  private static func isChecked(_ path: String) -> Bool { !exceptions.contains { path.hasPrefix($0) } }

  @Test func identifiersHaveTheWordsOfTheField() {
    var locations: [String: String] = [:]
    for file in SourceFile.all + SourceFile.tests where Self.isChecked(file.path) {
      for (index, line) in file.code.enumerated() {
        for word in SourceFile.words(line) where locations[word] == nil && !Self.columns.contains(word) {
          locations[word] = "\(file.path):\(index + 1)"
        }
      }
    }
    let found = locations.flatMap { name, location in
      Self.parts(of: name).compactMap { part in Self.bannedWords[part].map { "\(location): \(name): not \(part); \($0)" } }
    }
    #expect(found.sorted() == [])
  }

  /// Returns the words of a name in camel case, in lower case: "nextPlace" has "next" and "place".
  private static func parts(of name: String) -> [String] {
    var parts = [""]
    for character in name {
      if character.isUppercase, parts.last?.last?.isUppercase == false { parts.append("") }
      parts[parts.count - 1].append(character)
    }
    return parts.map { $0.lowercased() }
  }

  @Test func docCommentsStartWithAVerbOrANoun() {
    var found: [String] = []
    for file in SourceFile.all + SourceFile.tests where Self.isChecked(file.path) {
      var isInside = false
      for (index, line) in file.raw.enumerated() {
        let text = line.drop { $0 == " " }
        defer { isInside = text.hasPrefix("///") }
        guard text.hasPrefix("/// "), !isInside else { continue }
        let words = text.dropFirst(4)
        if Self.bannedOpenings.contains(where: { words.hasPrefix($0 + " ") }) { found.append("\(file.path):\(index + 1): \(words)") }
      }
    }
    #expect(found == [])
  }

  @Test func noTextHasAFigureOfSpeech() throws {
    var texts = (SourceFile.all + SourceFile.tests).filter { !$0.path.hasSuffix("/TidyTests.swift") }.map { (path: $0.path, text: $0.text) }
    let root = Reference.packageRoot
    for folder in [
      "", ".ci/", ".github/", ".github/workflows/", "Results/", "Scripts/", "Sources/", "Sources/SweepTool/Documentation.docc/", "Sweeps/",
    ] {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: root.appendingPathComponent(folder).path)) ?? [] {
        guard let text = try? String(contentsOf: root.appendingPathComponent(folder + name), encoding: .utf8) else { continue }
        texts.append((folder + name, text))
      }
    }
    let found = texts.filter { Self.isChecked($0.path) }.flatMap { path, text in
      let text = text.lowercased()
      return Self.bannedPhrases.filter { Self.contains($0, in: text) }.map { "\(path): \($0)" }
    }
    #expect(found.sorted() == [])
  }

  /// True if a text has a phrase that is not part of a longer word.
  private static func contains(_ phrase: String, in text: String) -> Bool {
    var rest = text[...]
    while let range = rest.range(of: phrase) {
      let before = range.lowerBound == text.startIndex ? " " : text[text.index(before: range.lowerBound)]
      let after = range.upperBound == text.endIndex ? " " : text[range.upperBound]
      if !before.isLetter, !after.isLetter { return true }
      rest = text[range.upperBound...]
    }
    return false
  }
}
