// swift-tools-version: 6.2
// Made by .ci/samples/run.
import PackageDescription

let package = Package(
    name: "InsForgeSignIn",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .executable(name: "InsForgeSignIn", targets: ["InsForgeSignIn"])
    ],
    dependencies: [
        .package(name: "swift-identity", path: "../../..", traits: [])
    ],
    targets: [
        .executableTarget(
            name: "InsForgeSignIn",
            dependencies: [
                .product(name: "InsForge", package: "swift-identity")
            ],
            path: "App"
        )
    ]
)
