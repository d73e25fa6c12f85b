// The delegate of URLSession: checks responses and passes bytes to the mailbox.

import Foundation
import Simulation
import Sweep

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Checks each response before its bytes count. A server that sends other bytes than requested invalidates the run.
final class LiveDelegate: NSObject, URLSessionDataDelegate, Sendable {
  private let mailbox: Mailbox

  init(mailbox: Mailbox) { self.mailbox = mailbox }

  private func request(_ task: URLSessionTask) -> Int { task.taskDescription.flatMap { Int($0) } ?? -1 }

  func urlSession(
    _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
    completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
  ) {
    if let part = mailbox.part(of: request(dataTask)), let problem = LiveDelegate.problem(response, part) {
      mailbox.end(request(dataTask), error: problem)
      return completionHandler(.cancel)
    }
    completionHandler(.allow)
  }

  func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
    mailbox.receive(data.count, of: request(dataTask))
  }

  func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
    mailbox.end(request(task), error: error.map { "\(LiveDelegate.describe($0)) at \(LiveDelegate.address(task.originalRequest?.url))" })
  }

  func urlSession(_ session: URLSession, didBecomeInvalidWithError error: (any Error)?) { mailbox.noteInvalidated() }

  static func problem(_ response: URLResponse, _ part: RequestedPart) -> String? {
    let address = address(response.url)
    guard let answer = response as? HTTPURLResponse else { return "\(address) is not an HTTP address" }
    switch answer.statusCode {
    case 206:
      guard let range = answer.value(forHTTPHeaderField: "Content-Range"), let whole = Int64(range.split(separator: "/").last ?? "") else {
        return nil
      }
      return whole == part.wholeBytes ? nil : size(whole, address, part)
    case 200:
      let length = answer.expectedContentLength
      if length >= 0, length != part.wholeBytes { return size(length, address, part) }
      return part.isWhole ? nil : "\(address) was sent whole although a range was requested; use a server that supports ranges"
    case 416: return "\(address) is shorter than \(part.offset) bytes, the feed says \(part.wholeBytes); make the files from this feed"
    case let status: return "\(address) has status \(status); serve the files of this feed there"
    }
  }

  private static func size(_ found: Int64, _ address: String, _ part: RequestedPart) -> String {
    "\(address) has \(found) bytes, the feed says \(part.wholeBytes); make the files from this feed"
  }

  private static func address(_ url: URL?) -> String { url?.absoluteString ?? "an unknown address" }

  private static func describe(_ error: any Error) -> String {
    guard let code = (error as? URLError)?.code else { return "\(error)" }
    switch code {
    case .cannotConnectToHost: return "the server does not answer"
    case .cannotFindHost, .dnsLookupFailed: return "the server's name is not known"
    case .timedOut: return "no bytes arrived for too long"
    case .networkConnectionLost: return "the connection was closed"
    default: return "\(error.localizedDescription) (URLError \(code.rawValue))"
    }
  }
}

extension LiveBackend {
  /// Returns the URL of an item or page; nil if the configured address is not a URL.
  func url(of content: RequestedPart.Content, repetition: Int) -> URL? {
    let path =
      switch content {
      case .item(let item): items.replacingOccurrences(of: "{item}", with: "\(item)")
      case .page(let page): pages.replacingOccurrences(of: "{page}", with: "\(page)")
      }
    return URL(string: "\(server)/\(path.replacingOccurrences(of: "{repetition}", with: "\(repetition)"))")
  }
}

extension RequestedPart {
  var range: String { "bytes=\(offset)-\(offset + bytes - 1)" }
  var isWhole: Bool { offset == 0 && bytes == wholeBytes }

  /// The item or page, for a message.
  var subject: String {
    switch content {
    case .item(let item): "item \(item)"
    case .page(let page): "page \(page + 1)"
    }
  }
}
