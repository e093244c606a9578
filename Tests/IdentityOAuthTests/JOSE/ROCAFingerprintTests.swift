import Foundation
import IdentityKit
import IdentityOAuth
import TestSupport
import Testing

/// Keys of the generator of CVE-2017-15361. The one here was made by the published form of its primes,
/// `k * M + (65537^a mod M)`, where `M` is the product of the first 126 primes.
@Suite("RSA keys that an attacker can compute (CVE-2017-15361)")
struct ROCAFingerprintTests {
    @Test("a key of the flawed generator is no key", .guards("cryptographic inputs"))
    func weakKey() {
        #expect(throws: OAuthError.invalidToken(.weakKey)) { try JSONWebKey(members: Self.publicMembers) }
        #expect(OAuthError.invalidToken(.weakKey).failureCode == "jwk_weak")
        #expect(OAuthError.invalidToken(.weakKey).failureClass == .definitive)
    }

    @Test("the same as a private key of this client is an unusable setting", .guards("assertion signature"))
    func weakPrivateKey() throws {
        let members = Self.publicMembers.merging(Self.privateMembers) { $1 }
        let jwk = Secret(String(decoding: try JSONEncoder().encode(members), as: UTF8.self))
        #expect(throws: OAuthError.invalidSetting(.weakKey)) { try SigningKey(jwk: jwk) }
    }

    @Test("in a key set, the weak key is left out, and named as the reason where it is the one that is asked for")
    func keySet() throws {
        let sound = try TestKey(.rs256).bareJWK.merging(["kid": "sound"]) { $1 }
        let weak = Self.publicMembers.merging(["kid": "weak"]) { $1 }
        let keys = try JSONWebKeySet(members: ["keys": [.object(weak), .object(sound)]])
        #expect(keys.keys.count == 1)
        #expect(try keys.key(for: .rs256, keyID: "sound").keyID == "sound")
        #expect(throws: OAuthError.invalidToken(.weakKey)) { try keys.key(for: .rs256, keyID: "weak") }
        #expect(throws: OAuthError.invalidToken(.keyNotFound)) { try keys.key(for: .rs256, keyID: "other") }
    }

    @Test("a key of another generator is a key, and so is one that is a power of 65537 modulo all primes but one")
    func soundKeys() throws {
        for _ in 0..<8 { _ = try JSONWebKey(members: TestKey(.rs256).bareJWK) }
        #expect(try JSONWebKeySet(members: PublishedVectors.rfc7517A1).key(for: .rs256, keyID: nil).keyType == "RSA")
        // The product of all other primes below 168 divides the difference, so all the other remainders stay.
        var members = Self.publicMembers
        members["n"] = .string(Self.nearModulus)
        #expect(try JSONWebKey(members: members).keyType == "RSA")
    }

    private static let publicMembers: [String: JSONValue] = ["kty": "RSA", "e": "AQAB", "n": .string(modulus)]

    private static let modulus =
        "olZ7jodvmXIRGIu0ORxSft0ELbV97eb1Bz45NPQsFi7JrP3DC72IPZ6LsrLIjimj6WQw9qb-Do9dz9qzev0x4RKigqI-FoCE"
        + "e3TJdsaOSAxm5LVLpRWGJMW-vtukJF0RWGnwUMY7FUilBmMSmps9XkS3baZaRoryt3BFOKfyLyToFsb_1noHkZL4pNjhr9t1"
        + "tVaTXDgMl5i6niVa1aYq1wYAOX0dDCh6ULoMo28cS4wIHiEiMVAiD61rOdfPZ90fEI3bbCIO9M-a9MwMxwhP0oHt8F3D6DTI"
        + "FfmNPqhJ38ivAxPyOU4UfwLKR9H6zc0e169WUny8bU0UQDtAWziAsQ"

    private static let nearModulus =
        "olZ7jodvmXIRGIu0ORxSft0ELbV97eb1Bz45NPQsFi7JrP3DC72IPZ6LsrLIjimj6WQw9qb-Do9dz9qzev0x4RKigqI-FoCE"
        + "e3TJdsaOSAxm5LVLpRWGJMW-vtukJF0RWGnwUMY7FUilBmMSmps9XkS3baZaRoryt3BFOKfyLyToFsb_1noHkZL4pNjhr9t1"
        + "tVaTXDgMl5i6niVa1aYq1wYAOX0dDCh6ULoMo28cS4wIHiEiMVAiD61rOdfPZ90fEI3bbCIO9M-a9MwMxwhP0oHt8F3D6DTI"
        + "FfmNPqhJ38ivAxPyOWvmLFgscc2AkOc0nDyAA8zJ7aHseXaC0GQCrQ"

    private static let privateMembers: [String: JSONValue] = [
        "d": .string(
            "B9_gEHLbY_sXfzRPorGQAt1ftYPnPuIEIrzO85WgidbtK3oHuwsPj8WgCyQG_HZioBCfG2fQTQ6BQ3LdX-rmP3-y6FlMX7UO"
                + "OBrbJurMvgvz9cYhjDl2D1SUQxfOZ4EoNTy2ToS_GvIyJxQpM9yx5l-48hWurVtSGLnWccAbzFOPMFmBDDdlcsWhVMvGzmDw"
                + "49wdrXj0D-1Hl3DPzstKBfUkYbdhgUNbnpt51bdem4mgLauhrTltdH9W0tY8eYUNqMUmWLc-y3NnH0Rvse_jDYniku8FuzyB"
                + "bLGPKJqUPNayqtL10w8bvAyi7oIqkbOP2elUJylRTFMqmLfXB3BV0Q"),
        "p": .string(
            "xM8oJWMjoB1lzb3vI36NntxEu0AMsCzv2mI1VpwSCdYpbxFbe8Xorm1qAFmUGzRyFr-iA-zgEml1TJ3KNO5aN_VsVpTd9vob"
                + "WPDoboA6IelosWrgIsXVEcxpfYwRPQ3PK1IxJz8optZs3lfXVpG1XvODKc-mDD79WA3RLtLJNu0"),
        "q": .string(
            "0ylJODVLeq_C3JgRJ0UNzCdXx7ciyCxiNfBej-SdAHMy3cAwMBR-YGKe2YpDBV2gIEsawHaZPKu2M4hmPXviecM1j6R8Quzq"
                + "-JmL7QDcHJAKAelMSt4RECQeSVfGaeCi0zYHistdVOxw9elJjZ3sn1HWfIRUraH-U8LER94B1FU"),
        "dp": .string(
            "SlGf615gmZoAU40hvNmRSSgMnFk3cV_Gw0TKt4YAGc7RnquDTF4T26pdmPw6vXs0ifqbh7fvdYR1UxVSwmIvl2oKGzfkCduw"
                + "cAmo-_FYAm5NppGhSgBC0ZHLVCmMaO3KCaXkAdoL09StD9lD6-DiCJUUNrm_DmjK6nFtSK04ZpE"),
        "dq": .string(
            "lKkdVkgXEpHI8zrP4MC53P_Zyc4B28F7hxPpzw4ZBmcT6ZBTnJXg_wSPZwHy-0UV5YZamCMm8NLG3HLr399m62hmPfGEVi2r"
                + "o0eefkW7sRQrJ3tS7eZ3RtDWzbXRB1tR5rbECo_v7kjjog0SbnQ_UU7xXQpg_zjr75ZQT3RZ_10"),
        "qi": .string(
            "EATwmLKDqGu2RdSycVJxA8XSjW4_rAWh9-0g0uwmrbTYBY_janGCD-COwg1kCv17M-G9TXhq7bFQQbvb4GhoggT79OHDjzic"
                + "GyBuG68hInOKgyw1biGARhjXwFbB0bgPYX_IpLUFqDAkYobOTD8U8zEh2EyXUTJBYsaNQcGlxT0"),
    ]
}
