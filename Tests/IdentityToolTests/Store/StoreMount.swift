import Foundation

/// The tool in a mount namespace of its own in which its store lies on another kind of disk. Everybody else sees the store
/// as it is.
enum StoreMount {
    /// It can only be read.
    case readOnly
    /// It has a copy of the store, without the file that processes tell each other their changes in, and no space left.
    case full

    /// Whether this system lets the tests change mounts.
    static func isPossible() async -> Bool { await possibility.value }

    /// The answer to ``isPossible()``, which starts the tool: once for all tests.
    private static let possibility = Task {
        let environment = ["XDG_STATE_HOME": FileManager.default.temporaryDirectory.path]
        let result = try? await ToolProcess.shell(readOnly.script("--help"), environment: environment)
        return result?.status == 0
    }

    /// A Bash script that becomes the tool.
    /// - Parameter command: the command's words, as the shell reads them.
    func script(_ command: String) -> String {
        // Whoever is not root may be it in a namespace of users.
        let become = #"if [ "$(id -u)" = 0 ]; then set -- -m; else set -- -rm; fi; exec unshare "$@" sh -c "#
        return become + "'\(mount) || exit 99; exec \"$@\"' " + #""$XDG_STATE_HOME" "$0" "# + command
    }

    private var mount: String {
        switch self {
        case .readOnly: #"mount --bind "$0" "$0" && mount -o remount,bind,ro "$0""#
        case .full:
            // The copy lies beside it while the disk is mounted over the store.
            #"cp -a "$0" "$0.copy" && mount -t tmpfs -o size=256k,mode=700 tmpfs "$0" && cp -a "$0.copy/." "$0""#
                + #" && rm -rf "$0.copy" "$0/identity/notice" && ! cat /dev/zero > "$0/rest" 2> /dev/null"#
        }
    }
}
