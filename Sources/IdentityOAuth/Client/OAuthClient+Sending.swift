import Foundation
import IdentityKit

extension OAuthClient {
    /// Sends a request and reads the response. It sends again once for each of these error responses:
    ///
    /// - `use_dpop_nonce`, which comes with the nonce for the proof (RFC 9449 section 8).
    /// - `invalid_dpop_proof`, when the `Date` shows that the proof was made by a wrong clock.
    /// - `invalid_client`, when the `Date` shows that the client's assertion was made by a wrong clock (RFC 7523 section 3).
    ///
    /// A server authenticates the client before anything else (RFC 6749 section 3.2.1, RFC 9449 section 5), so these
    /// responses leave the code or refresh token unused. After any other response, or none, it may be spent.
    /// - Parameters:
    ///   - dpop: proves a key with each request; `nil` for none.
    ///   - transport: sends.
    ///   - limit: the largest body of the response, in bytes, where that is more than the transport's limit.
    ///   - makeRequest: makes the request, with a new proof and a new assertion each time.
    ///   - read: reads the response, and passes it to the prover.
    /// - Throws: ``OAuthError``, or what the transport throws.
    func send<Value>(
        proving dpop: DPoPProver?, using transport: any HTTPTransport, upTo limit: Int = 0,
        _ makeRequest: () throws -> URLRequest, reading read: (Data, HTTPURLResponse) async throws -> Value
    ) async throws -> Value {
        var assertionClock = assertion.map { AssertionClock($0) }
        var mended: Set<OAuthErrorCode> = []
        while true {
            let request = try makeRequest()
            let (data, response) = try await transport.data(for: request, upTo: limit)
            do {
                return try await read(data, response)
            } catch OAuthError.refused(let refusal) {
                guard (refusal.status ?? 400) < 500 else { throw OAuthError.refused(refusal.hiding(secret)) }
                let isMended =
                    switch refusal.error {
                    case .useDPoPNonce, .invalidDPoPProof:
                        dpop?.learn(from: response, refusing: request, refusal.error) == true
                    case .invalidClient: assertionClock?.learn(from: response) == true
                    default: false
                    }
                guard isMended, mended.insert(refusal.error).inserted else {
                    throw OAuthError.refused(refusal.hiding(secret))
                }
                try Task.checkCancellation()
            }
        }
    }

    /// Secrets of the client that a request contains.
    private var secret: Secret? {
        switch authentication {
        case .clientSecretBasic(let secret), .clientSecretPost(let secret): secret
        case .none, .privateKeyJWT, .clientSecretJWT, .signedSecret, .assertion: nil
        }
    }

    private var assertion: ClientAssertion? {
        switch authentication {
        case .privateKeyJWT(let assertion), .clientSecretJWT(let assertion), .signedSecret(let assertion): assertion
        case .none, .clientSecretBasic, .clientSecretPost, .assertion: nil
        }
    }
}

/// Corrects the clock of a client's assertions when the server refuses one.
private struct AssertionClock {
    private let assertion: ClientAssertion
    private let former: ClockOffset
    private var hasLearnt = false

    init(_ assertion: ClientAssertion) {
        self.assertion = assertion
        former = assertion.offset
    }

    /// Whether to try once more, because the response's `Date` differs by more than the minute that an assertion is
    /// valid. If the second one is refused as well, the time was not the reason, and the `Date` may be that of a proxy
    /// or a cache.
    mutating func learn(from response: HTTPURLResponse) -> Bool {
        guard !hasLearnt, let offset = assertion.offset(of: response),
            abs(offset.seconds - assertion.offset.seconds) > 60
        else {
            if hasLearnt { assertion.use(former) }
            return false
        }
        hasLearnt = true
        assertion.use(offset)
        return true
    }
}
