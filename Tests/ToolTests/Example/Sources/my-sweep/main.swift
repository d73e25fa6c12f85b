import Simulation
import SweepTool

SweepTool.main(prefetchers: [
  PrefetcherDefinition(
    "smallestFirst", "The next items, the smallest first.", SmallestFirst(ahead: 5, limit: 500_000),
    settings: [
      .integer("ahead", \.ahead, in: 1...100, "Items after the active one that are looked at."),
      .size("limit", \.limit, "The bytes above which an item is left out."),
    ])
])
