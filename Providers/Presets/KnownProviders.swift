import Foundation
import IdentityKit
import IdentityOAuthProviders

/// Vendors' servers as presets, so that a configuration needs to name only the vendor and the app's client.
///
/// ```swift
/// var registry = ProviderRegistry(KnownProviders.plugins)
/// registry.register(KnownProviders.presets)
/// ```
public enum KnownProviders {
    /// The presets of all vendors; empty if one of their files is malformed.
    public static let presets: [ProviderPreset] = (try? read()) ?? []

    /// Reads the presets from their files.
    /// - Throws: `DecodingError` for a malformed file.
    package static func read() throws -> [ProviderPreset] {
        try files.map { try JSONDecoder().decode(ProviderPreset.self, from: Data($0)) }
    }

    /// The plug-ins that presets are based on. An app registers them with the presets.
    public static let plugins: [any ProviderPlugin.Type] = [OpenIDConnectPlugin.self, OAuth2Plugin.self]

    /// The contents of the files in the folder `Presets`.
    private static var files: [[UInt8]] {
        [
            PackageResources.apple_json,
            PackageResources.auth0_json,
            PackageResources.authentik_json,
            PackageResources.cognito_json,
            PackageResources.discord_json,
            PackageResources.dropbox_json,
            PackageResources.entra_json,
            PackageResources.entra_multitenant_json,
            PackageResources.github_json,
            PackageResources.gitlab_json,
            PackageResources.google_json,
            PackageResources.keycloak_json,
            PackageResources.linkedin_json,
            PackageResources.notion_json,
            PackageResources.okta_json,
            PackageResources.salesforce_json,
            PackageResources.slack_json,
            PackageResources.spotify_json,
            PackageResources.supabase_json,
            PackageResources.twitch_json,
            PackageResources.x_json,
            PackageResources.zitadel_json,
        ]
    }
}
