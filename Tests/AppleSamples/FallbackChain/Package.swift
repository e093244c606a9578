// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "FallbackChain",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "FallbackChain", targets: ["FallbackChain"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "FallbackChain",
            dependencies: [
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "InsForge", package: "swift-identity"),
                .product(name: "IdentityOAuthProviders", package: "swift-identity"),
            ],
            path: "App"
        )
    ]
)
