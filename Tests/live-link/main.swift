// live-link: runs a command behind a slow link, as Mahimahi's shells do (Netravali et al., USENIX ATC 2015), to test the live client.

#if os(Linux)
  import Foundation
  import Synchronization

  let (parsed, problem) = Options.parse(Array(CommandLine.arguments.dropFirst()))
  func say(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
  guard let options = parsed else {
    say("live-link: \(problem)\n\(Options.usage)")
    exit(2)
  }
  let started = Atomic<pid_t>(0)
  do {
    var link = try Link(options)
    let process = try Command.start(options.command)
    // SIGINT and SIGTERM end the command and its children; then the link carries its last packets and ends.
    // The command has a process group of its own, so a terminal's signals do not reach it directly.
    started.store(process, ordering: .relaxed)
    for number in [SIGINT, SIGTERM] {
      signal(number) { number in
        let id = started.load(ordering: .relaxed)
        if kill(-id, number) != 0 { kill(id, number) }
      }
    }
    let status = link.run(until: process)
    say(link.summary)
    exit(status)
  } catch {
    say("live-link: \(error)")
    exit(3)
  }
#else
  print("live-link: needs the network namespaces of Linux")
#endif
