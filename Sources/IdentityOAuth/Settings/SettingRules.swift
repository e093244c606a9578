import Foundation
import IdentityKit

// Rules for the values of settings that several provider types share.

extension SettingRule where Value == [String] {
    /// Requires that each scope is a scope token (RFC 6749 section 3.3), so two scopes in one text are refused.
    package static var scopes: SettingRule {
        each { scope in
            if scope.isEmpty { return "It is empty. Leave it out." }
            if scope.contains(where: \.isWhitespace) { return "\"\(scope)\" has a blank. Write two entries." }
            return scope.isUnquotedWord ? nil : "\"\(scope)\" has a character that no scope has (RFC 6749 section 3.3)."
        }
    }

    /// Requires values of `prompt` that this library knows (OpenID Connect Core section 3.1.2.1). If `none` is
    /// among them, it must be the only value.
    static var prompt: SettingRule {
        let known: [Prompt] = [.none, .login, .consent, .selectAccount, .create]
        let words = known.map(\.rawValue)
        let word = each { word in
            guard !words.contains(word) else { return nil }
            let near = word.similarName(in: words).map { " Did you mean \"\($0)\"?" } ?? ""
            return "\"\(word)\" is no word for it.\(near) Accepted: \(words.joined(separator: ", "))."
        }
        return SettingRule {
            try word.check($0)
            try Prompt.check($0.map(Prompt.init(rawValue:)))
        }
    }

    private static func each(_ flaw: @escaping (String) -> String?) -> SettingRule {
        SettingRule { values in
            for (index, value) in values.enumerated() {
                if let flaw = flaw(value) { throw SettingError(flaw, in: index) }
            }
        }
    }
}

extension SettingRule where Value == URL {
    /// Requires a resource identifier (RFC 9728 section 1.2): an address that `security` allows, without a fragment, a user
    /// name or an ambiguous path.
    package static func resource(_ security: TransportSecurity) -> SettingRule {
        SettingRule { resource in
            let url = try? ProtectedResourceMetadata.url(of: resource, transportSecurity: security)
            if url == nil { throw SettingError("It must be an absolute https address.") }
        }
    }

    /// Requires an address to which a browser may return: `https`, an app's own scheme, or `http` on this machine (RFC 8252
    /// section 7), without a fragment (RFC 6749 section 3.1.2) and without a user name.
    package static var redirectURI: SettingRule {
        SettingRule { if let flaw = flaw(of: $0) { throw SettingError(flaw) } }
    }

    private static func flaw(of redirectURI: URL) -> String? {
        let parts = URLParts(redirectURI.absoluteString)
        if parts?.fragment != nil {
            return "It has a fragment, which no redirect URI has. Take away what begins with #."
        }
        if parts?.hasUserInfo == true { return "It has a user name. Take it away." }
        switch parts?.scheme {
        // With these schemes, a browser would run a script, show the address itself as a page, or read a local file.
        case "javascript", "vbscript", "data", "file", "about", "blob":
            return "A browser does not return to such an address. Write an https address, or an app's own scheme."
        case "http" where !redirectURI.isLoopback:
            return "It is plain http on another machine. Write https, or http://127.0.0.1 for a program on this one."
        case "https" where redirectURI.host?.isEmpty != false: return "It has no host."
        default: return nil
        }
    }

    /// Requires an `https` address, or `http` on this machine if `security` allows that.
    package static func https(_ security: TransportSecurity) -> SettingRule {
        SettingRule { if !security.allows($0) { throw SettingError("It must be an absolute https address.") } }
    }
}

extension SettingRule where Value == String {
    /// Requires an issuer identifier, not the address of the metadata. The identifier is checked as an address but kept as it
    /// was written, because it is compared byte for byte with the identifier in the server's metadata.
    package static func issuer(_ security: TransportSecurity) -> SettingRule {
        SettingRule { issuer in
            _ = try ServerURL(issuer, allowsLoopbackHTTP: security == .loopbackHTTPAllowed)
            if issuer.contains(where: \.isWhitespace) {
                throw SettingError("There is a blank in it or around it. Take it away.")
            }
            if let document = Discovery.documentName(in: issuer) {
                throw SettingError("It is the address of a document. Write it without \"\(document)\".")
            }
        }
    }
}

extension SettingRule where Value == [String: String] {
    /// Requires parameters for which `check` throws no error. A check refuses, for example, names that the protocol uses.
    static func parameters(_ check: @escaping ([FormField]) throws -> Void) -> SettingRule {
        SettingRule { try check($0.fields) }
    }
}

extension [String: String] {
    /// The parameters sorted by name, so that their order is always the same.
    package var fields: [FormField] { sorted { $0.key < $1.key }.map { FormField($0.key, $0.value) } }
}

extension SettingsReader {
    /// Reads whether authorization requests are pushed (RFC 9126); `nil` without the setting.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    package func pushesAuthorizationRequests() throws -> Bool? {
        try readIfPresent(
            "pushesAuthorizationRequests",
            means:
                "Whether authorization requests are pushed (RFC 9126). Without a word they are where the server can take them so, and plain where it refuses.",
            example: true)
    }
}
