import IdentityStoreFormat

/// The command line of `identity token`, if the launcher can answer it from the store.
struct TokenCommandLine {
    var format: TokenDocument.Format { wantsJSON ? .json : namedFormat ?? .raw }

    private var namedFormat: TokenDocument.Format?
    /// Whether `--json` is given, which takes precedence over `--format`.
    private var wantsJSON = false
    private var configuration: String?
    private var profile: String?
    private(set) var scopes: [String] = []
    private var namedAccount: String?

    /// Parses the command line of this process; `nil` when the command is not `token`, an argument is wrong, or only the
    /// full tool (``Tool``) knows an argument.
    init?() {
        var words = Words()
        guard words.next() == "token" else { return nil }
        while let word = words.next() {
            if word == "--json", !wantsJSON {
                wantsJSON = true
                continue
            }
            // Search for `=` instead of splitting the word into an array. The setup of the array's type would take a
            // twentieth of the launcher's time.
            let equals = word.utf8.contains(UInt8(ascii: "=")) ? word.firstIndex(of: "=") : nil
            let name = equals.map { String(word[..<$0]) } ?? word
            let joined = equals.map { String(word[word.index(after: $0)...]) }
            guard let value = joined ?? words.next(), !value.isEmpty, !value.hasPrefix("-") else { return nil }
            switch name {
            case "--config" where configuration == nil: configuration = value
            case "--profile" where profile == nil: profile = value
            case "--account" where namedAccount == nil: namedAccount = value
            case "--scope" where !value.utf8.contains(UInt8(ascii: " ")): scopes.append(value)
            case "--format" where namedFormat == nil:
                namedFormat = TokenDocument.Format(rawValue: value)
                if namedFormat == nil { return nil }
            default: return nil
            }
        }
    }

    /// The account that the command line or the environment names; `nil` for the active account.
    var account: String? {
        if let namedAccount { return namedAccount }
        return ProcessVariables.value(of: ProcessVariables.account).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The location of the shortcut for this command: a file in which the full tool notes where the session is stored
    /// (`TokenShortcut`). `nil` when only the full tool can use the configuration, such as when other users can write the
    /// configuration file, or its content depends on environment variables.
    var shortcut: TokenShortcut.Place? {
        guard let file = configurationFile, !file.hasPrefix("~"),
            let content = try? FileContent(ofConfiguration: file).bytes
        else { return nil }
        return TokenShortcut.Place(configuration: content, profile: profile, account: account)
    }

    /// Path of the configuration file: from `--config`, else from `IDENTITY_CONFIG`, else `identity.json` in the
    /// settings folder (XDG Base Directory Specification); `nil` when there is no such folder.
    private var configurationFile: String? {
        let named = configuration ?? ProcessVariables.value(of: UserFolder.configurationVariable)
        if let named, !named.isEmpty { return named }
        return UserFolder.settings.path.map { "\($0)/identity.json" }
    }
}

/// Iterates over the arguments of the process. Does not use `CommandLine.arguments`, because copying them into a list
/// would take a tenth of the launcher's time.
private struct Words {
    private var position = 1

    mutating func next() -> String? {
        guard let word = CommandLine.unsafeArgv[position] else { return nil }
        position += 1
        return String(cString: word)
    }
}
