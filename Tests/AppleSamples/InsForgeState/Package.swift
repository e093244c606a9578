// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "InsForgeState",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "InsForgeState", targets: ["InsForgeState"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "InsForgeState",
            dependencies: [
                .product(name: "InsForge", package: "swift-identity")
            ],
            path: "App"
        )
    ]
)
