// The gate's result as a test report for CI services: a guard in a stratum is a test case.

import Analysis

/// The gate's result as JUnit XML (the common subset: testsuites, testsuite, properties, testcase, failure, error, skipped).
package enum JUnit {
  /// Returns the file, ended by a line feed. A broken guard is a failure; an inconclusive one is a failure with `--strict`, else skipped.
  /// Failed runs are errors of their own test cases.
  package static func text(_ result: GateResult) -> String {
    let sentence = GateSentence(result: result)
    var cases: [String] = []
    var (failures, skipped) = (0, 0)
    for item in sentence.items {
      let finding = item.finding
      let name = item.stratumPrefix + finding.guarded.text
      let reason = sentence.reason(finding)
      switch finding.outcome {
      case .worse:
        failures += 1
        cases.append(testCase(name, result, ("failure", "regression", reason)))
      case .inconclusive where result.isStrict:
        failures += 1
        cases.append(testCase(name, result, ("failure", "inconclusive", reason)))
      case .inconclusive:
        skipped += 1
        cases.append(testCase(name, result, ("skipped", nil, "inconclusive: \(reason)")))
      case .better, .notWorse, .identical: cases.append(testCase(name, result, nil, output: reason))
      }
    }
    for failure in result.failures { cases.append(testCase("runs", result, ("error", "failed run", failure))) }
    let counts =
      "tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"\(result.failures.count)\" skipped=\"\(skipped)\""
    let lines =
      ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites name=\"\(XMLText.attribute(result.program.name))\" \(counts)>"]
      + ["  <testsuite name=\"\(XMLText.attribute("check \(result.sweep)"))\" \(counts)>"] + properties(result, sentence) + cases
      + ["  </testsuite>", "</testsuites>"]
    return lines.joined(separator: "\n") + "\n"
  }

  private static func properties(_ result: GateResult, _ sentence: GateSentence) -> [String] {
    var values = [("outcome", result.outcome.rawValue), ("baseline", result.baseline.source), ("candidate", result.candidate.source)]
    values += result.changes.map { ("change.\($0.path)", $0.text) }
    values += result.head.map { ($0.label, $0.text) }
    for stratum in result.strata { values += stratum.head.map { ("\(stratum.name ?? "").\($0.label)", $0.text) } }
    values += [("pairs", "\(result.pairCount)"), ("seed", "\(result.seed)"), ("modelVersion", result.program.modelVersion)]
    values.append(("method", sentence.method))
    let lines = values.map { "      \(XMLText.start("property", [("name", $0.0), ("value", $0.1)]))/>" }
    return ["    <properties>"] + lines + ["    </properties>"]
  }

  private static func testCase(
    _ name: String, _ result: GateResult, _ problem: (element: String, type: String?, message: String)?, output: String = ""
  ) -> String {
    let attributes = [("classname", "\(result.program.name).\(result.sweep)"), ("name", name)]
    let type = problem?.type.map { [("type", $0)] } ?? []
    let body =
      problem.map { XMLText.element($0.element, [("message", $0.message)] + type, XMLText.content($0.message)) }
      ?? XMLText.element("system-out", [], XMLText.content(output))
    return "    " + XMLText.element("testcase", attributes, "\n      \(body)\n    ")
  }
}
