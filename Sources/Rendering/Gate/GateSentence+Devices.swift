// The sentences of a gate on devices: its method, and the emulator's predictions beside its changes.

import Analysis

extension GateSentence {
  func method(ofBlocks blocks: GateResult.Blocks) -> String {
    let rate = Words.percent(result.rule.falseAlarmRate)
    let (runs, devices) = (result.strata.count { !$0.isWhole } * 4, Words.count(blocks.devices.count, "device"))
    let earlier = blocks.earlier == 0 ? "" : " and \(blocks.earlier) of earlier checks"
    return
      "\(Words.count(blocks.compared, "block")) of \(runs) runs (production, candidate, candidate, production, or mirrored at random) and "
      + "\(Words.count(blocks.null, "null block"))\(earlier) (production alone) on \(devices), of at most \(blocks.limit) blocks. Sign-flip "
      + "tests of the blocks hold for any noise that does not know the settings: at most \(rate) of candidates that are exactly at the margin "
      + "are called worse, and at most \(rate) of those beyond it pass. Of sound instruments, at most 0.5 % are called unfit; under heavy "
      + "tails, 5 %."
      + (result.rule.guards.contains { $0.bound != nil }
        ? " A bound is about one side, in which nothing cancels: its error rates hold for noise that is independent from block to block."
        : "") + (hasPredictions ? " Predictions are the emulator's, of the same scenario." : "") + family
  }

  /// True if the emulator predicts some change.
  var hasPredictions: Bool { items.contains { $0.finding.prediction != nil } }

  /// Returns the predicted change in the unit of the device's; nil without one.
  func prediction(_ finding: GateFinding) -> ShownNumber? {
    guard let prediction = finding.prediction else { return nil }
    let unit = finding.guarded.metric.shown
    if change(finding).unit == " %", let percent = prediction.percent {
      return .change(percent, prediction.percentInterval, Self.decimals(percent, prediction.percentInterval, Digits.percent), unit: " %")
    }
    let (value, interval) = (prediction.difference * unit.scale, prediction.differenceInterval?.scaled(by: unit.scale))
    return .change(value, interval, Self.decimals(value, interval, unit.decimals), unit: unit.suffix)
  }

  private static func decimals(_ value: Double, _ interval: ConfidenceInterval?, _ limit: Int) -> Int {
    Precision.decimals([(value, interval)], limit: limit, references: [0])
  }

  /// The clauses about predictions that the devices contradict.
  var contradictions: [String] { items.compactMap(contradiction) }

  /// Returns the clause about a prediction that the devices contradict; nil for others.
  func contradiction(_ item: Item) -> String? {
    guard item.finding.contradictsPrediction, let predicted = prediction(item.finding) else { return nil }
    return "\(item.stratumPrefix)\(item.finding.guarded.metric.rawValue): the emulator predicted \(predicted), and the devices show "
      + "\(change(item.finding)), beyond both intervals: fit the emulator to these blocks (calibrate), or find what the app does differently"
  }
}
