import Foundation

/// The files of a new package with a small provider that passes its tests.
///
/// The sources are copies of the files in the folders `Example` and `OAuthExample`, with the names replaced. The tests of
/// IdentityKit and IdentityOAuth compile and run these files.
struct PluginSkeleton {
    enum Backend {
        /// The backend has a protocol of its own, so the package contains a complete provider.
        case own
        /// The backend speaks OAuth 2.0, so the package only configures the provider of IdentityOAuth.
        case oauth
    }

    /// The source of swift-identity in the new package's manifest: the published repository, or a local folder.
    enum Dependency {
        case published
        case folder(String)

        func declaration(traits: [String]) -> String {
            switch self {
            case .published:
                ".package(url: \"\(Version.repository)\", \(Version.requirement)"
                    + (traits.isEmpty ? ")" : ", traits: \(traits))")
            case .folder(let path): ".package(name: \"swift-identity\", path: \"\(path)\", traits: \(traits))"
            }
        }
    }

    /// The module's name, which is also the prefix of its types' names.
    let name: String
    let dependency: Dependency
    let backend: Backend

    var lowercased: String { name.lowercased() }

    /// Describes why `name` cannot be the name of a module; `nil` when it can.
    func nameProblem(_ reserved: ReservedNames) -> String? {
        let isName = name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
        guard isName, let first = name.first, first.isUppercase else {
            return
                "\"\(name)\" cannot be the name of a module. Begin with a capital letter and use letters and digits only."
        }
        guard !reserved.contains(name) else {
            return "\"\(name)\" is taken by Swift or by this package. Choose another name."
        }
        return nil
    }

    var files: [(path: String, text: String)] { own + PluginTool(skeleton: self).files }

    private var own: [(path: String, text: String)] {
        switch backend {
        case .own:
            [
                ("Package.swift", manifest),
                ("Sources/\(name)/\(name)Provider.swift", renamed(PackageResources.AcmeProvider_swift)),
                ("Tests/\(name)Tests/\(name)Backend.swift", renamed(PackageResources.AcmeBackend_swift)),
                conformanceTests(PackageResources.AcmeConformanceTests_swift),
            ]
        case .oauth:
            [
                ("Package.swift", manifest),
                ("Sources/\(name)/\(name)Plugin.swift", renamed(PackageResources.AcmeOAuthPlugin_swift)),
                conformanceTests(PackageResources.AcmeOAuthConformanceTests_swift),
            ]
        }
    }

    private func conformanceTests(_ example: [UInt8]) -> (path: String, text: String) {
        ("Tests/\(name)Tests/\(name)ConformanceTests.swift", "import \(name)\n" + renamed(example))
    }

    private func renamed(_ example: [UInt8]) -> String {
        String(decoding: example, as: UTF8.self)
            .replacingOccurrences(of: "Acme", with: name).replacingOccurrences(of: "acme", with: lowercased)
    }

    /// The new package's `Package.swift`. With an OAuth backend it enables the trait `Tools`, because the tests need
    /// IdentityLocalServers.
    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(lowercased)",
            platforms: [.iOS(.v16), .macOS(.v13), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
            products: [.library(name: "\(name)", targets: ["\(name)"])],
            dependencies: [
                \(dependency.declaration(traits: backend == .oauth ? ["Tools"] : []))
            ],
            targets: [
                .target(
                    name: "\(name)",
                    dependencies: [
                        \(products(backend == .oauth ? ["IdentityKit", "IdentityOAuth"] : ["IdentityKit"]))
                    ]),
                .testTarget(
                    name: "\(name)Tests",
                    dependencies: [
                        "\(name)",
                        \(products(["IdentityKit", "IdentityTesting"] + (backend == .oauth ? ["IdentityLocalServers"] : [])))
                    ]),
            ]
        )

        """
    }

    private func products(_ names: [String]) -> String {
        names.map { ".product(name: \"\($0)\", package: \"swift-identity\")," }
            .joined(separator: "\n" + String(repeating: " ", count: 16))
    }
}
