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

@Suite struct RandomStreamTests {
  /// From scipy's side of the reference (`statistics/vectors.json`, splitmix64_seed42_first5).
  @Test func splitMixMatchesItsPublishedOutput() {
    var mixer = SplitMix64(state: 42)
    let expected: [UInt64] = [
      13_679_457_532_755_275_413, 2_949_826_092_126_892_291, 5_139_283_748_462_763_858, 6_349_198_060_258_255_764,
      701_532_786_141_963_250,
    ]
    #expect((0..<5).map { _ in mixer.next() } == expected)
  }

  @Test func streamsOfOneRunDiffer() {
    var network = RandomStream(sweepSeed: 1, repetition: 1, name: "network")
    var feed = RandomStream(sweepSeed: 1, repetition: 1, name: "feed")
    #expect(network.next() != feed.next())
  }

  @Test func normalDrawsHaveTheirMoments() {
    var random = RandomStream(seed: 7)
    var sum = 0.0
    var square = 0.0
    let count = 200_000
    for _ in 0..<count {
      let x = random.normal()
      sum += x
      square += x * x
    }
    #expect(abs(sum / Double(count)) < 0.01)
    #expect(abs(square / Double(count) - 1) < 0.015)
  }
}
