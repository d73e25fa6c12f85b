// Looks up and replaces values by dotted path: axes, baselines and `--set` are overlays on the scenario.

extension JSON5Value {
  /// The longest path, in components.
  static let pathLimit = 32

  /// The value at a dotted path; nil if there is none. A component of digits counts into a list, from 0.
  func lookup(_ path: String) -> JSON5Value? {
    var value = self
    for component in path.split(separator: ".", omittingEmptySubsequences: false) {
      if case .array(let elements) = value.kind, let index = Int(component), elements.indices.contains(index) {
        value = elements[index]
      } else if let next = value[String(component)] {
        value = next
      } else {
        return nil
      }
    }
    return value
  }

  /// This value with `new` at a dotted path, in place of what stood there or added at the end of its object.
  ///
  /// Objects that are missing on the way are created. Where something else stands in the way, such as a string that is
  /// short for an object, `expanding` is asked, with the path so far, for the object that it means; nil refuses.
  /// O(members on the way).
  func setting(
    path: String, to new: JSON5Value,
    expanding: (_ path: String, _ value: JSON5Value) -> JSON5Value? = { _, _ in nil }
  ) throws(ValueProblem) -> JSON5Value {
    let components = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    guard !components.contains(""), components.count <= Self.pathLimit else {
      throw ValueProblem("is not a path", remedy: "write at most \(Self.pathLimit) keys with dots between, such as \"prefetcher.maxCost\"")
    }
    return try setting(components[...], above: [], to: new, expanding: expanding)
  }

  private func setting(
    _ components: ArraySlice<String>, above: [String], to new: JSON5Value,
    expanding: (_ path: String, _ value: JSON5Value) -> JSON5Value?
  ) throws(ValueProblem) -> JSON5Value {
    guard let key = components.first else { return new }
    if case .array(var elements) = kind, let index = Int(key) {
      guard elements.indices.contains(index) else {
        throw ValueProblem(
          "counts past the end of a list of \(elements.count)", remedy: "write a number less than \(elements.count), counted from 0")
      }
      elements[index] = try elements[index].setting(components.dropFirst(), above: above + [key], to: new, expanding: expanding)
      return JSON5Value(kind: .array(elements), location: location)
    }
    guard var members = members ?? expanding(above.joined(separator: "."), self)?.members else {
      let place = above.isEmpty ? "the root" : quoted(above.joined(separator: "."))
      throw ValueProblem("cannot be set, because \(place) is \(found), not an object", remedy: "write \(place) as { … }")
    }
    if let index = members.firstIndex(where: { $0.key == key }) {
      members[index].value = try members[index].value.setting(
        components.dropFirst(), above: above + [key], to: new, expanding: expanding)
    } else {
      let empty = JSON5Value(kind: .object([]), location: new.location)
      let value = try empty.setting(components.dropFirst(), above: above + [key], to: new, expanding: expanding)
      members.append(JSON5Member(key: key, keyLocation: new.location, value: value))
    }
    return JSON5Value(kind: .object(members), location: location)
  }

  /// The value of `--set path=text`: JSON5 where it parses (5, true, "x", { kind: "none" }), otherwise the text as a string.
  /// Its file is the option's name.
  static func scalar(fromCommandLine text: String, option: String = "--set") -> JSON5Value {
    let sink = DiagnosticSink()
    if let value = JSON5Parser.parse(text, file: option, into: sink), sink.isEmpty { return value }
    return JSON5Value(kind: .string(text), location: SourceLocation(file: option))
  }

  /// The settings that an option has laid down as paths and values; `scenario.` before a path may be left out.
  static func settings(
    fromCommandLine settings: [(path: String, value: String)], option: String = "--set"
  ) -> [(String, JSON5Value)] {
    settings.map { setting in
      let path = setting.path.hasPrefix("scenario.") ? String(setting.path.dropFirst("scenario.".count)) : setting.path
      return (path, scalar(fromCommandLine: setting.value, option: option))
    }
  }
}
