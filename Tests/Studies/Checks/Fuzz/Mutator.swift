// Mutates the files of a corpus by tokens, lines and groups in brackets, so that most inputs come past a reader's first check.

import Base
import Simulation
import Sweep

/// Draws inputs from a corpus: the same random stream gives the same input.
struct Mutator {
  /// The most bytes of an input.
  static let sizeLimit = 1 << 16
  private typealias Token = ArraySlice<UInt8>

  private let files: [[UInt8]]
  private let tokens: [[Token]]

  /// Creates a mutator of a corpus of at least one file.
  init(_ files: [[UInt8]]) {
    self.files = files
    tokens = files.map(Self.tokens)
  }

  /// Numbers and texts that readers often get wrong.
  private static let extremes = [
    "0", "-0", "-1", "1e-9", "1e308", "1e999", "0x10", "1_000", "00", ".5", "5.", "NaN", "Infinity", "-Infinity", "9223372036854775807",
    "9223372036854775808", "18446744073709551615", "170141183460469231731687303715884105728", "0.1e-400", "1000000", "1000001", "null",
    "true",
    "''", "\"\\u0000\"", "\"\\ud800\"", "\u{202E}", "\u{1B}[31m", "\u{FEFF}", "é", "=1+1", "]]>", "1...9", "9...1", "0...1000000", "{}",
    "[]",
    "1h", "1ns", "-1ms", "1e9h", "50%", "101%", "1B", "1TB", "1bps", "99999Gbps", "//", "/*", "\"", "'", "\\",
  ].map { Array($0.utf8)[...] }

  /// The words of the schema: keys, choices, names and metrics.
  private static let words: [Token] = {
    let sections = ScenarioKind.allCases.flatMap { ScenarioSchema.sections(of: $0) }
    let definitions = PrefetcherCatalogue.standard.definitions
    var words = definitions.map(\.name)
    for section in sections { words += section.parameters.map { section.path(of: $0) } }
    for parameter in sections.flatMap(\.parameters) + definitions.flatMap(\.settings) {
      words.append(parameter.key)
      if case .choice(let names) = parameter.kind { words += names }
    }
    return words.map { Array($0.utf8)[...] }
  }()

  /// Returns an unchanged file of the corpus in 1 of 64 inputs, otherwise one with 1 to 8 mutations, few more often than many.
  func input(_ random: inout RandomStream) -> [UInt8] {
    var index = Int(random.below(UInt64(files.count)))
    if random.below(64) == 0 { return files[index] }
    var input = tokens[index]
    var count = 1
    while count < 8, random.below(3) == 0 { count += 1 }
    for _ in 0..<count {
      if random.below(8) == 0 { index = Int(random.below(UInt64(files.count))) }
      mutate(&input, with: tokens[index], &random)
    }
    var bytes = Array(input.joined().prefix(Self.sizeLimit))
    if random.below(16) == 0 { mutateBytes(&bytes, &random) }
    return bytes
  }

  /// Splits a file into words, strings without their quotes, line ends and single characters.
  private static func tokens(_ bytes: [UInt8]) -> [Token] {
    func isWord(_ byte: UInt8) -> Bool {
      byte >= 0x80 || byte | 0x20 >= 0x61 && byte | 0x20 <= 0x7A || byte >= 0x30 && byte <= 0x39 || "_.+-%".utf8.contains(byte)
    }
    var tokens: [Token] = []
    var start = 0
    while start < bytes.count {
      var end = start + 1
      if isWord(bytes[start]) { while end < bytes.count, isWord(bytes[end]) { end += 1 } }
      tokens.append(bytes[start..<end])
      start = end
    }
    return tokens
  }

  // MARK: Mutations

  private func mutate(_ input: inout [Token], with other: [Token], _ random: inout RandomStream) {
    guard !input.isEmpty, !other.isEmpty else {
      input = other
      return
    }
    func below(_ bound: Int) -> Int { Int(random.below(UInt64(max(1, bound)))) }
    let index = below(input.count)
    switch below(11) {
    case 0, 1: input[Self.word(from: index, in: input)] = Self.extremes[below(Self.extremes.count)]
    case 2: input[Self.word(from: index, in: input)] = Self.words[below(Self.words.count)]
    case 3: input[Self.word(from: index, in: input)] = other[Self.word(from: below(other.count), in: other)]
    case 4: input.removeSubrange(Self.part(at: index, in: input))
    case 5: input.insert(contentsOf: input[Self.part(at: index, in: input)], at: below(input.count))
    case 6: input.insert(contentsOf: other[Self.part(at: below(other.count), in: other)], at: index)
    case 7: input.replaceSubrange(Self.part(at: index, in: input), with: other[Self.part(at: below(other.count), in: other)])
    case 8: input.swapAt(Self.word(from: index, in: input), Self.word(from: below(input.count), in: input))
    case 9: input[Self.word(from: index, in: input)] = Self.changed(input[Self.word(from: index, in: input)], &random)
    default:
      // Repeats a part often, or nests it deeply.
      let part = Array(input[Self.part(at: index, in: input)])
      let count = min(1 << below(11), Self.sizeLimit / max(1, part.joined().count))
      let isNested = below(4) == 0
      let ends = below(2) == 0 ? ("[", "]") : ("{a:", "}")
      let opening = isNested ? [Token](repeating: Array(ends.0.utf8)[...], count: count) : (0..<count).flatMap { _ in part }
      input.insert(contentsOf: opening + (isNested ? part + [Token](repeating: Array(ends.1.utf8)[...], count: count) : []), at: index)
    }
    if input.count > Self.sizeLimit { input.removeLast(input.count - Self.sizeLimit) }
  }

  /// Returns the index of the first word at or after an index; the index itself if there is none.
  private static func word(from index: Int, in input: [Token]) -> Int {
    input[index...].firstIndex { $0.count > 1 || $0.first.map { $0 >= 0x30 && $0 <= 0x39 } ?? false } ?? index
  }

  /// Returns the group in brackets that starts at an index; elsewhere the rest of the line there, at most 64 tokens.
  private static func part(at index: Int, in input: [Token]) -> Range<Int> {
    let (opening, closing) = (Array("[{(".utf8), Array("]})".utf8))
    var (depth, end) = (0, index)
    while end < input.count, end - index < (depth > 0 ? 4096 : 64) {
      guard let first = input[end].first else { break }
      if opening.contains(first) { depth += 1 }
      if closing.contains(first) { depth -= 1 }
      end += 1
      if depth <= 0, first == 0x0A || first == 0x2C || end - index > 1 && closing.contains(first) { break }
    }
    return index..<min(end, input.count)
  }

  /// Returns a number with another digit, sign, exponent or length; other words with another case or end.
  private static func changed(_ token: Token, _ random: inout RandomStream) -> Token {
    var token = token
    let index = token.startIndex + Int(random.below(UInt64(max(1, token.count))))
    switch random.below(6) {
    case 0: token = Array("-".utf8) + token
    case 1: token += Array("0".utf8)
    case 2: token += Array("e\(random.below(40))".utf8)
    case 3 where !token.isEmpty: token[index] = UInt8(0x30 + random.below(10))
    case 4 where !token.isEmpty: token[index] ^= 0x20
    default: token = token.dropLast()
    }
    return token
  }

  private func mutateBytes(_ bytes: inout [UInt8], _ random: inout RandomStream) {
    guard !bytes.isEmpty else { return }
    for _ in 0...random.below(4) {
      let index = Int(random.below(UInt64(bytes.count)))
      switch random.below(4) {
      case 0: bytes[index] ^= UInt8(1 << random.below(8))
      case 1: bytes[index] = UInt8(truncatingIfNeeded: random.next())
      case 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: index)
      default: if random.below(4) == 0 { bytes.removeLast(bytes.count - index) } else { bytes.remove(at: index) }
      }
      if bytes.isEmpty { return }
    }
  }
}
