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
    // Text in another language is a file of its own and part of the program, which needs no folder of resources beside it.
    .target(
      name: "Rendering", dependencies: ["Base", "Analysis"],
      resources: [.embedInCode("Charts/chart.css"), .embedInCode("Page/page.css"), .embedInCode("Page/page.js")], swiftSettings: source),
    .target(name: "Inputs", dependencies: ["Base", "Simulation"], swiftSettings: source),
    .target(name: "Import", dependencies: ["Base", "Simulation", "Analysis", "Inputs"], swiftSettings: source),
    .target(
      name: "Sweep", dependencies: ["Base", "Simulation", "Analysis", "Inputs"], resources: [.embedInCode("Execution/reaper.sh")],
      swiftSettings: source),
    // The tool's commands are a library, so that a program with prefetchers of its own gets all of them.
    .target(
      name: "SweepTool", dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep"],
      resources: [.embedInCode("Completions"), .embedInCode("Templates")], swiftSettings: source),
    .executableTarget(name: "prefetch-sweep", dependencies: ["SweepTool"], swiftSettings: source),
    // Real requests under the same session. It needs all of Foundation, so it has a product of its own, and the tool stays small.
    .target(name: "LiveClient", dependencies: ["Base", "Simulation", "Sweep"], swiftSettings: source),
    .executableTarget(name: "prefetch-sweep-live", dependencies: ["SweepTool", "LiveClient"], swiftSettings: source),
    // What judges the product: measurements and other programs beside it, programs that check it, and those that make Results.
    .target(name: "TestSupport", dependencies: ["Base", "Simulation", "Analysis"], path: "Tests/TestSupport", swiftSettings: strict),
    .target(
      name: "SampleSweeps", dependencies: ["Base", "Analysis", "Rendering", "Sweep"], path: "Tests/SampleSweeps", swiftSettings: strict),
    .target(name: "Oracles", dependencies: ["Base", "Simulation", "Analysis", "Inputs"], path: "Tests/Oracles", swiftSettings: source),
    .target(
      name: "StudyParts", dependencies: ["Base", "Simulation", "Import", "Rendering", "SweepTool", "Oracles"], path: "Tests/Studies/Parts",
      swiftSettings: source),
    .target(
      name: "CheckStudies",
      dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Inputs", "Import", "Sweep", "SweepTool", "Oracles", "StudyParts"],
      path: "Tests/Studies/Checks",
      exclude: ["Benchmark/import", "Benchmark/policy", "Benchmark/sizes", "Determinism/report", "Overnight"], swiftSettings: source),
    .target(
      name: "ResultStudies",
      dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Import", "Sweep", "SweepTool", "Oracles", "StudyParts"],
      path: "Tests/Studies/Results",
      exclude: [
        "Background", "Fidelity/measure-client.py", "Fidelity/measure-quic.py", "Fidelity/measure-tables.py", "Gate/Scenarios",
        "History/table.py", "Pages", "People", "Policies", "Sessions",
      ], swiftSettings: source),
    .executableTarget(
      name: "run-studies", dependencies: ["CheckStudies", "ResultStudies", "StudyParts", "SweepTool"], path: "Tests/Studies/Program",
      swiftSettings: source),
    // A slow link in user space between two network namespaces of Linux, for measurements and the tests of the live client.
    .executableTarget(name: "live-link", path: "Tests/live-link", exclude: ["live-test"], swiftSettings: source),
    // A feed that scrolls over real sockets, to try devices without a phone.
    .executableTarget(name: "stand-in-app", path: "Tests/stand-in-app", exclude: ["phone"], swiftSettings: source),
    .testTarget(name: "BaseTests", dependencies: ["Base", "Simulation", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SimulationTests", dependencies: ["Base", "Simulation", "Analysis", "Oracles", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "AnalysisTests", dependencies: ["Base", "Simulation", "Analysis", "Sweep", "Oracles", "SampleSweeps", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "RenderingTests", dependencies: ["Base", "Simulation", "Analysis", "Rendering", "Sweep", "SampleSweeps", "TestSupport"],
      swiftSettings: strict),
    .testTarget(name: "ImportTests", dependencies: ["Base", "Simulation", "Inputs", "Import", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "SweepTests",
      dependencies: [
        "Base", "Simulation", "Analysis", "Rendering", "Inputs", "Import", "Sweep", "SweepTool", "SampleSweeps", "TestSupport",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "LiveClientTests",
      dependencies: ["LiveClient", "live-link", "Base", "Analysis", "Simulation", "Import", "Sweep", "SweepTool", "TestSupport"],
      swiftSettings: strict),
    .testTarget(
      name: "StudyTests", dependencies: ["Base", "Oracles", "CheckStudies", "ResultStudies", "TestSupport"], swiftSettings: strict),
    .testTarget(
      name: "ToolTests",
      dependencies: [
        "Base", "Simulation", "Analysis", "Rendering", "Inputs", "Import", "Sweep", "SweepTool",
        "SampleSweeps", "TestSupport", "prefetch-sweep",
        "run-studies", "stand-in-app", "live-link",
      ],
      exclude: ["BadInput", "Example", "Mistakes.txt", "OlderResults", "PublicAPI.txt", "StandIn"], swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)
