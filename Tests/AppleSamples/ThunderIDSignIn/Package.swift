// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "ThunderIDSignIn",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "ThunderIDSignIn", targets: ["ThunderIDSignIn"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "ThunderIDSignIn",
            dependencies: [
                .product(name: "ThunderID", package: "swift-identity"),
                .product(name: "ThunderIDSwiftUI", package: "swift-identity"),
            ],
            path: "App"
        )
    ]
)
