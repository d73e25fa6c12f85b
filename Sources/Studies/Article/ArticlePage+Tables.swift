// The tables of the article page, and the sentences that depend on their numbers.

import Analysis

extension ArticlePage {
  /// A number of the article beside the predictions of fitted worlds: loaders per 1000, or a gain in per cent.
  private struct Prediction {
    var what: String
    var article: Double
    var isGain = true
    var values: [Double]

    func quantile(_ share: Double) -> String { Sample.quantile(values, share: share).map(text) ?? "–" }
    /// True if the middle four fifths of the worlds contain the article's number.
    var encloses: Bool {
      guard let low = Sample.quantile(values, share: 0.1), let high = Sample.quantile(values, share: 0.9) else { return false }
      return low <= article && article <= high
    }
    private func text(_ value: Double) -> String { isGain ? ArticlePage.gain(value) : DecimalText.fixed(value, decimals: 1) }
    var articleText: String { DecimalText.fixed(article, decimals: 0) + (isGain ? " %" : "") }
  }

  private var predictions: [Prediction] {
    [
      Prediction(
        what: "the budget’s loaders per 1000, among users", article: ArticleNumber.budget, isGain: false,
        values: fitted.map { $0.field(.production) }),
      Prediction(
        what: "five items against production, among users", article: ArticleNumber.fieldGain, values: fitted.compactMap(\.fieldGain)),
      Prediction(what: "five items against production, in the lab", article: ArticleNumber.labGain, values: fitted.compactMap(\.labGain)),
    ]
  }

  // MARK: Sentences

  var answerSentence: String {
    let all = predictions
    // The range of four fifths of the worlds is given only if the article's number is outside.
    let articles = all.map { row in
      "the article: \(row.articleText)"
        + (row.encloses ? "" : ", outside of four fifths of the worlds: \(row.quantile(0.1)) to \(row.quantile(0.9))")
    }
    let deciding = Influence.strongest(on: outcomes) { Finding.fiveAmongUsers.holds($0) ? 1 : 0 }.first
    let decided = deciding.map { influence in
      " What decides most whether five items win among users is \(Unknown.all[influence.unknown].name), which the article does not tell: it explains"
        + "\n\(Self.percent(influence.explained)) of the difference between worlds."
    }
    // A finding holds if the interval of its share of worlds is above one half.
    func held(_ all: [Finding]) -> Int { all.count { ($0.share(in: fitted).interval()?.low ?? 0) > 0.5 } }
    let directions =
      switch held([.budgetAmongUsers, .fiveInLab, .fiveAmongUsers, .labPromisesMore]) {
      case 4: "the directions come out"
      case 0: "the directions do not come out"
      case let count: "\(count) of 4 directions come out"
      }
    let sizes =
      switch held([.budgetGainAmongUsers, .fiveGainInLab, .fiveGainAmongUsers]) {
      case 3: "so do the sizes"
      case 0: "the sizes do not"
      case let count: "of the sizes \(count) of 3 do"
      }
    return """
      **In short: \(directions); \(sizes).** Fitted to the 30 alone, the emulator's median world predicts
      \(all[0].quantile(0.5)) loaders per 1000 with the budget (\(articles[0])),
      a gain of five items of \(all[1].quantile(0.5)) among users (\(articles[1])) and of \(all[2].quantile(0.5)) in the lab (\(articles[2])).
      That the lab promises more than users get, which the team learnt after it had shipped, is so in
      \(Self.percent(Finding.labPromisesMore.share(in: fitted))) of these worlds.\(decided ?? "")
      """
  }

  /// The sentence about the environment, lab or users, in which the article's 30 was counted.
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

  /// The sentence about the answer without the last two unknowns.
  var lateSentence: String {
    let first = fitted.filter { $0.world.level(of: Unknown.visit).number >= 500 && $0.world.level(of: Unknown.dwellVaries).name == "much" }
    return """
      Two unknowns, how many items a visit has and how dwells vary, were added after a first look had shown that the budget won too much among
        users. Without them (\(first.count) fitted worlds with 500 items a visit and exponential dwells) its gain is about the article's in
        \(Self.withInterval(Finding.budgetGainAmongUsers.share(in: first))), and the gain of five items in \(Self.withInterval(Finding.fiveGainAmongUsers.share(in: first))).
      """
  }

  // MARK: Tables

  var answerTable: String {
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
    return markdownTable(
      ["the article’s finding", "there", .right("holds in"), "so it"],
      rows.map { row in
        let share = row.finding.share(in: fitted)
        return [row.claim, row.article, Self.withInterval(share), Self.verdict(share)]
      })
  }

  var predictionTable: String {
    // The users' gains in worlds that are fitted to the lab's 8 % alone.
    let fromTheLab = Prediction(
      what: "the same among users, fitted to 8 % in the lab", article: ArticleNumber.fieldGain,
      values: outcomes.filter(Finding.fiveGainInLab.holds).compactMap(\.fieldGain))
    return markdownTable(
      ["predicted", .right("worlds"), .right("article"), .right("10 %"), .right("median"), .right("90 %"), "within"],
      (predictions + [fromTheLab]).map { row in
        [row.what, "\(row.values.count)", row.articleText] + [0.1, 0.5, 0.9].map(row.quantile) + [row.encloses ? "yes" : "no"]
      })
  }

  var holdingTable: String {
    let columns: [(String, [WorldOutcome])] = [
      ("all worlds", outcomes), (Fit.systemAmongUsers.rawValue, fitted), (Fit.budgetInLab.rawValue, Fit.budgetInLab.kept(of: outcomes)),
    ]
    return markdownTable(
      ["finding"] + columns.map { .right("\($0.0) (\($0.1.count))") },
      Finding.allCases.map { finding in [finding.rawValue] + columns.map { Self.withInterval(finding.share(in: $0.1)) } })
  }

  var decidingTable: String {
    let rows = Finding.allCases.flatMap { finding in
      let influences = Influence.strongest(on: outcomes) { finding.holds($0) ? 1 : 0 }
      if influences.isEmpty { return [[finding.rawValue, "none of them alone", "", ""]] }
      return influences.enumerated().map { rank, influence in
        let unknown = Unknown.all[influence.unknown]
        let shares = zip(unknown.levels, influence.means).map { "\($0.name): \(Self.percent($1))" }.joined(separator: ", ")
        return [rank == 0 ? finding.rawValue : "", unknown.name, Self.percent(influence.explained), shares]
      }
    }
    return markdownTable(["finding", "decided by", .right("explains"), "holds in"], rows)
  }

  var reachTable: String {
    let bounds: [(String, Range<Double>)] = [
      ("under 3", 0..<3), ("3 to 4", 3..<4), ("4 to 5", 4..<5), ("5 to 6", 5..<6), ("6 and more", 6..<100),
    ]
    let heads = ["worlds", "five win in the lab", "by, median", "five win among users", "by, median"]
    return markdownTable(
      ["production reaches, items"] + heads.map { .right($0) },
      bounds.map { name, range in
        let part = outcomes.filter { range.contains($0.world.reach) }
        let cells = [(Finding.fiveInLab, part.compactMap(\.labGain)), (.fiveAmongUsers, part.compactMap(\.fieldGain))].flatMap {
          finding, gains in
          [Self.withInterval(finding.share(in: part)), Sample.quantile(gains, share: 0.5).map(Self.gain) ?? "–"]
        }
        return [name, "\(part.count)"] + cells
      })
  }

  var unknownTable: String {
    markdownTable(
      ["unknown", "values", "why these"], Unknown.all.map { [$0.name, $0.levels.map(\.name).joined(separator: ", "), $0.reason] })
  }

  // MARK: Words

  /// Returns a share in words, which reflect its interval.
  static func verdict(_ share: Proportion) -> String {
    guard let interval = share.interval() else { return "cannot be said" }
    if interval.low >= 0.9 { return "comes out" }
    if interval.high <= 0.1 { return "does not come out" }
    if interval.low > 0.5 { return "mostly comes out" }
    if interval.high < 0.5 { return "seldom comes out" }
    return "comes out in about every other"
  }

  /// Returns a share with its interval, e.g. `82 % [74, 88]`.
  private static func withInterval(_ share: Proportion) -> String {
    guard let value = share.share, let interval = share.interval() else { return "–" }
    return "\(percent(value)) [\(whole(interval.low)), \(whole(interval.high))]"
  }

  private static func percent(_ share: Proportion) -> String { share.share.map(percent) ?? "–" }
  private static func percent(_ share: Double) -> String { "\(whole(share)) %" }
  private static func whole(_ share: Double) -> String { DecimalText.fixed(share * 100, decimals: 0) }

  /// Returns a gain with a meaningful number of digits.
  private static func gain(_ percent: Double) -> String { "\(DecimalText.fixed(percent, decimals: percent.magnitude < 9.95 ? 1 : 0)) %" }
}
