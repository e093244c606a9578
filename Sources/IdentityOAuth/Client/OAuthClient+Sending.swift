import Foundation
import IdentityKit

extension OAuthClient {
    /// Sends a request and reads the response. It sends again once for each of these error responses:
    ///
    /// - `use_dpop_nonce`, which comes with the nonce for the proof (RFC 9449 section 8).
    /// - `invalid_dpop_proof`, when the `Date` shows that the proof was made by a wrong clock.
    /// - `invalid_client`, when the `Date` shows that of the client's assertion (RFC 7523 section 3).
    ///
    /// A server authenticates the client first (RFC 6749 section 3.2.1, RFC 9449 section 5), so these spend neither a
    /// code nor a refresh token. Any other response, and none, may have.
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

/// Sets the clock of a client's assertions by the refusal of one.
private struct AssertionClock {
    private let assertion: ClientAssertion
    private let former: ClockOffset
    private var hasLearnt = false

    init(_ assertion: ClientAssertion) {
        self.assertion = assertion
        former = assertion.offset
    }

    /// Whether another assertion may be taken, because the response says that the time was wrong by more than the minute
    /// that one is good for. When that one is refused as well, the reason was another, and the response's time may be
    /// that of a proxy or a cache.
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
