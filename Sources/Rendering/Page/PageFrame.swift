// What every page has around its contents: the policy that forbids network requests, styles, and the script of tables.
// The markup is XML too, so that any parser of XML reads it.

/// The frame of a page.
package enum PageFrame {
  /// A whole page, ended by a line feed; `title` is a plain text, all others are markup.
  package static func text(title: String, skip: (id: String, text: String), header: String, main: String, footer: String) -> String {
    let style = "\n\(ChartStyle.palette)\(ChartStyle.shapes)\(PageStyle.text)"
    let script = "\n\(PageScript.text)"
    return """
      <!DOCTYPE html>
      <html lang="en" xmlns="http://www.w3.org/1999/xhtml">
      <head>
      <meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="\(policy(style: style, script: script))"/>
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

  /// Nothing may be fetched, sent or framed; of what is inline, only our own style and script hold, by their hashes (CSP 3, 6.7.3).
  private static func policy(style: String, script: String) -> String {
    "default-src 'none'; style-src 'sha256-\(SHA256.base64(style.utf8))'; script-src 'sha256-\(SHA256.base64(script.utf8))'; "
      + "base-uri 'none'; form-action 'none'"
  }

  /// A heading of a section.
  package static func heading(_ text: String) -> String { "<h2>\(XMLText.isolated(text))</h2>\n" }

  /// A drawing among the text; the ids of its elements begin with `prefix`.
  package static func figure(_ drawing: SVGDrawing, prefix: String = "") -> String {
    // What scrolls is reached by the keyboard as a region of its own.
    let scrolls = drawing.keepsWidth ? " role=\"region\" tabindex=\"0\" aria-label=\"\(XMLText.attribute(drawing.title))\"" : ""
    return "<figure\(scrolls)>\n\(drawing.element(prefix: prefix))\n</figure>\n"
  }
}
