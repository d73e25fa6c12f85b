// Which packets of the flow transport are lost by chance. Without bursts a run costs a subtraction, not a draw a packet.

import Base

/// Losses of one direction: independent ones by the gaps between them, bursts packet by packet (Gilbert 1960, Elliott 1963).
struct FlowLosses {
  private var random: RandomStream
  private let loss: Double
  private let burst: NetworkConfiguration.BurstLoss?
  private var isBad = false
  /// Packets until the next one that is lost.
  private var gap = 0
  let isPossible: Bool

  init(_ loss: Double, _ burst: NetworkConfiguration.BurstLoss?, seed: UInt64, name: String) {
    random = RandomStream(runSeed: seed, name: name)
    self.loss = loss
    self.burst = burst
    isPossible = loss > 0 || burst != nil
    if loss > 0, burst == nil { drawGap() }
  }

  private mutating func drawGap() {
    let drawn = StableMath.log(1 - random.unit()) / StableMath.log(1 - loss)
    // A loss that is nearly 0 has gaps beyond any run.
    gap = drawn < 1e15 ? Int(drawn) : 1_000_000_000_000_000
  }

  /// Whether the next packet is lost.
  mutating func isNextLost() -> Bool {
    guard isPossible else { return false }
    if let burst {
      isBad = isBad ? random.unit() >= burst.leave : random.unit() < burst.enter
      return random.unit() < (isBad ? burst.loss : loss)
    }
    if gap > 0 {
      gap -= 1
      return false
    }
    drawGap()
    return true
  }

  /// How many of the next `packets` are lost, and how many of these are the last ones.
  mutating func next(_ packets: Int) -> (lost: Int, last: Int) {
    if burst == nil, gap >= packets {
      gap -= packets
      return (0, 0)
    }
    var lost = 0
    var last = 0
    for _ in 0..<packets {
      if isNextLost() {
        lost += 1
        last += 1
      } else {
        last = 0
      }
    }
    return (lost, last)
  }
}
