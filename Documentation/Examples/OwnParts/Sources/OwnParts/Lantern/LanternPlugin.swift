import Foundation
import IdentityKit

/// The provider type `lantern`, a server with passwords and refresh tokens.
public enum LanternPlugin: ProviderPlugin {
    public static let type = "lantern"

    /// Facts for the tool `identity`: another name, the address, and how a server is recognized.
    public static var setup: PluginSetup {
        PluginSetup(
            otherNames: ["lamp"], addressSetting: "baseURL", published: [.wellKnown("lantern")],
            recognize: { documents in
                // Only a server whose document has this version is one.
                guard documents[.wellKnown("lantern")]?["version"] == 1 else { return nil }
                return Recognition(["baseURL": .string(documents.base)], name: documents.address.host)
            },
            questions: [
                SettingQuestion("baseURL", "Address of the server"),
                SettingQuestion("clientID", "Name of this app at the server", standard: .answer("own-parts")),
            ],
            refusals: ["lantern_refused"])
    }

    /// The settings, each with its meaning for the schema and the pages.
    public struct Settings: Decodable, Sendable {
        let server: ServerURL
        let clientID: String?
        let lifetime: Double
        let certificates: TrustedCertificates?

        public init(from decoder: any Decoder) throws {
            let reader = try SettingsReader(decoder)
            let address: String = try reader.read(
                "baseURL", .serverURL(allowsLoopbackHTTP: true), means: "Address of the server.",
                example: "https://lantern.example")
            server = try ServerURL(address, allowsLoopbackHTTP: true)
            clientID = try reader.readIfPresent(
                "clientID", .text, means: "Name of the app at the server.", example: "own-parts")
            lifetime = try reader.read(
                "lifetime", .within(1...86_400, "Write seconds, at most a day."),
                means: "Seconds that a token is used, where the server does not say it.", example: 600, default: 3600)
            certificates = try reader.readIfPresent(
                "trustedCertificates", means: "Certificates of the server's own authority, as paths of PEM files.",
                example: ["authority.pem"])
        }
    }

    public static func makeProvider(settings: Settings, context: ProviderContext) throws -> any IdentityProvider {
        LanternProvider(settings, in: try context.trusting(settings.certificates))
    }
}
