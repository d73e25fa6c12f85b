// The page's tables and the sentences that hang on their numbers.

import Analysis
import Rendering

extension ArticlePage {
  /// A number of the article beside what fitted worlds predict.
  private struct Prediction {
    var what: String
    var article: Double
    var unit: String
    var values: [Double]

    /// The nearest-rank quantile.
    func quantile(_ share: Double) -> Double { Sample.quantile(values, share: share) ?? 0 }
    /// Whether four fifths of the worlds enclose the article's number.
    var encloses: Bool { !values.isEmpty && quantile(0.1) <= article && article <= quantile(0.9) }
    func text(_ value: Double) -> String { unit.isEmpty ? DecimalText.fixed(value, decimals: 1) : ArticlePage.gain(value) }
    var articleText: String { unit.isEmpty ? DecimalText.fixed(article, decimals: 0) : "\(DecimalText.fixed(article, decimals: 0)) %" }
  }

  private var predictions: [Prediction] {
    [
      Prediction(
        what: "the budget’s loaders per 1000, among users", article: ArticleNumber.budget, unit: "",
        values: fitted.map { $0.field(.production) }),
      Prediction(
        what: "five items against production, among users", article: ArticleNumber.fieldGain, unit: "%",
        values: fitted.compactMap(\.fieldGain)),
      Prediction(
        what: "five items against production, in the lab", article: ArticleNumber.labGain, unit: "%", values: fitted.compactMap(\.labGain)),
    ]
  }

  /// What users get in the worlds that are fitted to the lab's 8 % and to nothing else.
  private var fromTheLab: Prediction {
    let kept = outcomes.filter(Finding.fiveGainInLab.holds)
    return Prediction(
      what: "the same among users, fitted to 8 % in the lab", article: ArticleNumber.fieldGain, unit: "%",
      values: kept.compactMap(\.fieldGain))
  }

  // MARK: The answer

  /// The answer in a few words.
  var answerSentence: String {
    let all = predictions
    let medians = all.map { $0.text($0.quantile(0.5)) }
    // What four fifths of the worlds enclose is only said where the article's number is not in it.
    let articles = all.map { row in
      "the article: \(row.articleText)"
        + (row.encloses ? "" : ", outside of four fifths of the worlds: \(row.text(row.quantile(0.1))) to \(row.text(row.quantile(0.9)))")
    }
    let deciding = Influence.strongest(on: outcomes) { Finding.fiveAmongUsers.holds($0) ? 1 : 0 }.first
    let decided = deciding.map { influence in
      " What decides most whether five items win among users is \(Unknown.all[influence.unknown].name), which the article does not tell: it explains"
        + "\n\(Self.percent(influence.explained)) of the difference between worlds."
    }
    return """
      **In short: \(directions); \(sizes).** Fitted to the 30 alone, the emulator's median world predicts
      \(medians[0]) loaders per 1000 with the budget (\(articles[0])),
      a gain of five items of \(medians[1]) among users (\(articles[1])) and of \(medians[2]) in the lab (\(articles[2])).
      That the lab promises more than users get, which the team learnt after it had shipped, is so in
      \(Self.percent(Finding.labPromisesMore.share(in: fitted))) of these worlds.\(decided ?? "")
      """
  }

  /// Which of the findings without a size hold in more than half of the worlds, beyond the doubt of an interval.
  private var directions: String {
    let all: [Finding] = [.budgetAmongUsers, .fiveInLab, .fiveAmongUsers, .labPromisesMore]
    let held = all.count { ($0.share(in: fitted).interval()?.low ?? 0) > 0.5 }
    return held == all.count
      ? "the directions come out" : held == 0 ? "the directions do not come out" : "\(held) of \(all.count) directions come out"
  }

  /// The same for the findings with a size.
  private var sizes: String {
    let all: [Finding] = [.budgetGainAmongUsers, .fiveGainInLab, .fiveGainAmongUsers]
    let held = all.count { ($0.share(in: fitted).interval()?.low ?? 0) > 0.5 }
    return held == all.count ? "so do the sizes" : held == 0 ? "the sizes do not" : "of the sizes \(held) of \(all.count) do"
  }

  /// Where the article's 30 can have been counted.
  var reading: String {
    let inLab = Fit.systemInLab.kept(of: outcomes).count
    let median = Sample.quantile(outcomes.map { $0.lab(.system) }, share: 0.5) ?? 0
    let consequence =
      inLab * 5 < fitted.count
      ? "So the 30 and the 25 are read as counted among users."
      : "The two are read as counted among users, though the lab is as good a guess."
    return """
      The article as we know it does not say where its 30 and 25 were counted. In the
      lab the system's prefetching shows 24 to 36 in \(inLab) of \(outcomes.count) worlds; the median is \(DecimalText.fixed(median, decimals: 0)). \(consequence)
      """
  }

  /// What the answer would be without the two unknowns that came last.
  var lateSentence: String {
    let first = fitted.filter { $0.world.level(of: Unknown.visit).number >= 500 && $0.world.level(of: Unknown.stayVaries).name == "much" }
    return """
      Two unknowns, how many items a visit has and how stays vary, were added after a first look had shown that the budget won too much among
        users. Without them (\(first.count) fitted worlds with 500 items a visit and exponential stays) its gain is about the article's in
        \(Self.withInterval(Finding.budgetGainAmongUsers.share(in: first))), and the gain of five items in \(Self.withInterval(Finding.fiveGainAmongUsers.share(in: first))).
      """
  }

  /// How much it matters that sessions are not on packets.
  var packetSentence: String {
    let pairs = onPackets.compactMap { packet in outcomes.first { $0.world == packet.world }.map { ($0, packet) } }
    guard !pairs.isEmpty else { return "No world was run again on packets." }
    let answers = pairs.flatMap { flow, packet in Finding.all.map { $0.holds(flow) == $0.holds(packet) } }
    func error(_ value: (WorldOutcome) -> Double) -> String {
      DecimalText.fixed(pairs.reduce(0) { $0 + (value($1.0) - value($1.1)).magnitude } / Double(pairs.count), decimals: 1)
    }
    return """
      \(pairs.count) of the fitted worlds were run
        again on packets: the \(Finding.all.count) findings get the same answer in \(Self.percent(Proportion(answers.count { $0 }, of: answers.count))) of cases, and production's loaders per 1000 differ by
        \(error { $0.lab(.production) }) in the lab and by \(error { $0.field(.production) }) among users, in the mean. The two sweeps below run on packets.
      """
  }

  var answerTable: Table {
    let rows: [(claim: String, article: String, finding: Finding)] = [
      ("the budget beats the system’s prefetching among users", "yes", .budgetAmongUsers),
      ("… by about as much", "30 → 25", .budgetGainAmongUsers),
      ("five items whatever their kind beat production in the lab", "yes", .fiveInLab),
      ("… by about as much", "8 %", .fiveGainInLab),
      ("five items beat production among users", "yes", .fiveAmongUsers),
      ("… by about as much", "3 %", .fiveGainAmongUsers),
      ("the lab promises more than users get", "8 % and 3 %", .labPromisesMore),
      ("five is the right number, not three or eight", "yes", .fiveIsBest),
    ]
    var table = Table(columns: [.init("the article’s finding"), .init("there"), .init("holds in", .right), .init("so it")])
    for row in rows {
      let share = row.finding.share(in: fitted)
      table.append([.init(row.claim), .init(row.article), .init(Self.withInterval(share)), .init(Self.verdict(share))])
    }
    return table
  }

  /// A share in a word; by its interval where that leaves no doubt, else the word says so.
  static func verdict(_ share: Proportion) -> String {
    guard let interval = share.interval() else { return "cannot be said" }
    if interval.low >= 0.9 { return "comes out" }
    if interval.high <= 0.1 { return "does not come out" }
    if interval.low > 0.5 { return "mostly comes out" }
    if interval.high < 0.5 { return "seldom comes out" }
    return "comes out in about every other"
  }

  // MARK: Tables

  var predictionTable: Table {
    var table = Table(
      columns: [.init("predicted")] + ["worlds", "article", "10 %", "median", "90 %"].map { .init($0, .right) } + [.init("within")])
    for row in predictions + [fromTheLab] {
      let quantiles = row.values.isEmpty ? ["–", "–", "–"] : [0.1, 0.5, 0.9].map { row.text(row.quantile($0)) }
      table.append(([row.what, "\(row.values.count)", row.articleText] + quantiles + [row.encloses ? "yes" : "no"]).map { .init($0) })
    }
    return table
  }

  var holdingTable: Table {
    let columns: [(String, [WorldOutcome])] = [
      ("all worlds", outcomes), (Fit.systemAmongUsers.name, fitted), (Fit.budgetInLab.name, Fit.budgetInLab.kept(of: outcomes)),
    ]
    var table = Table(columns: [.init("finding")] + columns.map { .init("\($0.0) (\($0.1.count))", .right) })
    for finding in Finding.all {
      table.append([.init(finding.claim)] + columns.map { .init(Self.withInterval(finding.share(in: $0.1))) })
    }
    return table
  }

  var decidingTable: Table {
    var table = Table(columns: [.init("finding"), .init("decided by"), .init("explains", .right), .init("holds in")])
    for item in Finding.all {
      let influences = Influence.strongest(on: outcomes) { item.holds($0) ? 1 : 0 }
      if influences.isEmpty { table.append([.init(item.claim), .init("none of them alone"), .init(""), .init("")]) }
      for (place, influence) in influences.enumerated() {
        let unknown = Unknown.all[influence.unknown]
        let shares = zip(unknown.levels, influence.means).map { "\($0.name): \(Self.percent($1))" }.joined(separator: ", ")
        table.append([
          .init(place == 0 ? item.claim : ""), .init(unknown.name), .init(Self.percent(influence.explained)), .init(shares),
        ])
      }
    }
    return table
  }

  var reachTable: Table {
    let bounds: [(String, ClosedRange<Double>)] = [
      ("under 3", 0...2.999), ("3 to 4", 3...3.999), ("4 to 5", 4...4.999), ("5 to 6", 5...5.999), ("6 and more", 6...100),
    ]
    var table = Table(columns: [
      .init("production reaches, items"), .init("worlds", .right), .init("five win in the lab", .right), .init("by, median", .right),
      .init("five win among users", .right), .init("by, median", .right),
    ])
    for (name, range) in bounds {
      let part = outcomes.filter { range.contains($0.world.reach) }
      let gains = [part.compactMap(\.labGain), part.compactMap(\.fieldGain)].map { values in
        Sample.quantile(values, share: 0.5).map(Self.gain) ?? "–"
      }
      let shares = [Finding.fiveInLab, .fiveAmongUsers].map { Self.withInterval($0.share(in: part)) }
      table.append([name, "\(part.count)", shares[0], gains[0], shares[1], gains[1]].map { .init($0) })
    }
    return table
  }

  var unknownTable: Table {
    var table = Table(columns: [.init("unknown"), .init("values"), .init("why these")])
    for unknown in Unknown.all {
      table.append([.init(unknown.name), .init(unknown.levels.map(\.name).joined(separator: ", ")), .init(unknown.reason)])
    }
    return table
  }

  // MARK: Words

  /// `82 % [74, 88]`.
  static func withInterval(_ share: Proportion) -> String {
    guard let value = share.share, let interval = share.interval() else { return "–" }
    return "\(percent(value)) [\(whole(interval.low)), \(whole(interval.high))]"
  }

  static func percent(_ share: Proportion) -> String { share.share.map(percent) ?? "–" }
  static func percent(_ share: Double) -> String { "\(whole(share)) %" }
  private static func whole(_ share: Double) -> String { DecimalText.fixed(share * 100, decimals: 0) }

  /// A gain with as many digits as make sense.
  static func gain(_ percent: Double) -> String { "\(DecimalText.fixed(percent, decimals: percent.magnitude < 9.95 ? 1 : 0)) %" }
}
