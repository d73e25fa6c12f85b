// Reads `backend: { command: [ … ], … }` and reports all its problems.

import Analysis
import Base
import _StringProcessing

extension CommandBackend {
  static let deviceLimit = 64
  /// The longest duration of a run, rest or wait: a week, in nanoseconds.
  private static let longest: Int64 = 7 * 86_400_000_000_000
  private static let second: Int64 = 1_000_000_000

  /// Reads the object under `backend`; use the result only if nothing was reported. Relative paths start from `folder`.
  init(from reader: ObjectReader, folder base: String, schema: RunSchema) {
    var reader = reader
    (location, self.base) = (reader.location, base)
    readCommand(&reader)
    readEnvironment(&reader)
    fileHashes = reader.elements("files") { value, _ throws(ValueProblem) in
      let path = try ScalarValue.text(value)
      return try InputFile(path: InputFile.path(path, in: base), name: path).hash
    }
    readDevices(&reader)
    timeLimit = reader.duration("timeLimit", default: 3600 * Self.second, in: 1_000_000...Self.longest)
    grace = reader.duration("grace", default: 5 * Self.second, in: 0...600 * Self.second)
    retries = reader.integer("retries", default: 0, in: 0...100)
    giveUpAfter = reader.integer("giveUpAfter", default: 5, in: 1...1_000_000)
    backOff = reader.duration("backOff", default: 10 * Self.second, in: 0...Self.longest)
    coolDown = reader.duration("coolDown", default: 0, in: 0...Self.longest)
    outputLimit = reader.size("outputLimit", default: 64_000_000, in: 1000...1_000_000_000)
    log = Self.template("log", &reader)
    line = reader.optionalText("line")
    if line?.isEmpty == true {
      reader.report("line", problem: "is empty", remedy: "write a text that only the line with the result contains")
    }
    readMetrics(&reader, schema)
    reader.finish()
    checkDevices(reader)
  }

  private static func template(_ key: String, _ reader: inout ObjectReader) -> CommandTemplate? {
    guard let text = reader.optionalText(key) else { return nil }
    return reader.result(of: key) { () throws(ValueProblem) in
      if text.isEmpty { throw ValueProblem("is empty", remedy: "write a path, or leave it out") }
      return try CommandTemplate(text, at: reader.location(of: key), key: reader.path(of: key))
    }
  }

  private mutating func readCommand(_ reader: inout ObjectReader) {
    let isShell = reader.boolean("shell", default: false)
    self.isShell = isShell
    if reader.value("command")?.elements?.isEmpty == true {
      let remedy = "write the program and its arguments, such as [\"Scripts/on-device\", \"{point}\"]"
      reader.report("command", problem: "is empty", remedy: remedy)
    }
    let key = reader.path(of: "command")
    command = reader.elements("command", required: true) { value, index throws(ValueProblem) in
      let text = try ScalarValue.text(value)
      if index == 0, text.isEmpty { throw ValueProblem("is empty", remedy: "name a program") }
      let template = try CommandTemplate(text, at: value.location, key: "\(key).\(index)")
      if index == 0, isShell, !template.names.isEmpty {
        throw ValueProblem(
          "is a script with a placeholder, whose value the shell would read as its own words",
          remedy: "write $1 in the script and the placeholder as the next word of command, or set it in environment")
      }
      return template
    }
    folder = Self.template("folder", &reader)
  }

  private mutating func readEnvironment(_ reader: inout ObjectReader) {
    guard var part = reader.object("environment") else { return }
    let sink = reader.context.sink
    for member in part.allMembers() {
      let (key, location) = (part.path(of: member.key), member.value.location)
      if member.key.isEmpty || member.key.contains("=") || member.key.contains("\0") {
        sink.report(at: member.keyLocation, key: key, problem: "is no name of a variable", remedy: "write such as MAX_PREFETCH_COST")
      }
      if member.value.members != nil {
        var source = ObjectReader(member.value, path: key, context: reader.context)
        let name = source.text("env")
        if source.value("env")?.text == "" { source.report("env", problem: "is empty", remedy: "name a variable") }
        source.finish()
        environment.append(Variable(name: member.key, value: .secret(name), location: location))
        continue
      }
      sink.value(at: location, key: key) { () throws(ValueProblem) in
        let text = try CommandTemplate(try ScalarValue.text(member.value), at: location, key: key)
        environment.append(Variable(name: member.key, value: .text(text), location: location))
      }
    }
  }

  private mutating func readDevices(_ reader: inout ObjectReader) {
    let count = reader.value("devices")?.elements?.count
    if count == 0 { reader.report("devices", problem: "is empty", remedy: "name at least one device, or leave it out") }
    if let count, count > Self.deviceLimit {
      reader.report("devices", problem: "has \(count) devices, more than \(Self.deviceLimit)", remedy: "name fewer")
    }
    var known: Set<String> = []
    devices = reader.elements("devices") { value, _ throws(ValueProblem) in
      let name = try ScalarValue.text(value)
      if name.isEmpty || name.contains("\0") { throw ValueProblem("is no device", remedy: "write its identifier") }
      if known.insert(name).inserted { return name }
      throw ValueProblem("is listed twice", remedy: "keep one: a device executes one run at a time")
    }
  }

  private func checkDevices(_ reader: ObjectReader) {
    guard devices.count > 1 else { return }
    if !templates.contains(where: { $0.names.contains("device") }) {
      reader.report(
        "devices", problem: "lists several, but the command does not contain {device}, so all runs would use one",
        remedy: "write {device} into command or environment")
    }
    if let log, !(log.names + (folder?.names ?? [])).contains("device") {
      reader.report("log", problem: "is one file for several devices", remedy: "write {device} into it, or into folder")
    }
  }

  // MARK: Metrics

  private mutating func readMetrics(_ reader: inout ObjectReader, _ schema: RunSchema) {
    guard var part = reader.object("metrics", required: true) else { return }
    let (known, sink, headline) = (schema.nameable.map(\.rawValue), reader.context.sink, schema.headline.rawValue)
    for member in part.allMembers() {
      let key = part.path(of: member.key)
      guard let metric = Metric(rawValue: member.key), known.contains(member.key) else {
        sink.report(
          at: member.keyLocation, key: key, problem: "is no metric of such a run",
          remedy: NearestName.remedy(for: member.key, among: known, what: "metrics"))
        continue
      }
      sink.value(at: member.value.location, key: key) { () throws(ValueProblem) in
        metrics.append(try MetricSource(member.value, of: metric, key: key, reader.context))
      }
    }
    let given = part.givenKeys
    if given.contains(headline) || (schema == .feed && given.contains("loaders") && given.contains("viewed")) { return }
    reader.report(
      "metrics", problem: "has no \(headline), by which points are compared",
      remedy: "name the source of \(headline)\(schema == .feed ? ", or loaders and viewed" : "")")
  }
}

/// The source of one metric in a program's output.
package struct MetricSource: Sendable, CustomStringConvertible {
  package enum Selector: Hashable, Sendable {
    /// The metric's name: a dotted path in a JSON object, or the word before `=` or `:` in a line.
    case name(String)
    /// A regular expression. Its first capture is the number; without a capture, the whole match is.
    case pattern(String)
    case constant(Double)
  }

  let metric: Metric
  let selector: Selector
  /// The factor that converts the number to the column's unit.
  var scale = 1.0
  /// True if a result may lack the metric; its cell is then empty.
  var isOptional = false

  /// A line that identifies the source; point ids hash it.
  package var description: String {
    let text =
      switch selector {
      case .name(let name): "name \(jsonString(name))"
      case .pattern(let pattern): "pattern \(jsonString(pattern))"
      case .constant(let value): "\(value)"
      }
    return "metric=\(metric.rawValue) \(text) times \(scale)\(isOptional ? " or none" : "")"
  }
}

extension MetricSource {
  /// Reads a name, a constant, or `{ name or pattern, scale, optional }`.
  /// - Throws: `ValueProblem` if the value names no source of the metric.
  fileprivate init(_ value: JSON5Value, of metric: Metric, key: String, _ context: DecodingContext) throws(ValueProblem) {
    switch value.kind {
    case .string(let name):
      if name.isEmpty { throw ValueProblem("is empty", remedy: "write the name that the result has for it") }
      self.init(metric: metric, selector: .name(name))
    case .number: self.init(metric: metric, selector: .constant(try ScalarValue.number(value, in: 0...1e300)))
    case .object:
      var part = ObjectReader(value, path: key, context: context)
      let (name, pattern) = (part.optionalText("name") ?? "", part.optionalText("pattern") ?? "")
      let scale = part.number("scale", default: 1, in: 1e-12...1e12)
      let isOptional = part.boolean("optional", default: false)
      part.finish()
      if name.isEmpty == pattern.isEmpty {
        throw ValueProblem("needs a name or a pattern, one of the two", remedy: "write { name: \"…\" } or { pattern: \"…\" }")
      }
      if (try? Regex(pattern)) == nil {
        part.report(
          "pattern", problem: "is no regular expression",
          remedy: "write one such as \"loaders: ([0-9]+)\"; the group in parentheses is the number")
      }
      self.init(metric: metric, selector: pattern.isEmpty ? .name(name) : .pattern(pattern), scale: scale, isOptional: isOptional)
    default:
      throw ValueProblem("is \(value.found), which is no source of a metric", remedy: "write its name in the result, or { pattern: \"…\" }")
    }
  }
}
