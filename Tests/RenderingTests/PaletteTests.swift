import Foundation
import Testing

@testable import Rendering

/// The colours of marks under normal vision and three simulated deficiencies (Machado, Oliveira & Fernandes 2009, severity 1).
@Suite struct PaletteTests {
  private static let marks = ["best", "base"] + (0...5).map { "c\($0)" }

  @Test(arguments: [false, true]) func marksDifferForAllVisions(isDark: Bool) throws {
    let colors = Palette.colors(isDark: isDark)
    for vision in Palette.visions {
      let labs = try Self.marks.map { Palette.lab(of: try #require(colors[$0]), vision.matrix) }
      for first in labs.indices {
        for second in labs.indices where first < second {
          let difference = Palette.difference(labs[first], labs[second])
          #expect(difference >= 12, "\(Self.marks[first]) and \(Self.marks[second]), \(vision.name): \(difference)")
        }
      }
    }
  }

  @Test func reasonsDifferInLightnessAlone() throws {
    let colors = Palette.colors(isDark: false)
    let lightness = try (0...5).map { Palette.lab(of: try #require(colors["c\($0)"]), Palette.visions[0].matrix)[0] }.sorted()
    #expect(zip(lightness, lightness.dropFirst()).allSatisfy { $1 - $0 >= 7 }, "\(lightness)")
  }

  @Test func nothingElseHasTheColoursOfBaselineAndWinner() {
    let colors = Palette.colors(isDark: false)
    for name in ["best", "base"] { #expect(colors.filter { $0.value == colors[name] }.count == 1) }
    let users = (ChartStyle.shapes + PageFrame.pageStyle).split(separator: "}").filter {
      $0.contains("var(--best)") || $0.contains("var(--base)")
    }
    let classes = users.map { $0.split(separator: "{")[0].trimmingCharacters(in: .whitespacesAndNewlines) }
    #expect(classes.sorted() == [".chart .base", ".chart .best", ".chart .outline", ".chart .won"])
  }

  /// Pairs of Sharma, Wu & Dalal 2005 (doi:10.1002/col.20070), table 1.
  @Test func theDifferenceIsThatOfItsDefinition() {
    let cases: [([Double], [Double], Double)] = [
      ([50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425), ([50, 2.49, -0.001], [50, -2.49, 0.0009], 7.1792),
      ([60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644),
      ([2.0776, 0.0795, -1.135], [0.9033, -0.0636, -0.5514], 0.9082),
    ]
    for (first, second, expected) in cases { #expect(abs(Palette.difference(first, second) - expected) < 1e-4) }
  }
}

/// The colours of the style sheet, and their differences.
enum Palette {
  /// Returns the colours of a scheme by name.
  static func colors(isDark: Bool) -> [String: String] {
    let blocks = ChartStyle.palette.split(separator: "{").filter { $0.contains("--paper:") }
    // The dark scheme replaces some of the light one's colours.
    var colors: [String: String] = [:]
    for block in blocks.prefix(isDark ? 2 : 1) {
      for part in block.split(whereSeparator: { $0 == ";" || $0 == "}" }) {
        let pair = part.split(separator: ":")
        if pair.count == 2, pair[0].hasPrefix("--") { colors[String(pair[0].dropFirst(2))] = String(pair[1]) }
      }
    }
    return colors
  }

  static let visions: [(name: String, matrix: [[Double]])] = [
    ("normal", [[1, 0, 0], [0, 1, 0], [0, 0, 1]]),
    ("protanopia", [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]),
    ("deuteranopia", [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]),
    ("tritanopia", [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]),
  ]

  /// Returns a colour as CIELAB under D65, after a matrix on its linear components.
  static func lab(of text: String, _ matrix: [[Double]]) -> [Double] {
    let digits = Array(text.dropFirst())
    let linear = [0, 2, 4].map { index -> Double in
      let value = Double(Int(String(digits[index...(index + 1)]), radix: 16) ?? 0) / 255
      return value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
    }
    func applied(_ rows: [[Double]], _ column: [Double]) -> [Double] { rows.map { zip($0, column).reduce(0) { $0 + $1.0 * $1.1 } } }
    let seen = applied(matrix, linear).map { min(1, max(0, $0)) }
    let toXYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
    let scaled = zip(applied(toXYZ, seen), [0.95047, 1, 1.08883]).map { value, white -> Double in
      let share = value / white
      return share > 216.0 / 24389 ? cbrt(share) : (24389.0 / 27 * share + 16) / 116
    }
    return [116 * scaled[1] - 16, 500 * (scaled[0] - scaled[1]), 200 * (scaled[1] - scaled[2])]
  }

  /// Returns the difference CIEDE2000 of two colours in CIELAB.
  static func difference(_ one: [Double], _ other: [Double]) -> Double {
    func degrees(_ radians: Double) -> Double { radians * 180 / .pi }
    func cosine(_ degrees: Double) -> Double { cos(degrees * .pi / 180) }
    let meanChroma = (hypot(one[1], one[2]) + hypot(other[1], other[2])) / 2
    let stretch = 1 + 0.5 * (1 - sqrt(pow(meanChroma, 7) / (pow(meanChroma, 7) + pow(25, 7))))
    let (first, second) = ([one[1] * stretch, one[2]], [other[1] * stretch, other[2]])
    let chroma = [hypot(first[0], first[1]), hypot(second[0], second[1])]
    let hue = [first, second].map {
      ($0[0] == 0 && $0[1] == 0) ? 0 : (degrees(atan2($0[1], $0[0])) + 360).truncatingRemainder(dividingBy: 360)
    }
    let isGrey = chroma[0] * chroma[1] == 0
    var turn = isGrey ? 0 : hue[1] - hue[0]
    if turn > 180 { turn -= 360 } else if turn < -180 { turn += 360 }
    let (light, rich) = (other[0] - one[0], chroma[1] - chroma[0])
    let round = 2 * sqrt(chroma[0] * chroma[1]) * sin(turn / 2 * .pi / 180)
    let (meanLight, meanRich) = ((one[0] + other[0]) / 2, (chroma[0] + chroma[1]) / 2)
    let sum = hue[0] + hue[1]
    let meanHue = isGrey ? sum : abs(hue[0] - hue[1]) <= 180 ? sum / 2 : sum < 360 ? (sum + 360) / 2 : (sum - 360) / 2
    let weight =
      1 - 0.17 * cosine(meanHue - 30) + 0.24 * cosine(2 * meanHue) + 0.32 * cosine(3 * meanHue + 6) - 0.20 * cosine(4 * meanHue - 63)
    let scales = [
      1 + 0.015 * pow(meanLight - 50, 2) / sqrt(20 + pow(meanLight - 50, 2)), 1 + 0.045 * meanRich, 1 + 0.015 * meanRich * weight,
    ]
    let angle = 30 * exp(-pow((meanHue - 275) / 25, 2))
    let rotation = -2 * sqrt(pow(meanRich, 7) / (pow(meanRich, 7) + pow(25, 7))) * sin(2 * angle * .pi / 180)
    let parts = zip([light, rich, round], scales).map { $0 / $1 }
    return sqrt(parts.reduce(0) { $0 + $1 * $1 } + rotation * parts[1] * parts[2])
  }
}
