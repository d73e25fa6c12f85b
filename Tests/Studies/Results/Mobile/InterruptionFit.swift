// Fits interruptions (`NetworkConfiguration.Interruptions`) to one half of a folder's packet logs and judges them by the other half.

import Foundation
import Simulation

enum InterruptionFit {
  /// Returns the fitted figures and the rows of the manual's table, for logs of a packet every `step` ms.
  /// - Throws: the errors of the logs.
  static func report(_ folder: String, step: Double) throws -> String {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    let logs = try names.map { try PacketLog(path: "\(folder)/\($0)") }
    func half(_ parity: Int) -> InterruptionTable {
      InterruptionTable(logs.flatMap { log in log.minutes.indices.filter { $0 % 2 == parity }.map { log.minutes[$0] } })
    }
    let table = half(0)
    let each = zip(names, logs).map { InterruptionTable($1.minutes).row($0) }.joined(separator: "\n")
    guard table.gaps.count > 100 else { return "too few interruptions to fit\n\(each)" }
    let (gaps, lengths) = figures(table, step: step)
    let fitted = PacketLog(.init(gaps: gaps, lengths: lengths), step: step, hours: 10, seed: 1)
    let rows = [
      table.row("one half"), half(1).row("the other half"), InterruptionTable(fitted.minutes).row("fitted to the first"), each,
    ]
    return """
      ms at \(NetworkConfiguration.Interruptions.shares.map { "\($0)" }.joined(separator: ", "))
      gaps: \(gaps.map { "\($0)" }.joined(separator: ", "))
      lengths: \(lengths.map { "\($0)" }.joined(separator: ", "))
      \(rows.joined(separator: "\n"))
      """
  }

  /// Returns quantiles of gaps and lengths, in ms.
  /// On average an interruption begins half a step before its first packet is due. A short one is seen only if that is soon enough: it
  /// stands for more, which divide the gaps.
  private static func figures(_ table: InterruptionTable, step: Double) -> (gaps: [Int64], lengths: [Int64]) {
    let lengths = table.lengths.sorted().map { length in
      (length: length + step / 2, weight: step / min(step, length + step / 2 - PacketLog.threshold))
    }
    let weight = lengths.reduce(0) { $0 + $1.weight }
    let gaps = table.gaps.map { $0 - step / 2 }.sorted()
    let shares = NetworkConfiguration.Interruptions.shares
    return (
      shares.map { Int64(max(1, RateTable.quantile(gaps, $0) * Double(lengths.count) / weight).rounded()) },
      shares.map { share in
        var sum = 0.0
        let found = lengths.first { pair in
          sum += pair.weight
          return sum >= share * weight
        }
        return Int64((found ?? lengths[lengths.count - 1]).length.rounded())
      }
    )
  }
}
