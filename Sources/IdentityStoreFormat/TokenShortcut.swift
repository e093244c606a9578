/// Points to the last token of a configuration in the store, so that the next command finds it without evaluating the
/// configuration.
///
/// The token, and whether the account is still the chosen one, are read from the store each time. The file is named
/// after a fingerprint of the configuration's bytes, so a changed configuration has no shortcut. It may be deleted at
/// any time.
package struct TokenShortcut: Equatable {
    package var store = ""
    /// The file with the key that seals the store's records.
    package var keyFile = ""
    /// Path of the record of the chosen account, relative to the store's folder; empty if a command names the account.
    package var choice = ""
    package var choiceFingerprint = ""
    /// Path of the account's record, relative to the store's folder.
    package var record = ""
    /// Name of that record, which is the account's identifier.
    package var account = ""
    /// The configured base URL of the account's backend.
    package var backend = ""
    /// Type of the account's provider; empty if the session's record has none.
    package var providerType = ""
    /// Client to which the session was granted; empty if the session's record has none.
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

    /// Content of the file, one line per member; `nil` when a member contains a line break.
    package var content: [UInt8]? {
        let parts = [
            Self.title, store, keyFile, choice, choiceFingerprint, record, account, backend, providerType, clientID,
        ]
        guard !parts.contains(where: { $0.utf8.contains(UInt8(ascii: "\n")) }) else { return nil }
        return parts.flatMap { Array($0.utf8) + [UInt8(ascii: "\n")] }
    }
}

extension TokenShortcut {
    /// The file of a configuration's shortcut.
    package struct Place: Equatable {
        package let folder: String
        package let file: String

        /// The file in the user's cache (XDG Base Directory Specification).
        /// - Parameters:
        ///   - configuration: the configuration file's content.
        ///   - profile: the requested profile.
        ///   - account: the account that a command names; `nil` for the chosen one. Must be an identifier, not another
        ///     name.
        /// - Returns: `nil` when the configuration also depends on environment variables.
        package init?(configuration: [UInt8], profile: String?, account: String? = nil) {
            let harmless = Self.harmlessVariables(naming: account)
            guard !ProcessVariables.contain(prefix: Self.prefix, besides: harmless) else { return nil }
            self.init(configuration: configuration, profile: profile, account, ProcessVariables.value)
        }

        /// The file for an environment other than that of the process.
        package init?(configuration: [UInt8], profile: String?, account: String? = nil, variables: [String: String]) {
            let harmless = Self.harmlessVariables(naming: account)
            guard !variables.keys.contains(where: { $0.hasPrefix(Self.prefix) && !harmless.contains($0) })
            else { return nil }
            self.init(configuration: configuration, profile: profile, account) { variables[$0] }
        }

        /// Names of variables that cannot change the account. If the command names one, this includes the variables for
        /// providers and tokens.
        private static func harmlessVariables(naming account: String?) -> [String] {
            [ProcessVariables.transport, ProcessVariables.account]
                + (account == nil ? [] : [ProcessVariables.provider, ProcessVariables.token])
        }

        /// Prefix of the variables that change a configuration.
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

        /// Whether the document contains no references to variables: neither `${`, nor `\u`, with which JSON can spell
        /// it.
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
