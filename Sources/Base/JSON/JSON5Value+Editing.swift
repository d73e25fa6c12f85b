// Looks up and replaces values by dotted path. Axes, baselines and `--set` are overlays on the scenario.

extension JSON5Value {
  package static let pathLimit = 32

  /// Returns the value at a dotted path; nil if there is none. A component of digits is an index into a list, from 0.
  package func lookup(_ path: String) -> JSON5Value? {
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

  /// Returns this value with `new` at a dotted path. Missing objects on the path are created. O(members on the path).
  /// A value on the path that is no object, such as a name that is short for one, is passed to `expanding`; nil refuses.
  /// - Throws: `ValueProblem` if the path leads through a value that has no members or elements.
  package func setting(
    path: String, to new: JSON5Value,
    expanding: (_ path: String, _ value: JSON5Value) -> JSON5Value? = { _, _ in nil }
  ) throws(ValueProblem) -> JSON5Value {
    do throws(SettingProblem) { return try setting([(path, new)], expanding: expanding) } catch { throw error.problem }
  }

  package struct SettingProblem: Error {
    package var index: Int
    package var problem: ValueProblem
  }

  /// Returns this value with several settings applied in order. O(members on the paths + settings).
  /// - Throws: `SettingProblem` if the path leads through a value that has no members or elements.
  package func setting(
    _ settings: [(String, JSON5Value)], expanding: (_ path: String, _ value: JSON5Value) -> JSON5Value? = { _, _ in nil }
  ) throws(SettingProblem) -> JSON5Value {
    var steps: [Step] = []
    steps.reserveCapacity(settings.count)
    for (index, (path, value)) in settings.enumerated() {
      let keys = path.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard !keys.contains(""), keys.count <= Self.pathLimit else {
        let remedy = "write at most \(Self.pathLimit) keys with dots between, such as \"prefetcher.maxCost\""
        throw SettingProblem(index: index, problem: ValueProblem("is not a path", remedy: remedy))
      }
      steps.append(Step(keys: keys[...], value: value, index: index))
    }
    return try setting(steps, above: [], expanding: expanding)
  }

  /// A setting, relative to the value being changed.
  private struct Step {
    var keys: ArraySlice<String>
    var value: JSON5Value
    package var index: Int
  }

  /// - Throws: `SettingProblem` if the path leads through a value that has no members or elements.
  private func setting(
    _ steps: [Step], above: [String], expanding: (_ path: String, _ value: JSON5Value) -> JSON5Value?
  ) throws(SettingProblem) -> JSON5Value {
    // A setting of the whole value replaces the settings before it.
    if let whole = steps.lastIndex(where: { $0.keys.isEmpty }) {
      let later = Array(steps[(whole + 1)...])
      return later.isEmpty ? steps[whole].value : try steps[whole].value.setting(later, above: above, expanding: expanding)
    }
    var groups: [(key: String, steps: [Step])] = []
    var groupIndices: [String: Int] = [:]
    for var step in steps {
      let key = step.keys.removeFirst()
      if steps.count > 1, let index = groupIndices[key] {
        groups[index].steps.append(step)
      } else {
        if steps.count > 1 { groupIndices[key] = groups.count }
        groups.append((key, [step]))
      }
    }
    if case .array(var elements) = kind, groups.allSatisfy({ Int($0.key) != nil }) {
      for (key, steps) in groups {
        guard let index = Int(key), elements.indices.contains(index) else {
          throw SettingProblem(
            index: steps[0].index,
            problem: ValueProblem(
              "counts past the end of a list of \(elements.count)", remedy: "write a number less than \(elements.count), counted from 0"))
        }
        elements[index] = try elements[index].setting(steps, above: above + [key], expanding: expanding)
      }
      return JSON5Value(kind: .array(elements), location: location)
    }
    guard var members = members ?? expanding(above.joined(separator: "."), self)?.members else {
      let parent = above.isEmpty ? "the root" : quoted(above.joined(separator: "."))
      let problem = ValueProblem("cannot be set, because \(parent) is \(found), not an object", remedy: "write \(parent) as { … }")
      throw SettingProblem(index: steps[0].index, problem: problem)
    }
    let isLarge = members.count + groups.count > 16
    var known = isLarge ? Dictionary(members.enumerated().map { ($1.key, $0) }, uniquingKeysWith: { first, _ in first }) : [:]
    for (key, steps) in groups {
      if let index = isLarge ? known[key] : members.firstIndex(where: { $0.key == key }) {
        members[index].value = try members[index].value.setting(steps, above: above + [key], expanding: expanding)
      } else {
        let location = steps[0].value.location
        let empty = JSON5Value(kind: .object([]), location: location)
        if isLarge { known[key] = members.count }
        let value = try empty.setting(steps, above: above + [key], expanding: expanding)
        members.append(JSON5Member(key: key, keyLocation: location, value: value))
      }
    }
    return JSON5Value(kind: .object(members), location: location)
  }

  /// Returns the value of `--set path=text`: JSON5 if the text parses (5, true, "x", { kind: "none" }), otherwise a string.
  /// Its file is the option's name.
  package static func scalar(fromCommandLine text: String, option: String = "--set") -> JSON5Value {
    let sink = DiagnosticSink()
    if let value = JSON5Parser.parse(text, file: option, into: sink), sink.isEmpty { return value }
    return JSON5Value(kind: .string(text), location: SourceLocation(file: option))
  }

  /// Returns the paths and values of an option. The prefix `scenario.` is removed from paths.
  package static func settings(
    fromCommandLine settings: [(path: String, value: String)], option: String = "--set"
  ) -> [(String, JSON5Value)] {
    settings.map { setting in
      let path = setting.path.hasPrefix("scenario.") ? String(setting.path.dropFirst("scenario.".count)) : setting.path
      return (path, scalar(fromCommandLine: setting.value, option: option))
    }
  }
}
