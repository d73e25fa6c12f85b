// Finds network profiles in lines of text: sections of an INI file, and commands of tc, throttle and the Android emulator.

import Base

/// Reads commands as objects whose members have the words' locations.
struct CommandLines {
  private typealias Word = (text: String, location: SourceLocation)

  /// The longest line that is read, in bytes.
  private static let lineLimit = 4096

  private let sink: DiagnosticSink
  /// The options of `tc` by device, in order of their first commands.
  private var devices: [(name: String, members: [JSON5Member])] = []
  private var emulator: [JSON5Member] = []
  private var found: [ProfileReader.Candidate] = []

  init(_ sink: DiagnosticSink) { self.sink = sink }

  private static func member(_ key: String, _ word: Word) -> JSON5Member {
    JSON5Member(key: key, keyLocation: word.location, value: JSON5Value(kind: .string(word.text), location: word.location))
  }

  private static func forEachLine(of file: InputFile, _ body: (TextLine) -> Void) {
    file.bytes.withUnsafeBytes { bytes in for line in TextLines(bytes) where line.bytes.count <= lineLimit { body(line) } }
  }

  /// Returns true if a text begins with a section, such as `[Cable]`, rather than with a list.
  static func isSection(_ text: some Collection<UInt8>) -> Bool {
    let line = text.dropFirst().prefix { $0 != 0x0A && $0 != 0x0D }
    return line.contains(UInt8(ascii: "]")) && !line.contains { "{\",[".utf8.contains($0) } && line.first != UInt8(ascii: "]")
      && line.first.map { !"0123456789-".utf8.contains($0) || line.contains { $0 | 0x20 >= 0x61 } } ?? false
  }

  /// Returns the sections of an INI file as an object of objects; one without members if the file is none.
  static func sections(of file: InputFile) -> JSON5Value {
    var sections: [JSON5Member] = []
    forEachLine(of: file) { line in
      let text = trimmingSpaces(line.text(0..<line.bytes.count)), location = line.location(0, file: file.name)
      if text.hasPrefix("["), text.hasSuffix("]") {
        let empty = JSON5Value(kind: .object([]), location: location)
        sections.append(JSON5Member(key: String(text.dropFirst().dropLast()), keyLocation: location, value: empty))
      } else if let mark = text.firstIndex(of: "="), !text.hasPrefix(";"), !text.hasPrefix("#"), let last = sections.indices.last,
        var members = sections[last].value.members
      {
        let value = trimmingSpaces(text[text.index(after: mark)...]), at = line.bytes.firstIndex(of: UInt8(ascii: "=")) ?? 0
        let isQuoted = value.count >= 2 && value.hasPrefix("\"") && value.hasSuffix("\"")
        members.append(
          member(
            trimmingSpaces(text[..<mark]), (isQuoted ? String(value.dropFirst().dropLast()) : value, line.location(at + 1, file: file.name))
          ))
        sections[last].value.kind = .object(members)
      }
    }
    return JSON5Value(kind: .object(sections), location: file.start)
  }

  mutating func candidates(in file: InputFile) -> [ProfileReader.Candidate] {
    var command: [Word] = []
    Self.forEachLine(of: file) { line in
      findNumbers(in: line, file)
      var isContinued = false
      for range in line.words {
        var text = line.text(range)
        if text.hasPrefix("#") { break }
        isContinued = text == "\\" && range.upperBound == line.bytes.count
        if isContinued { break }
        let isEnd = ["&&", "||", "|", ";"].contains(text) || text.hasSuffix(";")
        while let last = text.last, ";\"',".contains(last) { text.removeLast() }
        while let first = text.first, "\"'".contains(first) { text.removeFirst() }
        if !text.isEmpty, text != "&&", text != "||", text != "|" {
          command.append((text, line.location(range.lowerBound, file: file.name)))
        }
        if isEnd { end(&command) }
      }
      if !isContinued { end(&command) }
    }
    end(&command)
    if let first = emulator.first { add("emulator", .android, emulator, at: first.keyLocation) }
    addDevices()
    return found
  }

  private mutating func add(
    _ name: String, _ dialect: ProfileDialect, _ members: [JSON5Member], at location: SourceLocation, assumptions: [String] = []
  ) {
    let value = JSON5Value(kind: .object(members), location: location)
    found.append(ProfileReader.Candidate(name: name, dialect: dialect, value: value, assumptions: assumptions))
  }

  private mutating func end(_ command: inout [Word]) {
    defer { command = [] }
    func name(_ word: Word) -> String { String(word.text.split(separator: "/").last ?? "") }
    if let index = command.firstIndex(where: { name($0) == "tc" }) { return readTrafficControl(command[(index + 1)...]) }
    if let index = command.firstIndex(where: { name($0) == "throttle" }) { return readThrottle(command[(index + 1)...]) }
    for (index, word) in command.enumerated() {
      let parts = word.text.split(separator: "=", maxSplits: 1).map(String.init)
      let next = index + 1 < command.count ? command[index + 1] : nil
      switch parts.first {
      case "-netspeed", "-netdelay": if let next { emulator.append(Self.member(String(word.text.dropFirst()), next)) }
      case "network":
        if let next, next.text == "speed" || next.text == "delay", index + 2 < command.count {
          emulator.append(Self.member("net\(next.text)", command[index + 2]))
        }
      case "runtime.network.speed", "runtime.network.latency":
        if parts.count == 2 {
          emulator.append(Self.member(parts[0].hasSuffix("speed") ? "netspeed" : "netdelay", (parts[1], word.location)))
        }
      default: break
      }
    }
  }

  /// Finds the four numbers of BrowserStack: alone in their line, or after `customNetwork`.
  private mutating func findNumbers(in line: TextLine, _ file: InputFile) {
    let text = trimmingSpaces(line.text(0..<line.bytes.count))
    let runs = text.split { !"0123456789.,".contains($0) }.filter { $0.split(separator: ",").count == 4 }
    guard let run = runs.first, run.count == text.count || text.contains("customNetwork") else { return }
    let location = line.location(0, file: file.name)
    add("\(found.count + 1)", .browserStack, [Self.member("customNetwork", (String(run), location))], at: location)
  }

  private mutating func readThrottle(_ words: ArraySlice<Word>) {
    var members: [JSON5Member] = []
    for (index, word) in zip(words.indices, words) {
      if ["stop", "--stop", "help", "--help", "--version"].contains(word.text) { return }
      let parts = word.text.split(separator: "=", maxSplits: 1).map(String.init)
      if word.text.hasPrefix("--"), parts.count == 2 {
        members.append(Self.member(String(parts[0].dropFirst(2)), (parts[1], word.location)))
      } else if word.text.hasPrefix("--"), index + 1 < words.endIndex, !words[index + 1].text.hasPrefix("-") {
        members.append(Self.member(String(word.text.dropFirst(2)), words[index + 1]))
      } else if word.text.hasPrefix("--") {
        members.append(Self.member(String(word.text.dropFirst(2)), ("true", word.location)))
      } else if index == words.startIndex {
        members.append(Self.member("profile", word))
      }
    }
    guard let first = members.first else { return }
    let name = members.first { $0.key == "profile" }?.value.text ?? "\(found.count + 1)"
    add(name, .throttle, members, at: first.keyLocation)
  }

  /// The options of each kind, and the values that follow them; "-" says nothing about the network.
  private static let grammar: [String: [String: [String]]] = [
    "netem": [
      "limit": ["limit"], "delay": ["delay", "jitter", "delay correlation"], "latency": ["delay", "jitter", "delay correlation"],
      "loss": ["loss", "loss correlation"], "drop": ["loss", "loss correlation"], "corrupt": ["corrupt", "corrupt correlation"],
      "duplicate": ["duplicate", "duplicate correlation"], "reorder": ["reorder", "reorder correlation"], "gap": ["gap"],
      "rate": ["rate", "packet overhead", "cell size", "cell overhead"], "distribution": ["distribution"],
      "slot": ["slot", "longest slot"], "packets": ["packets"], "bytes": ["bytes"], "seed": ["seed"],
    ],
    "tbf": [
      "rate": ["rate"], "burst": ["burst"], "buffer": ["burst"], "maxburst": ["burst"], "latency": ["latency"], "limit": ["limit bytes"],
      "peakrate": ["peakrate"], "mtu": ["mtu"], "minburst": ["mtu"], "mpu": ["mpu"],
    ],
    "htb": [
      "rate": ["rate"], "ceil": ["ceil"], "burst": ["burst"], "cburst": ["cburst"], "prio": ["-"], "quantum": ["-"], "default": ["-"],
      "r2q": ["-"],
    ],
  ]
  /// The models of losses and their values.
  private static let models = [
    "random": ["loss", "loss correlation"], "state": ["p", "r", "p32", "p23", "p14"], "gemodel": ["p", "r", "1-h", "loss"],
  ]

  private mutating func readTrafficControl(_ words: ArraySlice<Word>) {
    guard let object = words.firstIndex(where: { ["qdisc", "class", "filter"].contains($0.text) }), object + 1 < words.endIndex,
      ["add", "replace", "change"].contains(words[object + 1].text)
    else { return }
    let rest = words[(object + 2)...]
    guard let mark = rest.firstIndex(where: { $0.text == "dev" }), mark + 1 < rest.endIndex else {
      return sink.report(at: words[object].location, key: "tc", problem: "has no device", remedy: "write dev and its name")
    }
    let device = rest[mark + 1].text
    let index = devices.firstIndex { $0.name == device } ?? devices.count
    if index == devices.count { devices.append((device, [])) }
    guard words[object].text != "filter", let kind = rest.firstIndex(where: { Self.grammar[$0.text] != nil }) else {
      let isFilter = words[object].text == "filter"
      let other = rest.first {
        $0.text != "dev" && $0.text != device && !["root", "parent", "handle"].contains($0.text) && !$0.text.contains(":")
      }
      if isFilter || other.map({ !["ingress", "clsact"].contains($0.text) }) ?? false {
        devices[index].members.append(
          Self.member(words[object].text, (isFilter ? "of some packets" : other?.text ?? "", words[object].location)))
      }
      return
    }
    devices[index].members += options(of: rest[kind].text, rest[(kind + 1)...])
  }

  private func options(of kind: String, _ words: ArraySlice<Word>) -> [JSON5Member] {
    var members: [JSON5Member] = []
    var index = words.startIndex
    while index < words.endIndex {
      let word = words[index]
      index += 1
      var names = Self.grammar[kind]?[word.text]
      if word.text == "loss" || word.text == "drop", index < words.endIndex, let model = Self.models[words[index].text] {
        (names, index) = (model, index + 1)
      }
      guard let names else {
        members.append(Self.member(word.text, ("set", word.location)))
        continue
      }
      let first = index
      for name in names {
        guard index < words.endIndex, word.text == "distribution" || words[index].text.first.map({ "0123456789.-+$".contains($0) }) ?? false
        else { break }
        if name != "-" { members.append(Self.member(name, words[index])) }
        index += 1
      }
      if index == first { sink.report(at: word.location, key: word.text, problem: "has no value", remedy: "write it after the word") }
    }
    return members
  }

  /// Adds the devices of `tc` as one profile: an ifb device, or the first of two, is the way down.
  private mutating func addDevices() {
    var devices = devices.filter { !$0.members.isEmpty }
    guard let first = devices.first, let start = first.members.first else { return }
    guard devices.count <= 2 else {
      return sink.report(
        at: start.keyLocation, key: "tc", problem: "shapes \(devices.count) devices",
        remedy: "keep the commands of the one or two of the link")
    }
    var assumption = "\(SafeText.excerpt(first.name)) alone is shaped; it is read as the way down"
    if devices.count > 1 {
      let isSure = devices.count { $0.name.hasPrefix("ifb") } == 1
      if isSure, devices[1].name.hasPrefix("ifb") { devices.swapAt(0, 1) }
      let names = devices.map { SafeText.excerpt($0.name) }
      assumption =
        "\(names[0]) is read as the way down, \(names[1]) as the way up\(isSure ? ", because ifb devices shape what arrives" : "")"
    }
    let members = zip(["down", "up"], devices).map { key, device in
      JSON5Member(key: key, keyLocation: start.keyLocation, value: JSON5Value(kind: .object(device.members), location: start.keyLocation))
    }
    add("tc", .trafficControl, members, at: start.keyLocation, assumptions: [assumption])
  }
}
