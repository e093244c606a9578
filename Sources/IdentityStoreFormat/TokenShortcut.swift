/// A file that points to the stored session whose token `identity token` printed last for a configuration. The next
/// command finds the session's token without evaluating the configuration.
///
/// Each command reads the token from the store. A command that names no account also checks that the shortcut's account is
/// still the active one. The file's name is a fingerprint that covers the configuration's bytes, so a changed configuration
/// has no shortcut. The file may be deleted at any time.
package struct TokenShortcut: Equatable {
    package var store = ""
    /// Path of the file with the key that encrypts the store's records.
    package var keyFile = ""
    /// Path of the record that names the active account, relative to the store's folder; empty if a command names the
    /// account.
    package var choice = ""
    package var choiceFingerprint = ""
    /// Path of the account's record, relative to the store's folder.
    package var record = ""
    /// Identifier of the account, which is the name of the account's record.
    package var account = ""
    /// The configured base URL of the account's backend.
    package var backend = ""
    /// Type of the account's provider; empty if the session's record has none.
    package var providerType = ""
    /// Identifier of the client to which the session was granted; empty if the session's record has none.
    package var clientID = ""

    package init() {}

    private static let title = "swift-identity-shortcut 1"

    /// Parses a shortcut; `nil` when `content` has another format.
    package init?(_ content: [UInt8]) {
        var lines = content[...]
        guard Self.nextLine(of: &lines) == Self.title, let store = Self.nextLine(of: &lines),
            let keyFile = Self.nextLine(of: &lines), let choice = Self.nextLine(of: &lines),
            let fingerprint = Self.nextLine(of: &lines), let record = Self.nextLine(of: &lines),
            let account = Self.nextLine(of: &lines), let backend = Self.nextLine(of: &lines),
            let providerType = Self.nextLine(of: &lines), let clientID = Self.nextLine(of: &lines), lines.isEmpty
        else { return nil }
        (self.store, self.keyFile, self.choice, choiceFingerprint) = (store, keyFile, choice, fingerprint)
        (self.record, self.account, self.backend) = (record, account, backend)
        (self.providerType, self.clientID) = (providerType, clientID)
    }

    private static func nextLine(of lines: inout ArraySlice<UInt8>) -> String? {
        guard let end = lines.firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        defer { lines = lines[(end + 1)...] }
        return String(decoding: lines[..<end], as: UTF8.self)
    }

    /// Content of the file: a title, then each property in a line of its own; `nil` when a property contains a line feed.
    package var content: [UInt8]? {
        let parts = [
            Self.title, store, keyFile, choice, choiceFingerprint, record, account, backend, providerType, clientID,
        ]
        guard !parts.contains(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) else { return nil }
        return parts.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    }
}

extension TokenShortcut {
    /// The path of a configuration's shortcut, and its folder.
    package struct Place: Equatable {
        package let folder: String
        package let file: String

        /// Determines the path in the user's cache folder (XDG Base Directory Specification). The file may not exist.
        /// - Parameters:
        ///   - configuration: the configuration file's content.
        ///   - profile: the requested profile; `nil` for the configuration's default.
        ///   - account: the identifier of the account that a command names; `nil` for the chosen account.
        /// - Returns: `nil` when the configuration is not a JSON object, when an environment variable may change the
        ///   configuration or the account, or when there is no home folder.
        package init?(configuration: [UInt8], profile: String?, account: String? = nil) {
            let harmless = Self.harmlessVariables(naming: account)
            guard !ProcessVariables.contain(prefix: Self.prefix, besides: harmless) else { return nil }
            self.init(configuration: configuration, profile: profile, account, ProcessVariables.value)
        }

        /// Determines the path like ``init(configuration:profile:account:)``, but with `variables` instead of the process's
        /// environment.
        package init?(configuration: [UInt8], profile: String?, account: String? = nil, variables: [String: String]) {
            let harmless = Self.harmlessVariables(naming: account)
            guard !variables.keys.contains(where: { $0.hasPrefix(Self.prefix) && !harmless.contains($0) })
            else { return nil }
            self.init(configuration: configuration, profile: profile, account) { variables[$0] }
        }

        /// Returns the names of the variables that cannot lead to another account. The variables for providers and tokens are
        /// among them only if the command names an account.
        private static func harmlessVariables(naming account: String?) -> [String] {
            [ProcessVariables.transport, ProcessVariables.account]
                + (account == nil ? [] : [ProcessVariables.provider, ProcessVariables.token])
        }

        /// Prefix of the names of the variables that can change a configuration.
        private static let prefix = "SWIFT_IDENTITY"

        private init?(configuration: [UInt8], profile: String?, _ account: String?, _ variable: (String) -> String?) {
            let home = variable("HOME").flatMap { $0.utf8.first == UInt8(ascii: "/") ? $0 : nil }
            guard Self.isSelfContained(configuration), let home,
                let cache = UserFolder.cache.path(home: home, variable: variable)
            else { return nil }
            folder = "\(cache)/shortcuts"
            // Include the folders: the home folder replaces `~` in the configuration, and the default store is in the
            // state folder.
            var fingerprint = Fingerprint(of: configuration)
            fingerprint.add("\0\(home)\0\(UserFolder.state.path(home: home, variable: variable) ?? "")\0")
            if let profile { fingerprint.add("profile \(profile)") }
            if let account { fingerprint.add("\0account \(account)") }
            file = "\(folder)/\(fingerprint.text)"
        }

        /// Whether the configuration begins like a JSON object and has no references to variables. Refuses `${`, which
        /// begins a reference, and `\u`, because JSON can write the characters `$` and `{` as escapes.
        private static func isSelfContained(_ configuration: [UInt8]) -> Bool {
            guard configuration.first(where: { $0 > 0x20 }) == UInt8(ascii: "{") else { return false }
            return !configuration.indices.dropFirst().contains {
                switch configuration[$0] {
                case UInt8(ascii: "{"): configuration[$0 - 1] == UInt8(ascii: "$")
                case UInt8(ascii: "u"): configuration[$0 - 1] == UInt8(ascii: "\\")
                default: false
                }
            }
        }
    }
}
