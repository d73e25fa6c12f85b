// The frame of every page: the policy that forbids network requests, styles and the script. The markup is valid XML.

import Base

package enum PageFrame {
  /// The page's own style sheet, for light, dark and paper. It contains nothing that is XML markup.
  static let pageStyle = String(decoding: PackageResources.page_css, as: UTF8.self)
  /// The inline script: sorts and filters tables, shows the commands of a row, opens folds for print. It makes no requests, the page is
  /// complete without it, and it contains neither < nor &, so that the page is valid XML.
  static let pageScript = String(decoding: PackageResources.page_js, as: UTF8.self)
  private static let style = "\n\(ChartStyle.palette)\(ChartStyle.shapes)\(pageStyle)", script = "\n\(pageScript)"

  /// Returns a whole page, ended by a line feed; `title` is plain text, the other parts are markup.
  package static func text(title: String, skip: (id: String, text: String), header: String, main: String, footer: String) -> String {
    """
    <!DOCTYPE html>
    <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
    <head>
    <meta charset="utf-8"/>
    <meta http-equiv="Content-Security-Policy" content="\(policy)"/>
    <meta name="viewport" content="width=device-width, initial-scale=1"/>
    <meta name="color-scheme" content="light dark"/>
    <title>\(XMLText.line(title))</title>
    <style>\(style)</style>
    </head>
    <body>
    <a class="skip" href="#\(skip.id)">\(XMLText.line(skip.text))</a>
    <header>
    \(header)</header>
    <main>
    \(main)</main>
    <footer>
    \(footer)</footer>
    <script>\(script)</script>
    </body>
    </html>

    """
  }

  /// The content security policy: no requests, no frames, only our inline style and script by their SHA-256 (CSP 3, 6.7.3).
  /// A test prints the hashes if a text changes.
  private static let policy =
    "default-src 'none'; style-src 'sha256-hxE8FN5fsJbNz989l8Ud24pNClAHlF//BKhIyV0RgtQ='; "
    + "script-src 'sha256-X0WmuwRqAAdVkCD8vTRvkpOI14WzwoLH2NxG4kM88QI='; base-uri 'none'; form-action 'none'"

  package static func heading(_ text: String, id: String = "") -> String {
    XMLText.element("h2", id.isEmpty ? [] : [("id", id)], XMLText.isolated(text)) + "\n"
  }

  /// Returns a drawing as a region that the keyboard can reach, because it scrolls on narrow screens; `path` is that of its file.
  package static func figure(_ drawing: SVGDrawing, prefix: String = "", path: String = "") -> String {
    let attributes =
      (drawing.isWide ? [("class", "long")] : []) + [("role", "region"), ("tabindex", "0"), ("aria-label", SafeText.line(drawing.title))]
    let link = path.isEmpty ? "" : "<figcaption>\(XMLText.element("a", [("href", path)], XMLText.line(path)))</figcaption>\n"
    return XMLText.element("figure", attributes, "\n\(drawing.element(prefix: prefix))\n\(link)") + "\n"
  }
}
