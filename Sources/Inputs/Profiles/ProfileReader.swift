// Reads a network profile of another tool as settings of `network`, and says which values are lost or assumed.

import Base

/// A network from a profile of another tool.
package struct ImportedNetwork: Sendable {
  package let name: String, tool: String
  /// The keys of `network` and their values in JSON.
  package let settings: [(key: String, json: String)]
  /// Sentences on lost values and on assumptions, with the location of the value, if there is one.
  package let notes: [(location: SourceLocation?, text: String)]
  /// The keys and values that are lost.
  package let lost: [String]

  /// Returns the part of a sweep file.
  package func text(source: String) -> String {
    let named = name.isEmpty ? "" : " \(quoted(name))"
    return "// The network\(named) of \(SafeText.line(source)) (\(tool)), for a sweep file.\n"
      + notes.map { "// \(SafeText.line($0.text))\n" }.joined()
      + "{ network: { \(settings.map { "\($0.key): \($0.json)" }.joined(separator: ", ")) } }\n"
  }
}

/// Finds the profiles of a file by their keys and reads one of them.
package struct ProfileReader {
  package static let sizeLimit = 4_000_000
  private static let depthLimit = 12
  private static let nameLimit = 60

  /// A profile before it is read.
  struct Candidate {
    var name: String
    let dialect: ProfileDialect
    let value: JSON5Value
    var assumptions: [String] = []
  }

  private let sink: DiagnosticSink
  private var found: [Candidate] = []

  /// Reads a profile, the one called `profile` if the file has several; nil after a report. O(size).
  package static func read(_ file: InputFile, profile: String?, into sink: DiagnosticSink) -> ImportedNetwork? {
    var reader = ProfileReader(sink: sink)
    let before = sink.count
    reader.find(in: file)
    guard sink.count == before, let chosen = reader.choose(profile, file) else { return nil }
    var draft = ProfileDraft(chosen, sink)
    for leaf in leaves(of: chosen) { draft.read(leaf) }
    return draft.network()
  }

  private init(sink: DiagnosticSink) { self.sink = sink }

  private func choose(_ profile: String?, _ file: InputFile) -> Candidate? {
    let names = found.map { SafeText.excerpt($0.name) }
    if names.isEmpty {
      sink.report(
        at: file.start, problem: "has no network profile of a known form",
        remedy: "give one of \(ProfileDialect.all.map(\.tool).joined(separator: ", ")), Android emulator or tc")
    } else if let profile, let chosen = found.first(where: { $0.name == profile }) {
      if found.count(where: { $0.name == profile }) == 1 { return chosen }
      sink.report(at: file.start, problem: "has several profiles called \(quoted(profile))", remedy: "rename all but one")
    } else if let profile {
      sink.report(
        at: file.start, problem: "has no profile \(quoted(profile))",
        remedy: NearestName.remedy(for: profile, among: names, what: "profiles"))
    } else if found.count == 1 {
      return found[0]
    } else {
      sink.report(
        at: file.start, problem: "has \(found.count) profiles",
        remedy: "choose one with --profile, or profile beside profileFile: \(shortened(names.joined(separator: ", "), to: 400))")
    }
    return nil
  }

  private mutating func find(in file: InputFile) {
    let start = file.bytes.drop { $0 <= 0x20 || $0 >= 0x80 }.prefix(100)
    if start.starts(with: "bplist".utf8) {
      sink.report(at: file.start, problem: "is a binary property list", remedy: "convert it with plutil -convert xml1")
    } else if start.starts(with: "<".utf8) {
      var list = PropertyListReader(file)
      do throws(InvalidInput) { visit(try list.read(), called: "", in: nil, depth: 0) } catch { sink.report(error) }
    } else if start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "[") && !CommandLines.isSection(start) {
      guard let root = JSON5Parser.parse(file.bytes, file: file.name, allowsHalfPairs: true, into: sink) else { return }
      visit(root, called: "", in: nil, depth: 0)
    } else {
      let sections = CommandLines.sections(of: file)
      visit(sections, called: "", in: nil, depth: 0)
      if sections.members == [] {
        var lines = CommandLines(sink)
        found = lines.candidates(in: file)
      }
    }
  }

  /// Looks for profiles in a value. `name` is that of the nearest named object around it, or its key.
  private mutating func visit(_ value: JSON5Value, called name: String, in parent: JSON5Value?, depth: Int) {
    guard depth < Self.depthLimit else { return }
    if let elements = value.elements {
      for (index, element) in elements.enumerated() where element.members != nil || element.elements != nil {
        visit(element, called: name.isEmpty ? "\(index + 1)" : name, in: value, depth: depth + 1)
      }
    }
    guard let members = value.members else { return }
    let own = value["name"]?.text
    let called = shortened(own ?? name, to: Self.nameLimit)
    if var dialect = ProfileDialect.all.first(where: { dialect in
      members.contains { dialect.marks.contains($0.key) && ($0.value.members != nil) == dialect.isNested }
    }) {
      let method = parent?["throttlingMethod"]?.text
      if method == "devtools", dialect.marks.contains("rttMs") { dialect = .devTools }
      found.append(Candidate(name: called, dialect: dialect, value: value))
      if method == "provided" {
        found[found.count - 1].assumptions = ["throttlingMethod is provided, so that Lighthouse applies none of this"]
      }
      return
    }
    for member in members {
      if member.key == "connectivity", member.value["profile"]?.text != nil {
        found.append(Candidate(name: called, dialect: .throttle, value: member.value))
      } else {
        visit(member.value, called: own ?? member.key, in: value, depth: depth + 1)
      }
    }
  }

  /// A value of a profile as text.
  struct Leaf {
    var path: String, text: String, location: SourceLocation
    /// The text of the key with "Unit" behind it.
    var unit: String?
  }

  private static func leaves(of candidate: Candidate) -> [Leaf] {
    if candidate.dialect.tool == ProfileDialect.toxiproxy.tool { return toxics(candidate.value) }
    let all = leaves(candidate.value, "")
    return candidate.dialect.tool == ProfileDialect.browserStack.tool
      ? all.filter { leaf in candidate.dialect.rules.contains { $0.path == leaf.path } } : all
  }

  private static func leaves(_ value: JSON5Value, _ path: String) -> [Leaf] {
    guard let members = value.members else { return [Leaf(path: path, text: value.canonicalText, location: value.location)] }
    return members.flatMap { member in
      var found = leaves(member.value, path.isEmpty ? member.key : "\(path).\(member.key)")
      if found.count == 1 { found[0].unit = value["\(member.key)Unit"]?.canonicalText }
      return found
    }
  }

  /// Returns the attributes of a proxy's toxics, with the stream and the type before them.
  private static func toxics(_ proxy: JSON5Value) -> [Leaf] {
    let off = proxy["enabled"].flatMap {
      $0.kind == .boolean(false) ? Leaf(path: "enabled", text: "no connections", location: $0.location) : nil
    }
    return [off].compactMap(\.self)
      + (proxy["toxics"]?.elements ?? []).flatMap { toxic in
        let path = "\(toxic["stream"]?.text ?? "downstream").\(toxic["type"]?.text ?? "toxic")"
        let share = toxic["toxicity"].map { leaves($0, "\(path).toxicity") } ?? []
        let attributes = toxic["attributes"].map { leaves($0, path) } ?? []
        return (attributes.isEmpty ? [Leaf(path: path, text: "toxic", location: toxic.location)] : attributes) + share
      }
  }
}
