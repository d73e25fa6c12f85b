// Choices without branches, for the innermost loops: a branch that goes either way as often costs a processor a dozen operations.
// `min` and `max` are compiled into branches where the compiler takes them to be predictable, which the times of packets are not.

/// The later of two times that are less than 2⁶³ apart.
@inline(__always)
func later(_ a: Int64, _ b: Int64) -> Int64 {
  let difference = a &- b
  return a &- (difference & (difference >> 63))
}

/// The smaller of two numbers that are less than 2⁶³ apart.
@inline(__always)
func smaller(_ a: Int, _ b: Int) -> Int {
  let difference = a &- b
  return b &+ (difference & (difference >> 63))
}

/// All bits set where the first of two numbers that are less than 2⁶³ apart is the smaller one, else none: a mask for what holds only
/// then. A comparison the compiler would turn into a branch again.
@inline(__always)
func isLess(_ a: Int, _ b: Int) -> Int { (a &- b) >> 63 }
