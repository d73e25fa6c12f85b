import Simulation
import SweepTool

SweepTool.main(prefetchers: [
  PrefetcherDefinition(
    "smallestFirst", "The next items, the smallest first.",
    settings: [
      .integer("ahead", default: 5, in: 1...100, "Items after the active one that are looked at."),
      .size("limit", default: 500_000, "The bytes above which an item is left out."),
    ]
  ) { SmallestFirst(ahead: $0.integer("ahead"), limit: $0.size("limit")) }
])
