import Foundation
import Testing

@testable import IdentityKit

/// Conclusions from the metrics of a task, which only Apple's systems collect.
@Suite struct SendingEvidenceTests {
    private struct Attempt: SendingFacts {
        var requestStartDate: Date?
        var countOfRequestHeaderBytesSent: Int64 = 0
    }

    @Test("A request was sent when one attempt began to send it, and otherwise never")
    func evidence() {
        #expect(SendingEvidence([]) == .unknown)
        #expect(SendingEvidence([Attempt(), Attempt()]) == .neverSent)
        #expect(SendingEvidence([Attempt(), Attempt(requestStartDate: Date(timeIntervalSince1970: 0))]) == .sent)
        #expect(SendingEvidence([Attempt(countOfRequestHeaderBytesSent: 1)]) == .sent)
    }

    @Test("An error says that nothing was sent where that is known, and not where something was")
    func errors() {
        let doubtful: [TransportError] = [
            .timedOut(host: "a", after: .seconds(60)), .connectionLost(host: "a"), .other(host: "a", detail: "d"),
        ]
        for error in doubtful {
            #expect(SendingEvidence.neverSent.applied(to: error, host: "a").wasNeverSent)
            #expect(SendingEvidence.sent.applied(to: error, host: "a") == error)
            #expect(SendingEvidence.unknown.applied(to: error, host: "a") == error)
        }
        let handshake = TransportError.insecureConnection(host: "a", detail: "d")
        #expect(SendingEvidence.neverSent.applied(to: handshake, host: "a") == handshake)
        #expect(SendingEvidence.sent.applied(to: handshake, host: "a") == .connectionLost(host: "a"))
    }

    @Test(
        "A server that answers without TLS is told from one whose TLS fails",
        arguments: [
            ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", true),
            ("gnutls_handshake() failed: An unexpected TLS packet was received.", true),
            ("OpenSSL/3.0.19: error:0A000410:SSL routines::sslv3 alert handshake failure", false),
        ])
    func plainServer(detail: String, isPlain: Bool) {
        let message = TransportError.insecureConnection(host: "127.0.0.1:8090", detail: detail).message
        #expect(message.hasPrefix("127.0.0.1:8090 does not speak TLS. Write http://") == isPlain)
        #expect(message.contains(detail) != isPlain)
    }
}
