import IdentityKit

/// Names that `identity plugin new` refuses for a module, because the package would not compile or would hide a module.
struct ReservedNames {
    /// The known provider types. The names of the modules that implement them are refused.
    let registry: ProviderRegistry

    func contains(_ name: String) -> Bool {
        Self.words.contains(name) || Self.modules.contains(name) || Self.ownModules.contains(name)
            || Self.types.contains(name) || Self.beginnings.contains(name)
            || registry.plugins.contains { $0.modules.contains(name) }
    }

    /// Swift's capitalized keywords and reserved type names.
    private static let words: Set = ["Any", "Self", "Type", "Protocol"]

    /// Modules of Swift, of the operating systems, and of packages that this package depends on. A program cannot contain two
    /// modules with the same name, and a module of a package would hide the system's module.
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

    /// Types of Swift, Foundation and IdentityKit that the generated sources use, or that code added to them may use. In a
    /// module with the name of a type, this name would mean the module.
    private static let types: Set = [
        "AccountID", "AnyObject", "Array", "AsyncStream", "Bool", "Character", "Codable", "Data", "Date", "Decimal",
        "Decodable", "Dictionary", "Double", "Duration", "Encodable", "Equatable", "Error", "Float", "Hashable",
        "Identifiable", "Int", "JSONDecoder", "JSONEncoder", "JSONValue", "Locale", "Main", "Mirror", "Never",
        "Optional", "Process", "Range", "Regex", "Result", "Secret", "Sendable", "Sequence", "Set", "String",
        "Substring", "Task", "UInt", "URL", "URLRequest", "URLSession", "UUID", "Void",
    ]

    /// Module names that would give a generated type the name of a type of this package, as `Identity` would give
    /// `IdentityProvider`.
    private static let beginnings: Set = [
        "Anonymous", "EnvironmentToken", "FixedAccount", "FixedToken", "Identity", "Provider", "Session",
        "SessionBacked", "StaticToken", "Store", "StoredAccount",
    ]
}
