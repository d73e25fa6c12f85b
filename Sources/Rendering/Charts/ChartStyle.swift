// The colours of charts and pages, for light, dark and paper; contrast of text and outlines as in WCAG 2.2, 1.4.3 and 1.4.11.
// Reasons, baseline and winner differ by a CIEDE2000 of 12 for all three colour vision deficiencies; reasons also by lightness and hatch.

import Analysis

/// Style sheets, free of characters that are XML markup.
package enum ChartStyle {
  static let file = palette + "svg{background:var(--paper)}\n" + shapes

  /// Returns the index of a reason's colour, equal in all charts.
  static func index(of reason: Metric) -> Int { Metric.reasons.firstIndex(of: reason) ?? 0 }

  /// Returns the class that fills a reason's marks. `evicted` has the paper's shade: few sweeps have a store.
  package static func fill(of reason: Metric) -> String { reason == .evicted ? "none" : "f\(index(of: reason))" }

  static let palette = """
    :root{color-scheme:light dark;\(marks)\(light)}
    @media screen and (prefers-color-scheme:dark){:root{\(dark)}}

    """

  /// The colours of marks in all schemes: the winner, the baseline and the reasons, whose lightness differs.
  private static let marks = "--best:#00855f;--base:#d55e00;--c0:#1b2a63;--c1:#f2eca6;--c2:#7dcdee;--c3:#6a4c93;--c4:#e69f00;--c5:#c05fb5;"

  private static let light =
    "--paper:#ffffff;--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--shade:#f3f5f8;--good:#0a6b3d;--bad:#b3261e;--main:#0b5cad;"
    + "--h0:#f2f7fc;--h1:#d3e4f3;--h2:#a9cce8;--h3:#79b0dc;--h4:#2f73b5;--h5:#1b5796;--h6:#0b3a6e;--hi:#10243a;--hj:#ffffff"

  private static let dark =
    "--paper:#14181d;--ink:#e8ecf1;--soft:#a9b4c0;--rule:#3a434d;--shade:#1d232a;--good:#5fd394;--bad:#ff9a90;--main:#7ab8ff;"
    + "--h0:#16263a;--h1:#1a3553;--h2:#1f466f;--h3:#27598c;--h4:#7fb3e3;--h5:#abd0f0;--h6:#d9ebfa;--hi:#ffffff;--hj:#0c1c2e"

  /// The shapes of all charts. The file contains nothing that is XML markup.
  static let shapes = String(decoding: PackageResources.chart_css, as: UTF8.self)
}
