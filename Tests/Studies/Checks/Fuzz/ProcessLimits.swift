// The limits of a child process of the fuzzer, by system calls whose types differ between C libraries.

import Base

/// The processor time and memory of this process.
enum ProcessLimits {
  /// Ends this process by SIGPROF after some seconds of processor time from now.
  static func limitProcessorTime(seconds: Int) {
    var timer = itimerval()
    timer.it_value.tv_sec = seconds
    #if canImport(Glibc)
      setitimer(__itimer_which_t(ITIMER_PROF.rawValue), &timer, nil)
    #else
      setitimer(ITIMER_PROF, &timer, nil)
    #endif
  }

  /// The most memory that this process has used, in megabytes.
  static var peakMegabytes: Int {
    var usage = rusage()
    #if canImport(Glibc)
      getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    #else
      getrusage(RUSAGE_SELF, &usage)
    #endif
    #if canImport(Darwin)
      return usage.ru_maxrss / 1_000_000
    #else
      return usage.ru_maxrss / 1000
    #endif
  }
}
