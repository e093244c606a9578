import Foundation
import IdentityKit
import IdentityOAuth

extension OpenIDConnectSettings: Decodable {
    /// Reads the settings of the type `openid-connect`. The article "Settings" of IdentityKit is generated from
    /// the meanings, defaults and examples in this function.
    /// - Throws: ``/IdentityKit/ConfigurationError``.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        var shared = try OAuthServerSettings(
            from: settings.adjusting { setting in
                guard setting.key == "scopes" else { return }
                setting.meaning = "The scopes of a session; openid is always among them."
                setting.example = ["openid", "email"]
                setting.default = .array(Self.defaultScopes.map(JSONValue.string))
            })
        let issuer: String = try settings.read(
            "issuer", .issuer(shared.transportSecurity),
            means: "The issuer identifier, byte for byte as the server writes it.", example: "https://id.example.com")
        try shared.server.readCodeChallenge(from: settings)
        let certificates = try settings.trustedCertificates()
        let tenants: TenantIssuer? = try settings.readIfPresent(
            "tenants", means: "The issuers of a server with many tenants, such as Microsoft's.",
            example: ["template": "https://id.example.com/{tenantid}/v2.0", "claim": "tid"])
        shared.server.client = try shared.client(at: issuer)
        guard !shared.server.tokenResponseFormat.ignoresIDToken else {
            throw settings.mistake(
                "tokenResponse", "Its ignoresIDToken is for the type oauth2: here the ID token says who signed in.")
        }
        self.init(issuer: issuer, scopes: shared.scopes, prompt: shared.prompt, shared: shared.server)
        self.tenants = tenants
        endpoints = shared.endpoints
        trustedCertificates = certificates
    }
}
