// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]

let package = Package(
    name: "FallbackSDK",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "MailSDK", targets: ["MailSDK"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .target(
            name: "MailSDK",
            dependencies: [.product(name: "IdentityKit", package: "swift-identity")],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "mail",
            dependencies: ["MailSDK", .product(name: "IdentityKit", package: "swift-identity")],
            path: "Sources/Mail",
            swiftSettings: settings
        ),
        .testTarget(
            name: "MailSDKTests",
            dependencies: ["MailSDK", .product(name: "IdentityKit", package: "swift-identity")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)
