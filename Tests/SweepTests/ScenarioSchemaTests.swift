import Simulation
import Testing

@testable import Base
@testable import Sweep

/// The schema documents exactly the keys that are decoded.
@Suite struct ScenarioSchemaTests {
  private func problem(_ scenario: String) throws -> Diagnostic {
    let sink = DiagnosticSink()
    let value = try #require(JSON5Parser.parse(scenario, file: "s", into: sink))
    _ = ScenarioDecoder(files: InputFiles(folder: "")).decode(value, into: sink)
    return try #require(sink.sorted.first { $0.problem == "unknown key" })
  }

  /// Returns the keys that the remedy for an unknown key names.
  private func knownKeys(_ scenario: String) throws -> [String] {
    let remedy = try problem(scenario).remedy
    let list = try #require(remedy.split(separator: "known keys: ").last)
    return list.split(separator: ", ").map(String.init)
  }

  @Test(arguments: [
    ("network", "{ network: { profile: '3G', zzzzzz: 1 }, prefetcher: 'none' }"),
    ("downloads", "{ network: '3G', prefetcher: 'none', downloads: { zzzzzz: 1 } }"),
    ("user", "{ network: '3G', prefetcher: 'none', user: { zzzzzz: 1 } }"),
    ("feed.pages", "{ network: '3G', prefetcher: 'none', feed: { pages: { zzzzzz: 1 } } }"),
    ("app", "{ kind: 'backgroundDownload', network: '3G', strategy: 'archive', app: { zzzzzz: 1 } }"),
    ("daemon", "{ kind: 'backgroundDownload', network: '3G', strategy: 'archive', daemon: { zzzzzz: 1 } }"),
    ("energy", "{ kind: 'backgroundDownload', network: '3G', strategy: 'archive', energy: { zzzzzz: 1 } }"),
    ("resources", "{ kind: 'backgroundDownload', network: '3G', strategy: 'archive', resources: { zzzzzz: 1 } }"),
  ])
  func everyKeyThatIsReadIsDeclared(_ path: String, _ scenario: String) throws {
    let sections = ScenarioKind.allCases.flatMap { ScenarioSchema.sections(of: $0) }
    // Of an object such as `downloads.store`, each key is declared and the object is known.
    let declared = try #require(sections.first { $0.path == path }).parameters.map { String($0.key.prefix { $0 != "." }) }
    let known = try knownKeys(scenario)
    #expect(known.allSatisfy(declared.contains), "\(known) \(declared)")
    // The other keys belong to a trace, drawn rates, or another description of the user.
    #expect(Set(declared).subtracting(known).isSubset(of: ["length", "scale", "seed"]))
  }

  @Test func everyParameterHasASentenceAndARangeThatHoldsItsDefault() throws {
    let rows = Catalogue.parameters()
    #expect(Set(rows.map { $0[0] }).count == rows.count)
    for row in rows { #expect(row.allSatisfy { !$0.isEmpty } && row[5].hasSuffix("."), "\(row)") }
    #expect(Catalogue.sweepKeys.map { $0[0] } == Overlay.sweepKeys)
    for definition in PrefetcherDefinition.standard {
      // The defaults are decoded as they are listed, and none of them is out of its range.
      var reader = ObjectReader(
        try #require(JSON5Parser.parse("{ kind: '\(definition.name)' }", file: "p", into: DiagnosticSink())), path: "prefetcher",
        context: DecodingContext())
      let context = reader.context
      let prefetcher = PrefetcherCatalogue.standard.prefetcher(from: &reader, files: InputFiles(folder: ""))
      #expect(prefetcher != nil && context.sink.isEmpty)
    }
  }

  /// Decodes a prefetcher; nil if a value has another type.
  private func prefetcher(_ text: String) -> (prefetcher: any Prefetcher, words: String, lines: Int)? {
    guard let value = JSON5Parser.parse("{ \(text) }", file: "p", into: DiagnosticSink()) else { return nil }
    var reader = ObjectReader(value, path: "prefetcher", context: DecodingContext())
    let context = reader.context
    guard let (prefetcher, words) = PrefetcherCatalogue.standard.prefetcher(from: &reader, files: InputFiles(folder: "")),
      context.sink.isEmpty
    else { return nil }
    return (prefetcher, words, context.settings.count)
  }

  @Test func anAbsentSettingHasNoLineAndTheDefaultThatItsWordsSay() throws {
    var found = 0
    for definition in PrefetcherDefinition.standard {
      let usual = try #require(prefetcher("kind: '\(definition.name)'"))
      for setting in definition.settings {
        guard case .words(let words) = setting.fallback else { continue }
        #expect(!usual.words.contains(setting.key), "\(definition.name) \(setting.key)")
        let texts = [words, "'\(words)'"].map { "kind: '\(definition.name)', \(setting.key): \($0)" }
        guard let given = texts.lazy.compactMap(prefetcher).first else { continue }
        #expect(given.lines == usual.lines + 1)
        #expect("\(given.prefetcher)" == "\(usual.prefetcher)", "\(definition.name) \(setting.key)")
        found += 1
      }
    }
    #expect(found >= 45)
  }

  @Test func aNameIsNoPartOfAnId() throws {
    let names = ["network.profile", "network.radio", "network.trace", "feed.file", "user.recording", "prefetcher.timeLimit"]
    #expect(ScenarioSchema.names == Set(names))
  }
}
