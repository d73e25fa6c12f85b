import Base
import Foundation
import TestSupport
import Testing

@testable import Simulation

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
