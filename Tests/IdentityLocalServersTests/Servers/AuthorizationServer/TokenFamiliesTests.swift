import Foundation
import IdentityKit
import IdentityTesting
import Testing

@testable import IdentityLocalServers

@Suite("Token families")
struct TokenFamiliesTests {
    private let clock = ManualClock()
    private let families: TokenFamilies

    init() { families = TokenFamilies(grace: .zero, time: clock.dates) }

    @Test("A family lasts as long as its last token, also when a later one ends sooner")
    func lastsAsLongAsItsLastToken() {
        families.open("family", userID: "ada", until: clock.now + 3600)
        families.open("family", userID: "ada", until: clock.now + 60)
        #expect(families.spend("token", inFamily: "family") == .spent)
        clock.advance(by: .seconds(600))
        let restarted = TokenFamilies(grace: .zero, restoring: families.saved, time: clock.dates)
        #expect(restarted.spend("token", inFamily: "family") == .replayed)
        clock.advance(by: .seconds(3000))
        let later = TokenFamilies(grace: .zero, restoring: families.saved, time: clock.dates)
        #expect(!later.isStanding("token", ofFamily: "family"))
    }

    @Test("A revoked family stays revoked, whatever is issued in it")
    func staysRevoked() {
        families.open("family", userID: "ada", until: clock.now + 60)
        families.open("other", userID: "grace", until: clock.now + 60)
        #expect(families.revokeFamilies(ofUser: "ada") == 1)
        families.open("family", userID: "ada", until: clock.now + 3600)
        #expect(families.status(of: "token", inFamily: "family") == .revoked)
        #expect(families.isStanding("token", ofFamily: "other"))
        #expect(!families.revokeFamily("family"))
    }
}
