extension InsForgeClient {
    /// An OAuth provider that an InsForge project can offer.
    public enum OAuthProvider: String, Sendable, Hashable, Codable, CaseIterable {
        /// Google
        case google
        /// GitHub
        case github
        /// Discord
        case discord
        /// LinkedIn
        case linkedin
        /// Facebook
        case facebook
        /// Instagram
        case instagram
        /// TikTok
        case tiktok
        /// Apple
        case apple
        /// X, formerly Twitter
        case x
        /// Spotify
        case spotify
        /// Microsoft
        case microsoft
    }
}

/// The short name of ``InsForgeClient/OAuthProvider``, for files in which no other module has it.
public typealias OAuthProvider = InsForgeClient.OAuthProvider
