// Runs all points of a sweep on all cores and hands the rows over in order.

import Analysis
import Dispatch
import Simulation
import Synchronization

/// Runs a sweep. Rows come out by point and then by repetition, whatever the number of jobs; memory is bounded by a block of runs.
public struct SweepRunner: Sendable {
  /// How far a sweep has come.
  public struct Progress: Sendable {
    /// Runs done.
    public var done: Int
    /// Runs in all.
    public var total: Int
  }

  /// Why a sweep stopped before its end.
  public enum Stop: Error, Sendable {
    /// Someone asked for it.
    case interrupted
    /// A scenario without randomness gave two different rows.
    case notReproducible(point: String)
    /// A point turned out to be no valid scenario.
    case invalid(InvalidInput)
  }

  /// Runs are handed out in blocks of about so many; at the end of each, rows go on and progress is told.
  static let blockSize = 512

  /// What runs.
  public let sweep: SweepFile
  /// How many threads work.
  public let jobs: Int
  /// Whether no point has any randomness; then each runs once, after a second run has shown the same row.
  public let isDeterministic: Bool
  /// Repetitions of each point.
  public var repeats: Int { isDeterministic ? 1 : sweep.repeats }
  /// Runs in all.
  public var total: Int { sweep.pointCount * repeats }

  /// A runner of a sweep with so many threads.
  public init(_ sweep: SweepFile, jobs: Int) throws(InvalidInput) {
    self.sweep = sweep
    self.jobs = max(1, jobs)
    var isDeterministic = true
    var index = 0
    while isDeterministic, index < sweep.pointCount {
      isDeterministic = try sweep.decoded(index).scenario.isDeterministic
      index += 1
    }
    self.isDeterministic = isDeterministic
  }

  /// Runs everything. `receive` gets each row in order, `report` the progress after each block; both on the calling thread.
  /// `isCancelled` is asked before each run, on any thread.
  public func run(
    receive: (RunRow) throws -> Void, report: (Progress) -> Void = { _ in }, isCancelled: @Sendable () -> Bool = { false }
  ) throws {
    let pointsPerBlock = max(1, Self.blockSize / repeats)
    let repetitionsPerBlock = min(repeats, Self.blockSize)
    var done = 0
    var first = 0
    while first < sweep.pointCount {
      let points = try (first..<min(first + pointsPerBlock, sweep.pointCount)).map { index throws(InvalidInput) in
        PreparedPoint(decoded: try sweep.decoded(index), axisValues: sweep.axisValues(index))
      }
      var repetition = 1
      while repetition <= repeats {
        let repetitions = repetition...min(repeats, repetition + repetitionsPerBlock - 1)
        for row in try rows(of: points, repetitions: repetitions, isCancelled: isCancelled) {
          try receive(row)
          done += 1
        }
        report(Progress(done: done, total: total))
        repetition = repetitions.upperBound + 1
      }
      first += points.count
    }
  }

  /// Runs one repetition of one point.
  func row(of point: PreparedPoint, repetition: Int) throws(Stop) -> RunRow {
    let seed = RandomStream.seed(sweepSeed: sweep.seed, repetition: repetition)
    let metrics = point.decoded.scenario.run(seed: seed)
    if isDeterministic {
      let again = point.decoded.scenario.run(seed: RandomStream.seed(sweepSeed: sweep.seed, repetition: repetition + 1))
      if again != metrics { throw .notReproducible(point: point.id) }
    }
    return RunRow(point: point.id, repetition: repetition, seed: seed, axisValues: point.axisValues, session: metrics)
  }

  /// The row of a point by its id, for whoever wants to see one run again; nil if no point has it. O(points).
  public func row(point id: String, repetition: Int) throws -> RunRow? {
    for index in 0..<sweep.pointCount {
      let decoded = try sweep.decoded(index)
      if decoded.point == id {
        return try row(of: PreparedPoint(decoded: decoded, axisValues: sweep.axisValues(index)), repetition: repetition)
      }
    }
    return nil
  }

  private func rows(
    of points: [PreparedPoint], repetitions: ClosedRange<Int>, isCancelled: @Sendable () -> Bool
  ) throws(Stop) -> [RunRow] {
    let count = points.count * repetitions.count
    let slots = RowSlots(count: count)
    let next = Atomic(0)
    DispatchQueue.concurrentPerform(iterations: min(jobs, count)) { _ in
      while true {
        let run = next.wrappingAdd(1, ordering: .relaxed).oldValue
        if run >= count { return }
        let point = points[run / repetitions.count]
        let result: Result<RunRow, Stop>
        if isCancelled() {
          result = .failure(.interrupted)
        } else {
          do throws(Stop) {
            result = .success(try row(of: point, repetition: repetitions.lowerBound + run % repetitions.count))
          } catch { result = .failure(error) }
        }
        slots.fill(run, result)
      }
    }
    return try slots.rows()
  }
}

/// A point ready to run, with what its rows have in common.
struct PreparedPoint: Sendable {
  let decoded: DecodedScenario
  let axisValues: [String]
  let id: String

  init(decoded: DecodedScenario, axisValues: [String]) {
    self.decoded = decoded
    self.axisValues = axisValues
    id = decoded.point
  }
}

/// Places for the rows of a block, filled by several threads.
private final class RowSlots: Sendable {
  private let results: Mutex<[Result<RunRow, SweepRunner.Stop>?]>

  init(count: Int) { results = Mutex([Result<RunRow, SweepRunner.Stop>?](repeating: nil, count: count)) }

  func fill(_ index: Int, _ result: Result<RunRow, SweepRunner.Stop>) { results.withLock { $0[index] = result } }

  /// All rows in order; the first failure otherwise.
  func rows() throws(SweepRunner.Stop) -> [RunRow] {
    let filled = results.withLock { $0 }
    var rows: [RunRow] = []
    rows.reserveCapacity(filled.count)
    for result in filled {
      guard let result else { throw .interrupted }
      rows.append(try result.get())
    }
    return rows
  }
}
