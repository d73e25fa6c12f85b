// Test reports for CI services: a guard in a stratum, or a point of a sweep, is a test case.

import Analysis
import Base

/// Test reports as JUnit XML (the common subset: testsuites, testsuite, properties, testcase, failure, error, skipped).
package enum JUnit {
  struct TestCase {
    enum Problem: String { case failure, error, skipped }

    var name: String
    var problem: (element: Problem, type: String?, message: String)?
    /// The text of a case without a problem.
    var output = ""
  }

  /// Returns the gate's result as a file. A broken guard is a failure; an inconclusive one is a failure with `--strict`, else skipped.
  /// Failed runs are errors of their own test cases.
  package static func text(_ result: GateResult) -> String {
    let sentence = GateSentence(result: result)
    var cases = sentence.items.map { item in
      let finding = item.finding
      let name = item.stratumPrefix + finding.guarded.text
      let reason = sentence.reason(finding)
      return switch finding.outcome {
      case .worse: TestCase(name: name, problem: (.failure, "regression", reason))
      case .inconclusive, .unfit:
        result.isStrict
          ? TestCase(name: name, problem: (.failure, finding.outcome.rawValue, reason))
          : TestCase(name: name, problem: (.skipped, nil, "\(finding.outcome.rawValue): \(reason)"))
      case .exempt: TestCase(name: name, problem: (.skipped, nil, "exempt: \(reason)"))
      case .better, .notWorse, .identical: TestCase(name: name, output: reason)
      }
    }
    cases += sentence.items.compactMap { item in
      sentence.contradiction(item).map {
        TestCase(name: "prediction: \(item.stratumPrefix)\(item.finding.guarded.text)", problem: (.skipped, nil, $0))
      }
    }
    cases += result.failures.map { TestCase(name: "runs", problem: (.error, "failed run", $0)) }
    return text(
      program: result.program.name, command: "check", subject: result.sweep, properties: properties(result, sentence), cases: cases)
  }

  /// Returns a file with one test suite, named after the command and its subject, ended by a line feed.
  static func text(
    program: String, command: String, subject: String, properties: [(name: String, value: String)], cases: [TestCase]
  ) -> String {
    let attribute = { XMLText.attribute(SafeText.line($0)) }
    func count(_ element: TestCase.Problem) -> Int { cases.count { $0.problem?.element == element } }
    let counts = "tests=\"\(cases.count)\" failures=\"\(count(.failure))\" errors=\"\(count(.error))\" skipped=\"\(count(.skipped))\""
    let values = properties.map {
      "      \(XMLText.start("property", [("name", SafeText.line($0.name)), ("value", SafeText.line($0.value))]))/>"
    }
    let lines =
      ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"\(attribute(program))\" \(counts)>"]
      + ["  <testsuite name=\"\(attribute("\(command) \(subject)"))\" \(counts)>", "    <properties>"] + values
      + ["    </properties>"] + cases.map { element($0, classname: "\(program).\(subject)") } + ["  </testsuite>", "</testsuites>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func properties(_ result: GateResult, _ sentence: GateSentence) -> [(name: String, value: String)] {
    var values = [("outcome", result.outcome.rawValue), ("baseline", result.baseline.source), ("candidate", result.candidate.source)]
    values += result.changes.map { ("change.\($0.path)", $0.text) }
    values += result.head.map { ($0.label, $0.text) }
    for stratum in result.strata { values += stratum.head.map { ("\(stratum.name ?? "").\($0.label)", $0.text) } }
    values += [("pairs", "\(result.pairCount)"), ("seed", "\(result.seed)"), ("modelVersion", result.program.modelVersion)]
    return values + [("method", sentence.method)]
  }

  private static func element(_ test: TestCase, classname: String) -> String {
    let body =
      test.problem.map {
        XMLText.element(
          $0.element.rawValue, [("message", SafeText.line($0.message))] + ($0.type.map { [("type", $0)] } ?? []), XMLText.line($0.message))
      } ?? XMLText.element("system-out", [], XMLText.line(test.output))
    let names = [("classname", SafeText.line(classname)), ("name", SafeText.line(test.name))]
    return "    " + XMLText.element("testcase", names, "\n      \(body)\n    ")
  }
}
