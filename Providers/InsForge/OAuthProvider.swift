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

/// The short name of ``InsForgeClient/OAuthProvider``, for files in which no other module has it.
public typealias OAuthProvider = InsForgeClient.OAuthProvider
