// swift-tools-version: 6.3
import PackageDescription

let package = Package(
  name: "my-sweep",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "prefetch-sweep", path: "../../..")],
  targets: [
    .executableTarget(
      name: "my-sweep",
      dependencies: [
        .product(name: "Simulation", package: "prefetch-sweep"), .product(name: "SweepTool", package: "prefetch-sweep"),
      ])
  ],
  swiftLanguageModes: [.v6]
)
