/// A folder of the user for the programs of this package (XDG Base Directory Specification).
package enum UserFolder {
    case settings
    case state
    /// For files that may be deleted at any time.
    case cache

    /// The variable that names the configuration file itself.
    package static let configurationVariable = "IDENTITY_CONFIG"

    /// The folder's path; `nil` without a home folder.
    /// - Parameters:
    ///   - home: the user's home folder.
    ///   - variable: the text of a variable of the environment.
    package func path(home: String?, variable: (String) -> String?) -> String? {
        // A path that is not absolute is ignored.
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
