// The session of a real app in the form of a replay.

import Oracles

extension AppSession {
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
