// swift-tools-version: 6.2
import PackageDescription

// Apple's systems bring CryptoKit. Elsewhere swift-crypto is the same API and the one package our libraries need.
// Set SWIFT_IDENTITY_USE_SWIFT_CRYPTO=1 when a Mac compiles for a platform without CryptoKit.
#if canImport(Darwin)
let usesSwiftCrypto = Context.environment["SWIFT_IDENTITY_USE_SWIFT_CRYPTO"] == "1"
#else
let usesSwiftCrypto = true
#endif

let cryptoPackages: [Package.Dependency] =
    usesSwiftCrypto ? [.package(url: "https://github.com/apple/swift-crypto.git", from: "4.0.0")] : []

let cryptoProduct: [Target.Dependency] = usesSwiftCrypto ? [.product(name: "Crypto", package: "swift-crypto")] : []
let cryptoProducts =
    cryptoProduct + (usesSwiftCrypto ? [.product(name: "CryptoExtras", package: "swift-crypto")] : [])

/// Whether the package manager has fetched this package for another one. It reads the manifest twice then: from the
/// repository, whose root is `/`, and from where it keeps what it has fetched.
let isFetched: Bool = {
    let folder = Context.packageDirectory
    let folders = folder.split(separator: "/")
    return folders.isEmpty || folders.dropLast().last == "checkouts" || folder.contains("/registry/downloads/")
}()

/// What is on where nothing is said about traits: the tools for those who work on this package, and nothing for an app that
/// depends on it. SwiftPM fetches what a trait that is on needs, although it does not build it, and Xcode before 26.4
/// cannot say that it be off.
let defaultTraits: Set<String> = isFetched ? [] : ["Tools"]

/// What the executables and the local servers need, fetched only with the `Tools` trait.
let tools: TargetDependencyCondition? = .when(traits: ["Tools"])

/// What the observers for logs, metrics and traces need.
let observability: TargetDependencyCondition? = .when(traits: ["Observability"])
let observabilityProducts: [Target.Dependency] = [
    .product(name: "Logging", package: "swift-log", condition: observability),
    .product(name: "Metrics", package: "swift-metrics", condition: observability),
    .product(name: "Tracing", package: "swift-distributed-tracing", condition: observability),
]

/// The sanitizers that `Tests/Fuzz` is built with, which `.ci/fuzz` alone asks for: nobody else sees the target, nor its
/// compiler flags. `address` finds what is done to memory, `coverage` is two to three times as fast.
let fuzzing: String? =
    switch Context.environment["SWIFT_IDENTITY_FUZZ"] {
    case "address": "-sanitize=fuzzer,address"
    case "coverage": "-sanitize=fuzzer"
    default: nil
    }

let settings: [SwiftSetting] =
    [
        .treatAllWarnings(as: .error),
        .enableUpcomingFeature("ExistentialAny"),
    ] + (fuzzing.map { [.unsafeFlags([$0, "-enable-testing"])] } ?? [])

/// How `.ci/release` alone links the launcher: without any other library, and with what it uses for a stored token side by
/// side, so that it has a third fewer page faults (`.ci/launcher-order`).
let launcherLinking: [LinkerSetting] =
    Context.environment["SWIFT_IDENTITY_STATIC_LAUNCHER"] == "1"
    ? [
        .unsafeFlags([
            "-static-executable", "-use-ld=lld", "-Xlinker", "--no-warn-symbol-ordering",
            "-Xlinker", "--symbol-ordering-file=\(Context.packageDirectory)/.ci/launcher.order",
        ])
    ] : []

let package = Package(
    name: "swift-identity",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "SwiftIdentity", targets: ["SwiftIdentity"]),
        .library(name: "IdentityCore", targets: ["IdentityCore"]),
        .library(name: "IdentityKit", targets: ["IdentityKit"]),
        .library(name: "IdentityOAuth", targets: ["IdentityOAuth"]),
        .library(name: "IdentitySwiftUI", targets: ["IdentitySwiftUI"]),
        .library(name: "ThunderID", targets: ["ThunderID"]),
        .library(name: "ThunderIDSwiftUI", targets: ["ThunderIDSwiftUI"]),
        .library(name: "InsForge", targets: ["InsForge"]),
        .library(name: "IdentityOAuthProviders", targets: ["IdentityOAuthProviders"]),
        .library(name: "IdentityPresets", targets: ["IdentityPresets"]),
        .library(name: "IdentityPostgres", targets: ["IdentityPostgres"]),
        .library(name: "IdentityObservability", targets: ["IdentityObservability"]),
        .library(name: "IdentityTerminal", targets: ["IdentityTerminal"]),
        .library(name: "IdentityTesting", targets: ["IdentityTesting"]),
        .library(name: "IdentityLocalServers", targets: ["IdentityLocalServers"]),
        .library(name: "IdentityTool", targets: ["IdentityTool"]),
    ],
    traits: [
        .trait(
            name: "Observability",
            description: "Logs, metrics and traces. They need swift-log, swift-metrics and swift-distributed-tracing."),
        .trait(name: "PostgreSQL", description: "The token store on PostgreSQL. It needs libpq."),
        .trait(name: "Tools", description: "The command-line tool and the local identity servers."),
        .default(enabledTraits: defaultTraits),
    ],
    dependencies: cryptoPackages + [
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
    ],
    targets: [
        // What needs neither cryptography nor the network: no other target, no package, and of Foundation the base alone.
        .target(name: "IdentityCore", swiftSettings: settings),
        // What every program that reads a store must agree on, for one that has no time to load the rest.
        .target(name: "IdentityStoreFormat", dependencies: cryptoProduct, swiftSettings: settings),
        // Calls that Swift cannot make: futex(2), flock(2) with a time limit, prctl(2), and one to OpenSSL.
        .target(name: "CIdentitySystem"),
        // Calls of libcurl, which Swift cannot make: they are variadic.
        .target(name: "CIdentityCurl", dependencies: ["CIdentitySystem"]),
        .target(
            name: "IdentityKit",
            dependencies: [
                "IdentityCore", "IdentityStoreFormat", "CIdentitySystem",
                .target(name: "CIdentityCurl", condition: .when(platforms: [.linux])),
            ] + cryptoProducts,
            resources: [.copy("Resources/PrivacyInfo.xcprivacy")],
            swiftSettings: settings
        ),
        .target(name: "IdentityOAuth", dependencies: ["IdentityKit", "IdentityStoreFormat"], swiftSettings: settings),
        // Views of any backend. What they draw is in IdentityKit.
        .target(name: "IdentitySwiftUI", dependencies: ["IdentityKit"], swiftSettings: settings),
        .target(
            name: "ThunderID",
            dependencies: ["IdentityKit", "IdentityOAuth"],
            path: "Providers/ThunderID",
            swiftSettings: settings
        ),
        // The views need Apple's systems; what they draw is plain Swift.
        .target(
            name: "ThunderIDSwiftUI",
            dependencies: ["ThunderID", "IdentityKit", "IdentitySwiftUI"],
            path: "Providers/ThunderIDSwiftUI",
            // The texts are embedded, so that the language can change while the app runs.
            resources: [
                .embedInCode("Resources/ThunderID.xcstrings"), .copy("Resources/PrivacyInfo.xcprivacy"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "InsForge",
            dependencies: ["IdentityKit", "IdentityOAuth"],
            path: "Providers/InsForge",
            swiftSettings: settings
        ),
        // The provider types of OAuth servers.
        .target(
            name: "IdentityOAuthProviders",
            dependencies: ["IdentityKit", "IdentityOAuth"],
            path: "Providers/OAuth",
            swiftSettings: settings
        ),
        // Vendors as values of the types above.
        .target(
            name: "IdentityPresets",
            dependencies: ["IdentityKit", "IdentityOAuth", "IdentityOAuthProviders"],
            path: "Providers/Presets",
            resources: [.embedInCode("Presets")],
            swiftSettings: settings
        ),
        // The module that an app imports: IdentityKit, with every type of the targets above.
        .target(
            name: "SwiftIdentity",
            dependencies: ["IdentityKit", "IdentityOAuthProviders", "IdentityPresets", "InsForge", "ThunderID"],
            swiftSettings: settings
        ),
        // PostgreSQL's own client, which only programs with the trait need.
        .systemLibrary(
            name: "CIdentityPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The store of a fleet.
        .target(
            name: "IdentityPostgres",
            dependencies: [
                "IdentityKit", "CIdentitySystem",
                .target(name: "CIdentityPostgres", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        // What a program observes itself with.
        .target(
            name: "IdentityObservability", dependencies: ["IdentityKit"] + observabilityProducts,
            swiftSettings: settings),
        // Questions and codes of a sign-in at a terminal.
        .target(name: "IdentityTerminal", dependencies: ["IdentityKit"], swiftSettings: settings),
        // What a provider's and an app's own tests link. It needs no server and no trait.
        .target(name: "IdentityTesting", dependencies: ["IdentityKit"], swiftSettings: settings),
        // Only programs with the trait reach these; `RequiredTrait.swift` says so where it is missing.
        .target(
            name: "IdentityLocalServers",
            dependencies: [
                "IdentityKit", "IdentityTesting",
                .product(name: "NIOCore", package: "swift-nio", condition: tools),
                .product(name: "NIOPosix", package: "swift-nio", condition: tools),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: tools),
            ],
            swiftSettings: settings
        ),
        // The commands.
        .target(
            name: "IdentityTool",
            dependencies: [
                "CIdentitySystem", "IdentityKit", "IdentityOAuth", "IdentityStoreFormat", "ThunderID", "InsForge",
                "IdentityOAuthProviders", "IdentityPresets", "IdentityPostgres", "IdentityTesting",
                "IdentityLocalServers", "IdentityTerminal",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
            ],
            // What `plugin new` writes. The tests of IdentityKit and IdentityOAuth compile and run it.
            resources: [.embedInCode("Plugin/Example"), .embedInCode("Plugin/OAuthExample")],
            swiftSettings: settings
        ),
        .executableTarget(name: "identity", dependencies: ["IdentityTool"], swiftSettings: settings),
        // `identity` as it is installed, in front of the whole tool.
        .executableTarget(
            name: "identity-launcher", dependencies: ["CIdentitySystem", "IdentityStoreFormat"],
            swiftSettings: settings, linkerSettings: launcherLinking),
        .executableTarget(
            name: "identity-benchmarks",
            dependencies: [
                "IdentityKit", "IdentityOAuth", "IdentityOAuthProviders", "IdentityPostgres", "IdentityTesting",
                "IdentityLocalServers",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
            ],
            swiftSettings: settings
        ),
        // What the process tests start, stop and kill.
        .executableTarget(
            name: "store-probe",
            dependencies: [
                "IdentityKit", "IdentityPostgres", "IdentityTesting", "IdentityLocalServers", "ThunderID", "InsForge",
                "IdentityOAuthProviders", "IdentityTerminal", "SwiftIdentity",
            ],
            path: "Tests/StoreProbe",
            swiftSettings: settings
        ),
        // Limits how many tests run at once, and what they inherit from whoever runs them, in the one program that holds them all.
        .target(name: "TestLimit", path: "Tests/TestLimit"),
        .target(
            name: "TestSupport", dependencies: ["IdentityKit", "IdentityTesting", "TestLimit"],
            path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "TransportChecks",
            dependencies: ["IdentityKit", "IdentityTesting", "IdentityLocalServers", "TestSupport"],
            path: "Tests/TransportChecks", swiftSettings: settings),
        .testTarget(
            name: "IdentityCoreTests",
            dependencies: ["IdentityCore"],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityKitTests",
            dependencies: [
                "IdentityCore", "IdentityKit", "IdentityTesting", "IdentityLocalServers", "IdentityStoreFormat",
                "TestSupport", "TransportChecks",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityObservabilityTests",
            dependencies: [
                "IdentityObservability", "IdentityKit", "IdentityOAuthProviders", "IdentityTesting",
                "IdentityLocalServers",
                "TestSupport",
            ] + observabilityProducts,
            swiftSettings: settings),
        .testTarget(
            name: "StoreProcessTests",
            dependencies: [
                "IdentityKit", "IdentityPostgres", "ThunderID", "IdentityTesting", "IdentityLocalServers",
                "TestSupport",
                "store-probe", "identity",
            ],
            // Compiled by the tests themselves: it is loaded into the programs they start.
            exclude: ["Faults/system-calls.c"],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityOAuthTests",
            dependencies: ["IdentityOAuth", "IdentityTesting", "IdentityLocalServers", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ThunderIDTests",
            dependencies: ["ThunderID", "IdentityOAuth", "IdentityTesting", "IdentityLocalServers", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ThunderIDSwiftUITests",
            dependencies: [
                "ThunderIDSwiftUI", "IdentitySwiftUI", "ThunderID", "IdentityOAuth", "IdentityTesting",
                "IdentityLocalServers", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "InsForgeTests",
            dependencies: ["InsForge", "IdentityTesting", "IdentityLocalServers", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IdentityOAuthProvidersTests",
            dependencies: [
                "IdentityOAuthProviders", "IdentityOAuth", "IdentityTesting", "IdentityLocalServers", "TestSupport",
            ],
            exclude: ["AppAuth/make_samples.py"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IdentityPresetsTests",
            dependencies: [
                "IdentityPresets", "IdentityOAuthProviders", "IdentityOAuth", "IdentityTesting",
                "IdentityLocalServers", "TestSupport",
            ],
            exclude: ["Keys", "Metadata"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IdentityToolTests",
            dependencies: [
                "IdentityTool", "identity", "identity-launcher", "store-probe", "IdentityKit", "IdentityTesting",
                "IdentityLocalServers",
                "IdentityStoreFormat", "TestSupport", "TransportChecks",
            ],
            swiftSettings: settings),
        // The rules that all providers share.
        .testTarget(
            name: "ProviderTests",
            dependencies: [
                "ThunderID", "ThunderIDSwiftUI", "InsForge", "IdentityOAuthProviders", "IdentityPresets",
                "IdentityOAuth", "IdentityTesting", "IdentityLocalServers", "TestSupport", "TransportChecks",
                "identity",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityTerminalTests",
            dependencies: [
                "IdentityTerminal", "IdentityKit", "IdentityTesting", "IdentityLocalServers", "TestSupport",
                "store-probe",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityPostgresTests",
            dependencies: [
                "IdentityPostgres", "IdentityKit", "IdentityTesting", "IdentityLocalServers", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "SwiftIdentity", "IdentityKit", "IdentityOAuth", "ThunderID", "InsForge", "IdentityOAuthProviders",
                "IdentityPresets",
                "IdentityTerminal", "IdentityPostgres",
                "IdentityObservability", "IdentityTesting", "IdentityLocalServers", "IdentityTool", "TestSupport",
            ] + observabilityProducts,
            swiftSettings: settings),
        // What every library must keep to itself.
        .testTarget(
            name: "SecrecyTests",
            dependencies: [
                "IdentityKit", "IdentityOAuth", "ThunderID", "ThunderIDSwiftUI", "InsForge", "IdentityOAuthProviders",
                "IdentityPresets", "IdentityTerminal", "IdentityPostgres",
                "IdentityObservability", "IdentityTesting", "IdentityLocalServers",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityLocalServersTests",
            dependencies: ["IdentityTesting", "IdentityLocalServers", "TestSupport"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

if let fuzzing {
    // A program cannot be linked into another one. Without its `main.swift` the launcher is a library.
    package.targets.removeAll { $0.name == "identity-launcher" }
    package.targets += [
        .target(
            name: "identity-launcher", dependencies: ["CIdentitySystem", "IdentityStoreFormat"],
            exclude: ["main.swift"],
            swiftSettings: settings),
        .systemLibrary(name: "LibFuzzer", path: "Tests/Fuzz/LibFuzzer"),
        .executableTarget(
            name: "identity-fuzz",
            dependencies: [
                "IdentityKit", "IdentityOAuth", "IdentityStoreFormat", "ThunderID", "InsForge",
                "IdentityOAuthProviders",
                "identity-launcher", "LibFuzzer",
            ],
            path: "Tests/Fuzz",
            exclude: ["Corpus", "Dictionaries", "LibFuzzer"],
            swiftSettings: settings,
            // The fuzzer's library has a `main` of its own. SwiftPM names ours, so ours is the first one found.
            linkerSettings: [
                .unsafeFlags([fuzzing, "-use-ld=lld", "-Xlinker", "--allow-multiple-definition"])
            ]
        ),
    ]
}
