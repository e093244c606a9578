import IdentityKit

/// Names that a provider's module cannot have.
struct ReservedNames {
    /// The provider types, whose modules have their names already.
    let registry: ProviderRegistry

    func contains(_ name: String) -> Bool {
        Self.words.contains(name) || Self.modules.contains(name) || Self.ownModules.contains(name)
            || Self.types.contains(name) || Self.beginnings.contains(name)
            || registry.plugins.contains { $0.modules.contains(name) }
    }

    /// The keywords of Swift that begin with a capital letter.
    private static let words: Set = ["Any", "Self", "Type", "Protocol"]

    /// Modules of Swift, of its systems, and of packages that this one is built with. A package cannot have two of one name,
    /// and a module hides the system's.
    private static let modules: Set = [
        "AppKit", "ArgumentParser", "AuthenticationServices", "Builtin", "Combine", "CoreFoundation",
        "Crypto", "CryptoExtras", "CryptoKit", "Cxx", "CxxStdlib", "Darwin", "Dispatch", "Distributed", "Foundation",
        "FoundationEssentials", "FoundationInternationalization", "FoundationNetworking", "FoundationXML", "Glibc",
        "LibFuzzer", "LocalAuthentication", "Logging", "Metrics", "Musl", "NIO", "NIOCore", "NIOHTTP1", "NIOPosix",
        "Observation", "Package", "PackageDescription", "PackagePlugin", "RegexBuilder", "Runtime", "Security",
        "Subprocess",
        "Swift", "SwiftOnoneSupport", "SwiftUI", "Synchronization", "Testing", "Tracing", "UIKit", "XCTest",
    ]

    /// Modules of this package beside those of provider types.
    private static let ownModules: Set = [
        "CIdentityCurl", "CIdentityPostgres", "CIdentitySystem", "IdentityCore", "IdentityKit",
        "IdentityLocalServers", "IdentityOAuth", "IdentityObservability", "IdentityPostgres", "IdentityPresets",
        "IdentityStoreFormat", "IdentitySwiftUI", "IdentityTerminal", "IdentityTesting", "IdentityTool",
        "SwiftIdentity",
        "TestLimit", "TestSupport", "TransportChecks",
    ]

    /// Types of Swift, Foundation and IdentityKit that the written sources use, or that code beside them is likely to. In a
    /// module of the same name they could not be named.
    private static let types: Set = [
        "AccountID", "AnyObject", "Array", "AsyncStream", "Bool", "Character", "Codable", "Data", "Date", "Decimal",
        "Decodable", "Dictionary", "Double", "Duration", "Encodable", "Equatable", "Error", "Float", "Hashable",
        "Identifiable", "Int", "JSONDecoder", "JSONEncoder", "JSONValue", "Locale", "Main", "Mirror", "Never",
        "Optional", "Process", "Range", "Regex", "Result", "Secret", "Sendable", "Sequence", "Set", "String",
        "Substring", "Task", "UInt", "URL", "URLRequest", "URLSession", "UUID", "Void",
    ]

    /// Beginnings of IdentityKit's own types, such as `IdentityProvider`.
    private static let beginnings: Set = [
        "Anonymous", "EnvironmentToken", "FixedAccount", "FixedToken", "Identity", "Provider", "Session",
        "SessionBacked", "StaticToken", "Store", "StoredAccount",
    ]
}
