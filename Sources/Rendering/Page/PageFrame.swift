// The frame of every page: the policy that forbids network requests, styles and the script. The markup is valid XML.

import Analysis
import Base

package enum PageFrame {
  private static let style = "\n\(ChartStyle.palette)\(ChartStyle.shapes)\(PageStyle.text)", script = "\n\(PageScript.text)"

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

/// The page's own style sheet, for light, dark and paper. It contains nothing that is XML markup.
enum PageStyle {
  static let text = """
    *{box-sizing:border-box}
    body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
    main,header,footer{max-width:86rem;margin:0 auto;padding:0 1rem}
    header{padding-top:1.5rem}footer{padding-bottom:2rem;color:var(--soft)}
    h1{margin:0 0 .25rem;font-size:1.7rem;overflow-wrap:anywhere}h2{margin:2.25rem 0 .5rem;font-size:1.25rem}
    .answer{max-width:76rem;font-size:1.15rem;padding:.75rem 1rem;border-left:.3rem solid var(--main);background:var(--shade);overflow-wrap:anywhere}
    a{color:var(--main)}sup{line-height:0}nav{color:var(--soft)}nav ul{display:inline;margin:0;padding:0}nav li{display:inline-block;margin-right:1rem}
    summary{cursor:pointer;padding:.25rem 0}details details{margin-left:1rem}
    .skip{position:absolute;left:-99rem}.skip:focus{left:1rem;top:.5rem;background:var(--paper);padding:.25rem .5rem}
    :focus-visible{outline:3px solid var(--main);outline-offset:2px}
    .wide{overflow:auto;margin:.5rem 0 1rem}.wide:has(.sortable){max-height:80vh}
    table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums}
    caption{text-align:left;color:var(--soft);padding:.25rem 0}
    th,td{padding:.25rem .6rem;border-bottom:1px solid var(--rule);text-align:left;vertical-align:top}
    th{background:var(--shade)}thead th{position:sticky;top:0;z-index:1}.n{text-align:right}td.n{white-space:nowrap}
    .strong td,.top{font-weight:700}.good{color:var(--good)}.bad{color:var(--bad)}
    td button{all:unset;cursor:pointer;color:var(--main);text-decoration:underline}td button:focus-visible{outline:3px solid var(--main)}
    th button{all:unset;cursor:pointer;font-weight:700}th button:focus-visible{outline:3px solid var(--main)}
    th[aria-sort=ascending] button::after{content:" \\25B2"}th[aria-sort=descending] button::after{content:" \\25BC"}
    .charts{columns:2 37.5rem;column-gap:1.5rem}.charts figure{margin:0 0 1.5rem;break-inside:avoid}
    .charts .long{column-span:all}figcaption{font-size:.8rem}
    .tools{display:flex;flex-wrap:wrap;gap:.5rem 1rem;align-items:center}
    .tools input{font:inherit;color:inherit;background:var(--paper);border:1px solid var(--soft);border-radius:.25rem;padding:.2rem .5rem;width:28rem;max-width:100%}
    .tools output{color:var(--soft)}
    dl{display:grid;grid-template-columns:max-content 1fr;gap:.25rem 1rem;margin:.5rem 0}dt{color:var(--soft)}dd{margin:0;overflow-wrap:anywhere}
    figure{margin:1.25rem 0;overflow-x:auto}
    pre{background:var(--shade);padding:.75rem 1rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere}
    li code{display:inline-block;overflow-wrap:anywhere}
    @media screen and (max-width:48rem){dl{display:block}dd{margin-bottom:.5rem}th,td{padding:.25rem .4rem}
    }
    @media print{.tools,.skip,.screen,nav,figcaption{display:none}th button,td button{display:contents}thead th{position:static}
    .wide,figure{overflow:visible;break-inside:avoid}.wide:has(.sortable){max-height:none;break-inside:auto}
    .charts{columns:auto}.chart,.chart.long{min-width:0;max-width:100%}details::details-content{content-visibility:visible;height:auto}
    tr{break-inside:avoid}h2{break-after:avoid}:root,body{font-size:10pt}table{font-size:8pt}main,header,footer{max-width:none}}

    """
}
