// live-link: a command behind a slow link, as Mahimahi's shells do it (Netravali et al., USENIX ATC 2015), for the live client's test.

#if os(Linux)
  import Glibc

  let (parsed, problem) = Options.parse(Array(CommandLine.arguments.dropFirst()))
  func say(_ text: String) { _ = Array("\(text)\n".utf8).withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) } }
  guard let options = parsed else {
    say("live-link: \(problem)\n\(Options.usage)")
    exit(2)
  }
  do {
    var link = try Link(options)
    // Ctrl-C is for the command; the link carries its last packets and ends with it.
    signal(SIGINT, SIG_IGN)
    let process = try Child.start(options.command)
    Child.forwardTermination(to: process)
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
