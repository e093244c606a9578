import Foundation
import IdentityKit
import IdentityOAuth

extension Section {
    static let keyLookUp = Section(
        name: "key-look-up", group: "jwt", title: "Key look-up among 1,000 keys", aim: "≤ 1 µs"
    ) { bench in
        let calls = 1000
        let counts = [1, 10, 100, 1000]
        let modulus = Base64URL.encode(try RSASigningKey().modulus)
        let contenders = try counts.map { count in
            let keys = JSONWebKeySet(
                try (0..<count).map { index in
                    try JSONWebKey(members: [
                        "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string("key-\(index)"),
                        "n": .string(modulus), "e": "AQAB",
                    ])
                })
            let name = "key-\(count - 1)"
            return Contender(
                name: "\(count) keys", role: .ours, calls: calls, aim: count == counts.last ? 1e-6 : nil
            ) {
                for _ in 0..<calls { _ = try keys.key(for: .rs256, keyID: name) }
            }
        }
        let table = Dictionary(uniqueKeysWithValues: (0..<1000).map { ("key-\($0)", $0) })
        let found = Locked(0)
        let limit = Contender(name: "a dictionary of 1,000", role: .limit, calls: calls) {
            for _ in 0..<calls { found.withLock { $0 = table["key-999"] ?? 0 } }
        }
        return Measurement(figures: try await Stopwatch(rounds: bench.count(60)).compare(contenders + [limit]))
    }

    static let verifiedIDToken = Section(
        name: "verified-id-token", group: "jwt", title: "ID token, RS256, verified in full", aim: "2 × its signature"
    ) { bench in
        let sample = try SampleIDToken()
        let calls = 100
        var figures = try await Stopwatch(rounds: bench.count(60)).compare([
            Contender(name: "ID token", role: .ours, calls: calls) {
                for _ in 0..<calls { try sample.verifyInFull() }
            },
            Contender(name: "the bare signature", role: .limit, calls: calls) {
                for _ in 0..<calls { try sample.checkSignatureAlone() }
            },
        ])
        figures[0].aim = figures[1].wall.map { $0.minimum * 2 }
        return Measurement(figures: figures)
    }
}
