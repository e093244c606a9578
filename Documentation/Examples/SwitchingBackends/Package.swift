// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "SwitchingBackends",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "switching",
            dependencies: [
                .product(name: "SwiftIdentity", package: "swift-identity"),
                .product(name: "IdentityTerminal", package: "swift-identity"),
            ],
            path: "Sources/Switching",
            swiftSettings: [.treatAllWarnings(as: .error), .enableUpcomingFeature("ExistentialAny")]
        )
    ],
    swiftLanguageModes: [.v6]
)
