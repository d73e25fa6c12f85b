// The user and the policy of a recorded session: each kind of prefetcher is played on the fitted network, with the activations that the
// recording shows through it, and its settings are searched that make the recorded requests.

import Analysis
import Base
import Simulation

/// A prefetcher with settings, and the settings of downloads that a prefetcher does not decide.
struct PolicyTrial: Sendable {
  let definition: PrefetcherDefinition
  var values: [String: Parameter.Value] = [:]
  var downloads: DownloadSettings
  var pages: PageSettings?
  var activations: Activations
  var distance = Double.infinity

  /// The prefetcher with these settings.
  var prefetcher: any Prefetcher { definition.make { values[$0.key] } }

  /// The value of the first setting as a sweep file writes it; nil if there is none.
  var window: String? {
    guard let setting = definition.settings.first else { return nil }
    if case .value(let usual) = setting.fallback { return (values[setting.key] ?? usual).text(setting.kind) }
    return values[setting.key]?.text(setting.kind)
  }

  /// The kind, its first setting and those without their defaults, as an object of a sweep file.
  var text: String {
    let settings = definition.settings.enumerated().compactMap { index, setting in
      (index == 0 ? window : values[setting.key]?.text(setting.kind)).map { ", \(setting.key): \($0)" }
    }
    return "{ kind: \(quoted(definition.name))\(settings.joined()) }"
  }
}

extension Parameter.Value {
  /// The value as a sweep file writes it.
  fileprivate func text(_ kind: Parameter.Kind) -> String {
    switch (self, kind) {
    case (.integer(let value), .duration): "\"\(value)ns\""
    case (.integer(let value), .rate): "\"\(value)bps\""
    case (.integer(let value), .size): "\"\(value)B\""
    case (.integer(let value), _): "\(value)"
    case (.number(let value), _): DecimalText.plain(value)
    case (.boolean(let value), _): "\(value)"
    case (.text(let value), _): quoted(value)
    case (.distribution, _): "null"
    }
  }
}

/// The search for the policy and the activations of a session.
struct SessionFit {
  private let session: RecordedSession
  private let network: NetworkConfiguration
  private let hosts: FeedHosts
  /// The dwells that the user gives; nil to derive them.
  private let given: Activations?
  /// The usual dwell by the starts of the items, in nanoseconds.
  private let usualDwell: Int64
  /// The constant dwell that the recording shows without a policy; nil if there is none.
  private let lattice: Activations?
  /// The bytes that most first requests of videos have.
  private let usualBytes: Int64
  private let check: () throws -> Void
  /// The best trial of each kind, the nearest first.
  private(set) var trials: [PolicyTrial] = []
  /// True if no near kind explains the requests as well with dwells 5 % longer or shorter.
  private(set) var showsDwell = false

  /// The requests on which policies are compared, the kinds of which settings are searched, and the trials of each.
  private static let comparedRequests = 240, searchedKinds = 5, trialsOfKind = 260
  /// The distance below which a replay is as good as the recording's own precision.
  static let exact = 0.001

  /// - Throws: any error of `check`.
  init(_ session: RecordedSession, _ network: NetworkConfiguration, dwells: ContiguousArray<Visit>?, check: @escaping () throws -> Void)
    throws
  {
    (self.session, self.network, self.check) = (session.prefix(Self.comparedRequests), network, check)
    hosts = session.hosts
    usualDwell = Self.usualDwell(session)
    lattice = Activations.lattice(session)
    let parts = session.requests.filter { !$0.isPage && $0.offset == 0 && !$0.isCancelled && session.items[$0.number].kind == .video }
    usualBytes = parts.map { Double($0.bytes) }.median >= 1 ? Int64(parts.map { Double($0.bytes) }.median) : 800_000
    given = dwells.map { visits in
      var (times, time): ([Int64], Int64) = ([], 0)
      for visit in visits.prefix(session.items.count) {
        times.append(time)
        time = min(time + visit.dwell.nanoseconds, 1 << 60)
      }
      return Activations(times: times, dwell: max(1, time - (times.last ?? 0)), isConstant: false, knownShare: 1)
    }
    try search()
    // On the whole session, other kinds and windows can be nearer than on its beginning.
    let isLong = session.requests.count > Self.comparedRequests
    if isLong {
      trials = Self.nearest(try trials.map { try refined(extended($0, to: session), on: session) })
      if trials[0].distance > Self.exact {
        let near = try trials.prefix(Self.searchedKinds).map { try nearestWindow($0, on: session) }
        trials = Self.nearest(near + trials.dropFirst(Self.searchedKinds))
      }
    }
    // Other windows of the same kinds that make the same requests.
    let nearest = trials[0].distance
    for best in trials where best.distance <= nearest + Self.exact / 2 {
      for other in windows(of: best) where other.text != best.text {
        let trial = try refined(other, on: session)
        if trial.distance <= nearest + Self.exact / 2 { trials.append(trial) }
      }
    }
    trials = Self.nearest(trials)
    if given == nil { showsDwell = try [0.95, 1.05].allSatisfy { try excludesDwell($0, on: session) } }
  }

  /// Returns the trial with each candidate of its first setting.
  private func windows(of trial: PolicyTrial) -> [PolicyTrial] {
    guard let window = trial.definition.settings.first else { return [] }
    return candidates(window, now: trial.values[window.key]).map { value in
      var other = trial
      other.values[window.key] = value
      return other
    }
  }

  /// Returns the trial with the window that explains a session best; the same activations are corrected for each.
  /// - Throws: any error of `check`.
  private func nearestWindow(_ trial: PolicyTrial, on session: RecordedSession) throws -> PolicyTrial {
    try windows(of: trial).reduce(try refined(trial, on: session)) { best, other in
      let other = try refined(other, on: session)
      return other.distance < best.distance - 1e-9 ? other : best
    }
  }

  /// Returns true if all near kinds, with any of their windows, explain a session clearly worse with the dwells multiplied by `factor`.
  /// - Throws: any error of `check`.
  private func excludesDwell(_ factor: Double, on session: RecordedSession) throws -> Bool {
    let best = trials[0]
    var activations = best.activations
    activations.times = activations.times.map { Int64(Double($0) * factor) }
    activations.dwell = Int64(Double(activations.dwell) * factor)
    for trial in trials.prefix(Self.searchedKinds) {
      for var other in [trial] + windows(of: trial) {
        try check()
        other.activations = activations
        if replayed(other, on: session).found.distance <= best.distance + max(0.02, best.distance * 0.05) { return false }
      }
    }
    return true
  }

  /// Returns the trial with activations of the items after the beginning on which policies were compared.
  private func extended(_ trial: PolicyTrial, to session: RecordedSession) -> PolicyTrial {
    guard given == nil, lattice == nil else { return trial }
    var trial = trial
    trial.activations.extend(to: session.itemCount)
    return trial
  }

  /// Returns the trials, the nearest first; at equal distance the one with fewer settings, then by the order of lists.
  private static func nearest(_ trials: [PolicyTrial]) -> [PolicyTrial] {
    func rank(_ trial: (offset: Int, element: PolicyTrial)) -> (Int, Int, Int) {
      (Int(min(trial.element.distance, 1e6) * 2000), trial.element.values.count, trial.offset)
    }
    return trials.enumerated().sorted { rank($0) < rank($1) }.map(\.element)
  }

  /// Returns the time from item to item by the first requests of items: the median slope over half of the session, in nanoseconds.
  private static func usualDwell(_ session: RecordedSession) -> Int64 {
    var first: [Int: Int64] = [:]
    for request in session.requests where !request.isPage { first[request.number] = first[request.number] ?? request.start }
    let points = first.sorted { $0.key < $1.key }
    let half = points.count / 2
    let slopes = points.indices.dropLast(half).map { index in
      Double(points[index + half].value - points[index].value) / Double(max(1, points[index + half].key - points[index].key))
    }
    return half == 0 ? 1_000_000_000 : Int64(min(max(slopes.median, 1e6), 8.64e13))
  }

  // MARK: Search

  /// - Throws: any error of `check`.
  private mutating func search() throws {
    var downloads = DownloadSettings(connections: session.concurrency)
    // A request that begins where a cancelled one ended shows that its bytes were kept; one that begins at once, that all are cancelled.
    var (cancelled, again) = ([Int: RecordedRequest](), 0)
    for request in session.requests where !request.isPage {
      if let last = cancelled[request.number], last.end <= request.start + 2_000_000 {
        if last.bytes > 0, request.offset == last.offset + last.bytes { downloads.keepPartial = true }
        if request.start <= last.end + 2_000_000 { again += 1 }
      }
      cancelled[request.number] = request.isCancelled ? request : nil
    }
    if again * 4 > session.requests.count(where: \.isCancelled), again > 1 {
      downloads.cancel = downloads.keepPartial ? .resume : .drop
      downloads.keepPartial = false
    }
    for definition in PrefetcherDefinition.standard where !definition.isOracle {
      let start = PolicyTrial(definition: definition, downloads: downloads, pages: session.pages, activations: firstActivations)
      trials.append(try nearestWindow(start, on: session))
    }
    // The first kinds of the list are the simplest, and the others can be near them by chance.
    let order = Self.nearest(trials).map(\.definition.name)
    let chosen = order.prefix(Self.searchedKinds) + trials.prefix(3).map(\.definition.name)
    for index in trials.indices where chosen.contains(trials[index].definition.name) { trials[index] = try climbed(trials[index]) }
    trials = Self.nearest(trials)
  }

  /// The activations before a policy is known.
  private var firstActivations: Activations {
    if let given { return given }
    if let lattice { return lattice }
    return Activations(times: (0..<session.itemCount).map { Int64($0) * usualDwell }, dwell: usualDwell, isConstant: true, knownShare: 0)
  }

  /// The activations, if each of the times that only an activation explains is one; nil where a constant dwell or the user says more.
  private func everyTime(of session: RecordedSession) -> Activations? {
    let times = session.activationTimes
    guard given == nil, lattice == nil, times.count > 2 else { return nil }
    return Activations(times: Array(times.prefix(session.items.count)), dwell: usualDwell, isConstant: false, knownShare: 0)
  }

  /// Changes one setting at a time while that brings the replay nearer to the recording.
  /// - Throws: any error of `check`.
  private func climbed(_ start: PolicyTrial) throws -> PolicyTrial {
    var (best, count) = (start, 0)
    /// - Throws: any error of `check`.
    func attempt(_ change: (inout PolicyTrial) -> Void) throws {
      guard count < Self.trialsOfKind, best.distance > Self.exact else { return }
      var trial = best
      change(&trial)
      count += 1
      trial.activations = firstActivations
      trial = try refined(trial, on: session)
      if trial.distance < best.distance - 1e-9 { best = trial }
    }
    for _ in 0..<3 {
      let before = best.distance
      for setting in start.definition.settings {
        for value in candidates(setting, now: best.values[setting.key]) { try attempt { $0.values[setting.key] = value } }
      }
      for rule in DownloadSettings.CancelRule.allCases { try attempt { $0.downloads.cancel = rule } }
      try attempt { $0.downloads.keepPartial.toggle() }
      try attempt { $0.downloads.restFirst.toggle() }
      try attempt { $0.downloads.preempt.toggle() }
      if let pages = best.pages {
        let triggers = [PageTrigger.endReached, .ratio(0.7), .remainingScreens(2)] + [1, 2, 5, 10, 20, 30].map { .itemsFromEnd($0) }
        for trigger in triggers {
          var other = pages
          other.trigger = trigger
          try attempt { $0.pages = other }
        }
      }
      if best.distance >= before - 1e-3 { break }
    }
    // A setting that changes nothing is none.
    for setting in start.definition.settings where best.values[setting.key] != nil {
      var trial = best
      trial.values[setting.key] = nil
      trial = try refined(trial, on: session)
      if trial.distance <= best.distance + 1e-4 { best = trial }
    }
    return best
  }

  /// Returns the values to try for a setting, near ones and usual ones.
  private func candidates(_ setting: Parameter, now: Parameter.Value?) -> [Parameter.Value] {
    var usual: Parameter.Value?
    if case .value(let value) = setting.fallback { usual = value }
    switch setting.kind {
    case .integer(let range):
      let value = Int((now ?? usual)?.integer ?? 1)
      let near = value > 100 ? [value / 4, value / 2, value * 2, value * 4] : Array(0...12) + [15, 20, 25, 30, value * 2]
      return near.filter(range.contains).map { .integer(Int64($0)) }
    case .number(let range):
      let value = (now ?? usual)?.number ?? 1
      let near = value > 100 ? [value / 4, value / 2, value * 2, value * 4] : [0, 0.5, 1, 1.5, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 15, 20]
      return near.filter(range.contains).map { .number($0) }
    case .boolean: return [.boolean(true), .boolean(false)]
    case .choice(let names): return names.map { .text($0) }
    case .size(let range): return [usualBytes, 2 * usualBytes].filter(range.contains).map { .integer($0) }
    default: return []
    }
  }

  // MARK: Replay

  /// Returns the scenario of a trial.
  func scenario(_ trial: PolicyTrial, items: ContiguousArray<Item>) -> Scenario {
    // The activations can be those of the whole session, and the items those of its beginning.
    let count = min(trial.activations.times.count, items.count)
    var user = UserScript(scroll: max(1, count), dwell: .constant(trial.activations.dwell))
    if !trial.activations.isConstant { user.recording = ContiguousArray(trial.activations.visits.prefix(count)) }
    var scenario = Scenario(feed: .fixed(items), network: network, downloads: trial.downloads, user: user, prefetcher: trial.prefetcher)
    (scenario.hosts, scenario.pages) = (hosts, trial.pages)
    return scenario
  }

  /// Plays a trial, corrects its activations by the recording, and returns it with its distance. If that is not exact, it starts again from
  /// the times themselves.
  /// - Throws: any error of `check`.
  private func refined(_ start: PolicyTrial, on session: RecordedSession) throws -> PolicyTrial {
    let first = try corrected(start, on: session)
    guard first.distance > Self.exact, let times = everyTime(of: session) else { return first }
    var other = start
    other.activations = times
    other = try corrected(other, on: session)
    return other.distance < first.distance ? other : first
  }

  /// Plays a trial over the recorded times, and compares it with the session. O(requests of both).
  private func replayed(_ trial: PolicyTrial, on session: RecordedSession) -> (replay: SessionExplanation, found: Reproduction) {
    let roundTrip = (network.delayDown + network.delayUp).nanoseconds
    let recorded = RecordedNetwork(session, roundTrip: roundTrip, bitsPerSecond: network.down.periods[0].bitsPerSecond)
    let replay = scenario(trial, items: session.items).explain(seed: 1, over: recorded)
    let end = trial.activations.isKnown ? Self.end(session, trial) : .max
    return (replay, Reproduction(session, replay.requests, unit: usualDwell, end: end))
  }

  /// Returns half a dwell after the last request: the recording does not say if more would have followed.
  private static func end(_ session: RecordedSession, _ trial: PolicyTrial) -> Int64 {
    (session.requests.last?.start ?? 0) + trial.activations.dwell / 2
  }

  /// Plays a trial and corrects its activations.
  /// - Throws: any error of `check`.
  private func corrected(_ start: PolicyTrial, on session: RecordedSession) throws -> PolicyTrial {
    var best = start
    best.distance = .infinity
    var trial = start
    let isLong = session.requests.count > Self.comparedRequests
    // What an activation requests depends on its time, so that better times show more of them.
    for round in 0..<(isLong ? 8 : 3) {
      try check()
      let (replay, found) = replayed(trial, on: session)
      trial.distance = found.distance
      // Stops if a round after the third lowers the distance by less than 10 %.
      if round > 2, trial.distance > best.distance * 0.9 { break }
      // At equal distance, the activations of the recording tell more than the usual dwell.
      if trial.distance <= best.distance + 1e-6 { best = trial }
      guard given == nil, lattice == nil, round == 0 || best.distance > Self.exact / 4 else { break }
      guard var next = Activations(session, replay, found) else { break }
      // Where dwells get shorter, the replay ended before the last items.
      if isLong { next.extend(to: session.itemCount) }
      if next == trial.activations { break }
      trial.activations = next
    }
    if isLong, given == nil, best.activations.isKnown {
      best.activations.end(at: Self.end(session, best))
      let (replay, found) = replayed(best, on: session)
      best.distance = found.distance
      // The share of all activations, of which some were appended.
      let shown = Activations(session, replay, found).map { $0.knownShare * Double($0.times.count) } ?? 0
      best.activations.knownShare = min(1, shown / Double(max(1, best.activations.times.count)))
    }
    return best
  }
}
