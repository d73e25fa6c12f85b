// All keys of a scenario in one table: what lists, help and point ids are made of.

import Import
import Simulation

/// The schema of the scenarios there are.
package enum ScenarioSchema {
  /// An object of a scenario and its keys.
  package struct Section: Sendable {
    /// The object's path; empty for the scenario itself.
    package var path: String
    package var parameters: [Parameter]

    /// The path of one of its keys.
    package func path(of parameter: Parameter) -> String { path.isEmpty ? parameter.key : "\(path).\(parameter.key)" }
  }

  /// The sections of a scenario of some kind, in the order of lists, but for the settings of its prefetcher.
  package static func sections(of kind: ScenarioKind) -> [Section] {
    let network = Section(path: "network", parameters: NetworkPart.parameters)
    switch kind {
    case .feed:
      return [
        Section(path: "feed", parameters: FeedPart.parameters), Section(path: "feed.pages", parameters: PagesPart.parameters), network,
        Section(path: "downloads", parameters: DownloadSettings.parameters), Section(path: "user", parameters: UserPart.parameters),
      ]
    case .backgroundDownload:
      return [
        Section(path: "resources", parameters: ResourcesPart.parameters), network,
        Section(path: "app", parameters: AppLife.parameters), Section(path: "daemon", parameters: DaemonSettings.parameters),
        Section(path: "strategy", parameters: DownloadStrategy.parameters), Section(path: "energy", parameters: EnergyProxy.parameters),
        Section(path: "", parameters: [ResourcesPart.mark.parameter].compactMap { $0 }),
      ]
    }
  }

  /// The paths that only name what other lines of a point spell out: a profile its numbers, a file its contents. Its id is made without
  /// them.
  static let names: Set<String> = Set(
    ScenarioKind.allCases.flatMap { sections(of: $0) }.flatMap { section in section.parameters.filter(\.isName).map { section.path(of: $0) }
    })
}

/// A setting that has no effect, because the transport under it has no such thing.
package struct IgnoredSetting: Hashable, Sendable {
  /// The transport that ignores it.
  package var transport: String
  /// The setting's path.
  package var path: String

  /// A footnote for each transport that ignores something.
  package static func warnings(_ settings: [IgnoredSetting]) -> [String] {
    var transports: [String] = []
    for setting in settings where !transports.contains(setting.transport) { transports.append(setting.transport) }
    return transports.map { transport in
      let paths = settings.filter { $0.transport == transport }.map(\.path)
      let ignored = "The \(transport) transport ignores \(paths.joined(separator: ", "))"
      guard transport != NetworkConfiguration.TransportKind.packet.rawValue else { return ignored + "." }
      return ignored + (paths.count == 1 ? ": what it does is" : ": what they do is") + " not in these figures; use \"packet\" for that."
    }
  }
}
