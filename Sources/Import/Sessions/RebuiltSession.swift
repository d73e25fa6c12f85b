// A recorded session rebuilt as a sweep: its files, what each number comes from, and how near its replay is.

import Base
import Simulation

/// A session rebuilt from an archive.
package struct RebuiltSession: Sendable {
  /// A policy that explains the requests, and its distance from them.
  package struct Explanation: Sendable {
    /// The kind and its settings as a sweep file writes them.
    package let text: String
    package let kind: String
    /// The value of its first setting; nil if it has none.
    package let window: String?
    package let distance: Double
    /// True if no other explanation is nearer.
    package internal(set) var isBest: Bool
  }

  private let session: RecordedSession
  private let network: NetworkFit
  private let policy: PolicyTrial
  private let dwellsAreGiven: Bool, showsDwell: Bool
  /// The kinds of prefetchers, the nearest first.
  package let explanations: [Explanation]

  /// The distance above which no kind explains the requests.
  private static let farDistance = 0.6
  /// The distance up to which a kind is near the requests.
  private static let nearDistance = 0.4
  /// The fewest items that exclude other dwells.
  private static let fewestItems = 10
  /// The shortest usual dwell of a person who scrolls, in nanoseconds.
  private static let shortestDwell: Int64 = 100_000_000
  private static let axisKinds = [
    "none", "{ kind: \"itemsAhead\", ahead: 1 }", "{ kind: \"itemsAhead\", ahead: 3 }", "{ kind: \"itemsAhead\", ahead: 5 }",
    "{ kind: \"itemsAhead\", ahead: 10 }", "{ kind: \"costBudget\", maxCost: 5 }", "{ kind: \"adaptive\" }", "{ kind: \"clairvoyant\" }",
  ]

  /// Fits network, user and policy to a session. O(trials × packets).
  /// - Throws: any error of `check`.
  init(_ session: RecordedSession, dwells: ContiguousArray<Visit>?, check: @escaping () throws -> Void) throws {
    self.session = session
    dwellsAreGiven = dwells != nil
    network = try NetworkFit(session, check: check)
    let fit = try SessionFit(session, network.network, dwells: dwells, check: check)
    (policy, showsDwell) = (fit.trials[0], fit.showsDwell)
    let nearest = policy.distance
    explanations = fit.trials.map {
      Explanation(
        text: $0.text, kind: $0.definition.name, window: $0.window, distance: $0.distance,
        isBest: $0.distance <= nearest + SessionFit.exact / 2)
    }
  }

  /// True if no kind of prefetcher explains the order of the requests, or nobody scrolled.
  package var isUnexplained: Bool { policy.distance > Self.farDistance || isPageLoad }
  /// True if the items follow one another faster than anybody scrolls.
  private var isPageLoad: Bool {
    let visits = policy.activations.visits
    return !dwellsAreGiven
      && (policy.activations.dwell < Self.shortestDwell || visits.count { $0.dwell.nanoseconds < Self.shortestDwell } * 5 > visits.count)
  }

  /// Returns the agreement of a replay with the recording.
  package func reproduction(_ replay: SessionExplanation) -> Reproduction {
    Reproduction(session, replay.requests, unit: policy.activations.dwell)
  }

  // MARK: Files

  /// The feed is written by the reader of the archive; nil for a file that is not needed.
  var trace: String? {
    guard network.isVarying else { return nil }
    let periods = network.network.down.periods.map { period in
      "    {\"duration_ms\": \(ExactDecimal.text(period.duration.nanoseconds, decimals: 6)), "
        + "\"bandwidth_kbps\": \(ExactDecimal.text(period.bitsPerSecond, decimals: 3))}"
    }
    return "[\n\(periods.joined(separator: ",\n"))\n]\n"
  }

  /// The visits as a recording; nil if the dwell is constant.
  var visits: String? {
    if policy.activations.isConstant { return nil }
    return "item,dwellMs\n"
      + policy.activations.visits.map { "\($0.item),\(ExactDecimal.text($0.dwell.nanoseconds, decimals: 6))\n" }.joined()
  }

  private var dwell: String { "\(ExactDecimal.text(policy.activations.dwell, decimals: 6))ms" }
  /// True if the user gave the dwell, or if the policy explains the requests, and they show enough activations or exclude other dwells.
  package var isDwellKnown: Bool {
    let activations = policy.activations
    let excludesOthers = showsDwell && policy.distance <= Self.nearDistance && activations.times.count >= Self.fewestItems
    return dwellsAreGiven
      || !isUnexplained && (activations.knownShare >= 0.5 || activations.isConstant && activations.isKnown || excludesOthers)
  }

  /// Returns the sweep file, which names files that begin with `stem`.
  func sweep(named name: String, stem: String) -> String {
    let configuration = network.network
    func rate(_ link: LinkRate) -> String { quoted("\(ExactDecimal.text(link.periods[0].bitsPerSecond, decimals: 3))kbps") }
    func time(_ interval: Interval) -> String { quoted("\(interval.nanoseconds / 1000)us") }
    var link =
      network.isVarying ? "trace: \(quoted("\(stem)-trace.json"))" : "down: \(rate(configuration.down))"
    link += ", up: \(rate(configuration.up))"
    link += ", delayDown: \(time(configuration.delayDown)), delayUp: \(time(configuration.delayUp))"
    if configuration.http.dnsTime > .zero { link += ", dns: \(time(configuration.http.dnsTime))" }
    link += ", http: \(quoted(configuration.http.version.rawValue)), tls: \(quoted(configuration.http.security.rawValue))"
    let hosts = session.hosts
    var feed = "file: \(quoted("\(stem)-feed.json"))"
    if hosts.itemHosts > 1 || policy.pages != nil {
      let names =
        ItemKind.allCases.map { "\($0.name): \(quoted(hosts.names[hosts.of($0)]))" } + ["pages: \(quoted(hosts.names[hosts.ofPages]))"]
      feed += ", hosts: { \(names.joined(separator: ", ")) }"
    }
    if let pages = policy.pages { feed += ", pages: { size: \(pages.size), bytes: \"\(pages.bytes)B\", \(Self.text(pages.trigger)) }" }
    let user =
      policy.activations.isConstant
      ? "scroll: \(policy.activations.times.count), dwell: \(quoted(dwell))" : "recording: \(quoted("\(stem)-visits.csv"))"
    let downloads = policy.downloads
    var settings = "connections: \(downloads.connections), cancel: \(quoted(downloads.cancel.rawValue))"
    if downloads.keepPartial { settings += ", keepPartial: true" }
    if !downloads.restFirst { settings += ", restFirst: false" }
    if downloads.preempt { settings += ", preempt: true" }
    let others = Self.axisKinds.map { $0 == "none" ? "{ kind: \"none\" }" : $0 }.filter { $0 != policy.text }
    return """
      // A session rebuilt from \(SafeText.line(session.source)) by prefetch-sweep import --scenario.
      \(sources.map { "// - \($0)\n" }.joined()){
        sweep: \(quoted(name)),
        question: \(quoted(question)),
        scenario: {
          feed: { \(feed) },
          network: { \(link) },
          user: { \(user) },
          downloads: { \(settings) },
          prefetcher: \(policy.text),
        },
        axes: {
          prefetcher: [
            \(([policy.text] + others).joined(separator: ",\n      ")),
          ],
        },
        baseline: { prefetcher: \(policy.text) },   // \(isUnexplained ? "not the recording's, which shows none" : "the nearest to the recording")
        // The archive does not show these. Verdicts can differ from one value to another.
        uncertain: {
          \(uncertain.map { "\($0.path): \($0.values)" }.joined(separator: ",\n    ")),
        },
        margin: "2%",
        repeats: \(max(12, min(40, 12_000 / session.items.count))),
        seed: 1,
      }

      """
  }

  private var question: String {
    isUnexplained
      ? "How do policies compare on this feed? The recording does not show its own."
      : "What would another policy save than the one that is nearest to the recording?"
  }

  private static func text(_ trigger: PageTrigger) -> String {
    switch trigger {
    case .ratio(let share): "trigger: \"ratio\", ratio: \(DecimalText.plain(share))"
    case .remainingScreens(let screens): "trigger: \"remainingScreens\", screens: \(DecimalText.plain(screens))"
    case .itemsFromEnd(let count): "trigger: \"itemsFromEnd\", fromEnd: \(count)"
    default: "trigger: \"endReached\""
    }
  }

  /// The paths that the archive cannot tell, with their likely values.
  private var uncertain: [(path: String, values: String)] {
    var paths = [("\"network.queue\"", "[50, 200]"), ("\"network.lossDown\"", "[0, 0.005]")]
    if network.rateDoubt != nil, network.isVarying {
      paths.append(("\"network.scale\"", "[0.5, 1, 2]"))
    } else if network.rateDoubt != nil {
      let rate = network.network.down.periods[0].bitsPerSecond
      let rates = [max(10_000, min(rate / 4, network.busyRate)), rate, rate * 4].distinct.map { "\"\($0)bps\"" }
      paths.append(("\"network.down\"", "[\(rates.joined(separator: ", "))]"))
    }
    if !network.isDelayKnown {
      // The delay of one direction stays.
      let delay = network.network.delayDown.nanoseconds / 1000
      let delays = [delay / 2, delay, min(60_000_000, max(50_000, delay * 3))].distinct.map { "\"\($0)us\"" }
      paths.append(("\"network.delayDown\"", "[\(delays.joined(separator: ", "))]"))
    }
    if !isDwellKnown, policy.activations.isConstant {
      let dwell = policy.activations.dwell
      let values = [max(1_000_000, dwell / 2), dwell, dwell * 2].distinct.map { "\"\($0)ns\"" }
      paths.append(("\"user.dwell\"", "[\(values.joined(separator: ", "))]"))
    }
    return paths
  }

  /// The origin of each part, and how far it can be trusted, a sentence each.
  package var sources: [String] {
    let (requests, items) = (session.requests, session.items)
    let percent = DecimalText.trimmed(network.error * 100, decimals: 1)
    let parts = requests.filter { !$0.isPage && $0.offset == 0 && items[$0.number].kind == .video && $0.bytes < items[$0.number].bytes }
    let videos = items.count { $0.kind == .video }
    var lines = ["feed: \(items.count) items in the order of their first requests; sizes are those of the bodies"]
    if videos > 0, parts.isEmpty {
      lines.append("feed: the archive does not show which prefix a video needs to start; 200 KB are assumed, or all of a smaller one")
    }
    if videos > 0 { lines.append("feed: a video has the one rendition that the archive shows; the sizes of others are unknown") }
    if session.manifests > 0 {
      let count = session.manifests == 1 ? "1 request" : "\(session.manifests) requests"
      lines.append("feed: \(count) for manifests or playlists are left out, so that videos start earlier than they did by that round trip")
    }
    let configuration = network.network
    let rates =
      network.isVarying
      ? "a rate for each second" : "\(DecimalText.trimmed(Double(configuration.down.periods[0].bitsPerSecond) / 1000, decimals: 0)) kbit/s"
    let known = network.rateDoubt.map { "; the rate is unknown: \($0)" } ?? ""
    let played = network.requestCount == 1 ? "1 request" : "\(network.requestCount) requests"
    lines.append(
      "network: \(rates) and a round trip of \(DecimalText.trimmed(Double((configuration.delayDown + configuration.delayUp).nanoseconds) / 1e6, decimals: 1)) ms, "
        + "fitted to \(played), whose times and bytes differ by \(percent) %\(known)")
    if network.isVarying, network.rateDoubt == nil {
      lines.append("network: the mean of the rates while requests wait or receive is known; that of a single second can be off")
    }
    if !network.isDelayKnown {
      lines.append("network: the round trip is a guess, and under uncertain: others explain the times about as well, or none does well")
    }
    if network.beginsOpen, !network.hasConnections {
      lines.append("network: the archive has no times of connections; its times are those of connections that were open before it began")
    }
    lines.append("network: the uplink's rate is fitted, but shows little; the queue and losses are unknown and under uncertain")
    lines.append(
      "network: HTTP/\(configuration.http.version.rawValue) by the entries; TLS \(configuration.http.security.rawValue)\(network.hasConnections ? " by the times of connections" : " by the addresses")"
    )
    let activations = policy.activations
    if dwellsAreGiven {
      lines.append("user: the dwells of --dwells")
    } else if isDwellKnown {
      let share = DecimalText.trimmed(activations.knownShare * 100, decimals: 0)
      lines.append(
        "user: \(activations.times.count) items"
          + (activations.isKnown ? ", of which requests show \(share) % of the activations" : "; another dwell explains the requests worse")
          + (activations.isConstant ? "; the dwell is constant, \(dwell)" : ", each with its own dwell"))
    } else {
      lines.append("user: the dwell is unknown; about \(dwell) an item follow from the requests under the nearest policy")
    }
    lines.append("user: the archive does not say when the last items were left, or if the user looked at more items without requests")
    let best = explanations.dropFirst().filter(\.isBest).map(\.text)
    let others = best.prefix(6) + (best.count > 6 ? ["… (\(best.count - 6) more)"] : [])
    if isPageLoad {
      lines.append("prefetcher: items follow one another every \(dwell), as when a page loads; nobody scrolled, so that no policy shows")
    }
    let distance = DecimalText.trimmed(policy.distance, decimals: 3)
    if policy.distance > Self.farDistance {
      lines.append("prefetcher: no known kind makes these requests; the nearest has the distance \(distance)")
    } else if !isPageLoad {
      let worth = policy.distance > Self.nearDistance ? "; that is weak: do not take it for the app's policy" : ""
      lines.append(
        "prefetcher: distance \(distance) (0 are the same requests at the same times)\(worth)"
          + (others.isEmpty ? "" : "; as near: \(others.joined(separator: ", "))"))
    }
    return lines
  }
}
