// The terminal: its width, whether it takes colours, and Ctrl-C.

import Synchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif
#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

enum Terminal {
  /// The columns of the terminal on standard output; 100 where it is none.
  static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
    return Int(size.ws_col)
  }

  /// Whether to colour: on a terminal, and never against NO_COLOR.
  static var isColored: Bool {
    isatty(STDOUT_FILENO) == 1 && (ProcessInfo.processInfo.environment["NO_COLOR"] ?? "").isEmpty
  }
}

/// Ctrl-C and SIGTERM: the first lets the program end in order, the second ends it at once.
enum Interruption {
  private static let received = Atomic<Int32>(0)

  /// The signal that came; 0 if none.
  static var signal: Int32 { received.load(ordering: .relaxed) }

  static func install() {
    for number in [SIGINT, SIGTERM] {
      var action = sigaction()
      let handler: @convention(c) (Int32) -> Void = { number in
        // Only what is safe in a handler: an atomic store, and leaving.
        if Interruption.received.exchange(number, ordering: .relaxed) != 0 { _exit(128 + number) }
      }
      #if canImport(Darwin)
        action.__sigaction_u.__sa_handler = handler
      #else
        action.__sigaction_handler.sa_handler = handler
      #endif
      sigaction(number, &action, nil)
    }
    // Whoever started the program may have done so from a thread that blocks signals, and a child inherits that.
    var wanted = sigset_t()
    sigemptyset(&wanted)
    sigaddset(&wanted, SIGINT)
    sigaddset(&wanted, SIGTERM)
    pthread_sigmask(SIG_UNBLOCK, &wanted, nil)
    // A reader of standard output that goes away is seen by its write failing.
    #if canImport(Glibc)
      Glibc.signal(SIGPIPE, SIG_IGN)
    #elseif canImport(Musl)
      Musl.signal(SIGPIPE, SIG_IGN)
    #else
      Darwin.signal(SIGPIPE, SIG_IGN)
    #endif
  }
}
