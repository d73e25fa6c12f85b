// Draws valid scenarios from the declarations of the schema. Keys that the decoder refuses are removed until it accepts the rest.

import Base
import Oracles
import Simulation
import Sweep

struct ScenarioDrawing {
  /// The largest counts of items, visits or pages of most scenarios and of one in 16: time and memory of a run grow with them.
  private static let countLimits: (usual: Int64, rare: Int64) = (40, 3000)
  private let decoder: ScenarioDecoder
  /// Values of keys whose kind has its own syntax, from their declarations and from the files of a corpus.
  private let examples: [String: [JSON5Value]]

  /// Creates a drawing whose scenarios name files relative to `folder`; `trees` show values.
  init(folder: String, trees: [JSON5Value]) {
    decoder = ScenarioDecoder(files: InputFiles(folder: folder))
    var examples: [String: [JSON5Value]] = [:]
    func collect(_ value: JSON5Value) {
      for member in value.members ?? [] {
        examples[member.key, default: []].append(member.value)
        collect(member.value)
      }
      for element in value.elements ?? [] { collect(element) }
    }
    trees.forEach(collect)
    self.examples = examples
  }

  /// Returns a valid scenario and its text; nil if the decoder refuses what is left after all removals.
  func scenario(_ random: inout RandomStream) -> (tree: JSON5Value, decoded: DecodedScenario)? {
    let kind = random.below(8) == 0 ? ScenarioKind.backgroundDownload : .feed
    var settings: [(String, JSON5Value)] = [("kind", Self.parsed("\"\(kind.rawValue)\""))]
    // Some scenarios have many keys, others few.
    let share = random.unit() * 0.5
    let countLimit = random.below(16) == 0 ? Self.countLimits.rare : Self.countLimits.usual
    func value(of parameter: Parameter) -> JSON5Value { self.value(of: parameter, countLimit, &random) }
    for section in ScenarioSchema.sections(of: kind) {
      for parameter in section.parameters where random.unit() < share {
        settings.append((section.path(of: parameter), value(of: parameter)))
      }
    }
    let isDrawn = settings.contains { $0.0 == "network.trace" || $0.0 == "network.mobile" }
    if !isDrawn, random.below(4) > 0,
      let profile = ScenarioSchema.sections(of: kind).first(where: { $0.path == "network" })?.parameters.first(where: {
        $0.key == "profile"
      })
    {
      settings.append(("network.profile", value(of: profile)))
    }
    if kind == .feed {
      let definitions = PrefetcherDefinition.standard
      let definition = definitions[Int(random.below(UInt64(definitions.count)))]
      settings.append(("prefetcher.kind", Self.parsed("\"\(definition.name)\"")))
      for parameter in definition.settings where random.unit() < share {
        settings.append(("prefetcher.\(parameter.key)", value(of: parameter)))
      }
    }
    return valid(settings)
  }

  /// Returns a scenario on another transport; nil if it refuses one of the keys.
  static func scenario(
    _ tree: JSON5Value, on transport: NetworkConfiguration.TransportKind, _ decoder: ScenarioDecoder
  ) -> DecodedScenario? {
    (try? tree.setting(path: "network.transport", to: parsed("\"\(transport.rawValue)\""))).flatMap { try? decoder.decoded($0) }
  }

  private static func parsed(_ text: String) -> JSON5Value { .scalar(fromCommandLine: text, option: "scenario") }

  /// Removes the settings that the decoder names in its messages until it accepts the others.
  private func valid(_ settings: [(String, JSON5Value)]) -> (JSON5Value, DecodedScenario)? {
    var settings = settings
    for _ in 0..<64 {
      let tree: JSON5Value
      do throws(JSON5Value.SettingProblem) {
        tree = try JSON5Value(kind: .object([]), location: SourceLocation(file: "")).setting(settings)
      } catch {
        settings.remove(at: error.index)
        continue
      }
      let sink = DiagnosticSink()
      if let decoded = decoder.decode(tree, into: sink) { return (tree, decoded) }
      let refused = Set(sink.sorted.map(\.key))
      func without(_ keys: Set<String>) -> [(String, JSON5Value)] {
        settings.filter { path, _ in !keys.contains { $0 == path || path.hasPrefix($0 + ".") || $0.hasPrefix(path + ".") } }
      }
      let kept = without(refused.filter { $0.contains(".") })
      // A message about a whole part means that something is missing in it, which a name gives.
      let required = [("network", "\"3G\""), ("strategy", "\"fourPerWake\"")].filter { refused.contains($0.0) }
      settings = kept.count < settings.count ? kept : without(refused) + required.map { ($0.0, Self.parsed($0.1)) }
    }
    return nil
  }

  // MARK: Values

  private func value(of parameter: Parameter, _ countLimit: Int64, _ random: inout RandomStream) -> JSON5Value {
    if case .other(let syntax) = parameter.kind {
      // A declaration shows its syntax: `{ enter: 0.01, … } or "none"`.
      let shown = syntax.split(separator: " or ").map { Self.parsed(String($0)) }
      let all = shown + (examples[parameter.key.split(separator: ".").last.map(String.init) ?? ""] ?? [])
      return all[Int(random.below(UInt64(all.count)))]
    }
    return Self.parsed(Self.text(of: parameter, countLimit, &random))
  }

  private static func text(of parameter: Parameter, _ countLimit: Int64, _ random: inout RandomStream) -> String {
    var standard: Int64?
    if case .value(.integer(let value)) = parameter.fallback { standard = value }
    if case .value(.distribution(.constant(let value))) = parameter.fallback { standard = value }
    func one(_ values: [String]) -> String { values[Int(random.below(UInt64(values.count)))] }
    func drawn(_ range: ClosedRange<Int64>, _ unit: String) -> String { "\"\(scaled(range, standard, &random))\(unit)\"" }
    func distribution(_ range: ClosedRange<Int64>, _ unit: String) -> String {
      let (first, second) = (scaled(range, standard, &random), scaled(range, standard, &random))
      return one([
        "\"\(first)\(unit)\"", "{ distribution: \"lognormal\", median: \"\(first)\(unit)\", sigma: \(one(["0", "0.5", "5"])) }",
        "{ distribution: \"exponential\", mean: \"\(first)\(unit)\" }",
        "{ distribution: \"uniform\", min: \"\(min(first, second))\(unit)\", max: \"\(max(first, second))\(unit)\" }",
      ])
    }
    switch parameter.kind {
    case .integer(let range):
      return
        "\(scaled(Int64(range.lowerBound)...min(Int64(range.upperBound), max(Int64(range.lowerBound), countLimit)), standard, &random))"
    case .number(let range):
      let middle = min(max(random.unit() * 4, range.lowerBound), range.upperBound)
      return one(["\(range.lowerBound)", "\(range.upperBound)", "\(middle)", "\(middle)"])
    case .probability: return one(["0", "0.001", "0.01", "\"5%\"", "0.3", "0.9", "0.999999"])
    case .share: return one(["0", "0.001", "\"50%\"", "0.7", "1"])
    case .boolean: return one(["true", "false"])
    case .text: return one(["\"a\"", "\"b\"", "\"cdn-1.example\""])
    case .choice(let names), .version(let names): return "\"\(one(names))\""
    case .duration(let range): return drawn(range, "ns")
    case .rate(let range): return drawn(range, "bps")
    case .size(let range): return drawn(range, "B")
    case .durations(let range): return distribution(range, "ns")
    case .sizes(let range): return distribution(range, "B")
    case .other: preconditionFailure("has examples")
    }
  }

  /// Draws a whole number: mostly below twice the default, otherwise of any order of magnitude, sometimes a limit.
  private static func scaled(_ range: ClosedRange<Int64>, _ standard: Int64?, _ random: inout RandomStream) -> Int64 {
    switch random.below(16) {
    case 0: return range.lowerBound
    case 1: return range.upperBound
    default: break
    }
    let span = UInt64(bitPattern: range.upperBound &- range.lowerBound)
    var high = random.below(2) == 0 ? standard.map { UInt64(max(0, $0)) &* 2 >> random.below(8) } ?? span : span
    if high == span { high >>= random.below(UInt64(64 - span.leadingZeroBitCount) + 1) }
    return range.lowerBound + Int64(min(span, random.below(high &+ 1 == 0 ? high : high + 1)))
  }
}
