extension InsForgeClient {
    /// A built-in OAuth provider, which a project must configure. Version 2.3.1 of the server lists `instagram`, `tiktok`
    /// and `spotify`, but does not support them, so a sign-in throws ``InsForgeAuthError/notConfigured(_:)``.
    public enum OAuthProvider: String, Sendable, Hashable, Codable, CaseIterable {
        case google
        case github
        case discord
        case linkedin
        case facebook
        case instagram
        case tiktok
        case apple
        case x
        case spotify
        case microsoft
    }
}

/// Short for ``InsForgeClient/OAuthProvider``. Use the long name where another imported module declares an
/// `OAuthProvider`.
public typealias OAuthProvider = InsForgeClient.OAuthProvider
