// The energy of downloads: of the radio, and of an app that is awake for them.

/// A proxy for the energy of downloads, meant only for comparing strategies and prefetchers.
/// energy = radioPower × radio active + megabitEnergy × megabits received + awakePower × awake in background + wakeEnergy × wake-ups
package struct EnergyProxy: Hashable, Sendable {
  /// The power of an active radio, its tail included, in watts: LTE, Huang et al., MobiSys 2012.
  package var radioPower = 1.06
  /// The energy for each megabit received, in joules: 52 mW per Mbps, same source.
  package var megabitEnergy = 0.052
  /// The power of a process that runs in the background, in watts; an assumption.
  package var awakePower = 0.5
  /// The energy of a wake-up, in joules; an assumption.
  package var wakeEnergy = 2.0

  package init() {}

  package func joules(radioMs: Double, bytes: Int64, awakeMs: Double, wakes: Int) -> Double {
    radioPower * radioMs / 1000 + megabitEnergy * Double(bytes) * 8 / 1e6 + awakePower * awakeMs / 1000 + wakeEnergy * Double(wakes)
  }
}
