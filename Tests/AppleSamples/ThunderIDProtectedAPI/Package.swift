// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "ThunderIDProtectedAPI",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "ThunderIDProtectedAPI", targets: ["ThunderIDProtectedAPI"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "ThunderIDProtectedAPI",
            dependencies: [
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "ThunderID", package: "swift-identity"),
                .product(name: "ThunderIDSwiftUI", package: "swift-identity"),
            ],
            path: "App"
        )
    ]
)
