// The files and the headline of a sample's report.

import Base
import SampleSweeps

@testable import Analysis
@testable import Rendering

extension ReportFiles {
  /// All files.
  var all: [ReportFile] { [ReportFile(name: SummaryTable.fileName, contents: self[SummaryTable.fileName] ?? "")] + files }
}

extension Samples {
  /// The report's headline.
  var headline: String {
    get throws {
      let columns = RunColumns(axes: axes)
      for row in table.rows { columns.add(row) }
      let summary = try columns.summary(sweep: sweep)
      return Headline(part: ReportPart(summary, sweep: sweep), markup: .plain).sentence
    }
  }
}
