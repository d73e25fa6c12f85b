import TestSupport
import Testing

@testable import Analysis

@Suite struct DirectSearchTests {
  @Test func theMinimumOfAValleyIsFound() {
    // Rosenbrock's valley, whose minimum (1, 1) is at (0.75, 0.75) of the square.
    let search = DirectSearch(from: [0, 0]) { shares in
      let (x, y) = (shares[0] * 2 - 0.5, shares[1] * 2 - 0.5)
      return 10 * (y - x * x) * (y - x * x) + (1 - x) * (1 - x)
    }
    expectClose(search.point[0], 0.75, 0.01)
    expectClose(search.point[1], 0.75, 0.01)
  }

  @Test(arguments: [[0.37], [0.05, 0.95], [0.31, 0.62, 0.93]])
  func stepsAndBoundsDoNotStopTheSearch(_ bottom: [Double]) {
    // The function has whole numbers as values, like counts of loaders.
    let search = DirectSearch(from: bottom.map { _ in 1 }) { shares in
      zip(shares, bottom).reduce(0) { $0 + ((($1.0 - $1.1) * 40).magnitude).rounded(.down) }
    }
    for (found, expected) in zip(search.point, bottom) { #expect((found - expected).magnitude < 0.03) }
    let wall = DirectSearch(from: bottom.map { _ in 0.5 }) { shares in shares.reduce(0, +) }
    #expect(wall.point.allSatisfy { $0 == 0 } && wall.value == 0)
  }
}
