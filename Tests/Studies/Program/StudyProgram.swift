// `run-studies`: runs the study that the first word names, and turns errors into a message and an exit status.

import CheckStudies
import Foundation
import ResultStudies
import StudyParts
import SweepTool

@main enum StudyProgram {
  private typealias Study = (name: String, usage: String, words: Int, options: [String], run: (Arguments) throws -> Void)

  /// The subcommands with their numbers of words. All options but these two take a value.
  private static var studies: [Study] {
    [
      (
        "benchmark",
        "[--json FILE] [--rounds N] [--section NAME] [--sweep FILE] [--sessions N] [--items N] [--connections N] [--transport NAME]",
        0,
        ["--json", "--rounds", "--section", "--sweep", "--sessions", "--items", "--connections", "--transport"], runBenchmark
      ),
      (
        "determinism", "[--scenarios N] [--seed S] [--seconds N]     prints hashes of random scenarios that run twice", 0,
        ["--scenarios", "--seed", "--seconds"], DeterminismStudy.run
      ),
      (
        "fidelity",
        "[--tables FOLDER] [--rows fluid|packet]     prints Results/fidelity/report.md, or each measurement beside a transport's", 0,
        ["--tables", "--rows"], runFidelity
      ),
      (
        "fuzz",
        "all|TARGET [--seconds N] [--seed S] [--inputs N] [--first I] [--hang SECONDS] [--memory MB] [--corpus FOLDER] [--keep FOLDER]", 1,
        ["--seconds", "--seed", "--inputs", "--first", "--hang", "--memory", "--corpus", "--keep", "--child"], FuzzStudy.run
      ),
      (
        "gate", "FOLDER OF SCENARIOS [--gates N] [--only SCENARIO | --distributions | --floors | --devices]", 1,
        ["--gates", "--only", "--distributions", "--floors", "--devices"],
        runGate
      ),
      ("fit", "[--worlds N] [--seed S]     prints Results/fit/report.md", 0, ["--worlds", "--seed"], FitStudy.run),
      (
        "fit-mobile",
        "FOLDER [--longest-outage SECONDS] [--step MS] [--judge CHAIN|halves] [--packets MS]     FOLDER has period lists as JSON, rows of "
          + "seconds and Mbps, .csv of G-NetTrack, or with --packets dumps of roc-recv",
        1, ["--longest-outage", "--step", "--judge", "--packets"], MobileFit.run
      ),
      ("fit-radio", "FOLDER     prints Results/radio/report.md; FOLDER has the probes of RRC-Probe/data", 1, [], RadioFit.run),
      ("history", "FOLDER     writes series.csv and own.csv into FOLDER, for Scripts/results history", 1, [], HistoryStudy.run),
      (
        "kills",
        "[--count N] [--seed S] [--first I] [--prefetcher TEXT]     interrupts sweeps, compares the results with undisturbed runs", .max,
        ["--count", "--seed", "--first", "--prefetcher", "--child"], KillStudy.run
      ),
      ("searches", "[--lists N]     prints Results/calibration/searches.md", 0, ["--lists"], SearchReport.run),
      (
        "racing", "[--seeds \"N N …\"] [--blocks N]     prints Results/racing/report.md, from the sweeps in Sweeps",
        0, ["--seeds", "--blocks"],
        RacingStudy.run
      ),
      (
        "real-app", "FOLDER     prints Results/real-app/report.md; FOLDER is reverse-tiktok of PrincetonUniversity/Dashlet", 1, [],
        RealAppStudy.run
      ),
      ("renditions", "    prints Results/renditions/report.md, from tables in Tests/Reference", 0, [], RenditionStudy.run),
      ("recovery", "[--devices N]     prints Results/recovery/report.md", 0, ["--devices"], RecoveryStudy.run),
    ]
  }

  /// Runs the study that the program's arguments name and ends the process: status 0 for success, 2 for an error.
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    guard let study = studies.first(where: { $0.name == words.first }) else {
      refuse("usage:" + studies.map { "\n  run-studies \($0.name) \($0.usage)" }.joined())
    }
    let options = study.options.map { ["--distributions", "--floors", "--devices"].contains($0) ? Option.flag($0) : .value($0) }
    do {
      let arguments = try Arguments(Array(words.dropFirst()), options: options)
      if let word = arguments.words.dropFirst(study.words).first {
        throw UsageProblem("\(word): is one word too many; take it out")
      }
      try study.run(arguments)
      exit(0)
    } catch let problem as UsageProblem {
      refuse("\(problem.description)\nusage: run-studies \(study.name) \(study.usage)")
    } catch { refuse("\(error)") }
  }

  private static func refuse(_ text: String) -> Never {
    printNote(text)
    exit(2)
  }
}
