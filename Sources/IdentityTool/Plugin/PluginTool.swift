/// A tool for the plug-in: `identity` with its provider type added.
///
/// The tool is a separate package in a folder of the plug-in's. Its dependencies are then neither fetched for apps that
/// use the plug-in, nor built for the plug-in's tests.
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
