// The GitHub action for other repositories: its inputs reach gate.sh, and gate.sh runs the gate in a repository that is not this one.

import Foundation
import TestSupport
import Testing

@Suite struct ActionTests {
  private static let folder = Reference.packageRoot.appendingPathComponent(".github/actions/gate")

  /// The variables of the step by the inputs that they hold, read from action.yml.
  private static func variables() throws -> [String: String] {
    let text = try String(contentsOf: folder.appendingPathComponent("action.yml"), encoding: .utf8)
    let pairs = text.matches(of: #/([A-Z]+): \$\{\{ inputs\.(\w+) \}\}/#).map { (String($0.output.2), String($0.output.1)) }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  /// Runs the step as GitHub does: the inputs as environment variables, the other repository as the working folder.
  private func gate(_ inputs: [String: String], in repository: URL, environment: [String: String] = [:]) throws -> ToolResult {
    let variables = try Self.variables()
    let process = Process()
    process.executableURL = Self.folder.appendingPathComponent("gate.sh")
    process.currentDirectoryURL = repository
    process.environment = ["PATH": "/usr/bin:/bin", "RUNNER_TEMP": repository.appendingPathComponent("temporary").path]
      .merging(environment) { $1 }
    for (input, value) in inputs { process.environment?[try #require(variables[input], "no input \(input)")] = value }
    let (output, errors) = (repository.appendingPathComponent("output"), repository.appendingPathComponent("errors"))
    for file in [output, errors] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: errors)
    try process.run()
    process.waitUntilExit()
    return ToolResult(
      output: try String(contentsOf: output, encoding: .utf8), errors: try String(contentsOf: errors, encoding: .utf8),
      status: process.terminationStatus)
  }

  /// Makes another repository with a small sweep and two files of settings.
  private func withRepository(_ body: (URL) throws -> Void) throws {
    try BuiltTool.withFolder { folder in
      let files = [
        "gate.json5": """
        { sweep: "gate", scenario: { network: "3G", feed: { items: 30 }, user: { scroll: 30, dwell: "500ms" },
          prefetcher: { kind: "itemsAhead", ahead: 3 } } }
        """,
        "better.json5": #"{ "prefetcher.ahead": 5 }"#, "worse.json5": #"{ "prefetcher.ahead": 0 }"#,
      ]
      for (name, text) in files { try Data(text.utf8).write(to: folder.appendingPathComponent(name)) }
      try body(folder)
    }
  }

  @Test func everyInputIsUsed() throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent("action.yml"), encoding: .utf8)
    let declared = text.prefix(upTo: try #require(text.range(of: "\nruns:")).lowerBound).matches(of: #/\n  (\w+):\n/#).map {
      String($0.output.1)
    }
    #expect(Set(declared) == Set(try Self.variables().keys).union(["artifact"]))
    let script = try String(contentsOf: Self.folder.appendingPathComponent("gate.sh"), encoding: .utf8)
    for name in try Self.variables().values { #expect(script.contains("${\(name):-"), "gate.sh does not read \(name)") }
  }

  @Test(arguments: [("better.json5", 0), ("worse.json5", 3)])
  func theStatusIsThatOfTheGate(_ candidate: String, _ status: Int32) throws {
    try withRepository { repository in
      let summary = repository.appendingPathComponent("summary.md")
      let result = try gate(
        [
          "candidate": candidate, "sweep": "gate.json5", "margin": "2%", "guards": "bytesReceived +900%\n\nwaitMsMean +900%\n",
          "scenario": "user.dwell=600ms", "report": "out", "tool": BuiltTool.path.path,
        ], in: repository, environment: ["GITHUB_STEP_SUMMARY": summary.path])
      #expect(result.status == status, "\(result)")
      for name in ["gate.json", "gate.xml", "gate.md", "gate.bench"] {
        #expect(FileManager.default.fileExists(atPath: repository.appendingPathComponent("out/\(name)").path), "\(name)")
      }
      #expect(try String(contentsOf: summary, encoding: .utf8).contains("bytesReceived"))
    }
  }

  @Test func aSweepOnDevicesRunsThere() throws {
    try withRepository { repository in
      let sweep = """
        { sweep: "phones", backend: { command: ["echo", "loaders: 2{prefetcher.ahead}"], metrics: { loadersPer1000: "loaders" } },
          scenario: { network: "3G", feed: { items: 30 }, prefetcher: { kind: "itemsAhead", ahead: 3 } } }
        """
      try Data(sweep.utf8).write(to: repository.appendingPathComponent("phones.json5"))
      let inputs = [
        "set": "prefetcher.ahead=5", "sweep": "phones.json5", "margin": "2%", "strict": "true",
        "options": "--repeats=12\n\n--output=kept\n--floor=0", "report": "out", "tool": BuiltTool.path.path,
      ]
      let result = try gate(inputs, in: repository)
      #expect(result.status == 3 && result.output.contains("of at most 12"), "\(result)")
      #expect(FileManager.default.fileExists(atPath: repository.appendingPathComponent("kept/.journal/runs").path))
    }
  }

  @Test func aReleaseIsDownloadedAndItsHashChecked() throws {
    let changes = try String(contentsOf: Reference.packageRoot.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
    let version = String(try #require(changes.firstMatch(of: #/\n## (\d+\.\d+\.\d+)/#)).output.1)
    try withRepository { repository in
      // A release as Scripts/package packs it, at an address of this machine.
      let script = """
        name=prefetch-sweep-\(version)-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
        mkdir -p releases/v\(version) "$name" && cd releases/v\(version) && mkdir "$name" && ln -s "$1" "$name/prefetch-sweep"
        tar -czf "$name.tar.gz" "$name" && { sha256sum "$name.tar.gz" || shasum -a 256 "$name.tar.gz"; } > "$name.tar.gz.sha256"
        """
      let pack = Process()
      pack.executableURL = URL(fileURLWithPath: "/bin/bash")
      pack.arguments = ["-c", script, "bash", BuiltTool.path.path]
      pack.currentDirectoryURL = repository
      try pack.run()
      pack.waitUntilExit()
      let releases = ["RELEASES": repository.appendingPathComponent("releases").absoluteString]
      let inputs = ["set": "prefetcher.ahead=5", "sweep": "gate.json5"]
      let result = try gate(inputs, in: repository, environment: releases)
      #expect(result.status == 0, "\(result)")
      // The archive is not the one that was hashed.
      let folder = repository.appendingPathComponent("releases/v\(version)")
      let archive = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first { $0.hasSuffix(".tar.gz") })
      try Data("other".utf8).write(to: folder.appendingPathComponent(archive))
      let refused = try gate(inputs, in: repository, environment: releases)
      #expect(refused.status == 2 && refused.output.contains("SHA-256"), "\(refused)")
    }
  }

  @Test func theVersionIsThatOfTheChangelog() throws {
    let changes = try String(contentsOf: Reference.packageRoot.appendingPathComponent("CHANGELOG.md"), encoding: .utf8)
    let version = try #require(changes.firstMatch(of: #/\n## (\d+\.\d+\.\d+)/#)).output.1
    #expect(try BuiltTool.run(["--version"]).output.contains(version))
  }

  /// The texts of the workflows, of the action and of the pages, with their paths.
  private static func texts() throws -> [(path: String, text: String)] {
    let root = Reference.packageRoot
    let folders = [".github", "Scripts", "Sources", "Sweeps", "Tests/ToolTests/Example"]
    let files = folders.flatMap { folder in
      (FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)?.compactMap { $0 as? String } ?? []).map {
        "\(folder)/\($0)"
      }
    }
    return ([".spi.yml", "Package.swift", "README.md"] + files.sorted()).compactMap { path in
      (try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)).map { (path, $0) }
    }
  }

  @Test func everyActionIsUsedInOneVersion() throws {
    var versions: [Substring: Set<Substring>] = [:]
    for (_, text) in try Self.texts() {
      // A pinned commit has its version in a comment.
      for match in text.matches(of: #/uses: (actions\/[\w-]+)@(?:[0-9a-f]{40} # )?v(\d+)/#) {
        versions[match.output.1, default: []].insert(match.output.2)
      }
    }
    #expect(versions.count >= 4 && versions.allSatisfy { $0.value.count == 1 }, "\(versions)")
  }

  @Test func oneVersionOfSwiftIsNeeded() throws {
    var versions: [Substring: Set<String>] = [:]
    for (path, text) in try Self.texts() {
      for match in text.matches(of: #/(?:[Ss]wift[ :]|swift-tools-version: |swift_version: )(\d+\.\d+)/#) {
        versions[match.output.1, default: []].insert(path)
      }
    }
    #expect(versions.count == 1, "\(versions)")
    #expect(
      versions.values.first?.isSuperset(of: ["README.md", "Package.swift", "Tests/ToolTests/Example/Package.swift", ".github/Dockerfile"])
        == true)
  }

  /// No page or script has an address that the reader must complete first.
  @Test func noAddressIsAPlaceholder() throws {
    for (path, text) in try Self.texts() {
      #expect(!text.contains(#/\b(OWNER|ORGANI[SZ]ATION|USERNAME|YOUR-ORG)\b/#), "\(path)")
      #expect(!text.contains(#/(github\.com|ghcr\.io)[\/:][\w.-]*\/?prefetch-sweep/#), "\(path)")
    }
  }

  /// A checkout of this package knows the address of its releases.
  @Test(arguments: ["https://github.com/team/sweeps.git", "https://github.com/team/sweeps", "git@github.com:team/sweeps.git"])
  func theRepositoryOfACheckoutIsThatOfItsRemote(_ remote: String) throws {
    try withRepository { repository in
      let checkout = repository.appendingPathComponent(".prefetch-sweep")
      try FileManager.default.createDirectory(
        at: checkout.appendingPathComponent(".github/actions/gate"), withIntermediateDirectories: true)
      for name in [".github/actions/gate/gate.sh", "CHANGELOG.md"] {
        try FileManager.default.copyItem(at: Reference.packageRoot.appendingPathComponent(name), to: checkout.appendingPathComponent(name))
      }
      // Instead of curl, a program that prints the address and fails. There are no sources to build.
      let programs = repository.appendingPathComponent("programs")
      try FileManager.default.createDirectory(at: programs, withIntermediateDirectories: true)
      let curl = programs.appendingPathComponent("curl")
      try "#!/bin/sh\nfor word; do :; done; echo \"asked: $word\"; exit 22\n".write(to: curl, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: curl.path)
      let script = """
        git init --quiet .prefetch-sweep && git -C .prefetch-sweep remote add origin '\(remote)'
        PATH='\(programs.path)':/usr/bin:/bin RUNNER_TEMP=temporary GITHUB_SERVER_URL=https://github.com SWEEP=gate.json5 \
          .prefetch-sweep/.github/actions/gate/gate.sh
        """
      let result = try BuiltTool.shell(script, in: repository)
      #expect(result.output.contains("asked: https://github.com/team/sweeps/releases/download/v"), "\(result)")
    }
  }

  @Test func theWorkflowsNameOnlyFilesThatAreThere() throws {
    let root = Reference.packageRoot.appendingPathComponent(".github")
    let files = (FileManager.default.enumerator(atPath: root.path)?.compactMap { $0 as? String } ?? []).filter { $0.contains(".") }
    #expect(files.contains("workflows/check.yml"))
    for file in files {
      let text = try String(contentsOf: root.appendingPathComponent(file), encoding: .utf8)
      for match in text.matches(of: #/(?:^|[^\w\/])((?:Sweeps|Scripts|Sources|Results|Tests|\.ci)\/[\w\/.+-]*\w)/#) {
        let path = Reference.packageRoot.appendingPathComponent(String(match.output.1)).path
        #expect(FileManager.default.fileExists(atPath: path), "\(file): \(match.output.1)")
      }
    }
  }
}
