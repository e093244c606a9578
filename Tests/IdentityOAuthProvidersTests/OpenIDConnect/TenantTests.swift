import Foundation
import IdentityKit
import IdentityTesting
import IdentityLocalServers
import IdentityOAuth
import IdentityOAuthProviders
import Testing

/// Servers whose issuers have a tenant in their names.
@Suite struct TenantTests {
    typealias TenantMisbehaviour = LocalOpenIDConnectServer.TenantMisbehaviour

    private static let tenant = LocalOpenIDConnectServer.tenant

    private func fixture() async throws -> OpenIDFixture {
        let fixture = try await OpenIDFixture()
        fixture.server.vary(.tenantIssuers)
        return fixture
    }

    private func tenants(
        of fixture: OpenIDFixture, accepted: Set<String>? = nil
    ) throws -> TenantIssuer {
        try TenantIssuer(template: fixture.server.issuer + "/{tenantid}", claim: "tid", accepted: accepted)
    }

    private func account(of fixture: OpenIDFixture) -> AccountID {
        AccountID(account: fixture.server.user.id + "@" + Self.tenant, realm: "work")
    }

    @Test("People are told apart by tenant and subject, from the sign-in to the sign-out")
    func session() async throws {
        let fixture = try await fixture()
        let tenants = try tenants(of: fixture, accepted: [Self.tenant])
        let provider = try await fixture.signedIn { $0.tenants = tenants }
        let account = account(of: fixture)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == account)
        #expect(try await provider.userInfo(for: account).subject == fixture.server.user.id)
        fixture.clock.advance(by: .seconds(3600))
        _ = try await provider.accessToken(for: account, scopes: [])
        let credential = try #require(try await provider.sessions.storedCredential(of: account))
        #expect(try JSONWebToken(#require(credential.idToken)).claims["tid"] == .string(Self.tenant))
        _ = try await provider.requestAuthorization(for: account, scopes: ["write"], deviceToken: "d")
        try await provider.signOut(account)
        #expect(try await provider.silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("Signed userinfo comes from the issuer of the person's tenant")
    func signedUserInfo() async throws {
        let fixture = try await OpenIDFixture { $0.signsUserInfo = true }
        fixture.server.vary(.tenantIssuers)
        let tenants = try tenants(of: fixture)
        let provider = try await fixture.signedIn { $0.tenants = tenants }
        #expect(try await provider.userInfo(for: account(of: fixture)).subject == fixture.server.user.id)
        fixture.server.misbehave(.wrongUserInfoIssuer)
        let error = await #expect(throws: OAuthError.self) { try await provider.userInfo(for: account(of: fixture)) }
        #expect(error?.failureCode == "userinfo_iss_mismatch")
        await fixture.server.stop()
    }

    @Test("A session without a refresh token is asked about by the subject alone")
    func inquiry() async throws {
        let fixture = try await fixture()
        fixture.server.vary(.noFirstRefreshToken)
        let tenants = try tenants(of: fixture)
        let provider = try await fixture.signedIn { $0.tenants = tenants }
        let account = account(of: fixture)
        let token = try await provider.accessToken(for: account, scopes: [])
        await #expect(throws: SessionError.cannotRefresh(account)) {
            try await provider.accessToken(for: account, scopes: [], resource: nil, freshness: .other(than: token))
        }
        await fixture.server.stop()
    }

    @Test("A sign-in whose app was restarted, and one on another device, are of the same account")
    func otherWays() async throws {
        let fixture = try await fixture()
        let tenants = try tenants(of: fixture)
        let page = try await fixture.abandonedSignIn { $0.tenants = tenants }
        let callback = try await fixture.login.signIn(at: page)
        let provider = fixture.provider { $0.tenants = tenants }
        #expect(try await provider.finishSignIn(callback) == account(of: fixture))
        await fixture.server.stop()
    }

    @Test(
        "Tenant, issuer and key must belong together",
        arguments: [
            (TenantMisbehaviour.wrongTenant, "id_token_iss_mismatch"), (.missingTenant, "id_token_tenant_missing"),
            (.tenantWithPath, "id_token_tenant_missing"), (.issuerWithPlaceholder, "id_token_iss_mismatch"),
            (.keyOfAnotherTenant, "id_token_key_of_another_tenant"),
        ])
    func misbehaviour(misbehaviour: TenantMisbehaviour, code: String) async throws {
        let fixture = try await fixture()
        let tenants = try tenants(of: fixture)
        fixture.server.misbehave(misbehaviour)
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn { $0.tenants = tenants } }
        #expect(error?.failureCode == code)
        #expect(try await fixture.provider().silentAccount(scopes: [], deviceToken: "d").account == nil)
        await fixture.server.stop()
    }

    @Test("People of other tenants are not let in")
    func notAccepted() async throws {
        let fixture = try await fixture()
        let tenants = try tenants(of: fixture, accepted: ["another-tenant"])
        let error = await #expect(throws: OAuthError.self) { try await fixture.signedIn { $0.tenants = tenants } }
        #expect(error?.failureCode == "id_token_tenant_not_accepted")
        await fixture.server.stop()
    }

    @Test("A refresh with the ID token of another tenant ends the session")
    func refreshed() async throws {
        let fixture = try await fixture()
        let tenants = try tenants(of: fixture)
        let provider = try await fixture.signedIn { $0.tenants = tenants }
        fixture.server.misbehave(.wrongTenant)
        fixture.clock.advance(by: .seconds(3600))
        let error = await #expect(throws: SessionError.self) {
            try await provider.accessToken(for: account(of: fixture), scopes: [])
        }
        #expect(error?.failureCode == "session_ended")
        await fixture.server.stop()
    }

    @Test(
        "A template has one placeholder, in its path",
        arguments: [
            "https://id.example.com/v2.0", "https://{tenant}.example.com/v2.0", "https://id.example.com/{a}/{b}",
            "https://id.example.com/{}", "https://id.example.com/}a{", "{tenant}", "https://id.example.com/{a",
            "https://id.example.com?tenant={a}", "https://id.example.com{a}",
        ])
    func templates(template: String) {
        #expect(throws: OAuthError.self) { try TenantIssuer(template: template, claim: "tid") }
    }
}
