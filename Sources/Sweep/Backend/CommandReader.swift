// Reads `backend: { command: [ … ], … }`, with all its problems reported.

import Analysis
import Import
import _StringProcessing

/// Reads a command backend.
package struct CommandReader {
  private var reader: ObjectReader
  private let schema: RunSchema
  private var backend: CommandBackend
  private var sink: DiagnosticSink { reader.context.sink }

  /// The most devices.
  static let deviceLimit = 64
  /// The longest a run, a rest or a wait may take: a week.
  private static let timeLimit: Int64 = 7 * 86_400_000_000_000
  /// The most bytes of output that are allowed to be allowed.
  private static let outputLimit: Int64 = 1_000_000_000
  private static let second: Int64 = 1_000_000_000

  /// A reader of the object under `backend`, of a sweep of scenarios of one kind; relative paths start from `folder`.
  package init(_ reader: ObjectReader, folder: String, schema: RunSchema) {
    self.reader = reader
    self.schema = schema
    backend = CommandBackend(at: reader.location, base: folder)
  }

  /// Reads everything. The result may be used only if nothing was reported.
  package mutating func read() -> CommandBackend {
    readCommand()
    readEnvironment()
    readFiles()
    readDevices()
    let times = Int64(0)...Self.timeLimit
    backend.timeLimit = reader.duration("timeLimit", default: 3600 * Self.second, in: 1_000_000...Self.timeLimit)
    backend.grace = reader.duration("grace", default: 5 * Self.second, in: 0...600 * Self.second)
    backend.retries = reader.integer("retries", default: 0, in: 0...100)
    backend.giveUpAfter = reader.integer("giveUpAfter", default: 5, in: 1...1_000_000)
    backend.backOff = reader.duration("backOff", default: 10 * Self.second, in: times)
    backend.coolDown = reader.duration("coolDown", default: 0, in: times)
    backend.outputLimit = reader.size("outputLimit", default: 64_000_000, in: 1000...Self.outputLimit)
    backend.log = readTemplate("log")
    backend.line = reader.optionalText("line")
    if backend.line?.isEmpty == true { reader.report("line", problem: "is empty", remedy: "write what only the line of the result has") }
    readMetrics()
    reader.finish()
    checkDevices()
    return backend
  }

  private mutating func readTemplate(_ key: String) -> CommandTemplate? {
    guard let text = reader.optionalText(key) else { return nil }
    if text.isEmpty { reader.report(key, problem: "is empty", remedy: "write a path, or leave it out") }
    return template(text, at: reader.location(of: key), key: reader.path(of: key))
  }

  private func template(_ text: String, at location: SourceLocation, key: String) -> CommandTemplate? {
    do throws(ValueProblem) { return try CommandTemplate(text, at: location, key: key) } catch {
      sink.report(error, at: location, key: key)
      return nil
    }
  }

  private mutating func readCommand() {
    backend.isShell = reader.boolean("shell", default: false)
    let words = reader.array("command", required: true)
    if let words, words.isEmpty {
      reader.report(
        "command", problem: "is empty", remedy: "write the program and its arguments, such as [\"Scripts/on-device\", \"{point}\"]")
    }
    for (index, word) in (words ?? []).enumerated() {
      let key = "\(reader.path(of: "command")).\(index)"
      do throws(ValueProblem) {
        let text = try ScalarValue.text(word)
        if index == 0, text.isEmpty { throw ValueProblem("is empty", remedy: "name a program") }
        let template = try CommandTemplate(text, at: word.location, key: key)
        if index == 0, backend.isShell, !template.names.isEmpty {
          throw ValueProblem(
            "is a script with a placeholder, whose value the shell would read as its own words",
            remedy: "write $1 in the script and the placeholder as the next word of command, or set it in environment")
        }
        backend.command.append(template)
      } catch { sink.report(error, at: word.location, key: key) }
    }
    backend.folder = readTemplate("folder")
  }

  private mutating func readEnvironment() {
    guard var part = reader.object("environment") else { return }
    for member in part.allMembers() {
      let key = part.path(of: member.key)
      if member.key.isEmpty || member.key.contains("=") || member.key.contains("\0") {
        sink.report(at: member.keyLocation, key: key, problem: "is no name of a variable", remedy: "write such as MAX_PREFETCH_COST")
      }
      if let members = member.value.members {
        var source = ObjectReader(member.value, path: key, context: reader.context)
        let name = source.text("env")
        if members.contains(where: { $0.key == "env" && $0.value.text == "" }) {
          source.report("env", problem: "is empty", remedy: "name a variable")
        }
        source.finish()
        backend.environment.append(.init(name: member.key, value: .secret(name), location: member.value.location))
        continue
      }
      do throws(ValueProblem) {
        let text = try CommandTemplate(try ScalarValue.text(member.value), at: member.value.location, key: key)
        backend.environment.append(.init(name: member.key, value: .text(text), location: member.value.location))
      } catch { sink.report(error, at: member.value.location, key: key) }
    }
  }

  private mutating func readFiles() {
    for (index, value) in (reader.array("files") ?? []).enumerated() {
      do throws(ValueProblem) {
        let path = try ScalarValue.text(value)
        let file = try InputFile(path: InputFile.path(path, in: backend.base), name: path)
        backend.files.append((path, file.hash))
      } catch { sink.report(error, at: value.location, key: "\(reader.path(of: "files")).\(index)") }
    }
  }

  private mutating func readDevices() {
    guard let values = reader.array("devices") else { return }
    if values.isEmpty { reader.report("devices", problem: "is empty", remedy: "name at least one device, or leave it out") }
    if values.count > Self.deviceLimit {
      reader.report("devices", problem: "has \(values.count) devices, more than \(Self.deviceLimit)", remedy: "name fewer")
    }
    for (index, value) in values.enumerated() {
      let key = "\(reader.path(of: "devices")).\(index)"
      do throws(ValueProblem) {
        let name = try ScalarValue.text(value)
        if name.isEmpty || name.contains("\0") { throw ValueProblem("is no device", remedy: "write its identifier") }
        if backend.devices.contains(name) {
          throw ValueProblem("stands there twice", remedy: "keep one: a device makes one run at a time")
        }
        backend.devices.append(name)
      } catch { sink.report(error, at: value.location, key: key) }
    }
  }

  private func checkDevices() {
    let isNamed = backend.templates.contains { $0.names.contains("device") }
    if reader.givenKeys.contains("devices"), backend.devices.count > 1, !isNamed {
      reader.report(
        "devices", problem: "names several, and the command says {device} nowhere, so that all would run on one",
        remedy: "write {device} into command or environment")
    }
    if let log = backend.log, backend.devices.count > 1, !(log.names + (backend.folder?.names ?? [])).contains("device") {
      reader.report("log", problem: "is one file for several devices", remedy: "write {device} into it, or into folder")
    }
  }

  // MARK: Metrics

  private mutating func readMetrics() {
    guard var part = reader.object("metrics", required: true) else { return }
    let known = schema.metrics.map(\.rawValue)
    for member in part.allMembers() {
      let key = part.path(of: member.key)
      guard let metric = Metric(rawValue: member.key), known.contains(member.key) else {
        sink.report(
          at: member.keyLocation, key: key, problem: "is no metric of such a run",
          remedy: NearestName.remedy(for: member.key, among: known, what: "metrics"))
        continue
      }
      if let source = source(member.value, of: metric, key: key) { backend.metrics.append(source) }
    }
    let given = part.givenKeys
    let isEnough = given.contains(schema.headline.rawValue) || (schema == .feed && given.contains("loaders") && given.contains("viewed"))
    if !isEnough {
      let pair = schema == .feed ? ", or loaders and viewed" : ""
      reader.report(
        "metrics", problem: "has no \(schema.headline.rawValue), by which points are compared",
        remedy: "say where \(schema.headline.rawValue) is found\(pair)")
    }
  }

  private func source(_ value: JSON5Value, of metric: Metric, key: String) -> MetricSource? {
    do throws(ValueProblem) {
      switch value.kind {
      case .string(let name):
        if name.isEmpty { throw ValueProblem("is empty", remedy: "write the name that the result has for it") }
        return MetricSource(metric: metric, place: .name(name), scale: 1, isOptional: false)
      case .number:
        let constant = try ScalarValue.number(value, in: 0...1e300)
        return MetricSource(metric: metric, place: .constant(constant), scale: 1, isOptional: false)
      case .object: return try described(value, of: metric, key: key)
      default:
        throw ValueProblem(
          "is \(value.found), which says nothing of where it is found",
          remedy: "write its name in the result, or { pattern: \"…\" }")
      }
    } catch {
      sink.report(error, at: value.location, key: key)
      return nil
    }
  }

  /// - Throws: `ValueProblem` if the value names no source of the metric.
  private func described(_ value: JSON5Value, of metric: Metric, key: String) throws(ValueProblem) -> MetricSource? {
    var part = ObjectReader(value, path: key, context: reader.context)
    let (name, pattern) = (part.optionalText("name"), part.optionalText("pattern"))
    let scale = part.number("scale", default: 1, in: 1e-12...1e12)
    let isOptional = part.boolean("optional", default: false)
    part.finish()
    if (name ?? "").isEmpty == (pattern ?? "").isEmpty {
      throw ValueProblem("needs a name or a pattern, one of the two", remedy: "write { name: \"…\" } or { pattern: \"…\" }")
    }
    guard let pattern else { return MetricSource(metric: metric, place: .name(name ?? ""), scale: scale, isOptional: isOptional) }
    do { _ = try Regex(pattern) } catch {
      part.report(
        "pattern", problem: "is no regular expression", remedy: "write one such as \"loaders: ([0-9]+)\"; what is in brackets is the number"
      )
      return nil
    }
    return MetricSource(metric: metric, place: .pattern(pattern), scale: scale, isOptional: isOptional)
  }
}
