// The page's tables and the sentences that hang on their numbers.

import Analysis

extension ArticlePage {
  /// A number of the article beside what fitted worlds predict.
  private struct Prediction {
    var what: String
    var article: Double
    var unit: String
    var values: [Double]

    /// The nearest-rank quantile.
    func quantile(_ share: Double) -> Double { SampleQuantile(values, share: share)?.value ?? 0 }
    /// Whether four fifths of the worlds enclose the article's number.
    var encloses: Bool { !values.isEmpty && quantile(0.1) <= article && article <= quantile(0.9) }
    func text(_ value: Double) -> String {
      unit.isEmpty ? DecimalText.fixed(value, decimals: 0) : "\(DecimalText.fixed(value, decimals: 1)) %"
    }
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

  // MARK: The answer

  /// The answer in a few words, from the medians.
  var answerSentence: String {
    let all = predictions
    let (budget, field, lab) = (all[0], all[1], all[2])
    let verdicts = all.map { $0.encloses ? "" : ", which lies outside of what four fifths of the worlds show" }
    let more = Finding.all[8].share(in: fitted)
    return """
      **In short:** the directions come out, the sizes only in part. Fitted to the 30 alone, the emulator's median world shows \(budget.text(budget.quantile(0.5)))
      loaders with the budget (the article: 25\(verdicts[0])), and five items win \(field.text(field.quantile(0.5))) among users (the article: 3 %\(verdicts[1]))
      and \(lab.text(lab.quantile(0.5))) in the lab (the article: 8 %\(verdicts[2])). That the lab promises more than users get, which the team learnt
      after it had shipped, is so in \(Self.percent(more)) of these worlds.
      """
  }

  var answerTable: Table {
    let rows: [(claim: String, article: String, findings: [Int])] = [
      ("the budget beats the system’s prefetching among users", "yes", [1]),
      ("… by about as much", "30 → 25", [3]),
      ("five items whatever their kind beat production in the lab", "yes", [4]),
      ("… by about as much", "8 %", [5]),
      ("five items beat production among users", "yes", [6]),
      ("… by about as much", "3 %", [7]),
      ("the lab promises more than users get", "8 % and 3 %", [8]),
      ("five is the right number, not three or eight", "yes", [9]),
    ]
    var table = Table(columns: [.init("the article’s finding"), .init("there"), .init("holds in", .right), .init("so it")])
    for row in rows {
      let share = Finding.all[row.findings[0]].share(in: fitted)
      table.append([.init(row.claim), .init(row.article), .init(Self.withInterval(share)), .init(Self.verdict(share))])
    }
    return table
  }

  /// A share in a word; by its interval where that leaves no doubt, else the word says so.
  static func verdict(_ share: Proportion) -> String {
    guard let interval = share.interval(), let value = share.share else { return "cannot be said" }
    if interval.low >= 0.9 { return "comes out" }
    if interval.high <= 0.1 { return "does not come out" }
    if interval.low > 0.5 { return "mostly comes out" }
    if interval.high < 0.5 { return "seldom comes out" }
    return value >= 0.5 ? "comes out as often as not" : "comes out in less than every other"
  }

  // MARK: Tables

  var predictionTable: Table {
    var table = Table(columns: [
      .init("predicted"), .init("article", .right), .init("10 %", .right), .init("median", .right), .init("90 %", .right),
      .init("encloses the article’s"),
    ])
    for row in predictions {
      let cells = [row.what, row.articleText] + [0.1, 0.5, 0.9].map { row.text(row.quantile($0)) } + [row.encloses ? "yes" : "no"]
      table.append(cells.map { .init($0) })
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
    var finding = ""
    for item in Finding.all {
      if item.claim.hasPrefix("…") { finding += " " + item.claim } else { finding = item.claim }
      let influences = Influence.strongest(on: outcomes) { item.holds($0) ? 1 : 0 }
      if influences.isEmpty { table.append([.init(finding), .init("none of them alone"), .init(""), .init("")]) }
      for (place, influence) in influences.enumerated() {
        let unknown = Unknown.all[influence.unknown]
        let shares = zip(unknown.levels, influence.means).map { "\($0.name): \(Self.percent($1))" }.joined(separator: ", ")
        table.append([
          .init(place == 0 ? finding : ""), .init(unknown.name), .init(Self.percent(influence.explained)), .init(shares),
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
        SampleQuantile(values, share: 0.5).map { "\(DecimalText.fixed($0.value, decimals: 1)) %" } ?? "–"
      }
      let shares = [4, 6].map { Self.withInterval(Finding.all[$0].share(in: part)) }
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

  /// The median of loaders.
  static func loaders(_ values: [Double]) -> String {
    SampleQuantile(values, share: 0.5).map { DecimalText.fixed($0.value, decimals: 0) } ?? "–"
  }

  static func count(_ number: Int, _ noun: String) -> String { number == 1 ? "1 \(noun)" : "\(number == 0 ? "no" : "\(number)") \(noun)s" }
}
