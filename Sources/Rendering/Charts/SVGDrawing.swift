// A drawing that becomes SVG (https://www.w3.org/TR/SVG11/): shapes with classes, which the style sheet colours for light and dark.

import Base

/// A drawing in CSS pixels from the upper left corner, for a file of its own or for a page.
package struct SVGDrawing {
  package enum Anchor: String { case start, middle, end }

  package typealias Box = (x: Double, y: Double, width: Double, height: Double)

  /// The file's name without `.svg`; the ids of elements begin with it.
  var name: String
  /// The title and the description for screen readers, in sentences.
  let title: String, description: String
  private let width: Double
  /// The width of most charts; wider ones take the whole width of a page.
  package static let usualWidth = 640.0
  package var height: Double
  /// True for drawings that take the whole width of a page and scroll instead of shrinking.
  var isWide: Bool { width > Self.usualWidth }
  private var shapes: [String] = []

  package init(name: String = "", title: String, description: String, width: Double = Self.usualWidth, height: Double = 0) {
    (self.name, self.title, self.description) = (name, title, description)
    (self.width, self.height) = (width, height)
  }

  /// Draws the title and some notes below it, wrapped to the width. Returns the y below them.
  @discardableResult package mutating func heading(note notes: String...) -> Double {
    text(16, 22, title, "head", limit: Int((width - 32) / 8))
    let lines = notes.filter { !$0.isEmpty }.flatMap { DisplayWidth.wrapped($0, to: Int((width - 32) / 6.4)) }
    for (index, line) in lines.enumerated() { text(16, 40 + Double(index) * 16, line, "note") }
    return 36 + Double(lines.count) * 16
  }

  package mutating func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ style: String) {
    add("line", style, [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)])
  }

  package mutating func rectangle(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ style: String, tip: String = "") {
    add("rect", style, [("x", x), ("y", y), ("width", max(0, width)), ("height", max(0, height))], tip: tip)
  }

  package mutating func rectangle(_ box: Box, inset: Double = 0, _ style: String, tip: String = "") {
    rectangle(box.x + inset, box.y + inset, box.width - 2 * inset, box.height - 2 * inset, style, tip: tip)
  }

  package mutating func circle(_ x: Double, _ y: Double, radius: Double, _ style: String, tip: String = "") {
    add("circle", style, [("cx", x), ("cy", y), ("r", radius)], tip: tip)
  }

  package mutating func diamond(_ x: Double, _ y: Double, radius: Double, _ style: String, tip: String = "", id: String = "") {
    path([(x, y - radius), (x + radius, y), (x, y + radius), (x - radius, y)], isClosed: true, style, tip: tip, id: id)
  }

  /// Draws a line through points; `id` makes it a link target.
  package mutating func path(_ points: [(x: Double, y: Double)], isClosed: Bool = false, _ style: String, tip: String = "", id: String = "")
  {
    let steps = points.map { "\(Self.number($0.x)) \(Self.number($0.y))" }.joined(separator: "L")
    append("path", (id.isEmpty ? [] : [("id", id)]) + [("class", style), ("d", "M\(steps)\(isClosed ? "Z" : "")")], tip: tip)
  }

  /// Draws many rectangles as one shape, which takes far fewer bytes.
  package mutating func boxes(_ boxes: [Box], _ style: String) {
    let number = Self.number
    steps(style, boxes.map { (($0.x, $0.y), "h\(number($0.width))v\(number($0.height))h-\(number($0.width))z") })
  }

  package mutating func crosses(_ centers: [(x: Double, y: Double)], radius: Double, _ style: String) {
    let (half, whole) = (Self.number(radius), Self.number(2 * radius))
    steps(style, centers.map { ($0, "m-\(half) -\(half)l\(whole) \(whole)m0 -\(whole)l-\(whole) \(whole)") })
  }

  private mutating func steps(_ style: String, _ steps: [(from: (x: Double, y: Double), path: String)]) {
    guard !steps.isEmpty else { return }
    let path = steps.map { "M\(Self.number($0.from.x)) \(Self.number($0.from.y))\($0.path)" }.joined()
    append("path", [("class", style), ("d", path)])
  }

  /// Draws a text; one that is longer than `limit` columns is truncated, with the whole text as its tip.
  package mutating func text(
    _ x: Double, _ y: Double, _ text: String, _ style: String = "", anchor: Anchor = .start, limit: Int = .max, isUpward: Bool = false
  ) {
    let line = SafeText.line(text)
    let shown = limit == .max ? line : DisplayWidth.truncated(line, to: limit)
    var attributes = [("x", Self.number(x)), ("y", Self.number(y))]
    if !style.isEmpty { attributes.insert(("class", style), at: 0) }
    if anchor != .start { attributes.append(("text-anchor", anchor.rawValue)) }
    if isUpward { attributes.append(("transform", "rotate(-90 \(Self.number(x)) \(Self.number(y)))")) }
    let tip = shown == line ? "" : XMLText.element("title", [], XMLText.content(line))
    shapes.append(XMLText.element("text", attributes, tip + XMLText.content(shown)))
  }

  private mutating func add(_ element: String, _ style: String, _ numbers: [(String, Double)], tip: String = "") {
    append(element, [("class", style)] + numbers.map { ($0.0, Self.number($0.1)) }, tip: tip)
  }

  private mutating func append(_ element: String, _ attributes: [(String, String)], tip: String = "") {
    let start = XMLText.start(element, attributes)
    shapes.append(tip.isEmpty ? start + "/>" : "\(start)><title>\(XMLText.line(tip))</title></\(element)>")
  }

  /// Returns a number with one decimal, a tenth of a pixel.
  private static func number(_ value: Double) -> String { DecimalText.trimmed(value, decimals: 1) }

  package var file: String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + element(style: "<style>\n\(ChartStyle.file)</style>\n") + "\n"
  }

  /// Returns the element for a page, whose style sheet colours it; the ids of title and description begin with `prefix`.
  func element(style: String = "", prefix: String = "") -> String {
    let id = prefix + name
    let (wide, high) = (Self.number(width), Self.number(height))
    let start = XMLText.start(
      "svg",
      [
        ("xmlns", "http://www.w3.org/2000/svg"), ("class", isWide ? "chart long" : "chart"), ("viewBox", "0 0 \(wide) \(high)"),
        ("width", wide), ("height", high), ("role", "img"), ("aria-labelledby", "\(id)-title \(id)-description"),
      ])
    let words =
      XMLText.element("title", [("id", "\(id)-title")], XMLText.line(title)) + "\n"
      + XMLText.element("desc", [("id", "\(id)-description")], XMLText.line(description)) + "\n"
    return "\(start)>\n\(words)\(style)\(shapes.joined(separator: "\n"))\n</svg>"
  }
}
