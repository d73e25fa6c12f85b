import Foundation
import TestSupport
import Testing

/// Sweeps that drop points after rounds: halving, racing and `repeats.until`.
@Suite struct RoundsRunTests {
  private let files = ["runs.csv", "summary.csv", "report.md", "sweep.json"]
  private let halving = #"search: "halving", repeats: 8,"#
  private let racing = #"search: "racing", repeats: 8,"#
  private let until = #"repeats: { min: 3, max: 48, until: "±15%" },"#

  private func sweep(_ plan: String, in folder: URL) throws -> String {
    let file = folder.appendingPathComponent("r.json5")
    try """
    { sweep: "r", \(plan) axes: { "prefetcher.ahead": "0...8" }, baseline: { "prefetcher.ahead": 2 },
      scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 60 }, user: { dwell: "1s" }, prefetcher: "itemsAhead" } }
    """.write(to: file, atomically: true, encoding: .utf8)
    return file.path
  }

  private func run(_ arguments: [String], to output: URL) throws -> [String] {
    let result = try BuiltTool.run(arguments + ["--output", output.path, "--quiet"])
    #expect(result.status == 0, "\(result.errors)")
    return try files.map { try String(contentsOf: output.appendingPathComponent($0), encoding: .utf8) }
  }

  private func repetitions(_ runs: String) -> [String: Int] {
    runs.split(separator: "\n").dropFirst().reduce(into: [:]) { counts, row in
      counts[row.split(separator: ",")[3].description, default: 0] += 1
    }
  }

  @Test func theBytesDoNotDependOnJobsResumesOrReports() throws {
    for plan in [halving, racing, until] {
      try BuiltTool.withFolder { folder in
        let path = try sweep(plan, in: folder)
        let one = try run(["run", path, "--jobs", "1"], to: folder.appendingPathComponent("one"))
        #expect(try run(["run", path, "--jobs", "4"], to: folder.appendingPathComponent("four")) == one)
        // A folder with runs of all points keeps them and shows those of the plan only.
        let full = folder.appendingPathComponent("full")
        _ = try run(["run", path, "--repeats", "8", "--set", "search=null"], to: full)
        #expect(try run(["run", path], to: full) == one)
        #expect(try run(["run", path], to: full) == one)
        let again = folder.appendingPathComponent("again")
        #expect(try BuiltTool.run(["report", full.path, "--output", again.path]).status == 0)
        for (name, index) in [("summary.csv", 1), ("report.md", 2)] {
          #expect(try String(contentsOf: again.appendingPathComponent(name), encoding: .utf8) == one[index])
        }
      }
    }
  }

  @Test func halvingFindsTheWinnerOfTheFullGrid() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(halving, in: folder)
      let halved = try run(["run", path], to: folder.appendingPathComponent("halved"))
      let full = try run(["run", path, "--set", "search=null"], to: folder.appendingPathComponent("full"))
      let rows = Set(full[0].split(separator: "\n"))
      #expect(halved[0].split(separator: "\n").allSatisfy(rows.contains), "its rows are some of the full grid's")
      // Rounds of 2, 4 and 8 repetitions: eight candidates, then four, then two, and the baseline in all.
      #expect(repetitions(halved[0]).values.sorted() == [2, 2, 2, 2, 4, 4, 8, 8, 8])
      let winner = { (report: String) in report.split(separator: "\n")[2].split(separator: "wins")[0] }
      #expect(winner(halved[2]) == winner(full[2]))
      #expect(halved[2].contains("- **runs**: 40 of 72 (56\u{A0}%)"))
    }
  }

  @Test func aRaceFindsTheWinnerOfTheFullGridAndSaysHowManyRunsItSaved() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(racing, in: folder)
      let raced = try run(["run", path, "--repeats", "20"], to: folder.appendingPathComponent("raced"))
      let full = try run(["run", path, "--repeats", "20", "--set", "search=null"], to: folder.appendingPathComponent("full"))
      let rows = Set(full[0].split(separator: "\n"))
      #expect(raced[0].split(separator: "\n").allSatisfy(rows.contains), "its rows are some of the full grid's")
      let counts = repetitions(raced[0])
      #expect(counts.count == 9 && counts["2"] == 20, "\(counts)")
      let winner = { (report: String) in report.split(separator: "\n")[2].split(separator: "wins")[0] }
      #expect(winner(raced[2]) == winner(full[2]))
      // The terminal and the report name the points that were dropped.
      let runs = counts.values.reduce(0, +)
      let saved = Int((100 - Double(runs) / 1.8).rounded())
      #expect(saved >= 40, "\(counts)")
      #expect(raced[2].contains("- **runs**: \(runs) of 180 runs, \(saved)\u{A0}% saved"))
      let said = try BuiltTool.run(["run", path, "--repeats", "20", "--output", folder.appendingPathComponent("raced").path])
      let words = said.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
      #expect(words.contains("racing: \(runs) of 180 runs, \(saved) % saved."), "\(said.output)")
    }
  }

  @Test func aPriorDecidesOnlyWhichPointsStart() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(racing, in: folder)
      let emulated = folder.appendingPathComponent("emulated")
      // The prior has other seeds and another network, like results of the emulator.
      let before = try run(["run", path, "--set", "search=null", "--seed", "7", "--set", "network.profile=WPT 3G"], to: emulated)
      func race(_ best: Int, _ name: String) throws -> [String] {
        let prior = ["--set", "prior.results=\(emulated.path)", "--set", "prior.best=\(best)"]
        return try run(["run", path, "--seed", "2019"] + prior, to: folder.appendingPathComponent(name))
      }
      let (few, all) = (try race(3, "few"), try race(9, "all"))
      let plain = try run(["run", path, "--seed", "2019"], to: folder.appendingPathComponent("plain"))
      #expect(all[0] == plain[0] && all[1] == plain[1], "whoever lets all start changes nothing")
      let means = before[1].split(separator: "\n").dropFirst().map { line -> (String, Double) in
        let cells = line.split(separator: ",", omittingEmptySubsequences: false)
        return (String(cells[1]), Double(cells[4]) ?? .infinity)
      }
      let best = means.filter { $0.0 != "2" }.sorted { $0.1 < $1.1 }.prefix(3).map(\.0)
      #expect(Set(repetitions(few[0]).keys) == Set(best + ["2"]))
      let rows = Set(
        try run(["run", path, "--seed", "2019", "--set", "search=null"], to: folder.appendingPathComponent("full"))[0].split(
          separator: "\n"))
      #expect(few[0].split(separator: "\n").allSatisfy(rows.contains), "no number comes from the prior")
      #expect(few[2].contains("5 of 9 points did not start, because they are not among the best 3 of"))
      #expect(few[2].contains("the 3 comparisons with the baseline"), "who did not start is no part of the family")
      #expect(few[2].contains(" of 72 runs, "), "what is saved is counted against the full grid")
    }
  }

  @Test func deviceTimeEndsARaceBetweenBlocksAfterInterruptionsToo() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(racing, in: folder)
      // A run of 60 items at 1 s takes a minute: 9 points run for 2 blocks.
      let limit = ["--set", "until=20min"]
      let short = try run(["run", path] + limit, to: folder.appendingPathComponent("short"))
      #expect(repetitions(short[0]).values.allSatisfy { $0 == 2 })
      #expect(short[2].contains("The device time of 20min ended the race after 2 of at most 8 blocks, with"))
      let said = try BuiltTool.run(["run", path, "--output", folder.appendingPathComponent("short").path] + limit)
      #expect(said.errors.contains("the race ends: 18min of 20min of device time are spent, and the next block, of"))
      // A folder with more runs shows those that fit. A folder with fewer runs gets the rest.
      let full = folder.appendingPathComponent("full")
      _ = try run(["run", path, "--set", "search=null"], to: full)
      #expect(try run(["run", path] + limit, to: full) == short)
      let one = folder.appendingPathComponent("one")
      _ = try run(["run", path, "--repeats", "1", "--set", "search=null"], to: one)
      #expect(try run(["run", path] + limit, to: one) == short)
    }
  }

  /// A run of 60 items at 1 s takes a minute: a block of 9 points takes 9 min, a repetition of the 2 confirmed points 2 min.
  @Test(arguments: [
    ("40min", 2, 10, "on 10 new seeds; their rows are in confirmation.csv"),
    ("20min", 1, 5, "on 5 of 10 new seeds, within the device time of 20min; their rows are in confirmation.csv"),
    ("10min", 1, 0, "on none of 10 new seeds, within the device time of 10min; their rows are in confirmation.csv"),
  ])
  func confirmationCountsAsDeviceTime(_ until: String, _ blocks: Int, _ made: Int, _ says: String) throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(racing, in: folder)
      let arguments = ["run", path, "--set", "confirm={ repeats: 10, best: 1 }", "--set", "until=\(until)"]
      let one = try run(arguments + ["--jobs", "1"], to: folder.appendingPathComponent("one"))
      #expect(repetitions(one[0]).values.allSatisfy { $0 == blocks }, "the race leaves time for them")
      #expect(one[2].contains("the best point and the baseline, \(says)"), "\(one[2])")
      func confirmation(_ name: String) throws -> [Substring] {
        try String(contentsOf: folder.appendingPathComponent("\(name)/confirmation.csv"), encoding: .utf8).split(separator: "\n")
      }
      #expect(try confirmation("one").count == 1 + 2 * made)
      let said = try BuiltTool.run(arguments + ["--output", folder.appendingPathComponent("one").path]).errors
      #expect(said.contains("the race ends: \(blocks * 9)min of \(until) of device time are spent, and the next block, of"), "\(said)")
      #expect(said.contains("and the confirmation 20min") && said.contains("the confirmation ends") == (made < 10), "\(said)")
      // The tables are equal with more jobs, from the files alone, and in a folder with more runs of the confirmation.
      #expect(try run(arguments + ["--jobs", "3"], to: folder.appendingPathComponent("three")) == one)
      let full = folder.appendingPathComponent("full")
      _ = try run(arguments.dropLast(2) + ["--set", "until=50h"], to: full)
      #expect(try run(arguments, to: full) == one)
      #expect(try confirmation("full") == confirmation("one") && confirmation("three") == confirmation("one"))
      let again = folder.appendingPathComponent("again")
      #expect(try BuiltTool.run(["report", full.path, "--output", again.path]).status == 0)
      #expect(try String(contentsOf: again.appendingPathComponent("report.md"), encoding: .utf8) == one[2])
    }
  }

  @Test func pointsEndOnceTheIntervalIsNarrowEnough() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(until, in: folder)
      let results = try run(["run", path], to: folder.appendingPathComponent("until"))
      let counts = repetitions(results[0])
      // Some points end before the last repetition, and none after 3 repetitions, which support no interval.
      #expect(counts.values.allSatisfy { [6, 12, 24, 48].contains($0) } && Set(counts.values).count > 2, "\(counts)")
      #expect(counts["2"] == counts.values.max(), "the baseline runs as long as any point")
      for line in results[1].split(separator: "\n").dropFirst() {
        let cells = line.split(separator: ",", omittingEmptySubsequences: false)
        guard cells[1] != "2", let count = Int(cells[3]), count < 48 else { continue }
        let (low, high) = (try #require(Double(cells[11])), try #require(Double(cells[12])))
        #expect(high - low <= 30, "what ends is known to ±15 %: \(line)")
      }
      let fixed = try run(["run", path, "--repeats", "3"], to: folder.appendingPathComponent("fixed"))
      #expect(repetitions(fixed[0]).values.allSatisfy { $0 == 3 })
      #expect(results[2].contains("3 to 48, until a difference is known to ±15% of the baseline; checked after 3, 6, 12, 24 and 48"))
    }
  }

  /// Shards one after the other, in any order: each start continues as far as the runs of the others allow.
  @Test(arguments: [1, 4, 16]) func shardsOfASearchMergeToOneMachinesBytes(_ count: Int) throws {
    for plan in count == 16 ? [halving] : [halving, racing, until].map({ $0 + " confirm: 3," }) {
      try BuiltTool.withFolder { folder in
        let path = try sweep(plan, in: folder)
        let one = try run(["run", path], to: folder.appendingPathComponent("one"))
        func output(_ shard: Int) -> String { folder.appendingPathComponent("shards/\(shard)-of-\(count)").path }
        func merge() throws -> ToolResult {
          try BuiltTool.run(["merge"] + (0..<count).map(output) + ["--output", folder.appendingPathComponent("merged").path, "--quiet"])
        }
        var waiting = Array((0..<count).reversed())
        var starts = 0
        while !waiting.isEmpty, starts < 20 * count {
          waiting = try waiting.filter { shard in
            starts += 1
            let result = try BuiltTool.run(["run", path, "--shard", "\(shard)/\(count)", "--output", output(shard), "--quiet"])
            #expect([0, 75].contains(result.status), "\(result.errors)")
            return result.status == 75
          }
          guard !waiting.isEmpty else { break }
          #expect(try merge().errors.contains("this shard is unfinished; run its command again"))
          // A power failure: the end of a journal is lost.
          let journal = URL(fileURLWithPath: output(waiting[0])).appendingPathComponent(".journal/runs")
          let bytes = try Data(contentsOf: journal)
          try bytes.prefix(bytes.count - min(40 * starts / count, bytes.count / 3)).write(to: journal)
        }
        #expect(waiting.isEmpty && (count == 1) == (starts == 1))
        #expect(try merge().status == 0)
        for (name, text) in zip(files, one) {
          #expect(try String(contentsOf: folder.appendingPathComponent("merged/\(name)"), encoding: .utf8) == text, "\(plan) \(name)")
        }
      }
    }
  }

  /// Shards at the same time, two of which are killed and start again.
  @Test func shardsOfASearchRunAtOnceAndSurviveKills() throws {
    try BuiltTool.withFolder { folder in
      let one = try run(["run", sweep(racing, in: folder)], to: folder.appendingPathComponent("one"))
      let script = """
        shard() { "\(BuiltTool.path.path)" run \(folder.path)/r.json5 --quiet --wait 60 --shard "$1/4" --output "shards/$1-of-4"; }
        "\(BuiltTool.path.path)" run \(folder.path)/r.json5 --quiet --wait 60 --shard 1/4 --output shards/1-of-4 & first=$!
        "\(BuiltTool.path.path)" run \(folder.path)/r.json5 --quiet --wait 60 --shard 2/4 --output shards/2-of-4 & second=$!
        sleep 0.3; kill -9 "$first"; sleep 0.1; kill -9 "$second"; wait "$first" "$second"
        for index in 0 1 2 3; do shard "$index" & done; wait
        exec "\(BuiltTool.path.path)" merge shards/?-of-4 --output merged --quiet
        """
      let result = try BuiltTool.shell(script, in: folder)
      #expect(result.status == 0, "\(result.errors)")
      for (name, text) in zip(files, one) {
        #expect(try String(contentsOf: folder.appendingPathComponent("merged/\(name)"), encoding: .utf8) == text, "\(name)")
      }
    }
  }

  @Test func wrongShardsOfASearchAreRefused() throws {
    try BuiltTool.withFolder { folder in
      let path = try sweep(halving, in: folder)
      func shard(_ index: Int, _ more: String...) throws -> ToolResult {
        try BuiltTool.run(["run", path, "--shard", "\(index)/2", "--output", "\(index)-of-2", "--quiet"] + more, in: folder)
      }
      let named = try BuiltTool.run(["run", path, "--shard", "0/2", "--output", "s"], in: folder)
      #expect(named.status == 2 && named.errors.contains("--output: is s, and a search reads"), "\(named.errors)")
      #expect(named.errors.contains("end it with /0-of-2"), "\(named.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("s").path))
      let waits = try shard(0)
      #expect(waits.status == 75 && waits.errors.contains("the next round needs those of 1/2"), "\(waits.errors)")
      // Another seed, with which the rows of the two shards do not fit.
      let other = try shard(1, "--seed", "9")
      #expect(other.status == 2 && other.errors.contains("0-of-2: holds 9 runs made with other settings: the seed was"), "\(other.errors)")
      #expect(try shard(1, "--fresh").status == 75)
      #expect(try [0, 75].contains(shard(0).status))
      #expect(try shard(1).status == 0 && shard(0).status == 0)
      let missing = try BuiltTool.run(["merge", "1-of-2", "--output", "merged"], in: folder)
      #expect(missing.status == 2 && missing.errors.contains("shard 0/2 is missing"), "\(missing.errors)")
      try FileManager.default.removeItem(at: folder.appendingPathComponent("0-of-2/.journal"))
      let bare = try BuiltTool.run(["merge", "0-of-2", "1-of-2", "--output", "merged"], in: folder)
      #expect(bare.status == 2 && bare.errors.contains("0-of-2: holds no .journal"), "\(bare.errors)")
      #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent("merged/runs.csv").path))
    }
  }

  /// Halving within each stratum, and by the weighted whole of a population.
  @Test(arguments: [
    #"axes: { "network.profile": ["3G", "DSL"], "prefetcher.ahead": "0...4" },"#,
    #"population: [{ weight: 0.5, network: { profile: "DSL", transport: "fluid" } }, { weight: 0.5, network: { profile: "WPT 3G", transport: "fluid" } }], axes: { "prefetcher.ahead": "0...4" },"#,
  ])
  func strataAreHalved(_ more: String) throws {
    try BuiltTool.withFolder { folder in
      let file = folder.appendingPathComponent("s.json5")
      try """
      { sweep: "s", \(halving) confirm: { repeats: 3, best: 1 }, \(more) baseline: { "prefetcher.ahead": 2 },
        scenario: { network: { profile: "3G", transport: "fluid" }, feed: { items: 40 }, user: { dwell: "1s" }, prefetcher: "itemsAhead" } }
      """.write(to: file, atomically: true, encoding: .utf8)
      let one = try run(["run", file.path, "--jobs", "1"], to: folder.appendingPathComponent("one"))
      #expect(try run(["run", file.path, "--jobs", "3"], to: folder.appendingPathComponent("three")) == one)
      #expect(one[2].contains("dropped (2 repetitions)") && one[2].contains("on new seeds"))
      #expect(one[1].split(separator: "\n").count > 10)
      // A race from these results starts with the best points of each stratum, or with those of the whole population.
      let raced = ["run", file.path, "--set", "search=racing", "--repeats", "12"]
      let race = try run(raced + ["--jobs", "1"], to: folder.appendingPathComponent("race"))
      #expect(try run(raced + ["--jobs", "3"], to: folder.appendingPathComponent("race3")) == race)
      #expect(race[2].contains("% saved") && race[2].contains("dropped ("))
      let prior = ["--set", "prior.results=\(folder.appendingPathComponent("one").path)", "--set", "prior.best=2"]
      let few = try run(raced + prior, to: folder.appendingPathComponent("few"))
      let strata = Set(few[0].split(separator: "\n").dropFirst().map { $0.split(separator: ",")[3] })
      for stratum in strata {
        let settings = Set(
          few[0].split(separator: "\n").dropFirst().map { $0.split(separator: ",") }.filter { $0[3] == stratum }.map { $0[0] })
        #expect(settings.count == 3, "\(stratum): the best two and the baseline")
      }
      #expect(strata.count >= 2)
    }
  }
}
