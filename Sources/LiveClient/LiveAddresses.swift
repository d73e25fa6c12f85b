// What a real client asks for when it wants a part of an item or a page.

import Foundation
import Simulation
import Sweep

extension LiveBackend {
  /// The address of what holds a part; nil where what was written is none.
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
