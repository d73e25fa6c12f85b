// XML as a real parser reads it: the toolchain's libxml2.

import Foundation

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// An element with its attributes, text and children.
public final class XMLTree: NSObject, XMLParserDelegate {
  /// The element's name; empty for the document.
  public let name: String
  /// Its attributes.
  public let attributes: [String: String]
  /// Its own text.
  public private(set) var text = ""
  /// Its children in order.
  public private(set) var children: [XMLTree] = []
  private var open: [XMLTree] = []
  private var hasError = false

  private init(_ name: String, _ attributes: [String: String]) {
    self.name = name
    self.attributes = attributes
  }

  /// The root element of a document; nil where the parser refuses it.
  public static func root(of text: String) -> XMLTree? {
    let document = XMLTree("", [:])
    document.open = [document]
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = document
    return parser.parse() && !document.hasError && document.children.count == 1 ? document.children[0] : nil
  }

  /// All elements of a name below this one.
  public func all(_ name: String) -> [XMLTree] {
    children.flatMap { ($0.name == name ? [$0] : []) + $0.all(name) }
  }

  /// An element begins.
  public func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?, attributes: [String: String] = [:]
  ) {
    let element = XMLTree(name, attributes)
    open.last?.children.append(element)
    open.append(element)
  }

  /// It ends.
  public func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) { open.removeLast() }

  /// The parser refuses the document.
  public func parser(_ parser: XMLParser, parseErrorOccurred parseError: any Error) { hasError = true }

  /// Text of the element that is open.
  public func parser(_ parser: XMLParser, foundCharacters string: String) { open.last?.text += string }
}
