import Foundation

/// The tool in a mount namespace of its own in which its store can only be read. Everybody else can write it.
enum ReadOnlyStore {
    /// Whether this system lets the tests change mounts.
    static func isPossible() async -> Bool {
        let environment = ["XDG_STATE_HOME": FileManager.default.temporaryDirectory.path]
        let result = try? await IdentityTool.shell(script("--help"), environment: environment)
        return result?.status == 0
    }

    /// A Bash script that becomes the tool.
    /// - Parameter command: the command's words, as the shell reads them.
    static func script(_ command: String) -> String {
        // Whoever is not root may be it in a namespace of users.
        let become = #"if [ "$(id -u)" = 0 ]; then set -- -m; else set -- -rm; fi; exec unshare "$@" sh -c "#
        let mount = #"'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" || exit 99; exec "$@"' "#
        return become + mount + #""$XDG_STATE_HOME" "$0" "# + command
    }
}
