// Conformance cases after spec.json5.org, locations, and messages for every kind of mistake.

import Simulation
import TestSupport
import Testing

@testable import Base

@Suite struct JSON5ParserTests {
  @Test(arguments: [
    ("null", "null"), ("true", "true"), (" false ", "false"), ("0", "0"), ("-0", "0"), ("+5", "5"), (".5", "0.5"), ("5.", "5"),
    ("-.25e1", "-2.5"), ("1e3", "1000"), ("1E-2", "0.01"), ("0x1F", "31"), ("-0XfF", "-255"), ("1.50", "1.5"),
    ("1e400", "Infinity"), ("123456789012345678901", "1.2345678901234568e+20"), ("Infinity", "Infinity"), ("-Infinity", "-Infinity"),
    ("NaN", "NaN"),
    (#""a""#, #""a""#), ("'it\"s'", #""it\"s""#), (#"'\x41\u0042\u{20}'"#, ""), (#""\uD83D\uDE00""#, "\"😀\""), ("'a\\\nb'", #""ab""#),
    ("'a\\\r\nb'", #""ab""#), ("'a\\\u{2028}b'", #""ab""#), (#"'\'\"\\\b\f\n\r\t\v\0\q'"#, #""'\"\\\u0008\u000c\n\r\t\u000b\u0000q""#),
    ("'a\u{2028}b'", #""a\u2028b""#), ("[]", "[]"), ("[1,]", "[1]"), ("[1, [2, 3], ]", "[1,[2,3]]"), ("{}", "{}"),
    ("{a: 1, 'b c': 2, \"d\": 3,}", #"{"a":1,"b c":2,"d":3}"#), ("{$_1: 1, ünïcødé: 2, \\u0061b: 3}", #"{"$_1":1,"ünïcødé":2,"ab":3}"#),
    ("{null: 1, true: 2, Infinity: 3}", #"{"null":1,"true":2,"Infinity":3}"#), ("{'': 1}", #"{"":1}"#),
    ("// c\n/* d\n * e **/ [ /**/ 1 // f\n , 2 ]// g", "[1,2]"), ("\u{FEFF}{a\u{A0}:\u{3000}1\u{2029}}", #"{"a":1}"#),
    ("{\r\n a: 1,\r b: 2\r\n}", #"{"a":1,"b":2}"#), ("{a: {b: {c: []}}}", #"{"a":{"b":{"c":[]}}}"#),
  ])
  func everyFormOfJSON5IsRead(_ text: String, _ canonical: String) throws {
    if canonical.isEmpty { #expect(!syntaxMessages(text).isEmpty) } else { #expect(try parsed(text).canonicalJSON == canonical) }
  }

  @Test(arguments: [
    ("", "f:1:1: there is no value; write { … }"),
    ("// only\n", "f:2:1: there is no value; write { … }"),
    ("{a: 1", "f:1:1: { is never closed; add }"),
    ("{a: [1, {b: 2", "f:1:9: a.1: { is never closed; the file seems to be cut off: restore its end, or add }]}"),
    ("{a: 1 b: 2}", "f:1:7: there is no comma before \"b\"; add a comma, or }"),
    ("{a: 1,\n b 2}", "f:2:4: b: has \"2\" after its key; write a colon and a value"),
    ("{a = 1}", "f:1:4: a: has \"=\" after its key; write a colon and a value"),
    ("{a: }", "f:1:5: a: has no value; write one after the colon"),
    ("{a}", "f:1:3: a: has \"}\" after its key; write a colon and a value"),
    ("{a: 1,, b: 2}", "f:1:7: there is a comma without a key and a value before it; remove it"),
    ("[1,,2]", "f:1:4: 1: there is a comma without a value before it; remove it"),
    ("{5: 1}", "f:1:2: a key cannot start with \"5\"; write key: value"),
    ("[1 2]", "f:1:4: 0: there is no comma before \"2\"; add a comma, or ]"),
    ("{a: [1, 2}}", "f:1:10: a.1: \"}\" closes the [ of line 1; write ]"),
    ("{a: 5s}", "f:1:5: a: 5s is not a number; write a number, or put it in quotes: \"5s\""),
    (
      "{a: 1...10, b: 2%}",
      "f:1:5: a: 1...10 is not a number; write a number, or put it in quotes: \"1...10\"\n"
        + "f:1:16: b: 2% is not a number; write a number, or put it in quotes: \"2%\""
    ),
    ("{a: 007}", "f:1:5: a: 007 is a number with a zero in front; write 7"),
    ("{a: none}", "f:1:5: a: none is not a value; put it in quotes: \"none\""),
    ("{a: True}", "f:1:5: a: True is not a value; write true"),
    ("{a: @}", "f:1:5: a: a value cannot start with \"@\"; write a number, a string in quotes, true, false, null, [ … ] or { … }"),
    ("{a: \"x\n, b: 1}", "f:1:5: a: the string is not closed in its line; add \" at its end"),
    ("{a: 'x,\n b: 1}", "f:1:5: a: the string is not closed in its line; add ' at its end"),
    ("{a: 1 /* x }", "f:1:7: /* is never closed; add */"),
    (#"{a: "\x4g"}"#, #"f:1:6: a: \x needs two hexadecimal digits; write them, or \\x for a backslash and an x"#),
    (#"{a: "\u12"}"#, #"f:1:6: a: \u needs four hexadecimal digits; write them, or \\u for a backslash and a u"#),
    (#"{a: "\uD800x"}"#, #"f:1:6: a: this \u is half of a surrogate pair; write both halves, or the character itself"#),
    (#"{a: "\1"}"#, #"f:1:6: a: \1 is not an escape; write \x and two digits, or the character itself"#),
    ("{a: 1} b", "f:1:8: there is more after the end: \"b\"; remove it, or a bracket before it"),
    ("{a: 1, b: 2, a: 3}", "f:1:14: a: is given twice, first in line 1; remove one of the two"),
  ])
  func everyMistakeHasALocationAndARemedy(_ text: String, _ message: String) {
    #expect(syntaxMessages(text) == message)
  }

  @Test func severalMistakesAreReportedAtOnce() {
    let text = """
      {
        sweep: featured,
        scenario: { user: { dwell: 1s }, user: {} },
        feed: { items: 1000 mix: { image: 0.8 } },
        note: "never closed,
        seed: @2019,
      }
      """
    #expect(
      syntaxMessages(text) == """
        f:2:10: sweep: featured is not a value; put it in quotes: "featured"
        f:3:30: scenario.user.dwell: 1s is not a number; write a number, or put it in quotes: "1s"
        f:3:36: scenario.user: is given twice, first in line 3; remove one of the two
        f:4:23: feed: there is no comma before "mix"; add a comma, or }
        f:5:9: note: the string is not closed in its line; add " at its end
        f:6:9: seed: a value cannot start with "@"; write a number, a string in quotes, true, false, null, [ … ] or { … }
        """)
  }

  @Test func columnsCountScalarsAndNoByteOrderMark() throws {
    let value = try parsed("\u{FEFF}{ \"ü😀\": 1,\r\n\tb: [\r2] }")
    #expect(value.location == SourceLocation(file: "f", line: 1, column: 1))
    #expect(value.members?[0].keyLocation.column == 3)
    #expect(value["ü😀"]?.location.column == 9)
    #expect(value.members?[1].keyLocation == SourceLocation(file: "f", line: 2, column: 2))
    #expect(value.lookup("b.0")?.location == SourceLocation(file: "f", line: 3, column: 1))
  }

  @Test func repeatedKeysOfALargeObjectAreFound() {
    let members = (0..<100).map { "k\($0): \($0)" }.joined(separator: ",\n")
    #expect(syntaxMessages("{\(members),\nk7: 1}") == "f:101:1: k7: is given twice, first in line 8; remove one of the two")
  }

  @Test func nestingHasALimit() throws {
    let deep = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(throws: Never.self) { try parsed(deep(JSON5Parser.depthLimit)) }
    let message = syntaxMessages(deep(JSON5Parser.depthLimit + 1))
    #expect(
      message.hasPrefix("f:1:101: 0.0.") && message.hasSuffix(": brackets are nested deeper than 100; split the file, or nest less"))
    #expect(!syntaxMessages(String(repeating: "[{a:", count: 100_000)).isEmpty)
  }

  @Test func aFileOfOnlyMistakesTakesLinearTime() {
    let sink = DiagnosticSink()
    #expect(JSON5Parser.parse("[" + String(repeating: "[1, 2}, ", count: 50_000) + "]", file: "f", into: sink) == nil)
    #expect(sink.count == 50_000)
  }

  @Test func bytesThatAreNotUTF8AreReportedAtTheirLocation() {
    for bytes in [[0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82]] as [[UInt8]] {
      let message = messages { _ = JSON5Parser.parse(Array("{\n a: '".utf8) + bytes + Array("'}".utf8), file: "f", into: $0) }
      #expect(message == "f:2:6: this byte is not UTF-8; save the file as UTF-8")
    }
  }
}
