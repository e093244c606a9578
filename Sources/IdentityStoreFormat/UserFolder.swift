/// A folder of the user for the programs of this package (XDG Base Directory Specification).
package enum UserFolder {
    case settings
    case state
    /// Folder for files that may be deleted at any time.
    case cache

    /// The variable that names the configuration file itself.
    package static let configurationVariable = "IDENTITY_CONFIG"

    /// The folder's path; `nil` without a home folder.
    /// - Parameters:
    ///   - home: the user's home folder.
    ///   - variable: returns the value of an environment variable.
    package func path(home: String?, variable: (String) -> String?) -> String? {
        // Relative paths are ignored.
        let named = variable(name).flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
        return (named ?? home.map { "\($0)/\(place)" }).map { "\($0)/identity" }
    }

    package var path: String? { path(home: ProcessVariables.home, variable: ProcessVariables.value) }

    private var name: String {
        switch self {
        case .settings: "XDG_CONFIG_HOME"
        case .state: "XDG_STATE_HOME"
        case .cache: "XDG_CACHE_HOME"
        }
    }

    private var place: String {
        switch self {
        case .settings: ".config"
        case .state: ".local/state"
        case .cache: ".cache"
        }
    }
}
