// The article page: the findings that the emulator reproduces. All its numbers, and the words that depend on them, come from the runs.

import Foundation
import SweepTool

/// Runs `run-studies article`: the article's findings in many plausible worlds, as a page and a CSV file.
/// - Throws: `UsageProblem` for invalid arguments, and the errors of the runs and files.
func runArticle(_ arguments: Arguments) throws {
  guard arguments.words.count == 2 else { throw UsageProblem(description: "a sweep and a folder are missing") }
  let (sweep, folder) = (arguments.words[0], URL(fileURLWithPath: arguments.words[1]))
  // The number of worlds, and the number of items of each setting in each world.
  let count = try arguments.integer("--worlds", in: 1...100_000) ?? 480
  let items = try arguments.integer("--items", in: 1...100_000) ?? 4000
  let worlds = World.design(count: count)
  let outcomes = try WorldOutcome.all(worlds, sweep: sweep, items: items)
  let page = ArticlePage(outcomes, items: items)
  for (name, text) in [("worlds.csv", WorldOutcome.csv(outcomes)), ("article.md", page.text)] {
    try Data(text.utf8).write(to: folder.appendingPathComponent(name), options: .atomic)
  }
}

struct ArticlePage: Sendable {
  let outcomes: [WorldOutcome]
  /// The worlds that fit the article's 30, which the answer is about.
  let fitted: [WorldOutcome]
  let items: Int

  init(_ outcomes: [WorldOutcome], items: Int) {
    self.outcomes = outcomes
    self.items = items
    fitted = Fit.systemAmongUsers.kept(of: outcomes)
  }

  var text: String { [answer, tables, remarks].joined(separator: "\n\n") }

  private var answer: String {
    """
    # Does the emulator give what the original team found?

    Before this tool there was a phone: a UI test scrolled 1000 items of a feed, 1 s each, over an emulated 3G network, ten times for each
    setting. The team's article reports three things. A budget of costs (an image 1, a video 2) brought loaders down from **30** to **25** per
    1000 items, against the system's own prefetching. Five items ahead, whatever their kind, beat that production setting by **8 %** in
    the lab. Among users it was **3 %**.

    \(answerSentence)

    \(answerTable)

    A share is that of the \(fitted.count) plausible worlds that are left once they are fitted to one number, the 30; its 95 % interval stands
    beside it (Wilson 1927). "About" means from half the article's gain to twice as much.

    ## How it was asked

    The article says neither how large its images and videos are, nor how many are videos, nor what production's budget was, nor on what
    networks its users are. So there is not one emulated world but \(outcomes.count), each with a value for \(Unknown.all.count) unknowns from
    the ranges at the end of this page; every value is as frequent as its neighbours, and they are drawn independently (a Latin hypercube). Each
    world runs all settings on the same seeds: in the lab, 3G with the test's steady pace; and among users, on Wi-Fi, 4G, 4G
    on the move and 3G on the move, with dwells that vary, weighed by the world's shares. Each mean is over \(items) items.

    Then one number is used up: of \(outcomes.count) worlds those \(fitted.count) are kept in which the system's prefetching shows 30 loaders per 1000
    items among users, to a fifth (24 to 36). **Everything else is prediction.** \(reading)
    """
  }

  private var tables: String {
    """
    ## Fitted to one number, what of the others?

    \(predictionTable)

    Four fifths of the worlds lie between the columns 10 % and 90 %. The last line asks the other way round: what would the team have had to
    expect of its users, had it believed the 8 % of its lab?

    ## In how many worlds each finding holds

    \(holdingTable)

    The last column is a second opinion: it keeps the worlds that fit another number instead, the budget's 25, read as counted in the lab (20 to 30).

    ## What decides it

    Over all \(outcomes.count) worlds, the unknowns that explain at least 5 % of whether a finding holds (ε², the share of the variance between worlds
    that goes with the unknown's values), and the share of worlds in which it holds at each value.

    \(decidingTable)

    ## How far production reaches

    A budget of costs is a distance: 6 is six images or three videos, and with 20 % of video five items in the mean. So what five items win over
    production hangs on how far production's budget, which the article does not tell, reaches by itself:

    \(reachTable)

    ## What the article leaves open

    \(unknownTable)

    What it does say is the same everywhere: 3G of the Network Link Conditioner in the lab, prefixes of 204 800 bytes, costs of 1 and 2, transfers
    that are no longer planned cancelled at each scroll.
    """
  }

  private var remarks: String {
    let example = fitted.first?.world ?? outcomes[0].world
    let settings = example.settings().map { " \\\n  --set '\($0)'" }.joined()
    return """
      ## What this page does not show

      - A share of plausible worlds is no probability: it depends on the ranges, and these are judgement. Change them in
        `Sources/Studies/Article/Unknown.swift` and run the page again.
      - \(lateSentence)
      - Which number to fit was chosen after it had been seen that the lab does not fit; the last column above is the other choice.
      - Loaders that no prefetch can help (a server that fails, an app that is slow to decode or waits a moment before it shows a loader) are not
        emulated, but for the first item of each visit. They would make gains smaller, in per cent.
      - 25 against 23 loaders per 1000, each the mean of ten sessions, differ by less than one standard error if loaders come independently:
        √(25/10 + 23/10) = 2.2. If the lab's loaders were as few as that, its 8 % may be chance.

      ## Run it yourself

      `Scripts/article` makes this page and `worlds.csv` (a row a world) again, the same bytes. The middle of all ranges but the
      budget, which is 5, lab and field side by side, and the grid around production in eight worlds in the lab:

      ```sh
      swift run -c release prefetch-sweep run Sweeps/article-field.json5
      swift run -c release prefetch-sweep run Sweeps/article-lab.json5
      ```

      One world alone, number \(example.number), with the lab's numbers of its row in `worlds.csv`; among users the row has as many visits
      as make \(items) items.

      ```sh
      swift run -c release prefetch-sweep run Sweeps/article-field.json5 --seed \(example.seed) --repeats \(items / 1000)\(settings)
      ```

      """
  }
}
