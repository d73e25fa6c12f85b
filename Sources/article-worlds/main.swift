// Runs the article's findings in many plausible worlds and writes what came of it; `Scripts/article` keeps it.

import Article
import Foundation

let words = Array(CommandLine.arguments.dropFirst())
let usage = "usage: article-worlds SWEEP FOLDER [--worlds N] [--items N]     writes article.md and worlds.csv into FOLDER"

/// Ends with a line on standard error.
func refuse(_ text: String) -> Never {
  FileHandle.standardError.write(Data((text + "\n").utf8))
  exit(2)
}

/// The number after an option.
func number(_ option: String, default usual: Int) -> Int {
  guard let place = words.firstIndex(of: option) else { return usual }
  guard place + 1 < words.count, let value = Int(words[place + 1]), (1...100_000).contains(value) else {
    refuse("\(option): a number from 1 to 100000 is missing; \(usage)")
  }
  return value
}

guard words.count >= 2, !words[0].hasPrefix("-"), !words[1].hasPrefix("-") else { refuse(usage) }
let items = number("--items", default: ArticlePage.usualItems)
do {
  let worlds = World.design(count: number("--worlds", default: ArticlePage.usualWorlds))
  let outcomes = try WorldOutcome.all(worlds, sweep: words[0], items: items)
  let checked = ArticlePage.checkedOnPackets(outcomes).map(\.world)
  let onPackets = try WorldOutcome.all(checked, sweep: words[0], items: items, transport: .packet)
  let page = ArticlePage(outcomes, onPackets: onPackets, items: items)
  for (name, text) in [("worlds.csv", WorldOutcome.csv(outcomes)), ("article.md", page.text)] {
    try Data(text.utf8).write(to: URL(fileURLWithPath: words[1]).appendingPathComponent(name), options: .atomic)
  }
} catch { refuse("\(error)") }
