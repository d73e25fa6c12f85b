// The order of runs in the blocks of a gate, drawn from its seed.

import Analysis
import Simulation

/// The plan of a gate's blocks: which compare production with itself, and which are mirrored. It depends on nothing that runs.
package struct BlockPlan: Sendable {
  private let seed: UInt64
  private let name: String

  /// Creates the plan of a seed. `name` names the candidate: another one has other mirrors, so that no external rhythm favours it each
  /// time.
  package init(seed: UInt64, name: String) { (self.seed, self.name) = (seed, name) }

  /// True if a block, counted from 1, has production on both sides: one of each 13 in a row, early enough that short gates have one.
  package func isNull(_ number: Int) -> Bool {
    let (group, slot) = ((number - 1) / GateBlocks.blocksPerNull, (number - 1) % GateBlocks.blocksPerNull)
    var random = RandomStream(sweepSeed: seed, repetition: group, name: "null block")
    return slot == 1 + Int(random.below(5))
  }

  /// True if a block has the candidate first and last, in all strata.
  package func isMirrored(_ number: Int) -> Bool {
    var random = RandomStream(sweepSeed: seed, repetition: number, name: "mirror of \(name)")
    return random.below(2) == 1
  }
}
