/// The files of a tool for the plug-in: `identity` with the plug-in's provider type added.
///
/// The tool is a separate package in a subfolder of the plug-in's package. Therefore apps that use the plug-in do not fetch
/// the tool's dependencies, and the plug-in's tests do not build them.
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
