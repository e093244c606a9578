import IdentityKit

/// Names that a provider's module cannot have.
struct ReservedNames {
    /// The known provider types, whose modules have these names.
    let registry: ProviderRegistry

    func contains(_ name: String) -> Bool {
        Self.words.contains(name) || Self.modules.contains(name) || Self.ownModules.contains(name)
            || Self.types.contains(name) || Self.beginnings.contains(name)
            || registry.plugins.contains { $0.modules.contains(name) }
    }

    /// The keywords of Swift that begin with a capital letter.
    private static let words: Set = ["Any", "Self", "Type", "Protocol"]

    /// Modules of Swift, its systems, and packages that this one depends on. Two modules cannot have the same name, and
    /// one of a package would hide the system's.
    private static let modules: Set = [
        "AppKit", "ArgumentParser", "AuthenticationServices", "Builtin", "Combine", "CoreFoundation",
        "Crypto", "CryptoExtras", "CryptoKit", "Cxx", "CxxStdlib", "Darwin", "Dispatch", "Distributed", "Foundation",
        "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc",
        "LibFuzzer", "LocalAuthentication", "Logging", "Metrics", "Musl", "NIO", "NIOCore", "NIOHTTP1", "NIOPosix",
        "Observation", "Package", "PackageDescription", "PackagePlugin", "RegexBuilder", "Runtime", "Security",
        "Subprocess",
        "Swift", "SwiftOnoneSupport", "SwiftUI", "Synchronization", "Testing", "Tracing", "UIKit", "XCTest",
    ]

    /// Modules of this package other than those of provider types.
    private static let ownModules: Set = [
        "CIdentityCurl", "CIdentityPostgres", "CIdentitySystem", "IdentityCore", "IdentityKit",
        "IdentityLocalServers", "IdentityOAuth", "IdentityObservability", "IdentityPostgres", "IdentityPresets",
        "IdentityStoreFormat", "IdentitySwiftUI", "IdentityTerminal", "IdentityTesting", "IdentityTool",
        "SwiftIdentity",
        "TestLimit", "TestSupport", "TransportChecks",
    ]

    /// Types of Swift, Foundation and IdentityKit that the generated sources use, or that code beside them may use. In
    /// a module of the same name they could not be referred to.
    private static let types: Set = [
        "AccountID", "AnyObject", "Array", "AsyncStream", "Bool", "Character", "Codable", "Data", "Date", "Decimal",
        "Decodable", "Dictionary", "Double", "Duration", "Encodable", "Equatable", "Error", "Float", "Hashable",
        "Identifiable", "Int", "JSONDecoder", "JSONEncoder", "JSONValue", "Locale", "Main", "Mirror", "Never",
        "Optional", "Process", "Range", "Regex", "Result", "Secret", "Sendable", "Sequence", "Set", "String",
        "Substring", "Task", "UInt", "URL", "URLRequest", "URLSession", "UUID", "Void",
    ]

    /// Prefixes of IdentityKit's own types, such as `IdentityProvider`.
    private static let beginnings: Set = [
        "Anonymous", "EnvironmentToken", "FixedAccount", "FixedToken", "Identity", "Provider", "Session",
        "SessionBacked", "StaticToken", "Store", "StoredAccount",
    ]
}
