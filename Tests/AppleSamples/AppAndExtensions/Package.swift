// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "AppAndExtensions",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "AppAndExtensionsShared", targets: ["AppAndExtensionsShared"]),
        .executable(name: "AppAndExtensions", targets: ["AppAndExtensions"]),
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .target(
            name: "AppAndExtensionsShared",
            dependencies: [
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentityOAuthProviders", package: "swift-identity"),
            ],
            path: "Shared"
        ),
        .executableTarget(
            name: "AppAndExtensions",
            dependencies: [
                "AppAndExtensionsShared",
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentitySwiftUI", package: "swift-identity"),
            ],
            path: "App"
        ),
        .executableTarget(
            name: "AppAndExtensionsWidget",
            dependencies: [
                "AppAndExtensionsShared",
                .product(name: "IdentityKit", package: "swift-identity"),
            ],
            path: "Widget"
        ),
        .target(
            name: "AppAndExtensionsShare",
            dependencies: [
                "AppAndExtensionsShared",
                .product(name: "IdentityKit", package: "swift-identity"),
            ],
            path: "Share"
        ),
    ]
)
