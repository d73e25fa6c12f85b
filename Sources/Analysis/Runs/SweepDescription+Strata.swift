// The strata of a sweep as sweep.json has them: which rows belong to which, against which baseline, with what weight.

extension SweepDescription {
  /// The parts of a sweep within which points are compared.
  package struct Strata: Codable, Hashable, Sendable {
    /// Where they come from.
    package enum Kind: String, Codable, Sendable {
      /// The values of axes; each counts the same.
      case axes
      /// The values of axes that choose the model, the transport: nothing is ranked, averaged or weighed over them.
      case models
      /// The users that there are, by their shares: the field, beside the scenario's own stratum, the lab.
      case population
    }

    /// Where they come from.
    package var kind: Kind
    /// The axes whose values tell the strata apart.
    package var paths: [String]
    /// The strata in the order of their rows.
    package var members: [Stratum]

    /// Strata.
    package init(kind: Kind, paths: [String], members: [Stratum]) {
      self.kind = kind
      self.paths = paths
      self.members = members
    }
  }

  /// True if each stratum has its own race, finalists and confirmation; those of a population have common ones.
  package var hasSeparateStrata: Bool { strata.map { $0.kind != .population } ?? false }

  /// One of them.
  package struct Stratum: Codable, Hashable, Sendable {
    /// What it is called.
    package var name: String
    /// Its values of `paths`.
    package var values: [String]
    /// Its share of the whole, 0 … 1; all shares add up to 1.
    package var weight: Double
    /// Whether it is the scenario's own.
    package var isLab: Bool
    /// What its points are compared with.
    package var baseline: Baseline

    /// A stratum.
    package init(name: String, values: [String], weight: Double, isLab: Bool = false, baseline: Baseline) {
      self.name = name
      self.values = values
      self.weight = weight
      self.isLab = isLab
      self.baseline = baseline
    }
  }
}
