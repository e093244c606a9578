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

/// What the transport for servers needs.
let serverTransport: TargetDependencyCondition? = .when(traits: ["AsyncHTTPClient"])

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

let package = Package(
    name: "swift-identity",
    platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "IdentityKit", targets: ["IdentityKit"]),
        .library(name: "OAuthKit", targets: ["OAuthKit"]),
        .library(name: "ThunderID", targets: ["ThunderID"]),
        .library(name: "ThunderIDSwiftUI", targets: ["ThunderIDSwiftUI"]),
        .library(name: "InsForge", targets: ["InsForge"]),
        .library(name: "OpenIDConnect", targets: ["OpenIDConnect"]),
        .library(name: "OAuth2", targets: ["OAuth2"]),
        .library(name: "KnownProviders", targets: ["KnownProviders"]),
        .library(name: "IdentityPostgres", targets: ["IdentityPostgres"]),
        .library(name: "IdentityAsyncHTTPClient", targets: ["IdentityAsyncHTTPClient"]),
        .library(name: "IdentityObservability", targets: ["IdentityObservability"]),
        .library(name: "LoopbackBrowser", targets: ["LoopbackBrowser"]),
        .library(name: "TerminalPresenters", targets: ["TerminalPresenters"]),
        .library(name: "IdentityTesting", targets: ["IdentityTesting"]),
        .library(name: "LocalServers", targets: ["LocalServers"]),
        .executable(name: "identity", targets: ["identity"]),
    ],
    traits: [
        .trait(name: "AsyncHTTPClient", description: "The transport for servers. It needs async-http-client."),
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
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.37.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.5.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.2.0"),
    ],
    targets: [
        // What every program that reads a store must agree on, for one that has no time to load the rest.
        .target(name: "StoreFormat", dependencies: cryptoProduct, swiftSettings: settings),
        // A call that Swift cannot make.
        .target(name: "CoreDumps"),
        // Another one.
        .target(name: "MemoryWait"),
        // And one for the launcher.
        .target(name: "LockWait"),
        .target(
            name: "IdentityKit",
            dependencies: ["StoreFormat", "MemoryWait"] + cryptoProducts,
            resources: [.copy("Resources/PrivacyInfo.xcprivacy")],
            swiftSettings: settings
        ),
        .target(name: "OAuthKit", dependencies: ["IdentityKit", "StoreFormat"], swiftSettings: settings),
        .target(
            name: "ThunderID",
            dependencies: ["IdentityKit", "OAuthKit"],
            path: "Providers/ThunderID",
            swiftSettings: settings
        ),
        // The views need Apple's systems; what they draw is plain Swift.
        .target(
            name: "ThunderIDSwiftUI",
            dependencies: ["ThunderID", "IdentityKit"],
            path: "Providers/ThunderIDSwiftUI",
            // The texts are embedded, so that the language can change while the app runs.
            resources: [
                .embedInCode("Resources/ThunderID.xcstrings"), .copy("Resources/PrivacyInfo.xcprivacy"),
            ],
            swiftSettings: settings
        ),
        .target(
            name: "InsForge",
            dependencies: ["IdentityKit", "OAuthKit"],
            path: "Providers/InsForge",
            swiftSettings: settings
        ),
        .target(
            name: "OpenIDConnect",
            dependencies: ["IdentityKit", "OAuthKit"],
            path: "Providers/OpenIDConnect",
            swiftSettings: settings
        ),
        .target(
            name: "OAuth2",
            dependencies: ["IdentityKit", "OAuthKit"],
            path: "Providers/OAuth2",
            swiftSettings: settings
        ),
        // Vendors as values of the two types above.
        .target(
            name: "KnownProviders",
            dependencies: ["IdentityKit", "OAuthKit", "OpenIDConnect", "OAuth2"],
            path: "Providers/KnownProviders",
            resources: [.embedInCode("Presets")],
            swiftSettings: settings
        ),
        // PostgreSQL's own client, which only programs with the trait need.
        .systemLibrary(
            name: "LibPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        // The store of a fleet.
        .target(
            name: "IdentityPostgres",
            dependencies: [
                "IdentityKit", .target(name: "LibPQ", condition: .when(traits: ["PostgreSQL"])),
            ],
            swiftSettings: settings),
        // The transport for servers.
        .target(
            name: "IdentityAsyncHTTPClient",
            dependencies: [
                "IdentityKit",
                .product(name: "AsyncHTTPClient", package: "async-http-client", condition: serverTransport),
                .product(name: "NIOCore", package: "swift-nio", condition: serverTransport),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: serverTransport),
                .product(name: "NIOPosix", package: "swift-nio", condition: serverTransport),
                .product(name: "NIOSSL", package: "swift-nio-ssl", condition: serverTransport),
            ],
            swiftSettings: settings),
        // What a program observes itself with.
        .target(
            name: "IdentityObservability", dependencies: ["IdentityKit"] + observabilityProducts,
            swiftSettings: settings),
        // A name for the listener of IdentityKit, which once was a library of its own.
        .target(name: "LoopbackBrowser", dependencies: ["IdentityKit"], swiftSettings: settings),
        // Questions and codes of a sign-in at a terminal.
        .target(name: "TerminalPresenters", dependencies: ["IdentityKit"], swiftSettings: settings),
        // What a provider's and an app's own tests link. It needs no server and no trait.
        .target(name: "IdentityTesting", dependencies: ["IdentityKit"], swiftSettings: settings),
        // Only programs with the trait reach these; `RequiredTrait.swift` says so where it is missing.
        .target(
            name: "LocalServers",
            dependencies: [
                "IdentityKit", "IdentityTesting",
                .product(name: "NIOCore", package: "swift-nio", condition: tools),
                .product(name: "NIOPosix", package: "swift-nio", condition: tools),
                .product(name: "NIOHTTP1", package: "swift-nio", condition: tools),
            ],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "identity",
            dependencies: [
                "CoreDumps", "IdentityKit", "OAuthKit", "StoreFormat", "ThunderID", "InsForge", "OpenIDConnect",
                "OAuth2", "KnownProviders", "IdentityPostgres", "IdentityTesting", "LocalServers", "LoopbackBrowser",
                "TerminalPresenters",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
            ],
            // What `plugin new` writes. The tests of IdentityKit and OAuthKit compile and run it.
            resources: [.embedInCode("Plugin/Example"), .embedInCode("Plugin/OAuthExample")],
            swiftSettings: settings
        ),
        // `identity` as it is installed, in front of the whole tool.
        .executableTarget(
            name: "identity-launcher", dependencies: ["CoreDumps", "LockWait", "StoreFormat"], swiftSettings: settings),
        .executableTarget(
            name: "identity-benchmarks",
            dependencies: [
                "IdentityKit", "OAuthKit", "OpenIDConnect", "IdentityPostgres", "IdentityTesting", "LocalServers",
                .product(name: "ArgumentParser", package: "swift-argument-parser", condition: tools),
            ],
            swiftSettings: settings
        ),
        // What the process tests start, stop and kill.
        .executableTarget(
            name: "store-probe",
            dependencies: [
                "IdentityKit", "IdentityPostgres", "IdentityTesting", "LocalServers", "ThunderID", "InsForge",
                "OpenIDConnect", "OAuth2", "TerminalPresenters",
            ],
            path: "Tests/StoreProbe",
            swiftSettings: settings
        ),
        // Limits how many tests run at once, in the one program that holds them all.
        .target(name: "TestLimit", path: "Tests/TestLimit"),
        .target(
            name: "TestSupport", dependencies: ["IdentityKit", "TestLimit"], path: "Tests/TestSupport",
            swiftSettings: settings),
        .target(
            name: "TransportChecks", dependencies: ["IdentityKit", "IdentityTesting", "LocalServers", "TestSupport"],
            path: "Tests/TransportChecks", swiftSettings: settings),
        .testTarget(
            name: "IdentityKitTests",
            dependencies: [
                "IdentityKit", "IdentityTesting", "LocalServers", "StoreFormat", "TestSupport", "TransportChecks",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityAsyncHTTPClientTests",
            dependencies: [
                "IdentityAsyncHTTPClient", "IdentityKit", "IdentityTesting", "LocalServers", "TestSupport",
                "TransportChecks",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityObservabilityTests",
            dependencies: [
                "IdentityObservability", "IdentityKit", "OpenIDConnect", "IdentityTesting", "LocalServers",
                "TestSupport",
            ] + observabilityProducts,
            swiftSettings: settings),
        .testTarget(
            name: "StoreProcessTests",
            dependencies: [
                "IdentityKit", "IdentityPostgres", "ThunderID", "IdentityTesting", "LocalServers", "TestSupport",
                "store-probe", "identity",
            ],
            // Compiled by the tests themselves: it is loaded into the programs they start.
            exclude: ["Faults/system-calls.c"],
            swiftSettings: settings),
        .testTarget(
            name: "OAuthKitTests", dependencies: ["OAuthKit", "IdentityTesting", "LocalServers", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "ThunderIDTests",
            dependencies: ["ThunderID", "OAuthKit", "IdentityTesting", "LocalServers", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ThunderIDSwiftUITests",
            dependencies: ["ThunderIDSwiftUI", "ThunderID", "OAuthKit", "IdentityTesting", "LocalServers"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "InsForgeTests",
            dependencies: ["InsForge", "IdentityTesting", "LocalServers", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OpenIDConnectTests",
            dependencies: ["OpenIDConnect", "OAuthKit", "IdentityTesting", "LocalServers", "TestSupport"],
            exclude: ["AppAuth/make_samples.py"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "OAuth2Tests",
            dependencies: ["OAuth2", "OAuthKit", "IdentityTesting", "LocalServers", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "KnownProvidersTests",
            dependencies: [
                "KnownProviders", "OpenIDConnect", "OAuth2", "OAuthKit", "IdentityTesting", "LocalServers",
                "TestSupport",
            ],
            exclude: ["Keys", "Metadata"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "IdentityCLITests",
            dependencies: [
                "identity", "identity-launcher", "store-probe", "IdentityKit", "IdentityTesting", "LocalServers",
                "StoreFormat", "TestSupport",
            ],
            swiftSettings: settings),
        // The rules that all providers share.
        .testTarget(
            name: "ProviderTests",
            dependencies: [
                "ThunderID", "InsForge", "OpenIDConnect", "OAuth2", "OAuthKit", "IdentityTesting", "LocalServers",
                "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LoopbackBrowserTests",
            dependencies: ["LoopbackBrowser", "IdentityTesting", "LocalServers", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "TerminalPresentersTests",
            dependencies: [
                "TerminalPresenters", "IdentityKit", "IdentityTesting", "LocalServers", "TestSupport", "store-probe",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IdentityPostgresTests",
            dependencies: ["IdentityPostgres", "IdentityKit", "IdentityTesting", "LocalServers", "TestSupport"],
            swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "IdentityKit", "OAuthKit", "ThunderID", "InsForge", "OpenIDConnect", "OAuth2", "KnownProviders",
                "LoopbackBrowser", "TerminalPresenters", "IdentityPostgres", "IdentityAsyncHTTPClient",
                "IdentityObservability", "IdentityTesting", "LocalServers",
            ] + observabilityProducts,
            swiftSettings: settings),
        // What every library must keep to itself.
        .testTarget(
            name: "SecrecyTests",
            dependencies: [
                "IdentityKit", "OAuthKit", "ThunderID", "ThunderIDSwiftUI", "InsForge", "OpenIDConnect",
                "OAuth2", "KnownProviders", "LoopbackBrowser", "TerminalPresenters", "IdentityPostgres",
                "IdentityAsyncHTTPClient", "IdentityObservability", "IdentityTesting", "LocalServers", "TestSupport",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "LocalServersTests", dependencies: ["IdentityTesting", "LocalServers", "TestSupport"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)

if let fuzzing {
    // A program cannot be linked into another one. Without its `main.swift` the launcher is a library.
    package.targets.removeAll { $0.name == "identity-launcher" }
    package.targets += [
        .target(
            name: "identity-launcher", dependencies: ["LockWait", "StoreFormat"], exclude: ["main.swift"],
            swiftSettings: settings),
        .systemLibrary(name: "LibFuzzer", path: "Tests/Fuzz/LibFuzzer"),
        .executableTarget(
            name: "identity-fuzz",
            dependencies: [
                "IdentityKit", "OAuthKit", "StoreFormat", "ThunderID", "InsForge", "OpenIDConnect",
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
