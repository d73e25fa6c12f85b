// XML read by the toolchain's parser, libxml2.

import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An element of an XML document.
public final class XMLTree: NSObject, XMLParserDelegate {
  /// The name of the element; empty for the document.
  public let name: String
  /// The attributes by name.
  public let attributes: [String: String]
  /// The text directly inside the element, without that of its children.
  public private(set) var text = ""
  /// The child elements in document order.
  public private(set) var children: [XMLTree] = []
  private var open: [XMLTree] = []
  private var hasError = false

  private init(_ name: String, _ attributes: [String: String]) {
    self.name = name
    self.attributes = attributes
  }

  /// Returns the root element of a document, or nil if the parser refuses the document.
  public static func root(of text: String) -> XMLTree? {
    let document = XMLTree("", [:])
    document.open = [document]
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = document
    return parser.parse() && !document.hasError && document.children.count == 1 ? document.children[0] : nil
  }

  /// Returns all descendants of a name in document order.
  public func all(_ name: String) -> [XMLTree] {
    children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
  }

  /// Appends an element that begins.
  public func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    let element = XMLTree(name, attributes)
    open.last?.children.append(element)
    open.append(element)
  }

  /// Closes the innermost open element.
  public func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) { open.removeLast() }

  /// Records an error of the document.
  public func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) { hasError = true }

  /// Appends text to the innermost open element.
  public func parser(_ parser: XMLParser, foundCharacters string: String) { open.last?.text += string }
}
