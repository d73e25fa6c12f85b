// Where the files of a feed are, and what the client asks for when it wants some of one.

import Foundation
import Simulation

/// A server whose files match a feed: item 7 is a file of as many bytes as item 7 has.
public struct LiveServer: Hashable, Sendable {
  /// Where items are, unless a sweep says otherwise: a folder for each repetition, because each may draw another feed.
  public static let usualItems = "{repetition}/{item}"
  /// Where pages are, unless a sweep says otherwise.
  public static let usualPages = "{repetition}/page-{page}"

  /// What all addresses begin with, without a slash at its end.
  public let address: String
  /// The path of an item; `{repetition}` counts from 1 and `{item}` from 0.
  public let items: String
  /// The path of a page; `{page}` counts from 0.
  public let pages: String
  /// How long a request may bring nothing before its run has failed.
  public let timeout: Interval

  /// A server; `address` begins with http:// or https://.
  public init(
    address: String, items: String = LiveServer.usualItems, pages: String = LiveServer.usualPages, timeout: Interval = .seconds(60)
  ) {
    self.address = address.hasSuffix("/") ? String(address.dropLast()) : address
    self.items = items
    self.pages = pages
    self.timeout = timeout
  }

  /// The address of what holds a part; nil where what was written is none.
  func url(of content: RequestedPart.Content, repetition: Int) -> URL? {
    let path =
      switch content {
      case .item(let item): items.replacingOccurrences(of: "{item}", with: "\(item)")
      case .page(let page): pages.replacingOccurrences(of: "{page}", with: "\(page)")
      }
    return URL(string: "\(address)/\(path.replacingOccurrences(of: "{repetition}", with: "\(repetition)"))")
  }
}

extension RequestedPart {
  /// Its place as a request names it, the last byte included.
  var range: String { "bytes=\(offset)-\(offset + bytes - 1)" }

  /// Whether it is all there is.
  var isWhole: Bool { offset == 0 && bytes == wholeBytes }

  /// What it is of, for a message.
  var subject: String {
    switch content {
    case .item(let item): "item \(item)"
    case .page(let page): "page \(page + 1)"
    }
  }
}
