/// The version and the Git address of this package, for `identity --version`, the manual page and `plugin new`.
/// `VersionTests` checks that the changelog begins with this version, and `Documentation/RELEASING.md` describes when
/// to change it.
enum Version {
    /// The Git address of the package, for `plugin new`. Scripts get the address from `.ci/address`, which reads this
    /// line. `VersionTests` checks that the documentation has the same address.
    static let repository = "https://github.com/swift-identity/swift-identity.git"

    /// The version of the sources (semver.org). Between two releases, this is the version of the next release with the
    /// suffix `-dev`.
    static let current = "0.1.0-dev"

    /// The newest release before ``current``; `nil` before the first release.
    private static let previousRelease: String? = nil

    /// The version requirement that `plugin new` writes into a package manifest: the newest release. Before the first
    /// release there is no version to resolve, so the requirement is the branch `main`.
    static var requirement: String {
        let newestRelease = current.hasSuffix("-dev") ? previousRelease : current
        return newestRelease.map { "from: \"\($0)\"" } ?? "branch: \"main\""
    }
}
