/// A folder of the user for the programs of this package (XDG Base Directory Specification).
package enum UserFolder {
    case settings
    case state
    /// Folder for files that may be deleted at any time.
    case cache

    /// Environment variable with the path of the configuration file, used instead of the file in the settings folder.
    package static let configurationVariable = "IDENTITY_CONFIG"

    /// Returns the folder's path; `nil` when neither a variable such as `XDG_CACHE_HOME` nor `home` names a folder.
    /// - Parameters:
    ///   - home: the user's home folder.
    ///   - variable: returns the value of an environment variable.
    package func path(home: String?, variable: (String) -> String?) -> String? {
        // Ignore a relative path, as the specification requires.
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
