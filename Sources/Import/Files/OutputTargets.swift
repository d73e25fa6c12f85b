// The single files that a command writes beside its main output, checked before anything runs.

/// A destination that was named on the command line.
package struct OutputTarget {
  /// The option that names it.
  package let option: String
  /// The path as the user wrote it.
  package let path: String
  /// The path of the regular file that is made or replaced, with all links followed.
  package let target: String
  /// The open device, FIFO or standard stream that is written through; nil for a regular file.
  package let stream: SystemFile?

  /// Finds out where a path leads. Devices, FIFOs and the standard streams of this process are opened and never replaced.
  /// - Throws: `Refusal` if the path names no file that can be written.
  package init(option: String, path: String) throws(Refusal) {
    func refusal(_ problem: String) -> Refusal { Refusal("\(option): \(shortened(path, to: 200)): \(problem); name another file") }
    guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else { throw Refusal("\(option): is \(quoted(path)); name a file") }
    (self.option, self.path) = (option, path)
    var (link, status) = (stat(), stat())
    guard lstat(path, &link) == 0 else {
      (target, stream) = (path, nil)
      return
    }
    guard stat(path, &status) == 0 else { throw refusal("is a symbolic link to no file") }
    let standard = [STDOUT_FILENO, STDERR_FILENO].first { descriptor in
      var own = stat()
      return fstat(descriptor, &own) == 0 && own.st_dev == status.st_dev && own.st_ino == status.st_ino
    }
    if let standard {
      // A second description of a redirected file would start at its beginning and overwrite what was printed.
      let copy = fcntl(standard, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { throw refusal(SystemFile.message) }
      (target, stream) = (path, SystemFile(descriptor: copy))
      return
    }
    switch status.st_mode & S_IFMT {
    case S_IFREG:
      guard let real = realpath(path, nil) else { throw refusal(SystemFile.message) }
      defer { free(real) }
      (target, stream) = (String(cString: real), nil)
    case S_IFDIR: throw refusal("is a folder")
    default:
      // A FIFO without a reader would block the open for ever.
      guard let file = SystemFile(path: path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY) else {
        throw refusal(errno == ENXIO ? "has no reader" : SystemFile.message)
      }
      _ = fcntl(file.descriptor, F_SETFL, fcntl(file.descriptor, F_GETFL) & ~O_NONBLOCK)
      (target, stream) = (path, file)
    }
  }

  /// The destinations of options, none of which is an input of the command or the file of another option.
  /// - Throws: `Refusal` if a path cannot be written, or is an input or the file of another option.
  package static func checked(_ wanted: [(option: String, path: String)], inputs: [String]) throws(Refusal) -> [OutputTarget] {
    let targets = try wanted.map { (option, path) throws(Refusal) in try OutputTarget(option: option, path: path) }
    try check(targets, inputs: inputs)
    return targets
  }

  /// The folder of the regular file and its name there.
  package var parts: (folder: String, name: String) {
    guard let slash = target.lastIndex(of: "/") else { return (".", target) }
    return (slash == target.startIndex ? "/" : String(target[..<slash]), String(target[target.index(after: slash)...]))
  }

  /// A text that is equal for two spellings of one file, whether it is there or not.
  package var key: String {
    func text(_ file: (device: UInt64, inode: UInt64)) -> String { "\(file.device) \(file.inode)" }
    if let file = SystemFile.identity(path) { return text(file) }
    return SystemFile.identity(parts.folder).map { "\(text($0)) \(parts.name)" } ?? target
  }

  /// Checks that no destination is an input of the command, and that no two are one file.
  /// - Throws: `Refusal` if a destination is an input or the file of another option.
  package static func check(_ targets: [OutputTarget], inputs: [String]) throws(Refusal) {
    for (index, target) in targets.enumerated() {
      let shown = "\(target.option): \(shortened(target.path, to: 200))"
      if let other = targets[..<index].first(where: { $0.key == target.key }) {
        throw Refusal("\(shown): is the file of \(other.option) too; name another file")
      }
      if target.stream == nil, let input = inputs.first(where: { ResultsFolder.isSame($0, target.path) }) {
        throw Refusal("\(shown): is \(shortened(input, to: 200)), which this command reads; name another file")
      }
    }
  }
}

/// The single files of a command: none of them is seen before all are written.
package final class OutputTargets {
  private let targets: [OutputTarget]
  private var folders: [ResultsFolder] = []

  /// Checks the destinations and makes their folders.
  ///
  /// - Throws: `Refusal` for a destination that cannot be written, that is one of `inputs`, or that two options name.
  package init(_ wanted: [(option: String, path: String)], inputs: [String]) throws(Refusal) {
    targets = try wanted.map { (option, path) throws(Refusal) in try OutputTarget(option: option, path: path) }
    do throws(Refusal) {
      for target in targets { folders.append(try Self.folder(of: target)) }
      try OutputTarget.check(targets, inputs: inputs)
    } catch {
      discard()
      throw error
    }
  }

  deinit { for target in targets { target.stream?.close() } }

  /// - Throws: `Refusal` if the folder cannot be used.
  private static func folder(of target: OutputTarget) throws(Refusal) -> ResultsFolder {
    do throws(OutputProblem) { return try ResultsFolder(path: target.stream == nil ? target.parts.folder : ".") } catch {
      throw refusal(target, error)
    }
  }

  private static func refusal(_ target: OutputTarget, _ problem: OutputProblem) -> Refusal {
    Refusal("\(target.option): \(shortened(problem.path, to: 200)): \(problem.problem); name another file")
  }

  /// Writes a text to each destination, in their order: regular files under hidden names first, which are then renamed.
  /// - Throws: `Refusal` if a text cannot be written.
  package func publish(_ texts: [String]) throws(Refusal) {
    precondition(texts.count == targets.count, "each destination has a text")
    /// - Throws: `Refusal` if `body` throws.
    func each(_ body: (Int) throws(OutputProblem) -> Void) throws(Refusal) {
      for index in targets.indices {
        do throws(OutputProblem) { try body(index) } catch {
          discard()
          throw Self.refusal(targets[index], error)
        }
      }
    }
    try each { index throws(OutputProblem) in
      if targets[index].stream == nil { try folders[index].add(targets[index].parts.name, texts[index].utf8) }
    }
    try each { index throws(OutputProblem) in
      guard let stream = targets[index].stream else { return try folders[index].publish() }
      guard Array(texts[index].utf8).withUnsafeBytes(stream.write) else {
        throw OutputProblem(path: targets[index].path, problem: SystemFile.message)
      }
    }
  }

  /// Removes what was not published.
  package func discard() { folders.forEach { $0.discard() } }
}
