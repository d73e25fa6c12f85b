// Charts with a row for each point: its name and the numbers of its table row in a line of text, and its marks below.

import Analysis

/// The names of a chart's points, without the settings that all of them share.
struct ChartNames {
  private let part: ReportPart
  private let shared: Set<Int>
  /// The settings that all points share, as a note; empty if there are none.
  let note: String

  init(_ points: [PointSummary], of part: ReportPart) {
    let shared = part.names.shared(points.map(\.axisValues))
    (self.part, self.shared) = (part, shared)
    note =
      points.first.map { point in
        let settings = shared.sorted().map { part.names.setting(point.axisValues[$0], axis: $0) }
        return settings.isEmpty ? "" : "all points here: \(settings.joined(separator: ", "))"
      } ?? ""
  }

  func label(_ point: PointSummary) -> String {
    let name = part.name(point, omitting: shared)
    return point.isBaseline ? "baseline: \(name)" : point.isOracle ? "reference: \(name)" : name
  }
}

struct ChartRows {
  struct Row {
    let name: String, numbers: String
    let point: PointSummary
    /// The baselines of its texts; equal if both have room in one line.
    let nameY: Double, numbersY: Double
    /// The middle of its marks.
    let y: Double
  }

  static let left = 24.0, right = 616.0
  /// The width of an average character, and the columns of a line.
  private static let character = 6.9, columns = 84

  let rows: [Row]
  let bottom: Double

  init(_ rows: [(point: PointSummary, name: String, numbers: String)], top: Double, marks height: Double) {
    var y = top
    self.rows = rows.map { point, name, numbers in
      // Bold names are a sixth wider.
      let hasRoom = DisplayWidth.of(name) * 7 / 6 + DisplayWidth.of(numbers) + 4 <= Self.columns
      let nameY = y + 14
      let numbersY = hasRoom ? nameY : nameY + 17
      y = numbersY + (height > 0 ? 16 : hasRoom ? 6 : 12) + height
      return Row(name: name, numbers: numbers, point: point, nameY: nameY, numbersY: numbersY, y: numbersY + 6 + height / 2)
    }
    bottom = y
  }

  /// Draws the names and numbers, with the mark of the baseline and of the winner.
  func drawTexts(winner: PointSummary?, on chart: inout SVGDrawing) {
    for row in rows {
      let isWinner = row.point.isSame(as: winner)
      let isStrong = row.point.isBaseline || isWinner
      if row.point.isBaseline {
        chart.diamond(16, row.nameY - 4, radius: 6, "base")
      } else if isWinner {
        chart.circle(16, row.nameY - 4, radius: 5.5, "best")
      }
      chart.text(Self.left + 4, row.nameY, row.name, isStrong ? "strong" : "", limit: isStrong ? Self.columns * 6 / 7 : Self.columns)
      chart.text(Self.right - 5, row.numbersY, row.numbers, anchor: .end)
    }
  }
}

extension PointSummary {
  func isSame(as other: PointSummary?) -> Bool {
    other.map { $0.point == point && $0.axisValues == axisValues && $0.isBaseline == isBaseline } ?? false
  }
}

extension SVGDrawing {
  /// Draws the part of a bar, or a legend's entry, in a reason's colour and hatch; 16 pixels high.
  mutating func reason(_ reason: Metric, _ x: Double, _ y: Double, width: Double, tip: String = "") {
    let index = ChartStyle.index(of: reason)
    rectangle(x, y, width, 16, ChartStyle.fill(of: reason), tip: tip)
    let lines: [Double] = [2, 3].contains(index) ? [8] : [1, 4].contains(index) ? [4, 8, 12] : []
    for line in lines where width > 2 { self.line(x + 0.5, y + line, x + width - 0.5, y + line, "t\(index)") }
  }
}
