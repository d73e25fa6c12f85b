// Comparisons without branches for the innermost loops, where a mispredicted branch costs about a dozen operations.
// `min` and `max` compile to branches if the compiler expects them to be predictable, which packet times are not.

/// Returns the later of two times less than 2⁶³ apart.
@inline(__always)
func later(_ a: Int64, _ b: Int64) -> Int64 {
  let difference = a &- b
  return a &- (difference & (difference >> 63))
}

/// Returns the smaller of two numbers less than 2⁶³ apart.
@inline(__always)
func smaller(_ a: Int, _ b: Int) -> Int {
  let difference = a &- b
  return b &+ (difference & (difference >> 63))
}

/// Returns a mask of all bits if `a` < `b`, else 0; they are less than 2⁶³ apart. A comparison would compile to a branch again.
@inline(__always)
func isLess(_ a: Int, _ b: Int) -> Int { (a &- b) >> 63 }
