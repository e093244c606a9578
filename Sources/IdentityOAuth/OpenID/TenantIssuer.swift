import Foundation
import IdentityKit

/// The issuers of a multi-tenant server: one for each tenant, with identifiers that differ only in the tenant. Microsoft Entra
/// ID, for example, has one metadata document at `common` for people of all tenants, but one issuer for each tenant.
///
/// An ID token is accepted only if its `iss` is the issuer of the tenant that the token names, and if its key is not
/// reserved for another tenant. A `sub` is unique only within a tenant, so `sub` and tenant together identify a person.
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

    /// Checks the template, and creates the issuers of one server from it.
    /// - Parameters:
    ///   - template: the issuer, with a placeholder in braces for the tenant in its path.
    ///   - claim: the claim that names the tenant.
    ///   - accepted: tenants whose people may sign in; `nil` for all tenants.
    /// - Throws: ``OAuthError/invalidSetting(_:)`` for a template without exactly one placeholder in its path or with a
    ///   query or fragment, and for an empty `claim`.
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

    /// Returns the tenant that the token names.
    /// - Throws: the reason for refusing the token: it names no tenant, its tenant is not accepted, or `iss` is not the issuer
    ///   of its tenant.
    func tenant(in claims: IDTokenClaims) throws(InvalidIDTokenReason) -> String {
        guard let tenant = try claims.string(claim), Self.isName(tenant) else { throw .tenantMissing(claim: claim) }
        try claims.checkIssuer(issuer(of: tenant))
        guard accepted?.contains(tenant) ?? true else { throw .tenantNotAccepted(tenant) }
        return tenant
    }

    /// Checks that the server does not reserve the key for another tenant: the key's `issuer` member, if present, must be
    /// `issuer` or the template.
    func check(_ key: JSONWebKey, signsFor issuer: String) throws(InvalidIDTokenReason) {
        guard let owner = key.members["issuer"]?.stringValue else { return }
        guard owner.hasBytes(of: template) || owner.hasBytes(of: issuer) else {
            throw .keyOfAnotherTenant(owner: owner)
        }
    }

    /// The identifier of a person at the server, which is unique across tenants: `sub` and tenant, separated by `@`.
    static func person(_ subject: String, of tenant: String) -> String { subject + "@" + tenant }

    static func subject(of person: String) -> String {
        person.lastIndex(of: "@").map { String(person[..<$0]) } ?? person
    }

    /// Returns the issuer of the person's tenant; `nil` if the identifier contains no tenant.
    func issuer(ofPerson person: String) -> String? {
        person.lastIndex(of: "@").map { issuer(of: String(person[person.index(after: $0)...])) }
    }

    /// Whether `tenant` consists of 1 to 255 ASCII letters, digits, `-` and `_`. Other characters could end the path
    /// component of the issuer, or be the `@` that separates `sub` and tenant.
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
    /// Reads the settings `template`, `claim` and `accepted`, of which only `accepted` is optional.
    /// - Throws: ``/IdentityKit/ConfigurationError``, also for a template without exactly one placeholder in its path.
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
