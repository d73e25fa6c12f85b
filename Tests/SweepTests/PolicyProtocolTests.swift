import Foundation
import TestSupport
import Testing

@testable import Base
@testable import Simulation
@testable import Sweep

/// The JSON Schema of the protocol, held against real lines and the manual's examples.
@Suite struct PolicyProtocolTests {
  private let schema: JSONValue

  init() throws { schema = try JSONValue.read(Data(contentsOf: URL(filePath: "Tests/Policies/protocol-1.schema.json"))) }

  /// A JSON value, decoded by Foundation, which shares no code with the tool's own reader.
  indirect enum JSONValue: Equatable, Decodable {
    case null, boolean(Bool), number(Double), string(String), array([JSONValue]), object([String: JSONValue])

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let flag = try? value.decode(Bool.self) {
        self = .boolean(flag)
      } else if let number = try? value.decode(Double.self) {
        self = .number(number)
      } else if let text = try? value.decode(String.self) {
        self = .string(text)
      } else if let elements = try? value.decode([JSONValue].self) {
        self = .array(elements)
      } else {
        self = .object(try value.decode([String: JSONValue].self))
      }
    }

    static func read(_ data: Data) throws -> JSONValue { try JSONDecoder().decode(JSONValue.self, from: data) }

    subscript(key: String) -> JSONValue? { if case .object(let members) = self { members[key] } else { nil } }
    var elements: [JSONValue]? { if case .array(let elements) = self { elements } else { nil } }
    var text: String? { if case .string(let text) = self { text } else { nil } }
    var number: Double? { if case .number(let number) = self { number } else { nil } }

    var type: String {
      switch self {
      case .null: "null"
      case .boolean: "boolean"
      case .number(let number): number == number.rounded() ? "integer" : "number"
      case .string: "string"
      case .array: "array"
      case .object: "object"
      }
    }
  }

  /// Returns the first violation of a schema; nil for a valid value. It knows the keywords that the protocol's schema uses.
  private func violation(_ value: JSONValue, _ schema: JSONValue, at path: String = "$") -> String? {
    guard case .object(let keywords) = schema else { return "\(path): the schema is no object" }
    for (keyword, rule) in keywords.sorted(by: { $0.key < $1.key }) {
      switch keyword {
      case "$ref":
        guard let name = rule.text?.split(separator: "/").last, let target = self.schema["$defs"]?[String(name)] else {
          return "no \(rule)"
        }
        if let found = violation(value, target, at: path) { return found }
      case "anyOf":
        let found = (rule.elements ?? []).map { violation(value, $0, at: path) }
        if !found.contains(nil) { return found.compactMap(\.self).joined(separator: " | ") }
      case "type":
        let names = rule.elements?.compactMap(\.text) ?? [rule.text ?? ""]
        let fits = names.contains(value.type) || names.contains("number") && value.type == "integer"
        if !fits { return "\(path): \(value.type), not \(names)" }
      case "const": if value != rule { return "\(path): not \(rule)" }
      case "enum": if rule.elements?.contains(value) != true { return "\(path): none of \(rule)" }
      case "minimum": if let number = value.number, let least = rule.number, number < least { return "\(path): less than \(least)" }
      case "maximum": if let number = value.number, let most = rule.number, number > most { return "\(path): more than \(most)" }
      case "required":
        for key in (rule.elements ?? []).compactMap(\.text) where value[key] == nil { return "\(path): no \(key)" }
      case "properties", "additionalProperties":
        guard case .object(let members) = value else { continue }
        for (key, member) in members.sorted(by: { $0.key < $1.key }) {
          guard let own = keywords["properties"]?[key] else {
            if keywords["additionalProperties"] == .boolean(false) { return "\(path).\(key): unknown" }
            continue
          }
          if keyword == "properties", let found = violation(member, own, at: "\(path).\(key)") { return found }
        }
      case "items":
        for (index, element) in (value.elements ?? []).enumerated() {
          if let found = violation(element, rule, at: "\(path).\(index)") { return found }
        }
      case "$schema", "title", "description", "$defs": break
      default: return "\(path): the test does not know the keyword \(keyword)"
      }
    }
    return nil
  }

  private func check(_ text: some StringProtocol, _ definition: String? = nil) throws {
    let value = try JSONValue.read(Data(text.utf8))
    let rule = definition.flatMap { schema["$defs"]?[$0] } ?? schema
    #expect(violation(value, rule) == nil, "\(violation(value, rule) ?? ""): \(text.prefix(300))")
  }

  @Test func theSchemaRefusesWhatIsWrong() throws {
    let wrong = [
      #"{"ready":2}"#, #"{"ready":1,"name":"x"}"#, #"{"id":0,"fetches":[]}"#, #"{"id":1}"#, #"{"id":1,"fetches":[{"item":-1}]}"#,
      #"{"id":1,"fetches":[{"item":1.5}]}"#, #"{"id":1,"fetches":[{"item":1,"bytes":"all"}]}"#, #"{"type":"other"}"#, "7",
    ]
    for text in wrong { #expect(violation(try JSONValue.read(Data(text.utf8)), schema) != nil, "\(text)") }
  }

  @Test(.enabled(if: PolicyTests.hasPython, "no python3"), arguments: PolicyTests.scenarios.indices)
  func realLinesKeepTheSchema(_ index: Int) throws {
    let folder = try PolicyTests.Folder()
    let script = "tee -a lines | python3 items_ahead.py | tee -a answers"
    let triggers = PlanTrigger.names.map { "\"\($0.name)\"" }.joined(separator: ", ")
    let outcomes = try folder.outcomes(
      """
      { sweep: "s", repeats: 1, scenario: { \(PolicyTests.scenarios[index]),
        prefetcher: \(PolicyTests.command(["sh", "-c", script], "triggers: [\(triggers)]")) } }
      """, repeats: 1)
    if case .failure(let reason)? = outcomes[0] { Issue.record("\(reason)") }
    func lines(_ name: String) throws -> [Substring] {
      String(decoding: try Data(contentsOf: URL(filePath: "\(folder.path)/\(name)")), as: UTF8.self).split(separator: "\n")
    }
    var (types, longest): (Set<String>, Int) = ([], 0)
    for line in try lines("lines") {
      let type = try JSONValue.read(Data(line.utf8))["type"]?.text ?? ""
      try check(line, type)
      types.insert(type)
      if type == "plan" { longest = max(longest, line.utf8.count) }
    }
    #expect(types == ["begin", "plan", "end"])
    #expect(longest < 6000, "a plan's line has changes only")
    for line in try lines("answers") { try check(line) }
  }

  private static let manual = "Sources/SweepTool/Documentation.docc/PolicyPrograms.md"

  @Test(.enabled(if: PolicyTests.hasPython, "no python3")) func theManualsFirstPolicyPlansAsItSays() throws {
    let folder = try PolicyTests.Folder()
    let page = try String(contentsOfFile: Self.manual, encoding: .utf8)
    let program = page.components(separatedBy: "```python\n")[1].components(separatedBy: "```")[0]
    try Data(program.utf8).write(to: URL(filePath: "\(folder.path)/policy.py"))
    func text(_ prefetcher: String) -> String {
      """
      { sweep: "s", repeats: 1, axes: { "prefetcher.ahead": [1, 6] }, scenario: { \(PolicyTests.scenarios[0]), prefetcher: \(prefetcher) } }
      """
    }
    let own = try folder.outcomes(text(PolicyTests.python("policy.py")), repeats: 1)
    #expect(try own == folder.outcomes(text("{ kind: \"itemsAhead\" }"), repeats: 1))
  }

  @Test func theManualsExamplesKeepTheSchema() throws {
    let page = try String(contentsOfFile: Self.manual, encoding: .utf8)
    let blocks = page.components(separatedBy: "```json\n").dropFirst().map { $0.components(separatedBy: "\n```")[0] }
    #expect(blocks.count == 4)
    for (block, definition) in zip(blocks, ["begin", "ready", "plan", "fetches"]) { try check(block, definition) }
  }
}
