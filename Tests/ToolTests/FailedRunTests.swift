import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Runs that fail, and results that are impossible.
@Suite struct FailedRunTests {
  /// Writes a sweep whose runs a shell script performs. $1 is the number of items ahead.
  private func write(
    _ script: String, to folder: URL, name: String = "device", metrics: String = #"{ loaders: "loaders", viewed: "viewed" }"#,
    retries: Int = 0
  ) throws {
    try """
    { sweep: "\(name)", repeats: 2, axes: { "prefetcher.ahead": [0, 1] },
      backend: { command: ["sh", "device.sh", "{prefetcher.ahead}"], retries: \(retries), coolDown: "0s", backOff: "10ms", giveUpAfter: 1000,
        metrics: \(metrics) },
      scenario: { network: "3G", feed: { items: 30 }, prefetcher: { kind: "itemsAhead" } } }
    """.write(to: folder.appendingPathComponent("\(name).json5"), atomically: true, encoding: .utf8)
    try script.write(to: folder.appendingPathComponent("device.sh"), atomically: true, encoding: .utf8)
  }

  private func text(_ folder: URL, _ name: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
  }

  private func files(_ folder: URL) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { !$0.hasPrefix(".") }.sorted()
  }

  // MARK: All runs fail

  @Test func ifEveryRunFailsTheStatusIsOneAndTheFailuresAreListed() throws {
    try BuiltTool.withFolder { folder in
      try write("echo loaders=1 viewed=10", to: folder)
      let results = folder.appendingPathComponent("r")
      #expect(try BuiltTool.run(["run", "device.json5", "--quiet", "--output", "r"], in: folder).status == 0)
      try write("exit 3", to: folder)
      let result = try BuiltTool.run(["run", "device.json5", "--quiet", "--fresh", "--output", "r"], in: folder)
      #expect(result.status == 1)
      #expect(result.errors.contains("every run failed (4 of 4)") && result.errors.contains("r/failures.csv"), "\(result.errors)")
      let failures = try text(results, "failures.csv").split(separator: "\n")
      #expect(failures.count == 5 && failures.dropFirst().allSatisfy { $0.hasSuffix("it ended with status 3") }, "\(failures)")
      // The tables of deleted rows are gone.
      #expect(try files(results) == ["failures.csv", "manifest.json", "runs.csv", "sweep.json"])
      #expect(try text(results, "runs.csv").split(separator: "\n").count == 1)
      for command in [["report", "r"], ["report", "r", "--output", "elsewhere"]] {
        let report = try BuiltTool.run(command, in: folder)
        #expect(report.status == 1 && report.errors.contains("r/failures.csv"), "\(report.errors)")
      }
      // The same command tries them again.
      try write("echo loaders=1 viewed=10", to: folder)
      #expect(try BuiltTool.run(["run", "device.json5", "--quiet", "--output", "r"], in: folder).status == 0)
      #expect(try !files(results).contains("failures.csv") && files(results).contains("report.md"))
    }
  }

  @Test func aSingleRunThatFailsEndsWithStatusOne() throws {
    try BuiltTool.withFolder { folder in
      try write("exit 3", to: folder)
      let list = try BuiltTool.run(["run", "device.json5", "--list"], in: folder).output.split(separator: "\n")
      let point = String(try #require(list.last?.split(separator: "\t").first))
      let result = try BuiltTool.run(["run", "device.json5", "--point", point], in: folder)
      #expect(result.status == 1 && result.errors == "failed: point \(point), repetition 1: it ended with status 3\n", "\(result.errors)")
      // An unknown point is a mistake of the command line.
      #expect(try BuiltTool.run(["run", "device.json5", "--point", "0123456789abcdef"], in: folder).status == 2)
    }
  }

  /// Changes a shard into one with failed runs. No emulated scenario fails by itself.
  private func fail(_ shard: URL, runs: Range<Int>) throws {
    let lines = try text(shard, "runs.csv").split(separator: "\n").map(String.init)
    let failed = lines.dropFirst().enumerated().filter { runs.contains($0.offset) }.map(\.element)
    try (lines.filter { !failed.contains($0) }.joined(separator: "\n") + "\n")
      .write(to: shard.appendingPathComponent("runs.csv"), atomically: true, encoding: .utf8)
    let file = shard.appendingPathComponent("shard.json")
    var label = try #require(try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any])
    label["rowsHash"] = nil
    label["rows"] = lines.count - 1 - failed.count
    label["missing"] = failed.map { line -> [String: Any] in
      let cells = line.split(separator: ",").map(String.init)
      let ahead = cells[3]
      return [
        "point": Int(ahead) ?? 0, "repetition": Int(cells[1]) ?? 0, "reason": "it ended with status 3", "id": cells[0],
        "axisValues": [ahead],
      ]
    }
    try JSONSerialization.data(withJSONObject: label).write(to: file)
  }

  @Test func mergedShardsWithFailedRunsEndWithStatusOneAndListTheFailures() throws {
    try BuiltTool.withFolder { folder in
      try """
      { sweep: "small", repeats: 4, axes: { "prefetcher.ahead": [0, 1, 2] },
        scenario: { network: "3G", feed: { items: 20 }, prefetcher: { kind: "itemsAhead" } } }
      """.write(to: folder.appendingPathComponent("small.json5"), atomically: true, encoding: .utf8)
      for index in 0..<2 {
        let shard = ["--shard", "\(index)/2", "--output", "\(index)"]
        #expect(try BuiltTool.run(["run", "small.json5", "--quiet"] + shard, in: folder).status == 0)
      }
      try fail(folder.appendingPathComponent("0"), runs: 0..<1)
      let merged = try BuiltTool.run(["merge", "0", "1", "--output", "m", "--quiet"], in: folder)
      #expect(merged.status == 1)
      #expect(merged.errors.contains("1 of 12 runs failed and are left out of the tables"), "\(merged.errors)")
      let results = folder.appendingPathComponent("m")
      #expect(try text(results, "runs.csv").split(separator: "\n").count == 12)
      #expect(try text(results, "failures.csv").hasSuffix(",0,it ended with status 3\n"))
      #expect(try files(results).contains("report.md"))
      for shard in ["0", "1"] { try fail(folder.appendingPathComponent(shard), runs: 0..<12) }
      let none = try BuiltTool.run(["merge", "0", "1", "--output", "m", "--quiet"], in: folder)
      #expect(none.status == 1 && none.errors.contains("every run failed (12 of 12)"), "\(none.errors)")
      #expect(try files(results) == ["failures.csv", "manifest.json", "runs.csv", "sweep.json"])
      #expect(try text(results, "failures.csv").split(separator: "\n").count == 13)
      #expect(try BuiltTool.run(["report", "m"], in: folder).status == 1)
      // An invalid label is refused.
      let label = try text(folder, "0/shard.json")
      for (key, value) in [("point", "-1"), ("point", "3"), ("repetition", "0"), ("repetition", "9223372036854775807")] {
        try label.replacing(try Regex("\"\(key)\":[0-9]+"), with: "\"\(key)\":\(value)")
          .write(to: folder.appendingPathComponent("0/shard.json"), atomically: true, encoding: .utf8)
        let refused = try BuiltTool.run(["merge", "0", "1", "--output", "m", "--quiet"], in: folder)
        #expect(refused.status == 2 && refused.errors.contains("run the shard again"), "\(refused.errors)")
      }
      try label.write(to: folder.appendingPathComponent("0/shard.json"), atomically: true, encoding: .utf8)
      // Missing rows are not failures.
      let rows = folder.appendingPathComponent("0/shard.json")
      try text(folder, "0/shard.json").replacing(#/"missing":\[.*?\]/#.dotMatchesNewlines(), with: "\"missing\":[]")
        .write(to: rows, atomically: true, encoding: .utf8)
      #expect(try BuiltTool.run(["merge", "0", "1", "--output", "m", "--quiet"], in: folder).status == 2)
    }
  }

  @Test func anOvernightRunReportsAFailedSweep() throws {
    try BuiltTool.withFolder { folder in
      try write("exit 3", to: folder)
      let result = try BuiltTool.run(["overnight", "device.json5", "--quiet", "--results", "r"], in: folder)
      #expect(result.status == 1)
      let text = result.output
      #expect(text.contains("device: failed with status 1") && text.contains("0 good, 1 failed, 0 refused"), "\(text)")
      #expect(FileManager.default.fileExists(atPath: folder.appendingPathComponent("r/device/failures.csv").path))
    }
  }

  // MARK: Impossible results

  @Test(arguments: [
    ("loaders=1e160 viewed=1e160", "viewed 1e+160 is more than"), ("loaders=11 viewed=10", "is more than the 10 items viewed"),
    ("loaders=1.5 viewed=10", "loaders 1.5 is not a whole number"), ("loaders=1 viewed=0", "no item was viewed"),
    ("loaders=1e300 viewed=1", "loaders 1e+300 is more than"), ("loaders=-1 viewed=10", "not a number from 0 up"),
    ("loaders=nan viewed=10", "not a number"),
  ])
  func anImpossibleResultIsAFailedRunAndNotARow(_ output: String, _ says: String) throws {
    try BuiltTool.withFolder { folder in
      // The first try fails and is repeated.
      try write("[ -e tried ] || { touch tried; echo \(output); exit; }; echo loaders=1 viewed=10", to: folder, retries: 1)
      #expect(try BuiltTool.run(["run", "device.json5", "--quiet", "--output", "good"], in: folder).status == 0)
      try write("[ $1 = 0 ] && echo loaders=1 viewed=10 || echo \(output)", to: folder)
      for _ in 0..<2 {
        let result = try BuiltTool.run(["run", "device.json5", "--quiet", "--output", "r"], in: folder)
        #expect(result.status == 1 && result.errors.contains(says), "\(result.errors)")
        #expect(try text(folder, "r/runs.csv").split(separator: "\n").count == 3)
        #expect(try text(folder, "r/failures.csv").contains(says))
      }
    }
  }

  @Test func anImpossibleRowInAJournalIsNamedAndItsRunRepeated() throws {
    try BuiltTool.withFolder { folder in
      let metrics = #"{ loadersPer1000: "loaders" }"#
      try write("echo loaders=33.5", to: folder, metrics: metrics)
      #expect(try BuiltTool.run(["run", "device.json5", "--quiet", "--output", "r"], in: folder).status == 0)
      let good = try text(folder, "r/runs.csv")
      // Writes an impossible value into the first record, with a valid checksum (CRC-32).
      let file = folder.appendingPathComponent("r/.journal/runs")
      var bytes = [UInt8](try Data(contentsOf: file))
      func coded(_ value: Double) -> [UInt8] {
        var (rest, bytes): (UInt64, [UInt8]) = (value.bitPattern.byteSwapped &+ 1, [])
        while rest >= 128 {
          bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
          rest >>= 7
        }
        return bytes + [UInt8(rest)]
      }
      let (old, new) = (coded(33.5), coded(1e160))
      let index = try #require(bytes.indices.first { bytes[$0...].starts(with: old) })
      let head = try #require((0..<index).last { bytes[$0] == 0xA7 && bytes[$0 + 1] == 0x52 && bytes[$0 + 10] == 5 })
      bytes.replaceSubrange(index..<index + old.count, with: new)
      let length = (0..<4).reduce(0) { $0 | Int(bytes[head + 2 + $1]) << (8 * $1) } + new.count - old.count
      for index in 0..<4 { bytes[head + 2 + index] = UInt8(truncatingIfNeeded: length >> (8 * index)) }
      var sum: UInt32 = 0xFFFF_FFFF
      for byte in bytes[(head + 10)..<(head + 10 + length)] {
        sum ^= UInt32(byte)
        for _ in 0..<8 { sum = sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
      }
      for index in 0..<4 { bytes[head + 6 + index] = UInt8(truncatingIfNeeded: ~sum >> UInt32(8 * index)) }
      try Data(bytes).write(to: file)
      let again = try BuiltTool.run(["run", "device.json5", "--output", "r"], in: folder)
      #expect(again.status == 0 && again.errors.contains("loadersPer1000 1e+160 is more than 1000"), "\(again.errors)")
      #expect(again.errors.contains("3 of 4 runs were done before"), "\(again.errors)")
      #expect(try text(folder, "r/runs.csv") == good)
      // After the repetition there is no message.
      #expect(try !BuiltTool.run(["run", "device.json5", "--output", "r"], in: folder).errors.contains("1e+160"))
    }
  }

  @Test func aNumberInAnotherUnitIsRoundedToWholeBytes() throws {
    try BuiltTool.withFolder { folder in
      let metrics = #"{ loadersPer1000: "loaders", bytesReceived: { name: "MB", scale: 1e6 } }"#
      try write("echo loaders=1 MB=84.300001", to: folder, metrics: metrics)
      let result = try BuiltTool.run(["run", "device.json5", "--quiet", "--output", "r"], in: folder)
      #expect(result.status == 0, "\(result.errors)")
      #expect(try text(folder, "r/runs.csv").contains(",84300001,"))
    }
  }

  // MARK: Control characters and formulas

  @Test func theOutputOfADeviceReachesNeitherTheTerminalNorAFormula() throws {
    try BuiltTool.withFolder { folder in
      let evil = #"\033]0;owned\007\302\233\342\200\256"#
      try write(#"printf 'loaders="=x\#(evil)" viewed=1\n'"#, to: folder, metrics: #"{ loadersPer1000: { pattern: "loaders=(.*)" } }"#)
      let result = try BuiltTool.run(["run", "device.json5", "--output", "r"], in: folder)
      #expect(result.status == 1)
      let failures = try text(folder, "r/failures.csv")
      for text in [result.errors, failures] {
        let isSafe = text.unicodeScalars.allSatisfy { scalar in
          scalar == "\n" || !(scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) || scalar.value == 0x202E)
        }
        #expect(isSafe && text.contains("owned"), "\(text.debugDescription)")
      }
    }
  }

  @Test(arguments: ["\u{1B}[2J", "\u{9B}2J", "\u{202E}", "\u{2066}", "\u{200F}", "\u{7}", "\u{8}"])
  func namesDoNotControlTheTerminal(_ evil: String) throws {
    try BuiltTool.withFolder { folder in
      let name = "a\(evil)b"
      for arguments in [
        ["run", "\(name).json5"], ["run", "x.json5", "--\(name)"], ["\(name)"], ["report", name], ["merge", name], ["list", name],
        ["explain", "\(name).json5"], ["run", "x.json5", "--progress", name],
      ] {
        let result = try BuiltTool.run(arguments, in: folder)
        #expect(result.status == 2 && !result.errors.contains(evil), "\(result.errors.debugDescription)")
      }
      // The name of a file as a value of an axis, in `run --list` and `explain`.
      try "1000 100\n".write(to: folder.appendingPathComponent("\(name).txt"), atomically: true, encoding: .utf8)
      try """
      { sweep: "names", repeats: 1, axes: { "network.trace": { files: "*.txt" } },
        scenario: { network: { transport: "fluid" }, feed: { items: 5 }, prefetcher: "none" } }
      """.write(to: folder.appendingPathComponent("names.json5"), atomically: true, encoding: .utf8)
      for arguments in [["run", "names.json5", "--list"], ["run", "names.json5", "--output", "r"], ["explain", "names.json5"]] {
        let result = try BuiltTool.run(arguments, in: folder)
        #expect(!(result.output + result.errors).contains(evil), "\(arguments): \((result.output + result.errors).debugDescription)")
      }
    }
  }
}
