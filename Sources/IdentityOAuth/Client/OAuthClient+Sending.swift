import Foundation
import IdentityKit

extension OAuthClient {
    /// Sends a request and reads the response. After an error response with a status below 500, the request is sent
    /// again, once for each of these errors:
    ///
    /// - `use_dpop_nonce`, if the response contains a new nonce for the proof (RFC 9449 section 8).
    /// - `invalid_dpop_proof`, if the response contains a new nonce, or its `Date` shows that the proof has a wrong
    ///   time.
    /// - `invalid_client`, if the `Date` shows that the client's assertion has a wrong time (RFC 7523 section 3).
    ///
    /// A server authenticates the client before anything else (RFC 6749 section 3.2.1, RFC 9449 section 5), so these
    /// responses leave the authorization code or refresh token unused. After any other response, or none, the code or
    /// token may be spent.
    /// - Parameters:
    ///   - dpop: the prover whose proofs `makeRequest` adds; `nil` for none.
    ///   - transport: sends the requests.
    ///   - limit: the largest accepted body of the response, in bytes. If the transport's own limit is larger, that
    ///     limit applies.
    ///   - makeRequest: creates the request, with a new proof and a new assertion each time.
    ///   - read: reads the response, and passes it to the prover.
    /// - Throws: ``OAuthError/refused(_:)`` with the client's secret removed, `CancellationError`, or what
    ///   `makeRequest`, the transport or `read` throws.
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

    /// The client's secret, to be removed from error responses, which may repeat it. `nil` if the requests contain no
    /// secret, or only a token in place of it.
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

    /// Handles a response that refuses an assertion. Call this after each refusal.
    ///
    /// The first call corrects the clock of the assertions if the response's `Date` differs from it by more than a minute.
    /// If the server refuses the corrected assertion too, the second call restores the former clock difference: the time was
    /// not the reason, and the `Date` may be that of a proxy or a cache.
    /// - Returns: whether the clock was corrected, so that the request should be sent again.
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
