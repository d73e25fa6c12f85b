// swift-tools-version: 6.3
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("ExistentialAny"),
  .treatAllWarnings(as: .error),
]
// Scripts/check optimises the sources of its debug build, which keeps its assertions: the tests then take a third of the time.
let optimised = Context.environment["PREFETCH_SWEEP_OPTIMISED"] != nil
let source = strict + (optimised ? [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))] : [])

let package = Package(
  name: "prefetch-sweep",
  // Int128 and Mutex need these releases; on Linux any system that Swift runs on will do.
  platforms: [.macOS(.v15)],
  products: [
    .library(name: "Simulation", targets: ["Simulation"]),
    .library(name: "SweepTool", targets: ["SweepTool"]),
    .executable(name: "prefetch-sweep", targets: ["prefetch-sweep"]),
    .executable(name: "prefetch-sweep-live", targets: ["prefetch-sweep-live"]),
  ],
  targets: [
    // Debug builds of the standard library's square root and rounding call libm, which a program without Foundation does not link by itself.
    .target(name: "Base", swiftSettings: source),
    .target(
      name: "Simulation", dependencies: ["Base"], swiftSettings: source, linkerSettings: [.linkedLibrary("m", .when(platforms: [.linux]))]),
    .target(name: "Analysis", dependencies: ["Base"], swiftSettings: source),
    .target(name: "Rendering", dependencies: ["Base", "Analysis"], swiftSettings: source),
    .target(name: "Import", dependencies: ["Base", "Simulation", "Analysis"], swiftSettings: source),
    .target(name: "Sweep", dependencies: ["Base", "Simulation", "Analysis", "Import"], swiftSettings: source),
    // The tool's commands are a library, so that a program with prefetchers of its own gets all of them.
    .target(name: "SweepTool", dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep"], swiftSettings: source),
    .executableTarget(name: "prefetch-sweep", dependencies: ["SweepTool"], swiftSettings: source),
    // Real requests under the same session. It needs all of Foundation, so it has a product of its own, and the tool stays small.
    .target(name: "LiveClient", dependencies: ["Base", "Simulation", "Import", "Sweep"], swiftSettings: source),
    .executableTarget(name: "prefetch-sweep-live", dependencies: ["SweepTool", "LiveClient"], swiftSettings: source),
    // A slow link in user space between two network namespaces of Linux, for whoever wants to run the live client behind one.
    .executableTarget(name: "live-link", swiftSettings: source),
    // Makes what sweeps cannot: fidelity, article, calibration, racing, recovery and benchmark; the scripts run it.
    .target(
      name: "Studies", dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep", "SweepTool"],
      exclude: ["Gate/Scenarios"], swiftSettings: source),
    .executableTarget(name: "run-studies", dependencies: ["Studies"], swiftSettings: source),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["Base", "Simulation", "Analysis", "Studies", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "AnalysisTests",
      dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep", "SweepTool", "TestSupport"],
      exclude: ["Goldens"], swiftSettings: strict),
    .testTarget(
      name: "LiveClientTests",
      dependencies: ["LiveClient", "live-link", "Base", "Analysis", "Simulation", "Import", "Sweep", "SweepTool", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "SweepTests",
      dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep", "SweepTool", "Studies", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep", "SweepTool", "TestSupport", "prefetch-sweep", "run-studies",
      ],
      exclude: ["BadInput", "Example", "Mistakes.txt", "OlderResults", "PublicAPI.txt", "StandIn"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
