// Opens pages in a real browser.

import Foundation
import Testing

/// A Chromium without a window.
package enum Browser {
  /// The output of opening a page.
  package struct Visit {
    /// The script's output: one line per call of `say`.
    package var said: [String]
    /// The browser's console: errors, warnings and violations of the page's policy.
    package var console: [String]
  }

  /// The program; nil where there is none.
  package static let path: String? = {
    let environment = ProcessInfo.processInfo.environment
    let names = ["chromium", "chromium-browser", "google-chrome", "chrome"]
    let folders = (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    let candidates = [environment["CHROMIUM"]].compactMap { $0 } + folders.flatMap { folder in names.map { "\(folder)/\($0)" } }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) }
  }()

  /// Opens a page in a frame, runs a script beside it that sees the frame's window as `page` and its document as `doc`, and closes.
  package static func visit(page: String, isDark: Bool, width: Int = 1000, script: String) throws -> Visit {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("page-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try page.write(to: folder.appendingPathComponent("report.html"), atomically: true, encoding: .utf8)
    let driver = """
      <!DOCTYPE html><meta charset="utf-8"><pre id="said"></pre><iframe id="frame" src="report.html" width="\(width)" height="800"></iframe>
      <script>
      const lines = [];
      const say = (...words) => lines.push(words.join(" "));
      document.getElementById("frame").addEventListener("load", event => {
        const page = event.target.contentWindow, doc = event.target.contentDocument;
        try {
          \(script)
        } catch (error) { say("thrown", error); }
        document.getElementById("said").textContent = JSON.stringify(lines);
      });
      </script>
      """
    let start = folder.appendingPathComponent("driver.html")
    try driver.write(to: start, atomically: true, encoding: .utf8)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: try #require(path))
    process.arguments = [
      "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--allow-file-access-from-files", "--enable-logging=stderr",
      "--window-size=\(width + 40),900", "--disable-background-networking", "--disable-component-update",
      "--host-resolver-rules=MAP * ~NOTFOUND",
      "--user-data-dir=\(folder.path)/profile", "--blink-settings=preferredColorScheme=\(isDark ? 0 : 1)", "--virtual-time-budget=5000",
      "--dump-dom", start.absoluteString,
    ]
    // Files, because a full pipe would stop the browser.
    let (out, log) = (folder.appendingPathComponent("out"), folder.appendingPathComponent("log"))
    for file in [out, log] { try Data().write(to: file) }
    process.standardOutput = try FileHandle(forWritingTo: out)
    process.standardError = try FileHandle(forWritingTo: log)
    try process.run()
    process.waitUntilExit()
    let dump = String(decoding: try Data(contentsOf: out), as: UTF8.self)
    let lines = String(decoding: try Data(contentsOf: log), as: UTF8.self).split(separator: "\n").map(String.init)
    return Visit(said: try said(in: dump), console: lines.filter { $0.contains("CONSOLE") })
  }

  private static func said(in dump: String) throws -> [String] {
    let start = try #require(dump.range(of: "<pre id=\"said\">"), "the browser showed nothing")
    let end = try #require(dump.range(of: "</pre>", range: start.upperBound..<dump.endIndex))
    let text = dump[start.upperBound..<end.lowerBound].replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing(
      "&amp;", with: "&")
    return try JSONDecoder().decode([String].self, from: Data(text.utf8))
  }
}
