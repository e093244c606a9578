// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "HummingbirdBackend",
    platforms: [.macOS(.v14)],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: ["PostgreSQL"]),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0", traits: []),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.8.0"),
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0"),
    ],
    targets: [
        .executableTarget(
            name: "backend",
            dependencies: [
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentityOAuth", package: "swift-identity"),
                .product(name: "IdentityOAuthProviders", package: "swift-identity"),
                .product(name: "IdentityPostgres", package: "swift-identity"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "Crypto", package: "swift-crypto"),
            ],
            path: "Sources/Backend",
            swiftSettings: settings
        ),
        .testTarget(
            name: "BackendTests",
            dependencies: [
                "backend",
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentityOAuth", package: "swift-identity"),
                .product(name: "IdentityOAuthProviders", package: "swift-identity"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
