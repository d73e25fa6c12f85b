// The page: which of the article's findings the emulator gives. Every number in it, and every word that hangs on one, comes from the runs.

import Rendering

/// `Results/article/article.md`.
struct ArticlePage: Sendable {
  /// How many worlds there are, and how many items each setting shows in each of them, unless the command line says otherwise.
  static let (usualWorlds, usualItems) = (480, 4000)
  /// How many of the fitted worlds are run again on packets.
  private static let packetLimit = 12

  let outcomes: [WorldOutcome]
  /// The worlds that the answer is about.
  let fitted: [WorldOutcome]
  let onPackets: [WorldOutcome]
  let items: Int

  /// The page of some worlds, of which some were run again on packets.
  init(_ outcomes: [WorldOutcome], onPackets: [WorldOutcome], items: Int) {
    self.outcomes = outcomes
    self.onPackets = onPackets
    self.items = items
    fitted = Fit.systemAmongUsers.kept(of: outcomes)
  }

  /// The worlds that are to be run again on packets.
  static func checkedOnPackets(_ outcomes: [WorldOutcome]) -> [WorldOutcome] {
    Array(Fit.systemAmongUsers.kept(of: outcomes).prefix(packetLimit))
  }

  /// The whole page.
  var text: String {
    [answer, method, prediction, holding, deciding, reaching, unknowns, limits, again].joined(separator: "\n\n") + "\n"
  }

  // MARK: Sections

  private var answer: String {
    """
    # Does the emulator give what the original team found?

    Before this tool there was a phone: a UI test scrolled 1000 items of a feed, 1 s each, over an emulated 3G network, ten times for each
    setting. The team's article reports three things. A budget of costs (an image 1, a video 2) brought loaders down from **30** to **25** per
    1000 items, against the system's own prefetching. Five items ahead, whatever their kind, beat that production setting by **8 %** in
    the lab. Among users it was **3 %**.

    \(answerSentence)

    \(markdown(answerTable))

    A share is that of the \(fitted.count) plausible worlds that are left once they are fitted to one number, the 30; its 95 % interval stands
    beside it (Wilson 1927). "About" means from half the article's gain to twice as much.
    """
  }

  private var method: String {
    """
    ## How it was asked

    The article says neither how large its images and videos are, nor how many are videos, nor what production's budget was, nor on what
    networks its users are. So there is not one emulated world but \(outcomes.count), each with a value for \(Unknown.all.count) unknowns from
    the ranges at the end of this page; every value is as frequent as its neighbours, and they are drawn independently (a Latin hypercube). Each
    world runs all settings on the same seeds: in the lab, 3G with the test's steady pace; and among users, on Wi-Fi, 4G, 4G
    on the move and 3G on the move, with stays that vary, weighed by the world's shares. Each mean is over \(items) items.

    Then one number is used up: of \(outcomes.count) worlds those \(fitted.count) are kept in which the system's prefetching shows 30 loaders per 1000
    items among users, to a fifth (24 to 36). **Everything else is prediction.** \(reading)
    """
  }

  private var prediction: String {
    """
    ## Fitted to one number, what of the others?

    \(markdown(predictionTable))

    Four fifths of the worlds lie between the columns 10 % and 90 %. The last line asks the other way round: what would the team have had to
    expect of its users, had it believed the 8 % of its lab?
    """
  }

  private var holding: String {
    """
    ## In how many worlds each finding holds

    \(markdown(holdingTable))

    The last column is a second opinion: it keeps the worlds that fit another number instead, the budget's 25, read as counted in the lab (20 to 30).
    """
  }

  private var deciding: String {
    """
    ## What decides it

    Over all \(outcomes.count) worlds, the unknowns that explain at least 5 % of whether a finding holds (ε², the share of the variance between worlds
    that goes with the unknown's values), and the share of worlds in which it holds at each value.

    \(markdown(decidingTable))
    """
  }

  private var reaching: String {
    """
    ## How far production reaches

    A budget of costs is a distance: 6 is six images or three videos, and with 20 % of video five items in the mean. So what five items win over
    production hangs on how far production's budget, which the article does not tell, reaches by itself:

    \(markdown(reachTable))
    """
  }

  private var unknowns: String {
    """
    ## What the article leaves open

    \(markdown(unknownTable))

    What it does say is the same everywhere: 3G of the Network Link Conditioner in the lab, prefixes of 204 800 bytes, costs of 1 and 2, transfers
    that are no longer wanted cut at each scroll.
    """
  }

  private var limits: String {
    """
    ## What this page does not show

    - A share of plausible worlds is no probability: it depends on the ranges, and these are judgement. Change them in
      `Sources/Article/Unknown.swift` and run the page again.
    - \(lateSentence)
    - Which number to fit was chosen after it had been seen that the lab does not fit; the last column above is the other choice.
    - Loaders that no prefetch can help (a server that fails, an app that is slow to decode or waits a moment before it shows a loader) are not
      emulated, but for the first item of each visit. They would make gains smaller, in per cent.
    - 25 against 23 loaders per 1000, each the mean of ten sessions, differ by less than one standard error if loaders come independently:
      √(25/10 + 23/10) = 2.2. If the lab's loaders were as few as that, its 8 % may be chance.
    - Sessions here are on the `tcp` transport, flows instead of packets, which is quicker. \(packetSentence)
    """
  }

  private var again: String {
    let example = fitted.first ?? outcomes.first
    return """
      ## Run it yourself

      `Scripts/article` makes this page and `worlds.csv` (a row a world) again, the same bytes. The middle of all ranges but the
      budget, which is 5, lab and field side by side, and the grid around production in eight worlds in the lab:

      ```sh
      swift run -c release prefetch-sweep run Sweeps/article-field.json5
      swift run -c release prefetch-sweep run Sweeps/article-lab.json5
      ```

      One world alone, number \(example?.world.number ?? 0), with the lab's numbers of its row in `worlds.csv`; among users the row has as many visits
      as make \(items) items.

      ```sh
      \(example?.world.command(repetitions: items / 1000) ?? "")
      ```
      """
  }

  private func markdown(_ table: Table) -> String { String(table.markdown.dropLast()) }
}
