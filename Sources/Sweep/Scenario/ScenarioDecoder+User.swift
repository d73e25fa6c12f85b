// The user of a scenario: so many items at a dwell, the steps of a script, or a recorded session.
// What is not asked for adds no canonical line, so that a point's id does not depend on what it does without.

import Import
import Simulation

extension ScenarioDecoder {
  /// The user; `description.user` says it in words.
  func decodeUser(_ reader: inout ObjectReader, feedCount: Int?, _ description: inout ScenarioDescription) -> UserScript {
    guard var part = part("user", of: &reader) else { return UserScript(scroll: 1, dwell: .constant(1)) }
    defer { part.finish() }
    // The viewport is read with the geometry.
    _ = part.has("viewport")
    if part.has("recording") { return decodeRecording(&part, feedCount: feedCount, &description) }
    let steps = part.has("script") ? decodeSteps("script", &part) : []
    let scroll = steps.isEmpty ? decodeScroll(&part, feedCount: feedCount) : 1
    var user = UserScript(scroll: scroll, dwell: .constant(1_000_000_000))
    user.steps = steps
    let stays = steps.isEmpty ? scroll : ScriptReach(steps, limit: Self.itemLimit).visits
    let limits = 1_000_000...min(Self.dwellLimitNanoseconds, Self.sessionLimitNanoseconds / Int64(max(1, stays)))
    decodeDwell(&part, into: &user, in: limits)
    user.patience = decodePatience(&part, in: limits)
    if part.has("swipe") { user.swipe = Interval(nanoseconds: part.duration("swipe", in: 0...10_000_000_000)) }
    if part.has("overhead") { user.overhead = Interval(nanoseconds: part.duration("overhead", in: 0...Self.overheadLimit)) }
    if !steps.isEmpty { checkReach(of: steps, feedCount: feedCount, part) }
    let leaves =
      user.patience.map { ", who waits for each until it is ready, at most \(Quantity.described($0.nanoseconds, .duration))" } ?? ""
    let swipe = user.swipe > .zero ? ", \(Quantity.described(user.swipe.nanoseconds, .duration)) a swipe" : ""
    let overhead = user.overhead > .zero ? " and \(Quantity.described(user.overhead.nanoseconds, .duration)) of overhead" : ""
    let what = steps.isEmpty ? "\(scroll) items" : "a script of \(ScriptReach(steps, limit: Self.itemLimit).visits) stays"
    description.user = "\(what), \(dwellWords(user)) each\(overhead)\(leaves)\(swipe)"
    return user
  }

  private func decodeScroll(_ part: inout ObjectReader, feedCount: Int?) -> Int {
    let scroll = part.integer("scroll", default: feedCount ?? 1000, in: 1...Self.itemLimit)
    if let feedCount, scroll > feedCount {
      part.report("scroll", problem: "is \(scroll), but the feed has \(feedCount) items", remedy: "write \(feedCount) or less")
    }
    return scroll
  }

  private func decodePatience(_ part: inout ObjectReader, in limits: ClosedRange<Int64>) -> Interval? {
    var isNone = !part.has("patience")
    if case .string("none")? = part.value("patience")?.kind { isNone = true }
    if isNone {
      part.record("patience", "none")
      return nil
    }
    return Interval(nanoseconds: part.duration("patience", in: limits))
  }

  /// One dwell for all, or one for each kind: { video: "4s", image: "1s" }, 1 s where a kind is left out.
  private func decodeDwell(_ part: inout ObjectReader, into user: inout UserScript, in limits: ClosedRange<Int64>) {
    let kinds = ItemKind.allCases.map(\.name)
    guard let members = part.value("dwell")?.members, members.contains(where: { kinds.contains($0.key) }) else {
      user.dwell = part.distribution("dwell", .duration, default: .constant(1_000_000_000), in: limits)
      return
    }
    guard var byKind = part.object("dwell") else { return }
    user.dwellByKind = kinds.map { byKind.distribution($0, .duration, default: .constant(1_000_000_000), in: limits) }
    byKind.finish()
  }

  private func dwellWords(_ user: UserScript) -> String {
    if user.dwellByKind.isEmpty { return user.dwell.described(.duration) }
    return zip(ItemKind.allCases, user.dwellByKind).map { "\($0.name) \($1.described(.duration))" }.joined(separator: ", ")
  }

  // MARK: Scripts

  /// The steps under a key; each is an object with one of the verbs.
  private func decodeSteps(_ key: String, _ part: inout ObjectReader) -> [ScriptStep] {
    let elements = part.array(key) ?? []
    if elements.isEmpty { part.report(key, problem: "has no steps", remedy: "write such as [{ scroll: 10 }, { fling: 20 }]") }
    return elements.enumerated().compactMap { index, element in
      var step = ObjectReader(element, path: "\(part.path(of: key)).\(index)", context: part.context)
      if step.isBroken { return nil }
      defer { step.finish() }
      return decodeStep(&step)
    }
  }

  private func decodeStep(_ step: inout ObjectReader) -> ScriptStep? {
    let verbs = ["scroll", "back", "burst", "fling", "flingBack", "abandon", "memoryWarning", "background", "repeat"]
    let given = verbs.filter { step.has($0) }
    guard given.count == 1 else {
      let problem = given.isEmpty ? "says nothing to do" : "says \(given.joined(separator: " and "))"
      step.context.sink.report(
        at: step.location, key: step.path, problem: problem, remedy: "write one of \(verbs.joined(separator: ", ")) in each step")
      return nil
    }
    let count = 1...Self.itemLimit
    switch given[0] {
    case "scroll": return .scroll(step.integer("scroll", in: count), dwell: decodeOwnDwell(&step))
    case "back": return .scroll(-step.integer("back", in: count), dwell: decodeOwnDwell(&step))
    case "burst": return .scroll(step.integer("burst", in: count), dwell: decodeOwnDwell(&step) ?? .constant(250_000_000))
    case "fling": return .fling(step.integer("fling", in: count), dwell: decodeOwnDwell(&step))
    case "flingBack": return .fling(-step.integer("flingBack", in: count), dwell: decodeOwnDwell(&step))
    case "abandon": return .abandon(step.share("abandon"))
    case "background":
      return .background(step.distribution("background", .duration, default: .constant(1), in: 1_000_000...Self.dwellLimitNanoseconds))
    case "repeat":
      let times = step.integer("repeat", in: count)
      return .repeat(times, decodeSteps("steps", &step))
    default: return step.boolean("memoryWarning") ? .memoryWarning : .repeat(0, [])
    }
  }

  private func decodeOwnDwell(_ step: inout ObjectReader) -> Distribution? {
    guard step.has("dwell") else { return nil }
    return step.distribution("dwell", .duration, default: .constant(1), in: 1_000_000...Self.dwellLimitNanoseconds)
  }

  private func checkReach(of steps: [ScriptStep], feedCount: Int?, _ part: ObjectReader) {
    let reach = ScriptReach(steps, limit: Self.itemLimit)
    if reach.visits == 0 || reach.visits > Self.itemLimit {
      part.report(
        "script", problem: "makes \(reach.visits == 0 ? "no" : "too many") stays", remedy: "let it view 1 to \(Self.itemLimit) items")
    } else if reach.pauses > Self.pauseLimit {
      part.report("script", problem: "goes to the background more than \(Self.pauseLimit) times", remedy: "repeat it less")
    } else if reach.lowest < 0 {
      part.report("script", problem: "goes back \(-reach.lowest) items before the first", remedy: "go back less, or scroll further first")
    } else if let feedCount, reach.furthest >= feedCount {
      part.report(
        "script", problem: "goes to item \(reach.furthest), but the feed's last is \(feedCount - 1)",
        remedy: "scroll less, or give the feed more items")
    }
  }

  // MARK: Recordings

  private func decodeRecording(_ part: inout ObjectReader, feedCount: Int?, _ description: inout ScenarioDescription) -> UserScript {
    var user = UserScript(scroll: 1, dwell: .constant(1_000_000_000))
    let location = part.location(of: "recording")
    guard let path = part.optionalText("recording") else { return user }
    user.patience = decodePatience(&part, in: 1_000_000...Self.sessionLimitNanoseconds / Int64(Self.itemLimit))
    if part.has("swipe") { user.swipe = Interval(nanoseconds: part.duration("swipe", in: 0...10_000_000_000)) }
    do throws(ValueProblem) {
      let recording = try files.recording(path)
      part.record("recording.contents", recording.hash)
      part.context.sink.report(recording.problems)
      user.recording = recording.visits
      if let feedCount, let last = recording.visits.map(\.item).max(), last >= feedCount {
        part.report(
          "recording", problem: "goes to item \(last), but the feed's last is \(feedCount - 1)", remedy: "give the feed more items")
      }
      description.user = "\(recording.visits.count) stays as recorded in \(path)"
    } catch { part.context.sink.report(error, at: location, key: part.path(of: "recording")) }
    return user
  }
}
