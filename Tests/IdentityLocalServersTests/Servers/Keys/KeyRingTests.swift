import IdentityKit
import Testing

@testable import IdentityLocalServers

@Suite("Key rings")
struct KeyRingTests {
    private static func ring(_ algorithm: String = "ES256", _ saved: KeyRing.Saved? = nil) throws -> KeyRing {
        try KeyRing(algorithm, on: .p256, restoring: saved) {
            PublishedKey(id: LocalIdentifiers.hex(byteCount: 8), pair: $0)
        }
    }

    @Test("The newest key signs, and those before it verify until they are withdrawn")
    func rotates() throws {
        let ring = try Self.ring()
        let first = try ring.newest().id
        try ring.rotate()
        #expect(ring.keys.map(\.id) == [try ring.newest().id, first] && ring.keys[0].id != first)
        try ring.rotate(withdrawing: true)
        #expect(ring.keys.count == 1 && ring.keys[0].id != first)
    }

    @Test("A key that was lost and made anew has the identifier of the last one, and is another key")
    func keepsIdentifier() throws {
        let ring = try Self.ring()
        let lost = try ring.newest()
        try ring.rotate(withdrawing: true, keepingIdentifier: true)
        #expect(ring.keys.map(\.id) == [lost.id])
        #expect(try ring.newest().signer.publicJWK?["x"] != lost.signer.publicJWK?["x"])
    }

    @Test("Saved keys are used again, and not for another algorithm")
    func restores() throws {
        let ring = try Self.ring()
        try ring.rotate()
        let saved = try ring.saved
        #expect(try Self.ring("ES256", saved).keys.map(\.id) == ring.keys.map(\.id))
        #expect(try Self.ring("ES384", saved).keys.count == 1)
    }
}
