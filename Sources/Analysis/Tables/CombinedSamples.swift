// Settings over strata, repetition by repetition: a weighted sum grows as the rows of one stratum after another come.

/// The samples of settings over all strata.
///
/// The rows of a setting stand far from each other, a stratum apart. So many settings are gathered in a pass over the rows that their
/// sums, 24 bytes a repetition of a setting, do not exceed `limit`.
package struct CombinedSamples: SampleSource {
  /// A setting: its points and their weights, stratum by stratum, and the repetitions that all of them have.
  package struct Setting {
    package var parts: [(place: Int, weight: Double)]
    package var repetitions: RepetitionSet
  }

  package let settings: [Setting]
  package let samples: PointSamples
  /// How many repetitions of settings one pass may hold.
  package let limit: Int
  /// For each of the samples' points, its setting and its place among that one's parts.
  private let owners: [(setting: Int, part: Int)?]

  package init(_ settings: [Setting], samples: PointSamples, limit: Int) {
    (self.settings, self.samples, self.limit) = (settings, samples, limit)
    var owners = [(setting: Int, part: Int)?](repeating: nil, count: samples.points.count)
    for (index, setting) in settings.enumerated() {
      for (part, item) in setting.parts.enumerated() { owners[item.place] = (index, part) }
    }
    self.owners = owners
  }

  package func forEach(where wanted: (Int) -> Bool, _ body: (Int, RunSample) throws -> Void) throws {
    let all = settings.indices.filter(wanted)
    var first = 0
    while first < all.count {
      var end = first
      var runs = 0
      while end < all.count, end == first || runs + settings[all[end]].repetitions.count <= limit {
        runs += settings[all[end]].repetitions.count
        end += 1
      }
      try gather(all[first..<end], body)
      first = end
    }
  }

  private func gather(_ wanted: ArraySlice<Int>, _ body: (Int, RunSample) throws -> Void) throws {
    var sums: [Int: WeightedSum] = [:]
    for index in wanted { sums[index] = WeightedSum(settings[index]) }
    func isWanted(_ place: Int) -> Bool { owners[place].map { sums[$0.setting] != nil } ?? false }
    let places = samples.points.indices.map(isWanted)
    try samples.forEach(where: { places[$0] }) { place, sample in
      guard let owner = owners[place] else { return }
      sums[owner.setting]?.take(sample, part: owner.part)
      guard let whole = sums[owner.setting]?.whole else { return }
      sums[owner.setting] = nil
      try body(owner.setting, whole)
    }
  }
}

/// A setting's sums over the strata that have come.
private struct WeightedSum {
  private let weights: [Double]
  private let repetitions: [Int]
  private var loaders: [Double]
  private var costs: [(cost: Double, headroom: Double)]
  /// The next part to be added: sums are made in the order of strata, whatever comes first.
  private var next = 0
  private var early: [Int: RunSample] = [:]

  init(_ setting: CombinedSamples.Setting) {
    weights = setting.parts.map(\.weight)
    repetitions = setting.repetitions.members
    loaders = [Double](repeating: 0, count: repetitions.count)
    costs = [(cost: Double, headroom: Double)](repeating: (0, 0), count: repetitions.count)
  }

  mutating func take(_ sample: RunSample, part: Int) {
    early[part] = sample
    while let sample = early.removeValue(forKey: next) {
      add(sample, weight: weights[next])
      next += 1
    }
  }

  /// What one stratum lacks, the sum lacks.
  private mutating func add(_ sample: RunSample, weight: Double) {
    var place = 0
    for (index, repetition) in repetitions.enumerated() {
      while sample.loaders[place].repetition < repetition { place += 1 }
      loaders[index] += weight * sample.loaders[place].loadersPer1000
      let own = place < sample.costs.count ? sample.costs[place] : (cost: .nan, headroom: .nan)
      costs[index].cost += weight * own.cost
      costs[index].headroom += weight * own.headroom
    }
  }

  /// The sample, once all strata have come.
  var whole: RunSample? {
    next < weights.count ? nil : RunSample(loaders: zip(repetitions, loaders).map { ($0, $1) }, costs: costs)
  }
}
