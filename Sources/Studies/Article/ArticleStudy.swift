// Runs the article's findings in many plausible worlds and writes what came of it; `Scripts/article` keeps it.

import Foundation
import SweepTool

/// `run-studies article`.
package enum ArticleStudy: Study {
  package static let name = "article"
  package static let usage = "SWEEP FOLDER [--worlds N] [--items N]     writes article.md and worlds.csv into FOLDER"
  package static let options: [Option] = [.value("--worlds"), .value("--items")]

  /// - Throws: `UsageProblem` if the words are wrong, and what the runs and files throw.
  package static func run(_ arguments: Arguments) throws {
    guard arguments.words.count == 2 else { throw UsageProblem(description: "a sweep and a folder are missing") }
    let (sweep, folder) = (arguments.words[0], URL(fileURLWithPath: arguments.words[1]))
    let limits = 1...100_000
    let items = try arguments.integer("--items", in: limits) ?? ArticlePage.usualItems
    let worlds = World.design(count: try arguments.integer("--worlds", in: limits) ?? ArticlePage.usualWorlds)
    let outcomes = try WorldOutcome.all(worlds, sweep: sweep, items: items)
    let checked = ArticlePage.checkedOnPackets(outcomes).map(\.world)
    let onPackets = try WorldOutcome.all(checked, sweep: sweep, items: items, transport: .packet)
    let page = ArticlePage(outcomes, onPackets: onPackets, items: items)
    for (name, text) in [("worlds.csv", WorldOutcome.csv(outcomes)), ("article.md", page.text)] {
      try Data(text.utf8).write(to: folder.appendingPathComponent(name), options: .atomic)
    }
  }
}
