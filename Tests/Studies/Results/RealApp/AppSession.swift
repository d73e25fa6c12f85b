// The logs of a real short-video app of January 2022, in the form of Dashlet's repository: range requests, swipes, rendition ladders.

import Foundation
import Oracles

/// A session of the real app: its videos with their renditions, the swipes and the range requests.
struct AppSession {
  struct Video {
    let seconds: Double
    /// The bit rates of its renditions, the best first.
    let bitsPerSecond: [Int64]

    func bytes(rendition: Int) -> Int64 { Int64(min(max(1, seconds * Double(bitsPerSecond[rendition]) / 8), 1e9)) }
  }

  struct Request {
    let video: Int, rendition: Int
    /// The range asked for, and the size of the whole file; nil if the server sent the whole file without a range.
    let range: Range<Int64>?
    let whole: Int64?
    /// The times of the request, of the response's first byte and of its last byte at the proxy, in seconds.
    let requested: Double, started: Double, ended: Double
  }

  let name: String
  var videos: [Video] = []
  /// The times of the swipes to the next video, in seconds.
  var swipes: [Double] = []
  var requests: [Request] = []

  /// The number of the swipe script, the last part of the name: odd numbers fit, even ones judge.
  var number: Int { Int(name.split(separator: "-").last ?? "") ?? 0 }
  /// The network trace, the name without the swipe script.
  var network: String { name.components(separatedBy: "-swipe-")[0] }

  /// Reads the session in a folder, whose name begins the names of its three files.
  /// - Throws: `StudyProblem` with all lines that are not of the form.
  init(folder: String) throws {
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
    guard problems.isEmpty else { throw StudyProblem(description: problems.joined(separator: "\n")) }
    (self.videos, self.swipes, self.requests) = (videos, swipes, requests)
  }

  /// The time of the first request, from which all times of a replay count.
  var start: Double { requests.first?.requested ?? 0 }

  /// The activations of the videos in seconds from the first request, and the end of the session.
  var activations: [Double] {
    let shown = ([0] + swipes.map { max(0, $0 - start) }).prefix(videos.count)
    let end = (requests.map(\.ended).max() ?? start) - start
    return shown + [max(end, (shown.last ?? 0) + 1)]
  }

  /// The requests of the log in the form of a replay.
  var transfers: [AppTransfer] {
    requests.map { request in
      let range = request.range ?? 0..<videos[request.video].bytes(rendition: request.rendition)
      return AppTransfer(
        video: request.video, isRest: range.lowerBound >= AppReplay.firstRange, bytes: range.upperBound - range.lowerBound,
        requested: request.requested - start, started: request.started - start, ended: request.ended - start)
    }
  }

  /// Returns the videos of the session in renditions by throughput or, without one, in those of the log.
  func feed(throughput: [Double]? = nil) -> [AppVideo] {
    let usual = throughput ?? AppReplay.throughput(transfers, videos: videos.count)
    var logged: [Int: Request] = [:]
    if throughput == nil { for request in requests where logged[request.video] == nil { logged[request.video] = request } }
    return videos.indices.map { index in
      let video = videos[index]
      let rendition = logged[index]?.rendition ?? AppReplay.rendition(of: video.bitsPerSecond, mbps: usual[index])
      return AppVideo(
        seconds: video.seconds, bytes: logged[index]?.whole ?? video.bytes(rendition: rendition),
        bitsPerSecond: video.bitsPerSecond[rendition])
    }
  }

  /// The share of requests in the log whose rendition is that of the rule.
  var renditionsByRule: Double {
    let throughput = AppReplay.throughput(transfers, videos: videos.count)
    let right = requests.count { $0.rendition == AppReplay.rendition(of: videos[$0.video].bitsPerSecond, mbps: throughput[$0.video]) }
    return Double(right) / Double(requests.count)
  }
}
