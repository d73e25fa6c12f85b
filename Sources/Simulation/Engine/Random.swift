// Random numbers that are equal on every machine and in every build. The system's generator is never used.

import Base

/// A seeded random stream: xoshiro256** (Blackman & Vigna 2018), with its state filled by SplitMix64 (Steele et al. 2014).
/// All draws use integers or exact IEEE operations.
package struct RandomStream: Sendable {
  private var s0: UInt64, s1: UInt64, s2: UInt64, s3: UInt64
  /// The second of a pair of normal draws, until it is used.
  private var spareNormal: Double?

  package init(seed: UInt64) {
    var mixer = SplitMix64(state: seed)
    s0 = mixer.next()
    s1 = mixer.next()
    s2 = mixer.next()
    s3 = mixer.next()
  }

  /// Creates the stream `name` of a repetition. No seed depends on the point: in repetition k all have the same network, feed and script.
  package init(sweepSeed: UInt64, repetition: Int, name: String) {
    self.init(runSeed: RandomStream.seed(sweepSeed: sweepSeed, repetition: repetition), name: name)
  }

  /// Creates a stream of a run by the seed of its repetition.
  package init(runSeed: UInt64, name: String) { self.init(seed: RandomStream.seed(runSeed: runSeed, name: name)) }

  /// Returns the seed of a stream by the seed of its repetition.
  package static func seed(runSeed: UInt64, name: String) -> UInt64 { runSeed ^ StableHash.of(name) }

  /// Returns the seed of a repetition, as in `runs.csv`.
  package static func seed(sweepSeed: UInt64, repetition: Int) -> UInt64 {
    var mixer = SplitMix64(state: sweepSeed ^ (UInt64(repetition) &* 0xD1B5_4A32_D192_ED03))
    return mixer.next()
  }

  @inline(__always) package mutating func next() -> UInt64 {
    let result = rotateLeft(s1 &* 5, 7) &* 9
    let shifted = s1 &<< 17
    s2 ^= s0
    s3 ^= s1
    s1 ^= s2
    s0 ^= s3
    s2 ^= shifted
    s3 = rotateLeft(s3, 45)
    return result
  }

  /// Draws a number in [0, 1) with 53 random bits.
  package mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }

  /// Draws a whole number in 0 ..< `bound` without bias (Lemire 2019); `bound` is positive.
  package mutating func below(_ bound: UInt64) -> UInt64 {
    precondition(bound > 0, "a draw needs at least one outcome")
    var product = next().multipliedFullWidth(by: bound)
    if product.low < bound {
      let threshold = (0 &- bound) % bound
      while product.low < threshold { product = next().multipliedFullWidth(by: bound) }
    }
    return product.high
  }

  /// Draws from the standard normal distribution by the polar method (Marsaglia & Bray 1964), which gives pairs.
  package mutating func normal() -> Double {
    if let spare = spareNormal {
      spareNormal = nil
      return spare
    }
    while true {
      let x = 2 * unit() - 1
      let y = 2 * unit() - 1
      let square = x * x + y * y
      if square > 0, square < 1 {
        let factor = (-2 * StableMath.log(square) / square).squareRoot()
        spareNormal = y * factor
        return x * factor
      }
    }
  }

  private func rotateLeft(_ value: UInt64, _ count: UInt64) -> UInt64 { (value &<< count) | (value &>> (64 - count)) }
}

/// SplitMix64, which fills the state of streams and mixes seeds.
package struct SplitMix64: Sendable {
  private var state: UInt64

  package init(state: UInt64) { self.state = state }

  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Hashes that are equal in all processes, unlike those of the standard library.
package enum StableHash {
  /// Returns FNV-1a, 64 bits (Fowler, Noll & Vo), of the text's UTF-8, mixed once by SplitMix64.
  package static func of(_ text: String) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text.utf8 { hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
    var mixer = SplitMix64(state: hash)
    return mixer.next()
  }
}
