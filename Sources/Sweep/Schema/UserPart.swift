// Decodes the user of a scenario (visits, script or recording) and the app's downloads.
// Optional keys add no canonical line while they are absent, so ids do not depend on them.

import Base
import Inputs
import Simulation

struct UserPart: ScenarioPart {
  private(set) var user = UserScript(scroll: 1, dwell: .constant(1_000_000_000))
  private(set) var viewport = Scenario.blank.viewportHeight
  private var recording: String?
  /// True if the user is a recording, readable or not.
  private var isRecorded = false
  private var people = People.none
  /// The range of a dwell, so that the session ends within its limit.
  private var dwells = shortest...Parameter.day

  init() {}

  private static let shortest: Int64 = 1_000_000
  private static let visits = 1...ScenarioDecoder.itemLimit
  /// The range of a swipe and of an overhead, in nanoseconds.
  private static let pause: ClosedRange<Int64> = 0...10_000_000_000
  /// The longest session, in nanoseconds: 50 years, below `Instant.never`.
  private static let sessionLimit: Int64 = 50 * 365 * Parameter.day

  private var hasSteps: Bool { !user.steps.isEmpty }

  static let fields: [Field<UserPart>] =
    [
      // The viewport is read here as known; its canonical line comes last.
      Field { reader, _, _ in _ = reader.has("viewport") },
      Field(Parameter("recording", .other("a file of items and dwells"), "A recorded session to replay.").optional("none").naming()) {
        reader, part, _ in
        part.isRecorded = reader.has("recording")
        part.recording = reader.optionalText("recording")
        part.dwells = shortest...sessionLimit / Int64(ScenarioDecoder.itemLimit)
      },
    ] + scripted.map(unlessRecorded) + unlessBroken + [
      unlessRecorded(
        Field(ifGiven: .duration("overhead", in: pause, "The time that a test driver adds to each dwell.").optional("0s"), \.user.overhead)),
      Field { reader, part, surroundings in
        if part.hasSteps { part.checkReach(reader, surroundings.feedCount) }
        part.readRecording(reader, surroundings)
      },
      Field(ifGiven: .number("viewport", in: 1...100_000, "The height of the viewport, in points.").optional("667"), \.viewport),
    ]

  /// Returns a field that a recorded user does not read.
  private static func unlessRecorded(_ field: Field<UserPart>) -> Field<UserPart> { field.when { !$0.isRecorded } }

  /// The fields of a user who follows a script or scrolls.
  private static let scripted: [Field<UserPart>] = [
    Field(Parameter("script", .other("a list of steps"), "The user's steps.").optional("scroll")) { reader, part, _ in
      if reader.has("script") { part.user.steps = steps("script", &reader) }
    },
    Field(
      .choice("people", default: People.none, "A preset of dwell, watchRatio, back, flings and leave, fitted to public logs.")
        .optional("none")
    ) { reader, part, _ in part.readPeople(&reader) },
    Field(Parameter("back", .share, "The probability that a move goes back, up to 0.4.").optional("that of people")) { reader, part, _ in
      guard reader.has("back") || part.user.back > 0 else { return }
      part.user.back = reader.share("back", default: part.user.back)
      if part.user.back > 0.4 { reader.report("back", problem: "is \(part.user.back), more than 0.4", remedy: "write 0.4 or less") }
    }.when { !$0.hasSteps },
    Field(
      Parameter("flings", .other("{ probability, items }"), "Moves over several items at once, at random.").optional("that of people")
    ) { reader, part, _ in part.user.flings = Flings.read("flings", &reader, default: part.user.flings) }.when { !$0.hasSteps },
    Field(Parameter("leave", .share, "The probability that the user leaves after an item.").optional("that of people")) {
      reader, part, _ in
      if reader.has("leave") || part.user.leave > 0 { part.user.leave = reader.share("leave", default: part.user.leave) }
    }.when { !$0.hasSteps },
    Field(Parameter("scroll", .integer(visits), "Items that are viewed one after another.").optional("all of the feed")) {
      reader, part, surroundings in part.readScroll(&reader, surroundings.feedCount)
    },
    Field(
      Parameter(
        "dwell", .durations(shortest...Parameter.day), "The time that an item stays active, or one for each kind: { video: \"4s\" }."
      ).optional("that of people, or 1s")
    ) { reader, part, _ in part.readDwell(&reader) },
    Field(
      Parameter(
        "watchRatio", .other("a number, { values, at }, a list of { below, values, at }, \"study\" or \"kuaishou\""),
        "A video's dwell as a share of its length, up to 100."
      ).optional("that of people, or none")
    ) { reader, part, _ in part.readWatchRatio(&reader) },
  ]

  /// The fields of a user who may be recorded. They are not read after an invalid recording.
  private static let unlessBroken: [Field<UserPart>] = [
    Field(
      Parameter("patience", .duration(shortest...Parameter.day), "The dwell starts when the item is ready, after this wait at most.")
        .optional("none")
    ) { reader, part, _ in part.user.patience = reader.readOrNone(Parameter("patience", .duration(part.dwells), "")) },
    Field(
      ifGiven: .boolean("stallsExtend", "Dwells are media time: stalls extend a visit. Patience limits all its waits together.")
        .optional("false"), \.user.stallsExtend
    ).then { reader, part, _ in
      guard part.user.stallsExtend, part.user.patience == nil else { return }
      reader.report(
        "stallsExtend", beside: ["patience"], problem: "needs a user with patience", remedy: "add user.patience: \"10s\", or leave it out")
    },
    Field(ifGiven: .duration("swipe", in: pause, "The time of a swipe from one item to the next.").optional("0s"), \.user.swipe),
  ].map { $0.when { !$0.isRecorded || $0.recording != nil } }

  private mutating func readScroll(_ reader: inout ObjectReader, _ feedCount: Int?) {
    if !hasSteps {
      user.scroll = reader.integer("scroll", default: feedCount ?? 1000, in: Self.visits)
      if let feedCount, user.scroll > feedCount {
        reader.report("scroll", problem: "is \(user.scroll), but the feed has \(feedCount) items", remedy: "write \(feedCount) or less")
      }
    }
    let visits = hasSteps ? ScriptReach(user.steps, limit: ScenarioDecoder.itemLimit).visits : user.scroll
    let most = user.back > 0 && !hasSteps ? visits * UserScript.visitsPerItem : visits
    dwells = Self.shortest...min(Parameter.day, Self.sessionLimit / Int64(max(1, most)))
    user.longestDwell = dwells.upperBound
  }

  /// Reads a preset. It only gives defaults of other keys, which have lines of their own.
  private mutating func readPeople(_ reader: inout ObjectReader) {
    guard let value = reader.value("people") else { return }
    let names = People.allCases.map(\.rawValue)
    guard let name = reader.result(of: "people", { () throws(ValueProblem) in try ScalarValue.choice(value, of: names) }) else { return }
    people = People(rawValue: name) ?? .none
    (user.dwell, user.watchRatio) = (people.dwell, people.watchRatio)
    if !hasSteps { (user.back, user.flings, user.leave) = (people.back, people.flings, people.leave) }
  }

  // MARK: Watch ratios

  /// Returns a watch ratio in millionths.
  /// - Throws: `ValueProblem` if the value is no number from 0 to 100.
  private static func millionths(_ value: JSON5Value) throws(ValueProblem) -> Int64 {
    Int64((try ScalarValue.number(value, in: 0...100) * 1e6).rounded())
  }

  /// Reads the watch ratio: a number, quantiles, classes of lengths with quantiles, or the name of public ones.
  private mutating func readWatchRatio(_ reader: inout ObjectReader) {
    guard let value = reader.value("watchRatio") else {
      if let ratio = user.watchRatio { reader.record("watchRatio", Self.canonical(ratio)) }
      return
    }
    user.watchRatio = nil
    if value.text == "none" { return }
    let (path, sink) = (reader.path(of: "watchRatio"), reader.context.sink)
    let ratio = sink.value(at: value.location, key: path) { () throws(ValueProblem) -> WatchRatio? in
      if let elements = value.elements { return Self.watchRatios(elements, at: value.location, path: path, sink).map { WatchRatio($0) } }
      if value.members != nil {
        // The parts add no canonical lines.
        var part = ObjectReader(value, path: path, context: DecodingContext(sink: sink))
        defer { part.finish() }
        return WatchRatio(part.quantiles(Self.watchRatios, example: "0", Self.millionths))
      }
      if value.text == nil { return WatchRatio(.constant(try Self.millionths(value))) }
      return try ScalarValue.choice(value, of: ["none", "study", "kuaishou"]) == "study" ? .study : .kuaishou
    }
    guard let ratio = ratio ?? nil else { return }
    user.watchRatio = ratio
    reader.record("watchRatio", Self.canonical(ratio))
  }

  private static func canonical(_ ratio: WatchRatio) -> String {
    ratio.classes.map { ($0.below.map { "below \($0.nanoseconds) " } ?? "") + $0.ratio.canonical }.joined(separator: "; ")
  }

  /// The range of a watch ratio, in millionths.
  private static let watchRatios = 0...Int64(100_000_000)

  /// Reads `[{ below: "12s", values: [0.1, 1] }, { values: [0.05, 1] }]`; nil after a report.
  private static func watchRatios(
    _ elements: [JSON5Value], at location: SourceLocation, path: String, _ sink: DiagnosticSink
  ) -> [WatchRatio.Class]? {
    let problems = sink.count
    if elements.isEmpty { sink.report(at: location, key: path, problem: "is empty", remedy: "write such as [{ values: [0, 1] }]") }
    var classes: [WatchRatio.Class] = []
    for (index, element) in elements.enumerated() {
      var part = ObjectReader(element, path: "\(path).\(index)", context: DecodingContext(sink: sink))
      if part.isBroken { continue }
      let isLast = index == elements.count - 1
      let below = part.readOrNone(Parameter("below", .duration(shortest...Parameter.day), ""))
      if (below == nil) != isLast {
        part.report(
          "below", problem: isLast ? "is set in the last class" : "is missing",
          remedy: isLast ? "leave it out there: the last class has all longer videos" : "write the length that its videos are shorter than")
      } else if let below, let last = classes.last?.below, below <= last {
        part.report("below", problem: "does not rise", remedy: "write the classes by rising lengths")
      }
      classes.append(WatchRatio.Class(below: below, ratio: part.quantiles(watchRatios, example: "0", millionths)))
      part.finish()
    }
    return sink.count == problems ? classes : nil
  }

  /// Reads one dwell for all kinds, or one for each: { video: "4s", image: "1s" }, that of `people` for the others.
  private mutating func readDwell(_ reader: inout ObjectReader) {
    let kinds = ItemKind.allCases.map(\.name)
    guard let members = reader.value("dwell")?.members, members.contains(where: { kinds.contains($0.key) }) else {
      user.dwell = reader.distribution("dwell", .duration, default: user.dwell, in: dwells)
      return
    }
    var byKind = reader.objectOrEmpty("dwell")
    user.dwellByKind = kinds.map { byKind.distribution($0, .duration, default: user.dwell, in: dwells) }
    byKind.finish()
  }

  // MARK: Scripts

  private static let verbs = ["scroll", "back", "burst", "fling", "flingBack", "abandon", "memoryWarning", "background", "repeat"]

  /// Reads the steps under a key; each is an object with one verb.
  private static func steps(_ key: String, _ reader: inout ObjectReader) -> [ScriptStep] {
    let elements = reader.array(key) ?? []
    if elements.isEmpty { reader.report(key, problem: "has no steps", remedy: "write such as [{ scroll: 10 }, { fling: 20 }]") }
    let (path, context) = (reader.path(of: key), reader.context)
    return elements.enumerated().compactMap { index, element in
      var own = ObjectReader(element, path: "\(path).\(index)", context: context)
      if own.isBroken { return nil }
      defer { own.finish() }
      return step(&own)
    }
  }

  private static func step(_ step: inout ObjectReader) -> ScriptStep? {
    let given = verbs.filter { step.has($0) }
    guard given.count == 1, let verb = given.first else {
      let problem = given.isEmpty ? "has no verb" : "has the verbs \(given.joined(separator: " and "))"
      step.context.sink.report(
        at: step.location, key: step.path, problem: problem, remedy: "write one of \(verbs.joined(separator: ", ")) in each step")
      return nil
    }
    switch verb {
    case "abandon": return .abandon(step.share(verb))
    case "background": return .background(step.distribution(verb, .duration, in: shortest...Parameter.day))
    case "memoryWarning": return step.boolean(verb) ? .memoryWarning : .repeat(0, [])
    default: break
    }
    let count = step.integer(verb, in: visits)
    if verb == "repeat" { return .repeat(count, steps("steps", &step)) }
    let dwell = step.has("dwell") ? step.distribution("dwell", .duration, in: shortest...Parameter.day) : nil
    switch verb {
    case "back": return .scroll(-count, dwell: dwell)
    case "burst": return .scroll(count, dwell: dwell ?? .constant(250_000_000))
    case "fling": return .fling(count, dwell: dwell)
    case "flingBack": return .fling(-count, dwell: dwell)
    default: return .scroll(count, dwell: dwell)
    }
  }

  private func checkReach(_ reader: ObjectReader, _ feedCount: Int?) {
    let (limit, pauses) = (ScenarioDecoder.itemLimit, 10_000)
    let reach = ScriptReach(user.steps, limit: limit)
    if reach.visits == 0 || reach.visits > limit {
      reader.report("script", problem: "makes \(reach.visits == 0 ? "no" : "too many") visits", remedy: "let it view 1 to \(limit) items")
    } else if reach.pauses > pauses {
      reader.report("script", problem: "goes to the background more than \(pauses) times", remedy: "repeat it less")
    } else if reach.lowest < 0 {
      reader.report("script", problem: "goes back \(-reach.lowest) items before the first", remedy: "go back less, or scroll further first")
    } else if let feedCount, reach.furthest >= feedCount {
      reader.report(
        "script", problem: "goes to item \(reach.furthest), but the feed's last is \(feedCount - 1)",
        remedy: "scroll less, or give the feed more items")
    }
  }

  private mutating func readRecording(_ reader: ObjectReader, _ surroundings: Surroundings) {
    let visits = recording.flatMap { reader.contents(of: "recording", at: $0, in: surroundings.files, RecordingReader.read) }
    guard let visits else { return }
    user.recording = visits
    guard let feedCount = surroundings.feedCount, let last = visits.map(\.item).max(), last >= feedCount else { return }
    let problem = "goes to item \(last), but the feed's last is \(feedCount - 1)"
    reader.report("recording", problem: problem, remedy: "give the feed more items")
  }

  var text: String {
    if let recording { return "\(user.recording.count) visits as recorded in \(recording)" }
    let visits = ScriptReach(user.steps, limit: ScenarioDecoder.itemLimit).visits
    let what = hasSteps ? "a script of \(visits) visit\(visits == 1 ? "" : "s")" : "\(user.scroll) item\(user.scroll == 1 ? "" : "s")"
    let dwell =
      user.dwellByKind.isEmpty
      ? user.dwell.described(.duration)
      : zip(ItemKind.allCases, user.dwellByKind).map { "\($0.name) \($1.described(.duration))" }.joined(separator: ", ")
    let overhead = user.overhead > .zero ? " and \(user.overhead.described) of overhead" : ""
    let patience =
      user.patience.map { ", waiting at most \($0.described) for each to become ready\(user.stallsExtend ? " and play on" : "")" } ?? ""
    let swipe = user.swipe > .zero ? ", \(user.swipe.described) a swipe" : ""
    let preset = people == .none ? "" : "people of \(people.rawValue): "
    let ratio = user.watchRatio.map { ", videos by watch ratio" + ($0.classes.count > 1 ? " of their length" : "") } ?? ""
    let back = user.back > 0 ? ", \(Int((user.back * 100).rounded())) % of moves back" : ""
    let flings = user.flings.map { ", \(Int(($0.probability * 100).rounded())) % of moves are flings" } ?? ""
    let leave = user.leave > 0 ? ", \(Int((user.leave * 100).rounded())) % leave after each" : ""
    return "\(preset)\(what), \(dwell) each\(overhead)\(ratio)\(back)\(flings)\(leave)\(patience)\(swipe)"
  }
}

extension People: ParameterValue {}

extension DownloadSettings: ScenarioPart {
  init() { self.init(connections: 4) }

  /// The clients whose connection limits have names: URLSession on iOS (4) and macOS (6), and browsers (6).
  private static let clients = ["iOS", "macOS", "browser"]

  /// Returns a field that is an error for feeds without renditions.
  private static func withRenditions(_ field: Field<DownloadSettings>) -> Field<DownloadSettings> {
    field.then { [parameters = field.parameters] reader, _, surroundings in
      guard let key = parameters.first?.key, reader.has(key), surroundings.segment == nil else { return }
      reader.report(
        key, problem: "needs videos with renditions", remedy: "add feed.video.renditions: [\"500kbps\", \"1Mbps\"], or leave it out")
    }
  }

  static let fields: [Field<DownloadSettings>] = [
    Field(
      Parameter.integer(
        "connections", default: 4, in: 1...256, "Transfers of items at once from a host, or whose default: iOS, macOS, browser.")
    ) { reader, part, _ in
      guard let value = reader.value("connections"), value.text != nil else {
        part.connections = reader.integer("connections", default: 4, in: 1...256)
        return
      }
      do throws(ValueProblem) {
        part.connections = try ScalarValue.choice(value, of: clients) == "iOS" ? 4 : 6
        reader.record("connections", "\(part.connections)")
      } catch { reader.report("connections", problem: error.problem, remedy: error.remedy) }
    }.saying { "\($0.connections) at once" },
    Field(.choice("cancel", default: CancelRule.keep, "The treatment of transfers in flight at each activation."), \.cancel)
      .saying { part in
        let kept = part.cancel == .keep && part.keepPartial ? " (bytes of cancelled transfers are kept)" : ""
        return "cancel \(part.cancel.rawValue)\(kept)"
      },
    Field(.boolean("keepPartial", "Keeps the bytes of transfers that cancel: \"keep\" cancels."), \.keepPartial),
    Field(.boolean("restFirst", "Fetches an active video's rest before the prefetches."), \.restFirst)
      .saying { $0.restFirst ? nil : "a video's rest last" },
    Field(.boolean("preempt", "Lets the active item take the connection of the last prefetch."), \.preempt)
      .saying { $0.preempt ? "the active item takes a connection from a prefetch" : nil },
    Field(.choice("onMemoryWarning", default: MemoryRule.keep, "The effect of a memory warning on stored bytes."), \.onMemoryWarning)
      .saying { $0.onMemoryWarning == .drop ? "a memory warning deletes stored bytes" : nil },
    Field(ifGiven: .integer("decoders", in: 1...64, "Items that are decoded at once.").optional("2"), \.decoders)
      .saying { $0.decoders == 2 ? nil : "\($0.decoders) decoder\($0.decoders == 1 ? "" : "s")" },
    Field(
      ifGiven: .integer("players", in: 1...64, "Videos that hold a player: the active one and those prepared after it.")
        .optional("no limit"), \.players, saying: { $0.map { "\($0) player\($0 == 1 ? "" : "s")" } }),
    withRenditions(
      Field(
        ifGiven: .choice("rendition", default: RenditionChoice.throughput, "The choice of a segment's rendition.").optional("throughput"),
        \.rendition, saying: { $0 == .throughput ? nil : "renditions by \($0.rawValue)" })),
    withRenditions(buffer), storeField,
  ]

  private static let buffer = Field<DownloadSettings>(
    .duration("buffer", in: 1_000_000_000...Parameter.day, "The media that is stored of a video with renditions at most.").optional("25s")
  ) { reader, part, surroundings in
    let problems = reader.context.sink.count
    if reader.has("buffer") { part.buffer = Interval(nanoseconds: reader.duration("buffer", in: 1_000_000_000...Parameter.day)) }
    // Without room for a segment every video would stall after its first one.
    guard reader.context.sink.count == problems, let segment = surroundings.segment, part.buffer < segment else { return }
    reader.report(
      "buffer", problem: "is \(part.buffer.described), less than a segment of \(segment.described)",
      remedy: "write at least \(quoted(segment.described)), or a shorter feed.video.segment")
  }
  .saying { $0.buffer == .seconds(25) ? nil : "a buffer of \($0.buffer.described)" }
}

extension RenditionChoice: ParameterValue {}
extension DownloadSettings.CancelRule: ParameterValue {}
extension DownloadSettings.MemoryRule: ParameterValue {}
