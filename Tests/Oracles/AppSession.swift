// The logs of a real short-video app of January 2022, in the form of Dashlet's repository: range requests, swipes, rendition ladders.

import Base
import Foundation

/// A session of the real app: its videos with their renditions, the swipes and the range requests.
package struct AppSession {
  package struct Video {
    package let seconds: Double
    /// The bit rates of its renditions, the best first.
    package let bitsPerSecond: [Int64]

    package init(seconds: Double, bitsPerSecond: [Int64]) { (self.seconds, self.bitsPerSecond) = (seconds, bitsPerSecond) }

    package func bytes(rendition: Int) -> Int64 { Int64(min(max(1, seconds * Double(bitsPerSecond[rendition]) / 8), 1e9)) }
  }

  package struct Request {
    package let video: Int, rendition: Int
    /// The range asked for, and the size of the whole file; nil if the server sent the whole file without a range.
    package let range: Range<Int64>?
    package let whole: Int64?
    /// The times of the request, of the response's first byte and of its last byte at the proxy, in seconds.
    package let requested: Double, started: Double, ended: Double
  }

  package let name: String
  package var videos: [Video] = []
  /// The times of the swipes to the next video, in seconds.
  package var swipes: [Double] = []
  package var requests: [Request] = []

  /// The number of the swipe script, the last part of the name: odd numbers fit, even ones judge.
  package var number: Int { Int(name.split(separator: "-").last ?? "") ?? 0 }
  /// The network trace, the name without the swipe script.
  package var network: String { name.components(separatedBy: "-swipe-")[0] }

  /// Reads the session in a folder, whose name begins the names of its three files.
  /// - Throws: `Refusal` with all lines that are not of the form.
  package init(folder: String) throws {
    name = (folder as NSString).lastPathComponent
    var problems: [String] = []
    func rows(_ ending: String, cells: Int, _ read: ([String]) -> Bool) {
      let path = "\(folder)/\(name)-\(ending)"
      guard let data = FileManager.default.contents(atPath: path) else {
        problems.append("\(path): cannot be read; unpack reverse-tiktok/data/dataset1.zip of the repository")
        return
      }
      let lines = String(decoding: data, as: UTF8.self).split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
      for (index, line) in lines.enumerated() where !line.isEmpty {
        let row = line.split(separator: ",", maxSplits: cells, omittingEmptySubsequences: false)
          .map { $0.trimmingCharacters(in: .whitespaces) }
        if row.count < cells || !read(row) {
          problems.append("\(path):\(index + 1): is no row of this log; take the line out or repair it")
        }
      }
    }
    var (videos, swipes, requests): ([Video], [Double], [Request]) = ([], [], [])
    /// The video and the rendition of each encoding, which has two names.
    var encodings: [String: (video: Int, rendition: Int)] = [:]
    rows("play.csv", cells: 5) { row in
      let rates = row[3].split(separator: "&").compactMap { Int64($0) }
      let names = row[4].split(separator: "&")
      guard Int(row[0]) == videos.count, let milliseconds = Int64(row[2]), (1...86_400_000).contains(milliseconds), !rates.isEmpty,
        rates.allSatisfy({ (1...1_000_000_000).contains($0) }), names.count == 2 * rates.count
      else { return false }
      for (index, name) in names.enumerated() { encodings[String(name)] = (videos.count, index / 2) }
      videos.append(Video(seconds: Double(milliseconds) / 1000, bitsPerSecond: rates))
      return true
    }
    rows("swipe.log", cells: 2) { row in
      guard let time = Double(row[1]), time.isFinite, time >= swipes.last ?? 0 else { return false }
      swipes.append(time)
      return true
    }
    rows("download.csv", cells: 8) { row in
      // Previews and advertisements are in no ladder.
      guard let encoding = encodings[row[7]] else { return true }
      let times = row[2...5].compactMap(Double.init).filter(\.isFinite)
      guard times.count == 4, times[0] <= times[2], times[2] <= times[3] else { return false }
      var (range, whole): (Range<Int64>?, Int64?) = (nil, nil)
      let words = row[1].split(whereSeparator: { " -/".contains($0) })
      if words.count > 1 {
        let numbers = words.dropFirst().compactMap { Int64($0) }
        guard numbers.count == 3, 0 <= numbers[0], numbers[0] <= numbers[1], numbers[1] < numbers[2], numbers[2] <= 1_000_000_000
        else { return false }
        (range, whole) = (numbers[0]..<numbers[1] + 1, numbers[2])
      }
      requests.append(
        Request(
          video: encoding.video, rendition: encoding.rendition, range: range, whole: whole, requested: times[0], started: times[2],
          ended: times[3]))
      return true
    }
    if problems.isEmpty, requests.isEmpty || swipes.isEmpty {
      problems.append("\(folder): has no requests or no swipes; leave the session out")
    }
    requests.sort { $0.requested < $1.requested }
    let times = swipes + requests.map(\.ended)
    if let first = requests.first, let last = times.max(), last - first.requested > 86_400 || first.requested - (swipes.first ?? 0) > 86_400
    {
      problems.append("\(folder): is longer than a day; repair the times")
    }
    guard problems.isEmpty else { throw Refusal(problems.joined(separator: "\n")) }
    (self.videos, self.swipes, self.requests) = (videos, swipes, requests)
  }
}
