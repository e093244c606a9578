// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "SignInApp",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "SignInApp", targets: ["SignInApp"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "SignInApp",
            dependencies: [
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentitySwiftUI", package: "swift-identity"),
                .product(name: "ThunderID", package: "swift-identity"),
                .product(name: "InsForge", package: "swift-identity"),
                .product(name: "IdentityOAuthProviders", package: "swift-identity"),
            ],
            path: "App"
        )
    ]
)
