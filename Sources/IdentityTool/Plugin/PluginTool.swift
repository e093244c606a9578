/// The tool of a plug-in's own: `identity` with one more provider type.
///
/// It is a package of its own, in a folder of the plug-in's. What the tool needs is then neither fetched for an app that uses
/// the plug-in nor built for the plug-in's tests.
struct PluginTool {
    let skeleton: PluginSkeleton

    private var name: String { "\(skeleton.lowercased)-identity" }

    var files: [(path: String, text: String)] {
        [("\(name)/Package.swift", manifest), ("\(name)/Sources/main.swift", program)]
    }

    private var program: String {
        """
        import \(skeleton.name)
        import IdentityTool

        await IdentityTool.main(adding: [\(skeleton.name)Plugin.self])

        """
    }

    private var manifest: String {
        """
        // swift-tools-version: 6.2
        import PackageDescription

        let package = Package(
            name: "\(name)",
            platforms: [.macOS(.v13)],
            dependencies: [
                .package(name: "\(skeleton.lowercased)", path: ".."),
                \(skeleton.dependency.declaration(traits: ["Tools"])),
            ],
            targets: [
                .executableTarget(
                    name: "\(name)",
                    dependencies: [
                        .product(name: "\(skeleton.name)", package: "\(skeleton.lowercased)"),
                        .product(name: "IdentityTool", package: "swift-identity"),
                    ])
            ]
        )

        """
    }
}
