// The filter of BBR's bandwidth samples, for the kernel's BBR and ngtcp2's.

/// A windowed maximum of three samples (Nichols), as in Linux's `win_minmax.c`.
struct WindowedMaximum {
  private var first = (time: 0, value: 0), second = (time: 0, value: 0), third = (time: 0, value: 0)

  var value: Int { first.value }

  /// Adds a sample; older ones than `window` are dropped.
  mutating func add(_ value: Int, at time: Int, window: Int) {
    let sample = (time: time, value: value)
    if value >= first.value || time - third.time > window {
      (first, second, third) = (sample, sample, sample)
      return
    }
    if value >= second.value {
      (second, third) = (sample, sample)
    } else if value >= third.value {
      third = sample
    }
    let age = time - first.time
    if age > window {
      (first, second, third) = (second, third, sample)
      if time - first.time > window { (first, second, third) = (second, third, sample) }
    } else if second.time == first.time, age > window / 4 {
      (second, third) = (sample, sample)
    } else if third.time == second.time, age > window / 2 {
      third = sample
    }
  }
}
