// The platform's libraries, and the system calls that differ between them. Other files do not ask for the platform.

#if canImport(FoundationEssentials)
  @_exported import FoundationEssentials
#else
  @_exported import Foundation
#endif
#if canImport(Glibc)
  @_exported import Glibc
#elseif canImport(Musl)
  @_exported import Musl
#elseif canImport(Darwin)
  @_exported import Darwin
#endif

package enum Platform {
  /// The path of the running program; nil if the system does not say.
  package static var executablePath: String? {
    #if canImport(Darwin)
      var size: UInt32 = 0
      _ = _NSGetExecutablePath(nil, &size)
      var text = [CChar](repeating: 0, count: Int(size) + 1)
      guard _NSGetExecutablePath(&text, &size) == 0 else { return nil }
      return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    #else
      return "/proc/self/exe"
    #endif
  }

  /// The operating system, its release and the architecture, such as "Linux 6.8.0 x86_64".
  package static var system: String {
    var names = utsname()
    guard uname(&names) == 0 else { return "unknown" }
    func text(_ field: some Any) -> String { withUnsafeBytes(of: field) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) } }
    return "\(text(names.sysname)) \(text(names.release)) \(text(names.machine))"
  }

  /// The processor's name; nil where the system does not say.
  package static var processor: String? {
    #if canImport(Darwin)
      var text = [UInt8](repeating: 0, count: 256)
      var size = text.count
      guard sysctlbyname("machdep.cpu.brand_string", &text, &size, nil, 0) == 0 else { return nil }
      return String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    #else
      let text = (try? SystemFile.contents("/proc/cpuinfo")).map { String(decoding: $0, as: UTF8.self) } ?? ""
      // x86 says "model name", most ARM boards "Model" or nothing.
      let fields = text.split(separator: "\n").map { $0.split(separator: ":", maxSplits: 1).map(trimmingSpaces) }
      return fields.first { $0.count == 2 && ($0[0].lowercased() == "model name" || $0[0] == "Model") }?[1]
    #endif
  }

  /// Handles a signal with `handler` and returns true if it was ignored before.
  package static func handle(_ number: Int32, with handler: @escaping @convention(c) (Int32) -> Void) -> Bool {
    var (action, before) = (sigaction(), sigaction())
    #if canImport(Darwin)
      action.__sigaction_u.__sa_handler = handler
      sigaction(number, &action, &before)
      let old = before.__sigaction_u.__sa_handler
    #else
      action.__sigaction_handler.sa_handler = handler
      sigaction(number, &action, &before)
      let old = before.__sigaction_handler.sa_handler
    #endif
    return unsafeBitCast(old, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
  }

  package static func ignore(_ number: Int32) { signal(number, SIG_IGN) }

  /// The processors that the calling thread may use, that on which it runs first; none where the system does not say.
  package static var processors: [Int] {
    #if canImport(Darwin)
      return []
    #else
      var mask = [UInt64](repeating: 0, count: maskWords)
      let current = Int(getProcessor())
      guard current >= 0, getAffinity(0, maskWords * 8, &mask) >= 0 else { return [] }
      return [current] + (0..<maskWords * 64).filter { $0 != current && mask[$0 / 64] >> UInt64($0 % 64) & 1 == 1 }
    #endif
  }

  /// Lets a process, or the calling thread for 0, use some processors only; nothing changes where the system has no such call.
  package static func bind(_ id: pid_t, to processors: [Int]) {
    #if !canImport(Darwin)
      var mask = [UInt64](repeating: 0, count: maskWords)
      for processor in processors { mask[processor / 64] |= 1 << UInt64(processor % 64) }
      _ = setAffinity(id, maskWords * 8, mask)
    #endif
  }

  /// Starts a program in a process group, with default signals and an empty standard input.
  /// - Returns: the process id, or the system's error and what it refused.
  package static func spawn(_ start: ProcessStart) -> Result<pid_t, SpawnProblem> {
    #if canImport(Darwin)
      var (actions, attributes): (posix_spawn_file_actions_t?, posix_spawnattr_t?) = (nil, nil)
      var flags = Int32(POSIX_SPAWN_CLOEXEC_DEFAULT)
    #else
      var (actions, attributes) = (posix_spawn_file_actions_t(), posix_spawnattr_t())
      var flags: Int32 = 0
    #endif
    posix_spawn_file_actions_init(&actions)
    posix_spawnattr_init(&attributes)
    defer {
      posix_spawn_file_actions_destroy(&actions)
      posix_spawnattr_destroy(&attributes)
    }
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
    for descriptor in start.descriptors { posix_spawn_file_actions_adddup2(&actions, descriptor.own, descriptor.theirs) }
    if let folder = start.folder {
      #if canImport(Darwin)
        let refusal = posix_spawn_file_actions_addchdir_np(&actions, folder)
      #else
        let refusal = addWorkingFolder(&actions, folder)
      #endif
      if refusal != 0 { return .failure(SpawnProblem(reason: "its folder cannot be set: \(SystemFile.message(refusal))")) }
    }
    var (none, all) = (sigset_t(), sigset_t())
    sigemptyset(&none)
    sigemptyset(&all)
    for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGCHLD, SIGUSR1, SIGUSR2, SIGALRM] { sigaddset(&all, number) }
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setsigdefault(&attributes, &all)
    posix_spawnattr_setpgroup(&attributes, start.group)
    flags |= Int32(POSIX_SPAWN_SETPGROUP) | Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK)
    posix_spawnattr_setflags(&attributes, Int16(truncatingIfNeeded: flags))
    var arguments = start.arguments.map { strdup($0) } + [nil]
    var environment = start.environment.map { strdup($0) } + [nil]
    defer { for text in arguments + environment { free(text) } }
    var id: pid_t = 0
    let refusal = posix_spawn(&id, start.path, &actions, &attributes, &arguments, &environment)
    return refusal == 0 ? .success(id) : .failure(SpawnProblem(reason: SystemFile.message(refusal)))
  }
}

#if !canImport(Darwin)
  /// The words of a set of processors (`cpu_set_t`): room for 1024.
  private let maskWords = 16

  // The C headers declare these for GNU programs only; every C library that Swift 6.3 runs on has them.
  @_silgen_name("sched_getcpu")
  private func getProcessor() -> Int32
  @_silgen_name("sched_getaffinity")
  private func getAffinity(_ id: pid_t, _ size: Int, _ mask: UnsafeMutablePointer<UInt64>) -> Int32
  @_silgen_name("sched_setaffinity")
  private func setAffinity(_ id: pid_t, _ size: Int, _ mask: UnsafePointer<UInt64>) -> Int32
  @_silgen_name("posix_spawn_file_actions_addchdir_np")
  private func addWorkingFolder(_ actions: UnsafeMutablePointer<posix_spawn_file_actions_t>, _ path: UnsafePointer<CChar>) -> Int32
#endif

/// The arguments, environment, folder and descriptors of a program to start.
package struct ProcessStart {
  package var path: String
  /// The arguments; the first is the program's name for itself.
  package var arguments: [String]
  /// The environment, as `NAME=value`.
  package var environment: [String]
  /// The working folder; nil for the caller's.
  package var folder: String?
  /// Descriptors of the caller and the numbers that the program sees. Standard input is empty unless it is listed.
  package var descriptors: [(own: Int32, theirs: Int32)]
  /// The process group to join; 0 for a new one.
  package var group: pid_t = 0

  package init(
    path: String, arguments: [String], environment: [String], folder: String? = nil, descriptors: [(own: Int32, theirs: Int32)] = []
  ) {
    (self.path, self.arguments, self.environment) = (path, arguments, environment)
    (self.folder, self.descriptors) = (folder, descriptors)
  }
}

/// The reason why the system did not start a program.
package struct SpawnProblem: Error, Hashable {
  package let reason: String

  package init(reason: String) { self.reason = reason }
}

/// Finds programs, as a shell does.
package enum ProgramPath {
  /// Returns the path of an executable, by its path or from PATH; nil if there is none. Relative paths start from `folder`.
  package static func find(_ name: String, folder: String, environment: [String: String] = ProcessInfo.processInfo.environment) -> String? {
    func runs(_ path: String) -> Bool { access(path, X_OK) == 0 && !SystemFile.isFolder(path) }
    let folder = absolute(folder.isEmpty ? "." : folder)
    if name.contains("/") { return runs(absolute(name, in: folder)) ? absolute(name, in: folder) : nil }
    let folders = (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").map { absolute(String($0), in: folder) }
    return folders.map { "\($0)/\(name)" }.first(where: runs)
  }

  /// Returns an absolute path; a relative one starts from `folder`, by default the working folder.
  package static func absolute(_ path: String, in folder: String = FileManager.default.currentDirectoryPath) -> String {
    path.hasPrefix("/") ? path : "\(folder)/\(path)"
  }
}
