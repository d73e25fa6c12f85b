// The single files that a command writes beside its main output; they are checked before anything runs.

private struct OutputTarget {
  let option: String
  let path: String
  /// The path of the regular file to create or replace, with all links resolved.
  let target: String
  /// The open device, FIFO or standard stream to write to; nil for a regular file.
  let stream: SystemFile?
  private let form: OutputForm

  /// Resolves a path. Devices, FIFOs and the standard streams of this process are opened and never replaced.
  /// - Throws: `Refusal` if the path names no file that can be written.
  init(option: String, path: String, form: OutputForm) throws(Refusal) {
    func refusal(_ problem: String) -> Refusal { Refusal("\(option): \(shortened(path, to: 200)): \(problem); name another file") }
    guard !path.isEmpty, !path.hasSuffix("/"), !path.utf8.contains(0) else { throw Refusal("\(option): is \(quoted(path)); name a file") }
    if ResultsFolder.isInJournal(path) { throw refusal("is in the folder of a journal") }
    (self.option, self.path, self.form) = (option, path, form)
    guard SystemFile.status(path, followsLinks: false) != nil else {
      (target, stream) = (path, nil)
      return
    }
    guard let status = SystemFile.status(path) else { throw refusal("is a symbolic link to no file") }
    let standard = [STDOUT_FILENO, STDERR_FILENO].first { descriptor in
      let own = SystemFile(descriptor: descriptor).status
      return own?.st_dev == status.st_dev && own?.st_ino == status.st_ino
    }
    if let standard {
      // A second description of a redirected file would start at its beginning and overwrite the printed text.
      let copy = fcntl(standard, F_DUPFD_CLOEXEC, 3)
      guard copy >= 0 else { throw refusal(SystemFile.message) }
      (target, stream) = (path, SystemFile(descriptor: copy))
    } else if status.isRegular {
      guard let real = SystemFile.resolved(path) else { throw refusal(SystemFile.message) }
      (target, stream) = (real, nil)
    } else {
      if SystemFile.isFolder(path) { throw refusal("is a folder") }
      // A FIFO without a reader would block the open for ever.
      guard let file = SystemFile(path: path, flags: O_WRONLY | O_NONBLOCK | O_NOCTTY) else {
        throw refusal(errno == ENXIO ? "has no reader" : SystemFile.message)
      }
      _ = fcntl(file.descriptor, F_SETFL, fcntl(file.descriptor, F_GETFL) & ~O_NONBLOCK)
      (target, stream) = (path, file)
    }
  }

  fileprivate var parts: (folder: String, name: String) { OutputFile.parts(of: target) }

  /// Checks that the file may be replaced or removed.
  /// - Throws: `Refusal` if it is an input of the command, or was not written by this option.
  fileprivate func check() throws(Refusal) {
    guard stream == nil, let problem = form.problem(at: target) else { return }
    throw Refusal("\(option): \(shortened(path, to: 200)): \(problem); name another file")
  }
}

/// The single files of a command. None of them appears before all are written; unpublished ones are removed with this object.
package final class OutputTargets {
  private let targets: [OutputTarget]
  private var folders: [ResultsFolder] = []

  /// Checks the destinations and creates their folders.
  /// - Throws: `Refusal` for a destination that cannot be written, that is an input, that its option did not write, or that is named twice.
  package init(_ destinations: [(option: String, path: String, form: OutputForm)]) throws(Refusal) {
    targets = try destinations.map { (option, path, form) throws(Refusal) in try OutputTarget(option: option, path: path, form: form) }
    for target in targets { try target.check() }
    try each { index throws(OutputProblem) in
      folders.append(try ResultsFolder(path: targets[index].stream == nil ? targets[index].parts.folder : ".", isOfResults: false))
    }
    // Compared when the folders exist.
    for (index, target) in targets.enumerated() {
      guard let other = targets[..<index].first(where: { SystemFile.wouldBeSame($0.path, target.path) }) else { continue }
      throw Refusal("\(target.option): \(shortened(target.path, to: 200)): is the file of \(other.option) too; name another file")
    }
  }

  deinit {
    folders.forEach { $0.discard() }
    for target in targets { target.stream?.close() }
  }

  /// - Throws: `Refusal` with the option, if `body` throws.
  private func each(_ body: (Int) throws(OutputProblem) -> Void) throws(Refusal) {
    for index in targets.indices {
      do throws(OutputProblem) { try body(index) } catch {
        throw Refusal("\(targets[index].option): \(shortened(error.path, to: 200)): \(error.problem); name another file")
      }
    }
  }

  /// Opens the files in the order of their destinations, regular ones under hidden names.
  /// - Throws: `Refusal` if a file cannot be created.
  package func open() throws(Refusal) -> [OutputFile] {
    var files: [OutputFile] = []
    try each { index throws(OutputProblem) in
      let target = targets[index]
      if let stream = target.stream {
        files.append(OutputFile(path: target.path, stream: stream))
      } else {
        files.append(try folders[index].open(target.parts.name))
      }
    }
    return files
  }

  /// Writes a text to each destination. Streams come last, because bytes sent to them cannot be removed.
  /// - Throws: `Refusal` if a text cannot be written.
  package func publish(_ texts: [String]) throws(Refusal) {
    let files = try open()
    for isStream in [false, true] {
      try each { index throws(OutputProblem) in
        guard (targets[index].stream != nil) == isStream else { return }
        try files[index].append(texts[index].utf8)
        try files[index].close()
      }
    }
    try publish()
  }

  /// Renames the files to their paths.
  /// - Throws: `Refusal` if one cannot be moved, or if another program has written a file there since.
  package func publish() throws(Refusal) {
    for target in targets { try target.check() }
    try each { index throws(OutputProblem) in try folders[index].publish() }
  }

  /// Removes the regular files of earlier commands at the paths. True if there was one.
  /// - Throws: `Refusal` if one cannot be removed, or is not of an earlier command.
  package func remove() throws(Refusal) -> Bool {
    for target in targets { try target.check() }
    var hasRemoved = false
    try each { index throws(OutputProblem) in
      let target = targets[index]
      guard target.stream == nil, SystemFile.exists(target.target) else { return }
      guard unlink(target.target) == 0 else { throw OutputProblem(path: target.path, problem: SystemFile.message) }
      hasRemoved = true
    }
    return hasRemoved
  }
}
