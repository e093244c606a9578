// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "InsForgeBrowser",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "InsForgeBrowser", targets: ["InsForgeBrowser"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "InsForgeBrowser",
            dependencies: [
                .product(name: "InsForge", package: "swift-identity")
            ],
            path: "App"
        )
    ]
)
