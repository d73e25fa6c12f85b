import Analysis
import Foundation
import TestSupport
import Testing

/// `Results/people/rankings.md`: its text is the script's, its τ are those of `RankCorrelation` (and of scipy.stats.kendalltau).
@Suite struct PeopleRankingsTests {
  private static let folder = Reference.packageRoot.appendingPathComponent("Results/people")
  private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

  /// Returns the mean loaders by system, without the bound, in the order of the file, by "network,people".
  private func means() throws -> [String: [Double]] {
    let lines = try String(contentsOf: Self.folder.appendingPathComponent("runs.csv"), encoding: .utf8).split(separator: "\n")
    let head = lines[0].split(separator: ",")
    let fromEnd = head.count - (try #require(head.firstIndex(of: "loadersPer1000")))
    var sums: [String: (order: [Substring], sums: [Substring: Double])] = [:]
    for line in lines.dropFirst() {
      // A system may be quoted and contain commas, so columns after it are counted from the end.
      let cells = line.split(separator: ",", omittingEmptySubsequences: false)
      if cells[5] == "clairvoyant" { continue }
      let (stratum, point) = ("\(cells[3]),\(cells[4])", cells[0])
      if sums[stratum]?.sums[point] == nil { sums[stratum, default: ([], [:])].order.append(point) }
      sums[stratum]!.sums[point, default: 0] += try #require(Double(cells[cells.count - fromEnd]))
    }
    // Rounded, so that equal counts in another order are ties.
    return sums.mapValues { stratum in stratum.order.map { (stratum.sums[$0]! * 1e6).rounded() } }
  }

  @Test func rankingsAgreeAsThePageSays() throws {
    let means = try means()
    let page = try String(contentsOf: Self.folder.appendingPathComponent("rankings.md"), encoding: .utf8)
    #expect(means.count == 10 && means.values.allSatisfy { $0.count == 30 })
    // scipy.stats.kendalltau 1.17 of the same means.
    for (network, people, scipy) in [
      ("3G", "short-video", 0.605), ("3G", "image-feed", 0.637), ("3G", "mixed-feed", 0.604), ("3G", "image-flings", 0.708),
      ("LTE", "short-video", 0.631), ("LTE", "image-feed", 0.787), ("LTE", "mixed-feed", 0.737), ("LTE", "image-flings", 0.640),
    ] {
      let (oneSecond, dwells) = (try #require(means["\(network),none"]), try #require(means["\(network),\(people)"]))
      let tau = try #require(RankCorrelation.kendall(oneSecond, dwells).value)
      #expect(abs(tau - scipy) < 0.0006, "\(network), \(people): \(tau)")
      #expect(page.contains("| \(network) | \(people) | \(String(format: "%.2f", tau)) |"))
    }
  }

  @Test(.enabled(if: hasPython, "no python3")) func thePageIsMadeOfTheCommittedResults() throws {
    let process = Process()
    process.executableURL = Reference.packageRoot.appendingPathComponent("Tests/Studies/Results/People/rankings.py")
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text == (try String(contentsOf: Self.folder.appendingPathComponent("rankings.md"), encoding: .utf8)))
  }
}
