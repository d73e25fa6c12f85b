// The requests of a run as an HTTP archive (HAR 1.2), which browsers open in their network panels.
// The run begins at the start of the year 2000; hosts and addresses are made up.

import Import
import Simulation
import Sweep

struct HTTPArchive {
  private let explanation: RunExplanation

  init(_ explanation: RunExplanation) { self.explanation = explanation }

  var json: String {
    let story = explanation.story
    let title = jsonString("point \(explanation.point), repetition \(explanation.repetition)")
    let entries = story.requests.map(entry).joined(separator: ",\n")
    return """
      {"log":{"version":"1.2","creator":{"name":\(jsonString(Program.name)),"version":\(jsonString("\(Program.modelVersion)"))},
      "pages":[{"startedDateTime":\(jsonString(Self.date(.start))),"id":"run","title":\(title),"pageTimings":{}}],
      "entries":[
      \(entries)
      ]}}

      """
  }

  private func entry(_ request: RequestRecord) -> String {
    let story = explanation.story
    let wait = (request.began ?? request.ended) - request.asked
    let receive = request.ended - (request.began ?? request.ended)
    let isWhole = request.part == .page || (request.offset == 0 && request.bytes >= story.items[request.item].bytes)
    let isCut = request.end != .finished
    let response =
      "\"status\":\(isCut && request.received == 0 ? 0 : isWhole ? 200 : 206),\"statusText\":\"\",\"httpVersion\":\"HTTP/1.1\",\"cookies\":[],"
      + "\"headers\":[],\"content\":{\"size\":\(request.received),\"mimeType\":\(jsonString(mimeType(request)))},\"redirectURL\":\"\","
      + "\"headersSize\":-1,\"bodySize\":\(request.received)\(isCut ? ",\"_error\":\"net::ERR_ABORTED\"" : "")"
    return "{\"pageref\":\"run\",\"startedDateTime\":\(jsonString(Self.date(request.asked))),"
      + "\"time\":\((request.ended - request.asked).millisecondsText),"
      + "\"request\":{\"method\":\"GET\",\"url\":\(jsonString(address(request))),\"httpVersion\":\"HTTP/1.1\",\"cookies\":[],\"headers\":[],"
      + "\"queryString\":[],\"headersSize\":-1,\"bodySize\":0},\"response\":{\(response)},\"cache\":{},"
      + "\"timings\":{\"blocked\":-1,\"dns\":-1,\"connect\":-1,\"send\":0,\"wait\":\(wait.millisecondsText),"
      + "\"receive\":\(receive.millisecondsText),\"ssl\":-1}}"
  }

  private func address(_ request: RequestRecord) -> String {
    switch request.part {
    case .page: "https://\(explanation.story.hosts.names[explanation.story.hosts.ofPages]).feed.example/pages/\(request.item + 1)"
    case .ready, .rest:
      "https://\(explanation.story.hosts.names[explanation.story.hosts.of(explanation.story.items[request.item].kind)]).feed.example/"
        + "\(request.item)-\(explanation.story.items[request.item].kind.name)?bytes=\(request.offset)-\(request.offset + request.bytes - 1)"
    }
  }

  private func mimeType(_ request: RequestRecord) -> String {
    if request.part == .page { return "application/json" }
    switch explanation.story.items[request.item].kind {
    case .image: return "image/jpeg"
    case .video: return "video/mp4"
    case .webApp: return "text/html"
    case .nativeAd: return "application/octet-stream"
    }
  }

  /// An instant as ISO 8601; the day by H. Hinnant's days-to-civil algorithm, which needs no calendar.
  static func date(_ instant: Instant) -> String {
    let milliseconds = instant.nanoseconds / 1_000_000
    let (days, rest) = milliseconds.quotientAndRemainder(dividingBy: 86_400_000)
    // Days since 1 March of the year 0: 2000-01-01 is 730 425 of them later.
    let day = days + 730_425
    let era = day / 146_097
    let ofEra = day - era * 146_097
    let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
    let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shifted = (5 * ofYear + 2) / 153
    let month = shifted < 10 ? shifted + 3 : shifted - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
    let clock = [rest / 3_600_000, rest / 60_000 % 60, rest / 1000 % 60].map { padded($0, 2) }.joined(separator: ":")
    return "\(padded(year, 4))-\(padded(month, 2))-\(padded(ofYear - (153 * shifted + 2) / 5 + 1, 2))T\(clock).\(padded(rest % 1000, 3))Z"
  }

  private static func padded(_ number: Int64, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
