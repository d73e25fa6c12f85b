import Foundation
import TestSupport
import Testing

@testable import Simulation

@Suite struct SessionCrossCheckTests {
  private struct Feed: Decodable { var size_bits: [Int64] }

  @Test func meetsTheFeedOf1000ItemsCountForCount() throws {
    let feed = try JSONDecoder().decode(Feed.self, from: try Reference.data("crosscheck/cc4_items.json"))
    let items = ContiguousArray(feed.size_bits.map { Item(kind: .image, bytes: $0 / 8) })
    let rows = try Reference.rows("crosscheck/cc4_feed_1000x1s.csv")
    #expect(rows.count == 63)
    for row in rows {
      let link = try SabreTraces.link("crosscheck/\(row["trace"]!).json", scale: Double(row["bandwidth_multiplier"]!)!)
      let rule: DownloadSettings.CancelRule =
        switch row["cancel"]! {
        case "all_drop": .drop
        case "all_resume": .resume
        default: .keep
        }
      let scenario = Scenario(
        feed: .fixed(items), network: SabreTraces.network(link), downloads: DownloadSettings(connections: 1, cancel: rule),
        user: UserScript(scroll: Int(row["items"]!)!, dwell: .constant(Int64(row["dwell_ms"]!)! * 1_000_000)),
        prefetcher: ItemsAhead(ahead: Int(row["window_K"]!)!))
      var session = SessionLoop(link: FluidTransport(scenario.network, transfers: 1), scenario, scenario.draw(seed: 1))
      try session.run()
      let complete = items.indices.reduce(0) { $0 + (session.view.isReady($1) ? 1 : 0) }
      let record = session.finished()
      let metrics = SessionMetrics(record)
      let name = "\(row["trace"]!) ×\(row["bandwidth_multiplier"]!) K\(row["window_K"]!) \(row["cancel"]!)"
      #expect(metrics.loaders == Int(row["loader_impressions"]!)!, "\(name) loaders")
      #expect(metrics.requests == Int(row["requests"]!)!, "\(name) requests")
      #expect(metrics.cancels == Int(row["aborted_requests"]!)!, "\(name) aborted")
      #expect(complete == Int(row["items_completed"]!)!, "\(name) completed")
      let allowance = Double(metrics.cancels + 2)
      #expect(abs(Double(metrics.bytesReceived) - Double(row["received_bytes"]!)!) <= allowance, "\(name) bytes")
      if rule == .drop {
        // The reference counts bytes in flight at the end as wasted too.
        #expect(Double(metrics.bytesCancelled) <= Double(row["wasted_bytes_on_abort"]!)! + allowance, "\(name) wasted")
      }
      let first = firstLoaders(record).joined(separator: " ")
      #expect(first == row["first5_impressions"]!, "\(name) first five")
      #expect(record.end == Int64(Double(row["virtual_end_ms"]!)! * 1e6), "\(name) end")
      #expect(metrics.loadersByReason.reduce(0, +) == metrics.loaders, "\(name) reasons")
      #expect(metrics.bound! <= metrics.loaders, "\(name) bound")
    }
  }
}

private func firstLoaders(_ record: borrowing Recorder) -> [String] {
  var first: [String] = []
  for index in 0..<record.visits.count where record.visits[index].isLoader && first.count < 5 { first.append(String(index)) }
  return first
}
