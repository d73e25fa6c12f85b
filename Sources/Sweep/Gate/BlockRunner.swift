// Executes a gate on devices in blocks, side by side, until the rule stops.

import Analysis
import Base
import Simulation
import Synchronization

/// Executes the blocks of a gate. A device takes its own blocks one after the other; a failed block is replaced by its next one.
package final class BlockRunner: Sendable {
  /// The end of a gate: its result, or the number of whole blocks when the user stopped it.
  package enum End: Sendable { case result(GateResult), stopped(blocks: Int) }

  /// The most failed blocks that notes name.
  private static let noteLimit = 5

  private typealias Failure = (isCandidate: Bool, text: String)

  private struct State {
    var blocks: [Int: DeviceBlock]
    /// The numbers of whole blocks in the order of their ends.
    var order: [Int]
    /// The numbers of blocks that failed, and of those that are executed now.
    var failed: Set<Int>, running: Set<Int> = []
    var failures: [Failure]
    /// The number of blocks in a row that failed, by device.
    var failedInARow: [Int]
  }

  private let scenarios: GateScenarios
  private let rule: GateRule
  private let limit: Int
  private let executor: any RunExecutor
  private let journal: BlockJournal
  private let nulls: NullBlocks?
  private let isStrict: Bool
  private let waivers: [GateWaiver]
  private let plan: BlockPlan
  private let devices: [String]
  private let giveUpAfter: Int
  private let state: Mutex<State>

  /// Creates the runner of a gate of at most `limit` blocks on the devices of `executor`.
  package init(
    _ scenarios: GateScenarios, rule: GateRule, limit: Int, executor: any RunExecutor, journal: BlockJournal, nulls: NullBlocks?,
    isStrict: Bool, waivers: [GateWaiver]
  ) {
    (self.scenarios, self.rule, self.limit, self.executor, self.journal) = (scenarios, rule, limit, executor, journal)
    (self.nulls, self.isStrict, self.waivers) = (nulls, isStrict, waivers)
    plan = BlockPlan(seed: scenarios.seed, name: scenarios.members.map(\.candidate.point).joined(separator: ","))
    (devices, giveUpAfter) = scenarios.sweep.backend.lanes
    let found = Dictionary(journal.found.map { ($0.number, $0) }) { first, _ in first }
    let candidates = Set(scenarios.members.map(\.candidate.ready.id)).subtracting(scenarios.members.map(\.baseline.ready.id))
    let failures = journal.failed.map { block -> Failure in
      let key = block.runs[0].key
      return (candidates.contains(key.point), "Block \(key.repetition) failed in an earlier start")
    }
    state = Mutex(
      State(
        blocks: found, order: journal.found.map(\.number).distinct, failed: Set(journal.failed.map(\.number)), failures: failures,
        failedInARow: devices.map { _ in 0 }))
  }

  /// Executes blocks until the rule stops, no device is left, or `timeLimit` seconds are over; then the last complete look decides. `report`
  /// gets the number of blocks, on the calling thread, every 0.2 s.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  package func run(timeLimit: Double?, report: (_ blocks: Int) -> Void, isCancelled: @escaping @Sendable () -> Bool) throws -> End {
    let end = timeLimit.map { ContinuousClock.now + .seconds($0) }
    let isOver = { @Sendable in end.map { $0 <= .now } ?? false }
    var complete: (look: Int, blocks: [DeviceBlock]) = (0, [])
    for (look, size) in rule.looks.enumerated() {
      let isReached = try execute(until: size, report: report, isStopped: { isCancelled() || isOver() })
      let isLast = look == rule.looks.count - 1
      let (blocks, failures) = state.withLock { (self.first(isLast ? .max : size, of: $0), $0.failures) }
      guard isReached else {
        if isCancelled() { return .stopped(blocks: blocks.count) }
        let note = "The time limit ended the check after \(blocks.count) of at most \(limit) blocks; the same command goes on."
        return .result(result(complete.look, complete.blocks, isOver() ? [] : failures.map(\.text), isOver() ? [note] : []))
      }
      complete = (look, blocks)
      guard rule.mayStop(strata(blocks, look: look).flatMap(\.findings)) || isLast else { continue }
      // Runs that fail on one side are a difference of their own, of which whole blocks show nothing.
      let isOneSided = Self.isOneSided(failures.count(where: \.isCandidate), of: failures.count)
      if isOneSided { return .result(result(look, blocks, failures.map(\.text), [])) }
      var notes = failures.prefix(Self.noteLimit).map { "\($0.text); another block replaced it." }
      if failures.count > notes.count { notes.append("\(failures.count - notes.count) more blocks failed and were replaced.") }
      do throws(OutputProblem) { try nulls?.add(blocks.filter { plan.isNull($0.number) }) } catch { notes.append("--cache: \(error).") }
      return .result(result(look, blocks, [], notes, isComplete: true))
    }
    preconditionFailure("a rule has a last look")
  }

  /// True if more of the failed blocks failed in a run of the candidate than chance explains, at 2.5 % (sign test).
  private static func isOneSided(_ count: Int, of all: Int) -> Bool {
    var (tail, term) = (0.0, Double(sign: .plus, exponent: -min(all, 1000), significand: 1))
    for failed in 0...all {
      if failed >= count { tail += term }
      term *= Double(all - failed) / Double(failed + 1)
    }
    return all > 0 && tail <= 0.025
  }

  // MARK: Blocks

  /// Executes blocks until `size` of them are compared, or all are made. False if the user or time stops it, or no device is left.
  /// - Throws: `OutputProblem` if the journal cannot be written.
  private func execute(until size: Int, report: (Int) -> Void, isStopped: @escaping @Sendable () -> Bool) throws -> Bool {
    while true {
      if state.withLock({ isReached(Array($0.blocks.keys), size) }) { return true }
      if isStopped() || state.withLock({ !$0.failedInARow.contains { $0 < giveUpAfter } }) { return false }
      let hasFailed = Atomic(false)
      let isEnded: @Sendable () -> Bool = { isStopped() || hasFailed.load(ordering: .relaxed) }
      try WorkerPool.run(
        devices.count, threads: devices.count, tick: { report(state.withLock { $0.blocks.count }) }, worker: {}
      ) { [self] (lane: Int, _: inout Void) throws in
        while !isEnded(), let number = next(lane, until: size) {
          let end = block(number, lane, isEnded)
          do {
            if case .whole(let block)? = end { try journal.add(block) }
            if case .failed(let run, _)? = end { try journal.add(DeviceBlock(number: number, runs: [run])) }
          } catch {
            hasFailed.store(true, ordering: .relaxed)
            throw error
          }
          state.withLock { state in
            state.running.remove(number)
            switch end {
            case .whole(let block)?:
              (state.blocks[number], state.failedInARow[lane]) = (block, 0)
              state.order.append(number)
            case .failed(_, let failure)?:
              state.failed.insert(number)
              state.failures.append(failure)
              state.failedInARow[lane] += 1
            case nil: break
            }
          }
        }
        return true
      }
    }
  }

  /// Returns the first blocks that ended, with at most `count` compared ones, by number: as an earlier start saw them at the same look.
  private func first(_ count: Int, of state: State) -> [DeviceBlock] {
    var compared = 0
    let numbers = state.order.prefix { number in
      defer { compared += plan.isNull(number) ? 0 : 1 }
      return compared < count
    }
    return numbers.sorted().compactMap { state.blocks[$0] }
  }

  private func isReached(_ numbers: [Int], _ size: Int) -> Bool { numbers.count >= limit || numbers.count { !plan.isNull($0) } >= size }

  /// Returns the next block of a device; nil if it has failed too often, or the blocks being executed suffice.
  private func next(_ lane: Int, until size: Int) -> Int? {
    state.withLock { state in
      guard state.failedInARow[lane] < giveUpAfter, !isReached(Array(state.blocks.keys) + state.running, size) else { return nil }
      var number = lane + 1
      while state.blocks[number] != nil || state.failed.contains(number) { number += devices.count }
      state.running.insert(number)
      return number
    }
  }

  private enum BlockEnd: Sendable { case whole(DeviceBlock), failed(FinishedRun, Failure) }

  private func block(_ number: Int, _ lane: Int, _ isCancelled: @escaping @Sendable () -> Bool) -> BlockEnd? {
    let seed = RandomStream.seed(sweepSeed: scenarios.seed, repetition: number)
    var runs: [FinishedRun] = []
    for member in scenarios.members {
      for position in 0..<4 {
        let isCandidate = !plan.isNull(number) && (position == 1 || position == 2) != plan.isMirrored(number)
        let point = (isCandidate ? member.candidate : member.baseline).ready
        let run = RunRequest(
          point, repetition: number, seed: seed, lane: lane, folder: journal.folder, keepsOutput: true, further: rule.furtherMetrics)
        let start = SuspendingClock.now
        guard let outcome = executor.outcome(of: run, isCancelled: isCancelled) else { return nil }
        let time = Int((SuspendingClock.now - start) / .milliseconds(1))
        var reason: String?
        switch outcome {
        case .failure(let text): reason = text
        case .metrics(let metrics):
          let missing = rule.guards.first { metrics[$0.metric] == nil }
          reason = missing.map { "its result has no \($0.metric.rawValue), which is guarded" }
        }
        let key = RunKey(point: point.id, repetition: number, seed: seed)
        runs.append(FinishedRun(key: key, outcome: reason.map(RunOutcome.failure) ?? outcome, deviceMs: time))
        if let reason {
          let (stratum, side) = (member.name.map { "\($0): " } ?? "", isCandidate ? "the candidate" : "production")
          let text = "\(stratum)Block \(number) on \(devices[lane]) failed in a run of \(side): \(reason)"
          return .failed(runs[runs.count - 1], (isCandidate, text))
        }
      }
    }
    return .whole(DeviceBlock(number: number, runs: runs))
  }

  // MARK: Findings

  /// Returns the weighted whole, if it is judged, and each stratum with their findings.
  private func strata(_ blocks: [DeviceBlock], look: Int) -> [GateResult.Stratum] {
    let compared = blocks.filter { !plan.isNull($0.number) }
    func pairs(_ index: Int) -> [GateResult.Pair] {
      compared.flatMap { block -> [GateResult.Pair] in
        let runs = block.runs[4 * index..<4 * index + 4].map { $0.metrics ?? RunMetrics() }
        let pairs = plan.isMirrored(block.number) ? [(runs[1], runs[0]), (runs[2], runs[3])] : [(runs[0], runs[1]), (runs[3], runs[2])]
        return pairs.map { (block.number, block.runs[0].key.seed, $0.0, $0.1) }
      }
    }
    return scenarios.strata(onDevices: true, pairs: pairs) { findings(of: $0, blocks, $1, look) }
  }

  private func findings(of stratum: String?, _ blocks: [DeviceBlock], _ members: [Int], _ look: Int) -> [GateFinding] {
    var (findings, ofBaseline): ([GateFinding], [GateFinding]) = ([], [])
    for guarded in rule.guards {
      let values = values(of: guarded.metric, blocks, members)
      let waiver = waivers.first { $0.guarded == guarded && $0.stratum == stratum && !$0.isExpired }
      findings.append(rule.finding(guarded, under: waiver) { rule.finding($0, values, look: look) })
      if guarded.bound != nil { ofBaseline.append(rule.finding(guarded, values.ofProduction, look: look)) }
    }
    rule.exempt(&findings, ofBaseline: ofBaseline, look: look)
    return findings
  }

  /// Returns the blocks of a metric in a stratum, or in the weighted sum of several.
  private func values(of metric: Metric, _ blocks: [DeviceBlock], _ members: [Int]) -> GateBlocks {
    func block(_ block: DeviceBlock, isMirrored: Bool) -> GateBlocks.Block? {
      let device = (block.number - 1) % devices.count
      let parts = members.compactMap { index in
        block.values(metric, stratum: index).map {
          (scenarios.members[index].weight, GateBlocks.Block(device: device, isMirrored: isMirrored, values: $0))
        }
      }
      return parts.count == members.count ? parts.count == 1 ? parts[0].1 : GateBlocks.Block(parts) : nil
    }
    var found = GateBlocks(devices: devices)
    for own in blocks {
      guard let block = block(own, isMirrored: plan.isMirrored(own.number)) else { continue }
      if plan.isNull(own.number) { found.null.append(block) } else { found.compared.append(block) }
    }
    found.earlier = (nulls?.blocks ?? []).compactMap { block($0, isMirrored: false) }
    return found
  }

  private func result(
    _ look: Int, _ blocks: [DeviceBlock], _ failures: [String], _ notes: [String], isComplete: Bool = false
  ) -> GateResult {
    let null = blocks.count { plan.isNull($0.number) }
    var result = scenarios.result(
      rule, isStrict: isStrict, look: look, strata: strata(blocks, look: look), waivers: waivers, failures: failures, notes: notes)
    result.blocks = GateResult.Blocks(
      backend: scenarios.sweep.backend.name, devices: devices, compared: blocks.count - null, null: null,
      earlier: nulls?.blocks.count ?? 0, limit: limit, isComplete: isComplete)
    return result
  }
}

/// The plan of a gate's blocks: which compare production with itself, and which are mirrored. It depends on nothing that runs.
package struct BlockPlan: Sendable {
  private let seed: UInt64
  private let name: String

  /// Creates the plan of a seed. Another `name`, the candidate's, has other mirrors, so that no external rhythm favours it each time.
  package init(seed: UInt64, name: String) { (self.seed, self.name) = (seed, name) }

  /// True if a block, counted from 1, has production on both sides: one of each 13 in a row, early enough that short gates have one.
  package func isNull(_ number: Int) -> Bool {
    let (group, slot) = ((number - 1) / GateBlocks.blocksPerNull, (number - 1) % GateBlocks.blocksPerNull)
    var random = RandomStream(sweepSeed: seed, repetition: group, name: "null block")
    return slot == 1 + Int(random.below(5))
  }

  /// True if a block has the candidate first and last, in all strata.
  package func isMirrored(_ number: Int) -> Bool {
    var random = RandomStream(sweepSeed: seed, repetition: number, name: "mirror of \(name)")
    return random.below(2) == 1
  }
}
