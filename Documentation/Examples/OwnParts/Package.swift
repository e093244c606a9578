// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "OwnParts",
    // The lock of the store's notice board is `Mutex`.
    platforms: [.iOS(.v18), .macOS(.v15), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "OwnParts", targets: ["OwnParts"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .target(
            name: "OwnParts",
            dependencies: [.product(name: "IdentityKit", package: "swift-identity")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OwnPartsTests",
            dependencies: [
                "OwnParts",
                .product(name: "IdentityKit", package: "swift-identity"),
                .product(name: "IdentityTesting", package: "swift-identity"),
            ],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
