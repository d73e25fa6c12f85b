// Sweeps whose points have different numbers of repetitions: by which rule, and what that costs in confidence.

extension SweepDescription {
  /// A point ended once its difference to the baseline was known well enough.
  package struct Sequential: Codable, Hashable, Sendable {
    /// The half width of its interval that was enough: `"1%"` of the baseline, or loaders per 1000.
    package var until: String
    /// The numbers of repetitions after which it was looked; the last is the most.
    package var looks: [Int]

    /// A rule.
    package init(until: String, looks: [Int]) {
      self.until = until
      self.looks = looks
    }
  }

  /// The better points were found round by round.
  package struct Search: Codable, Hashable, Sendable {
    /// How.
    package enum Kind: String, Codable, Sendable {
      /// After each round the better half goes on.
      case halving
      /// After each block, a repetition of all that are still in the race, those that can no longer win leave it.
      case racing
    }

    /// An earlier sweep, most often an emulated one, by whose ranking it was decided who starts.
    package struct Prior: Codable, Hashable, Sendable {
      /// Its folder of results, as the sweep file names it.
      package var results: String
      /// How many of its best points start, of each stratum; the baseline always does.
      package var best: Int

      /// A prior.
      package init(results: String, best: Int) {
        self.results = results
        self.best = best
      }
    }

    /// How.
    package var kind: Kind
    /// The repetitions after each round; the last is what the finalists have.
    package var rounds: [Int]
    /// The device time that the runs may take, e.g. `8h`; nil for any.
    package var until: String?
    /// What decided who starts; nil where all do.
    package var prior: Prior?

    /// A search.
    package init(kind: Kind, rounds: [Int], until: String? = nil, prior: Prior? = nil) {
      self.kind = kind
      self.rounds = rounds
      self.until = until
      self.prior = prior
    }
  }

  /// The confidence of an interval at one look, so that it holds at all looks with `confidence`: whoever looks L times and stops when
  /// it suits him errs up to L times as often (Bonferroni over the looks; Armitage, McPherson & Rowe 1969, doi:10.2307/2343787).
  package var lookConfidence: Double {
    MultipleTests.simultaneousConfidence(confidence, count: sequential?.looks.count ?? 1)
  }
}
