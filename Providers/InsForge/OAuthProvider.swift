extension InsForgeClient {
    /// An OAuth provider that an InsForge project can offer.
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
