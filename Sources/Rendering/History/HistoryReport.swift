// A history as text, Markdown and a page: since when the winner wins, a chart and a row for each run, and what changed and why.

import Analysis
import Base

package struct HistoryReport {
  /// The most rows of a table and the most changes of a list, latest first.
  static let rowLimit = 200

  let series: [HistorySeries]

  package init(_ series: [HistorySeries]) { self.series = series }

  package static let fileNames = ["history.md", "history.html"]
  package var files: [ReportFile] { zip(Self.fileNames, [markdown, html]).map { ReportFile(name: $0, contents: $1) } }

  /// True if results differ although nothing that decides them changed.
  package var hasUnexplained: Bool { series.contains { $0.steps.contains { !$0.unexplained.isEmpty } } }

  package func text(isColored: Bool) -> String {
    series.map { series in
      let lines = series.findings(.plain).map { "- \($0)" }
      return ([SafeText.line(series.name), series.answer(.plain), series.table.plainText(isColored: isColored)] + lines).joined(
        separator: "\n")
    }.joined(separator: "\n\n")
  }

  private var markdown: String {
    let parts = series.flatMap { series in
      let lines = series.findings(.markdown).map { "- \($0)\n" }.joined()
      return ["## \(SafeText.markdown(series.name))\n", series.answer(.markdown) + "\n", series.table.markdown, lines].filter {
        !$0.isEmpty
      }
    }
    return (["# History\n"] + parts).joined(separator: "\n")
  }

  private var html: String {
    let main = series.enumerated().map { index, series in
      let figures = series.charts.map { PageFrame.figure($0, prefix: "series-\(index + 1)-") }.joined()
      let items = series.findings(.page).map { "<li>\($0)</li>\n" }.joined()
      return PageFrame.heading(series.name, id: index == 0 ? "answer" : "")
        + "<p class=\"answer\">\(series.answer(.page))</p>\n<div class=\"charts\">\n\(figures)</div>\n"
        + (items.isEmpty ? "" : "<h2>What changed</h2>\n<ul>\n\(items)</ul>\n") + series.table.html(caption: "Runs of \(series.name)")
    }
    return PageFrame.text(
      title: "History", skip: ("answer", "Skip to the answer"), header: "<h1>History</h1>\n", main: main.joined(),
      footer: "<p>Results of the emulator are exact: they change only with their premises. Changes of devices are found with at most 2 "
        + "false alarms in 1000 runs, if the noise has one distribution, neighbouring runs correlate by at most 0.5, and the spread doubles at "
        + "most once in 100 runs.</p>\n")
  }
}

extension HistorySeries {
  /// Returns since when the winner wins, in each stratum that has one.
  package func answer(_ markup: Markup) -> String {
    guard let last = entries.last else { return "" }
    let sentences = last.strata.prefix(StrataSummary.shownLimit).map { stratum in
      let scope = stratum.name.isEmpty ? "" : "\(markup.text(stratum.name)): "
      let known = entries.compactMap { entry in entry.strata.first { $0.name == stratum.name }.map { (day: entry.day, stratum: $0) } }
      let winner = stratum.best?.name
      let since = known.lastIndex { $0.stratum.best?.name != winner }.map { $0 + 1 } ?? 0
      let all = entries.count == 1 ? "in its only run" : entries.count == 2 ? "in both runs" : "in all \(entries.count) runs"
      let isAll = since == 0 && known.count == entries.count
      let time = isAll ? all : "since \(markup.text(known[since].day))\(since == 0 ? ", the first line with it" : "")"
      func before(_ verb: String) -> String {
        guard since > 0 else { return "" }
        let earlier = known[since - 1].stratum
        let isLevel = winner.map { earlier.asGood?.contains($0) == true } ?? false
        let text = "; before, \(earlier.best.map { markup.strong($0.name) } ?? "no point") \(verb)"
        return text + (isLevel ? ", and the two were as good" : "")
      }
      let verb = last.isCheck ? "is better than production" : "wins"
      return winner.map { "\(scope)\(markup.strong($0)) \(verb) \(time)\(before("did"))." }
        ?? "\(scope)No point is better than the baseline \(time)\(before("was"))."
    }
    let count = steps.reduce(0) { $0 + $1.unexplained.count }
    let warning =
      count == 0 ? "" : " " + markup.strong("\(Words.count(count, "difference has", "differences have")) no explanation: see what changed.")
    return sentences.joined(separator: " ") + warning
  }

  /// Returns what changed, latest first, a sentence or two each.
  func findings(_ markup: Markup) -> [String] {
    let steps = steps.enumerated().compactMap { index, step in
      step.finding(markup, unit: entries[index + 1].headline).map { (index + 1, "\(markup.text(entries[index + 1].day)): \($0)") }
    }
    let changes = changes.map { change in
      let subject = change.point.map { "the difference of \(markup.strong($0)) to the baseline" } ?? "all points together"
      let scope = change.stratum.isEmpty ? "" : "\(markup.text(change.stratum)): "
      let verb = change.share > 0 ? "rose" : "fell"
      let size = DecimalText.fixed(change.share.magnitude * 100, decimals: 1)
      if change.isOutlier {
        let later = change.index == entries.count - 1 ? "the next runs tell whether it stays" : "one run, no change"
        return (change.index, "\(entries[change.index].day): \(scope)an outlier: \(subject) \(verb) by \(size) % (\(later)).")
      }
      let premises = self.steps[change.before].premises
      let cause = premises.isEmpty ? "No premise changed there." : "There also \(markup.text(Words.list(premises.map(\.text))))."
      return (
        change.found,
        "\(markup.text(entries[change.index].day)): \(scope)\(subject) \(verb) by \(size) % "
          + "(after \(markup.text(entries[change.before].day)), found with the results of \(markup.text(entries[change.found].day))). \(cause)"
      )
    }
    return (steps + changes).sorted { $0.0 > $1.0 }.prefix(HistoryReport.rowLimit).map(\.1)
  }

  /// Returns the name of the baseline in a stratum: production in checks, and where a check says that it is.
  func baselineName(in stratum: String) -> String {
    if entries.last?.isCheck == true { return "production" }
    return isProductionBaseline(in: stratum) ? "baseline (production)" : "baseline"
  }

  /// The latest runs with the winner of each stratum, oldest first.
  var table: Table {
    let hasStrata = entries.contains { $0.strata.count > 1 }
    let hasProduction = production.contains { $0.values.contains { !$0.isBaseline } }
    let names = Set(entries.flatMap { $0.strata.map { baselineName(in: $0.name) } })
    let unit = entries.last?.headline ?? ""
    var table = Table(
      columns: ["run"] + (hasStrata ? ["stratum"] : []) + [
        "winner", .right("\(unit), winner"), .right(names.count == 1 ? names.first ?? "" : "baseline"),
      ] + (hasProduction ? [.right("production")] : []) + ["verdicts that changed", "changed"])
    let count = max(1, HistoryReport.rowLimit / max(1, entries.map(\.strata.count).max() ?? 1))
    let means = entries.suffix(count).filter { $0.headline == unit }.flatMap(\.strata).flatMap {
      [$0.best, $0.baseline].compactMap(\.self)
    }
    let decimals = Precision.decimals(means.map(\.number), limit: Digits.loaders, printsEnds: false)
    for index in entries.indices.suffix(count) {
      let step = index > 0 ? steps[index - 1] : nil
      for (number, stratum) in entries[index].strata.prefix(StrataSummary.shownLimit).enumerated() {
        let verdicts = step?.verdicts.filter { $0.stratum == stratum.name } ?? []
        let shown = verdicts.prefix(3).map { "\($0.now.name): \($0.before.verdict) → \($0.now.verdict)" }
        let more = verdicts.count > 3 ? [Words.count(verdicts.count - 3, "other")] : []
        let reason = number == 0 ? step?.reason ?? "" : ""
        var cells = [entries[index].day] + (hasStrata ? [stratum.name] : [])
        // Means of another metric than the column's have its name.
        let metric = entries[index].headline
        func mean(_ point: HistoryEntry.Point?) -> String {
          point.map { metric == unit ? Precision.fixed($0.mean, decimals) : "\($0.meanText) \(metric)" } ?? ""
        }
        cells += [stratum.best?.name ?? "none", mean(stratum.best), mean(stratum.baseline)]
        if hasProduction { cells.append(mean(production[index][stratum.name])) }
        cells.append((shown + more).joined(separator: "; "))
        let isUnexplained = step?.unexplained.isEmpty == false
        table.append(cells.map { Table.Cell($0) } + [Table.Cell(reason, style: isUnexplained ? .bad : .plain)])
      }
    }
    return table
  }
}

extension HistoryEntry {
  /// The date and the time to the minute; another text if it has another form.
  var day: String { HistoryEntry.isTimestamp(date) ? String(date.prefix(16)).replacing("T", with: " ") : date }
}

extension HistoryEntry.Point {
  /// The mean with the interval that its runs support.
  fileprivate var number: Precision.Number {
    let half = count > 1 ? 2 * (variance / Double(count)).squareRoot() : 0
    return (mean, half > 0 ? ConfidenceInterval(low: mean - half, high: mean + half) : nil)
  }

  /// The mean with the digits that its runs support.
  var meanText: String { Precision.text(mean, number.interval, limit: Digits.loaders) }
}

extension HistoryStep {
  fileprivate var reason: String {
    if !unexplained.isEmpty { return "UNEXPLAINED: \(Words.count(unexplained.count, "point")) moved, and no premise changed" }
    return premises.map(\.subject).joined(separator: ", ")
  }

  /// Returns what moved and why; nil if nothing changed.
  fileprivate func finding(_ markup: Markup, unit: String) -> String? {
    guard !premises.isEmpty || !moved.isEmpty else { return nil }
    let most = moved.first.map { pair in
      let (old, new) = (pair.before.meanText, pair.now.meanText)
      return
        "\(Words.count(moved.count, "point")) moved, most of all \(markup.strong(pair.name)), from \(old) to \(new) \(markup.text(unit))"
    }
    if !unexplained.isEmpty {
      return markup.strong("UNEXPLAINED.")
        + " \(most ?? ""), with the same scenario, seeds, repetitions, model and build. The emulator gives the same "
        + "numbers for these: this is a defect, or the results were edited. `verify` runs rows of them again."
    }
    let causes = Words.list(premises.map(\.text))
    let defect =
      ofBuild.isEmpty
      ? ""
      : " \(Words.count(ofBuild.count, "point")) moved under another build with the same model version: a defect of the program, unless a "
        + "prefetcher of your own changed."
    guard let most else { return markup.text(Words.capitalized(causes)) + "." }
    return "\(most), because \(markup.text(causes)).\(defect)"
  }
}
