/// The version of these sources. `--version`, the manual page and `plugin new` read it here, and `VersionTests`
/// compares the changelog and the pages with it. `Documentation/RELEASING.md` says when to change it.
enum Version {
    /// The Git address of the package. Scripts read it by `.ci/address`, and `VersionTests` compares the pages with it.
    static let repository = "https://github.com/swift-identity/swift-identity.git"

    /// The version of the sources (semver.org). Between two releases it is the next one, followed by `-dev`.
    static let current = "0.1.0-dev"

    /// The release before this version; `nil` before the first one.
    private static let previousRelease: String? = nil

    /// The requirement for the newest release in a package's manifest. Before the first release no version can be
    /// resolved, so it names the branch.
    static var requirement: String {
        let newestRelease = current.hasSuffix("-dev") ? previousRelease : current
        return newestRelease.map { "from: \"\($0)\"" } ?? "branch: \"main\""
    }
}
