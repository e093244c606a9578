import Foundation
import IdentityKit

/// Issuers that differ in a tenant's name, at a server that signs in people of many tenants with one metadata document,
/// such as Microsoft Entra ID at `common` and `organizations`.
///
/// Each ID token is issued by one tenant: `iss` must be that of the tenant the token names, and the key must not be
/// reserved for another tenant. A `sub` is unique within a tenant only, so people are identified by both.
public struct TenantIssuer: Sendable, Hashable {
    /// The issuer as the server's metadata writes it, with a placeholder in braces for the tenant, such as
    /// `https://login.microsoftonline.com/{tenantid}/v2.0`.
    package let template: String
    /// The claim that names the tenant, such as `tid`.
    package let claim: String
    /// Tenants whose people may sign in; `nil` for all tenants.
    package let accepted: Set<String>?
    private let prefix: String
    private let suffix: String

    /// Creates issuers.
    /// - Parameters:
    ///   - template: the issuer with one placeholder, which is in the path.
    ///   - claim: the claim that names the tenant.
    ///   - accepted: tenants whose people may sign in; `nil` for all tenants.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for another template.
    public init(template: String, claim: String, accepted: Set<String>? = nil) throws {
        let opened = template.split(separator: "{", omittingEmptySubsequences: false)
        let closed = opened.last?.split(separator: "}", omittingEmptySubsequences: false) ?? []
        guard opened.count == 2, closed.count == 2, !opened[0].contains("}"), !closed[0].isEmpty, !claim.isEmpty,
            let parts = URLParts(opened[0] + "tenant" + closed[1]), let plain = URLParts(String(opened[0])),
            parts.authority == plain.authority, !plain.path.isEmpty, parts.query == nil, parts.fragment == nil
        else { throw OAuthError.invalidSetting(.invalidIssuer(template.addressAlone)) }
        self.template = template
        self.claim = claim
        self.accepted = accepted
        (prefix, suffix) = (String(opened[0]), String(closed[1]))
    }

    func issuer(of tenant: String) -> String { prefix + tenant + suffix }

    /// The tenant that a token names, after a check that `iss` is that tenant's issuer.
    func tenant(in claims: IDTokenClaims) throws(InvalidIDTokenReason) -> String {
        guard let tenant = try claims.string(claim), Self.isName(tenant) else { throw .tenantMissing(claim: claim) }
        try claims.checkIssuer(issuer(of: tenant))
        guard accepted?.contains(tenant) ?? true else { throw .tenantNotAccepted(tenant) }
        return tenant
    }

    /// Checks that the server does not reserve the key for another tenant's issuer.
    func check(_ key: JSONWebKey, signsFor issuer: String) throws(InvalidIDTokenReason) {
        guard let owner = key.members["issuer"]?.stringValue else { return }
        guard owner.hasBytes(of: template) || owner.hasBytes(of: issuer) else {
            throw .keyOfAnotherTenant(owner: owner)
        }
    }

    /// Identifier of a person that is unique across tenants.
    static func person(_ subject: String, of tenant: String) -> String { subject + "@" + tenant }

    static func subject(of person: String) -> String {
        person.lastIndex(of: "@").map { String(person[..<$0]) } ?? person
    }

    /// Refuses characters that end a path component or separate the parts of an identifier.
    private static func isName(_ tenant: String) -> Bool {
        1...255 ~= tenant.utf8.count
            && tenant.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension TenantIssuer: Decodable {
    /// Reads the properties by their names.
    /// - Throws: ``/IdentityKit/ConfigurationError``, also for a template without a placeholder.
    public init(from decoder: any Decoder) throws {
        let settings = try SettingsReader(decoder)
        let template: String = try settings.read(
            "template", means: "The issuer of a tenant, with a placeholder in braces for the tenant.",
            example: "https://id.example.com/{tenantid}/v2.0")
        let claim: String = try settings.read(
            "claim", means: "The claim of the ID token that names the tenant.", example: "tid")
        let accepted: [String]? = try settings.readIfPresent(
            "accepted", means: "The tenants whose people may sign in; without it those of every tenant.",
            example: ["8eaef023-2b34-4da1-9baa-8bc8c9d6a490"])
        do {
            try self.init(template: template, claim: claim, accepted: accepted.map(Set.init))
        } catch {
            throw settings.mistake("template", "It must be an issuer with one placeholder in braces in its path.")
        }
    }
}
