import Analysis
import Studies
import TestSupport
import Testing

/// The flow transport compared with measurements, within the tolerance of an approximation.
@Suite struct FlowFidelityTests {
  private let reference = ReferenceTables(folder: Reference.measurements.path)

  @Test func loadersAgreeWithTheRealClient() throws {
    let table = try CellTable(reference: reference, transport: .tcp)
    #expect(table.summary.meanError <= 4)
    #expect(table.summary.hardError <= 10)
    #expect(Double(table.summary.pairsKept) >= 0.95 * Double(table.summary.pairs))
  }

  @Test func timesAgreeWithTheKernel() throws {
    let rows = try KernelCases(reference: reference, transport: .tcp, seeds: 15).all()
    let isTogether = { (row: Comparison) in ["par", "queued", "cancel", "h2mux"].contains { row.category.hasPrefix($0) } }
    let groups: [(name: String, rows: [Comparison], middle: Double, tail: Double)] = [
      ("single without drops", rows.filter { $0.group == "no drop" && $0.category == "single" }, 1, 8),
      ("parallel, queued and cancelled", rows.filter { $0.group != "random loss" && isTogether($0) }, 5, 20),
      ("queue overflow", rows.filter { $0.group == "queue overflow" }, 8, 30),
      ("random loss", rows.filter { $0.group == "random loss" }, 8, 30),
    ]
    for group in groups {
      let errors = group.rows.map(\.errorPercent)
      #expect(errors.count > 40)
      #expect(median(errors) <= group.middle, "\(group.name): median")
      #expect(Sample.quantile(errors, share: 0.9) ?? .infinity <= group.tail, "\(group.name): 90th percentile")
    }
  }
}
