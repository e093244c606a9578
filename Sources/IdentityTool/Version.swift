/// The version of this source code, which is written nowhere else: `--version`, the manual page and `plugin new` have it
/// from here, and `VersionTests` compares the changelog and the pages with it. `Documentation/RELEASING.md` says when it
/// changes.
enum Version {
    /// The address of the package, for Git. Scripts have it by `.ci/address`, and `VersionTests` compares the pages with it.
    static let repository = "https://github.com/swift-identity/swift-identity.git"

    /// The version of the sources (semver.org). Between two releases it is the next one, followed by `-dev`.
    static let current = "0.1.0-dev"

    /// The release before this version; `nil` before the first one.
    private static let previousRelease: String? = nil

    /// The requirement with which a package gets the newest release. Nobody can resolve a version before its release,
    /// so the branch stands for the first one until then.
    static var requirement: String {
        let newestRelease = current.hasSuffix("-dev") ? previousRelease : current
        return newestRelease.map { "from: \"\($0)\"" } ?? "branch: \"main\""
    }
}
