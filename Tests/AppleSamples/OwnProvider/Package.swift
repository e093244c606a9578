// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "OwnProvider",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "OwnProvider", targets: ["OwnProvider"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "OwnProvider",
            dependencies: [
                .product(name: "IdentityKit", package: "swift-identity")
            ],
            path: "App"
        )
    ]
)
