import Foundation
import SampleSweeps
import Simulation
import TestSupport
import Testing

@testable import Analysis
@testable import Rendering

@Suite struct SobolTests {
  /// Returns the values of a function on a grid, the last axis the fastest, with the middle of each of `count` cells of 0…1 as values.
  private func grid(_ axes: Int, count: Int, _ function: ([Double]) -> Double) -> [Double] {
    let points = (0..<axes).reduce([[Double]]([[]])) { points, _ in
      points.flatMap { point in (0..<count).map { point + [(Double($0) + 0.5) / Double(count)] } }
    }
    return points.map(function)
  }

  private func indices(_ values: [Double], _ shape: [Int]) throws -> SobolIndices {
    try #require(SobolIndices(values.map { [$0] }, shape: shape, isExact: true, confidence: 0.95))
  }

  @Test func ishigamisFunctionHasItsClosedForm() throws {
    // Ishigami & Homma 1990 with a = 7, b = 0.1: V = a²/8 + bπ⁴/5 + b²π⁸/18 + ½, V₁ = ½(1 + bπ⁴/5)², V₂ = a²/8, V₁₃ = b²π⁸(1/18 − 1/50).
    let (a, b, pi) = (7.0, 0.1, Double.pi)
    let found = try indices(
      grid(3, count: 40) { point in
        let x = point.map { (2 * $0 - 1) * pi }
        return sin(x[0]) + a * sin(x[1]) * sin(x[1]) + b * x[2] * x[2] * x[2] * x[2] * sin(x[0])
      }, [40, 40, 40])
    let whole = a * a / 8 + b * pow(pi, 4) / 5 + b * b * pow(pi, 8) / 18 + 0.5
    let (first, second) = (0.5 * pow(1 + b * pow(pi, 4) / 5, 2), a * a / 8)
    let both = b * b * pow(pi, 8) * (1.0 / 18 - 1.0 / 50)
    for (axis, closed) in [(first, first + both), (second, second), (0, both)].enumerated() {
      #expect((found.axes[axis].first.value - closed.0 / whole).magnitude < 0.01)
      #expect((found.axes[axis].total.value - closed.1 / whole).magnitude < 0.01)
    }
  }

  @Test func sobolsFunctionHasItsClosedForm() throws {
    // G = Π (|4xᵢ − 2| + aᵢ)/(1 + aᵢ): Vᵢ = 1/(3(1 + aᵢ)²), V = Π(1 + Vᵢ) − 1, total of i Vᵢ Π_{j≠i}(1 + Vⱼ) (Saltelli & Sobol 1995).
    let a = [0, 1, 4.5, 9]
    let values = grid(4, count: 20) { zip($0, a).reduce(1) { $0 * ((4 * $1.0 - 2).magnitude + $1.1) / (1 + $1.1) } }
    let found = try indices(values, [20, 20, 20, 20])
    let own = a.map { 1 / (3 * (1 + $0) * (1 + $0)) }
    let product = own.reduce(1) { $0 * (1 + $1) }
    for axis in a.indices {
      let first = own[axis] / (product - 1)
      #expect((found.axes[axis].first.value - first).magnitude < 0.005)
      #expect((found.axes[axis].total.value - first * product / (1 + own[axis])).magnitude < 0.005)
    }
  }

  @Test func sweepsHaveTheIndicesOfSALib() throws {
    let vectors = Vector(value: try JSONSerialization.jsonObject(with: try Reference.data("statistics/sobol.json")))["grids"].list
    #expect(vectors.count == 2)
    for vector in vectors {
      // Noise that all points share within a repetition changes nothing.
      let rows = vector["means"].numbers.map { mean in [3.0, -8, 1, 9, -5, 0].map { mean + $0 }[...] }
      let found = try #require(SobolIndices(rows, shape: vector["shape"].list.map(\.count), isExact: false, confidence: 0.95))
      for (axis, index) in found.axes.enumerated() {
        #expect((index.first.value - vector["first"].numbers[axis]).magnitude < 0.002)
        #expect((index.total.value - vector["total"].numbers[axis]).magnitude < 0.002)
        #expect((index.first.interval?.halfWidth ?? 1) < 1e-9)
      }
    }
  }

  @Test func noiseInflatesNoIndexAndIntervalsHold() throws {
    // 4 × 3 points, first + second + interaction, with noise as large as the effects. True indices by the same estimator without noise.
    let truth = (0..<12).map { (point: Int) -> Double in
      let sum = Double(point / 3) * 2 + Double(point % 3) * 1.5
      return point == 11 ? sum + 3 : sum
    }
    let exact = try indices(truth, [4, 3])
    var stream = RandomStream(seed: 41)
    var (held, all, sum) = (0, 0, [0.0, 0, 0, 0])
    let trials = 400
    for _ in 0..<trials {
      let shared = (0..<20).map { _ in 5 * stream.normal() }
      let rows = truth.map { mean in shared.map { (block: Double) -> Double in mean + block + 3 * stream.normal() }[...] }
      let found = try #require(SobolIndices(rows, shape: [4, 3], isExact: false, confidence: 0.95))
      let ours = found.axes.flatMap { [$0.first, $0.total] }
      let values = exact.axes.flatMap { [$0.first.value, $0.total.value] }
      for (number, (index, value)) in zip(ours, values).enumerated() {
        sum[number] += (index.value - value) / Double(trials)
        all += 1
        if index.interval?.contains(value) == true { held += 1 }
      }
    }
    #expect(sum.allSatisfy { $0.magnitude < 0.02 }, "the mean errors \(sum)")
    let share = Double(held) / Double(all)
    #expect(share > 0.92 && share < 0.99, "\(share) of the intervals hold the index")
  }

  @Test func onlyCompleteGridsThatDifferHaveATable() throws {
    func samples(_ counts: [Int], slope: Double = 9, holds: ([Int]) -> Bool = { _ in true }) -> Samples {
      var samples = Samples()
      samples.axes = counts.indices.map { "prefetcher.\(["a", "b", "c"][$0])" }
      let all = counts.reduce([[Int]]([[]])) { points, count in points.flatMap { point in (0..<count).map { point + [$0] } } }
      samples.points = all.filter(holds).enumerated().map { index, values in
        let mean = 100 - slope * Double(values[0]) + slope / 3 * Double(values[counts.count - 1])
        return (Samples.id(index + 1), values.map { "\($0 + 1)" }, (0..<10).map { mean + Double(($0 * 31 + index * 7) % 11) - 5 })
      }
      return samples
    }
    func axes(_ samples: Samples) throws -> ExplainedTable? {
      ExplainedTable.axes(try SweepSummary.of(runs: samples.table, sweep: samples.sweep), sweep: samples.sweep)
    }
    func table(_ samples: Samples) throws -> Table? { try axes(samples)?.table }
    let whole = try #require(try table(samples([4, 3])))
    #expect(whole.rows.map { $0[0].text } == ["a", "b"])
    #expect(try axes(samples([4, 3]))?.legend.hasPrefix("a alone explains 9") == true)
    #expect(try samples([4, 3]).report["report.md"]?.contains("## Which axes matter") == true)
    #expect(try samples([4, 3]).report["report.html"]?.contains("id=\"axes\"") == true)
    #expect(try table(samples([4, 3]) { $0 != [0, 2] }) == nil, "a gap")
    #expect(try table(samples([4])) == nil && table(samples([4, 1])) == nil, "one axis")
    #expect(try table(samples([2, 2], slope: 0)) == nil, "noise alone")
  }
}
