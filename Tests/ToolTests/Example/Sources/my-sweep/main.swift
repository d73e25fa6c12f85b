import Sweep
import SweepTool

SweepTool.main(prefetchers: [
  PrefetcherDefinition("smallestFirst", "The next items, the smallest first.") {
    SmallestFirst(ahead: $0.integer("ahead", default: 5, in: 1...100), limit: $0.size("limit", default: 500_000))
  }
])
