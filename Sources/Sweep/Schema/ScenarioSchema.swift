// All keys of a scenario in one table, for lists, help and point ids.

import Base
import Simulation

package enum ScenarioSchema {
  package struct Section: Sendable {
    /// The object's path; empty for the scenario itself.
    package var path: String
    package var parameters: [Parameter]

    package func path(of parameter: Parameter) -> String { path.isEmpty ? parameter.key : "\(path).\(parameter.key)" }
  }

  /// Returns the sections of a kind of scenario in the order of lists, without the settings of prefetchers.
  package static func sections(of kind: ScenarioKind) -> [Section] {
    kind.keys.flatMap { key in kind.parts.first { $0.key == key }?.sections ?? [] }
  }

  /// The sections of all kinds; those that kinds share occur for each.
  static var sections: [Section] { ScenarioKind.allCases.flatMap(sections(of:)) }

  /// Returns a remedy that names the paths of a key written without its part, such as `prefetcher.maxCost`; nil if no part has the key.
  static func remedy(forKey key: String) -> String? {
    let all = sections.flatMap { section in section.parameters.map { section.path(of: $0) } }
    let settings = PrefetcherCatalogue.standard.definitions.flatMap(\.settings).map { "prefetcher.\($0.key)" }
    let paths = (all + settings).filter { $0.hasSuffix("." + key) }.distinct
    return paths.isEmpty || paths.count > 4 ? nil : "did you mean \(paths.joined(separator: " or "))?"
  }

  /// True if a team ships a path with its app or server; other paths belong to users or to the model.
  package static func isShipped(_ path: String) -> Bool { shipped.contains(start(of: path, 1)) || shipped.contains(start(of: path, 2)) }

  /// The parts that a team ships, and the keys of other parts: `prefetcher`, `network.tls`, `feed.pages`.
  static let shipped: Set<String> = {
    let parts = ScenarioKind.allCases.flatMap(\.parts).filter(\.isShipped).map(\.key)
    let keys = sections.flatMap { section in section.parameters.filter(\.isShipped).map { start(of: section.path(of: $0), 2) } }
    return Set(parts + keys)
  }()

  private static func start(of path: String, _ count: Int) -> String { path.split(separator: ".").prefix(count).joined(separator: ".") }

  /// The paths of names whose contents other lines spell out, such as a profile or a file; point ids leave them out.
  static let names: Set<String> = {
    let prefetchers = Section(path: "prefetcher", parameters: PrefetcherCatalogue.standard.definitions.flatMap(\.settings))
    return Set((sections + [prefetchers]).flatMap { section in section.parameters.filter(\.isName).map { section.path(of: $0) } })
  }()
}

package enum ScenarioKind: String, CaseIterable {
  case feed, backgroundDownload

  /// The keys of a scenario in the order of lists; every axis path begins with one.
  package var keys: [String] {
    switch self {
    case .feed: ["feed", "network", "downloads", "user", "prefetcher", "energy"]
    case .backgroundDownload: ["resources", "network", "app", "daemon", "strategy", "energy", "mark"]
    }
  }

  static var allKeys: [String] { allCases.flatMap(\.keys).distinct }

  package static func of(_ scenario: JSON5Value?) -> ScenarioKind { scenario?["kind"]?.text.flatMap(ScenarioKind.init(rawValue:)) ?? .feed }

  var settings: [CanonicalSetting] { self == .feed ? [] : [CanonicalSetting(path: "kind", value: rawValue)] }

  package init(from reader: inout ObjectReader) {
    self = .feed
    guard let value = reader.value("kind") else { return }
    let names = Self.allCases.map(\.rawValue)
    let name = reader.result(of: "kind") { () throws(ValueProblem) in try ScalarValue.choice(value, of: names) }
    self = name.flatMap(ScenarioKind.init) ?? .feed
    if self != .feed { reader.record("kind", rawValue) }
  }
}

/// A setting without effect under the scenario's transport.
package struct IgnoredSetting: Hashable, Sendable {
  package var transport: String, path: String

  /// The setting's path, without the circumstance in parentheses that some have behind it.
  var key: String { String(path.prefix { $0 != " " }) }

  /// Returns a footnote for each transport that ignores settings.
  package static func warnings(_ settings: [IgnoredSetting]) -> [String] {
    settings.map(\.transport).distinct.map { transport in
      let own = settings.filter { $0.transport == transport }
      // A path has all its circumstances behind it, and none if it is ignored in others, too.
      let paths = own.map(\.key).distinct.map { key in
        let paths = own.filter { $0.key == key }.map(\.path)
        let circumstances = paths.map { $0.dropFirst(key.count + 2).dropLast() }
        return paths.contains(key) ? key : "\(key) (\(circumstances.joined(separator: "; ")))"
      }
      let ignored = "The \(transport) transport ignores \(paths.joined(separator: ", "))"
      guard transport != NetworkConfiguration.TransportKind.packet.rawValue else { return ignored + "." }
      return ignored + (paths.count == 1 ? ": its effect is" : ": their effects are")
        + " missing in these figures; use \"packet\" to include \(paths.count == 1 ? "it" : "them")."
    }
  }
}
