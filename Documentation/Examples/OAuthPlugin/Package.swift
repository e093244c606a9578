// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "OAuthPlugin",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Tidewater", targets: ["Tidewater"])
    ],
    dependencies: [
        // The trait is for the local servers, which the tests need.
        .package(name: "swift-identity", path: "../../..", traits: ["Tools"])
    ],
    targets: [
        .target(
            name: "Tidewater",
            dependencies: [
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentityOAuth", package: "swift-identity"),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "tides",
            dependencies: [
                "Tidewater",
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentityOAuthProviders", package: "swift-identity"),
            ],
            path: "Sources/Program",
            swiftSettings: settings
        ),
        .testTarget(
            name: "TidewaterTests",
            dependencies: [
                "Tidewater",
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentityTesting", package: "swift-identity"),
                .product(name: "IdentityLocalServers", package: "swift-identity"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
