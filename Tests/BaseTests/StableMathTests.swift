import Base
import Foundation
import Testing

@testable import Simulation

@Suite struct StableMathTests {
  @Test func agreesWithTheSystemLibraryToAFewUnits() {
    var random = RandomStream(seed: 1)
    for _ in 0..<20_000 {
      let x = (random.unit() - 0.5) * 1400
      let expected = Foundation.exp(x)
      if expected > 1e-300, expected.isFinite {
        #expect(abs(StableMath.exp(x) - expected) <= 4e-16 * 4 * expected, "exp \(x)")
      }
      let y = Foundation.exp((random.unit() - 0.5) * 600)
      #expect(abs(StableMath.log(y) - Foundation.log(y)) <= 1e-15 * max(1, abs(Foundation.log(y))), "log \(y)")
      #expect(abs(StableMath.cubeRoot(y) - cbrt(y)) <= 1e-15 * cbrt(y), "cube root \(y)")
    }
    #expect(StableMath.cubeRoot(-27) == -3)
    #expect(StableMath.log(1) == 0)
    #expect(StableMath.exp(0) == 1)
  }
}
