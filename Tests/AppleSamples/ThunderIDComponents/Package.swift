// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "ThunderIDComponents",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "ThunderIDComponents", targets: ["ThunderIDComponents"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .target(
            name: "ThunderIDComponents",
            dependencies: [
                .product(name: "ThunderIDSwiftUI", package: "swift-identity")
            ],
            path: "App"
        )
    ]
)
