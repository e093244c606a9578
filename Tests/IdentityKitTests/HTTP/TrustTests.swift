import Foundation
import TestSupport
import Testing

@testable import IdentityKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// What is said of a server whose certificate the system does not trust.
@Suite(.endsInTime) struct TrustTests {
    @Test(
        "A certificate of an unknown authority is its own error, which does not pass by itself",
        .guards("end-to-end TLS"))
    func unknownAuthority() async throws {
        let server = try await TLSServer.start(host: "localhost")
        let url = try #require(URL(string: "https://localhost:\(server.port)/"))
        let error = await #expect(throws: TransportError.self) {
            _ = try await URLSessionTransport().data(for: URLRequest(url: url))
        }
        #expect(error == .untrustedCertificate(host: "localhost:\(server.port)", .unknownAuthority))
        #expect(error?.failureCode == "certificate_untrusted")
        #expect(error?.failureClass == .definitive)
        #expect(error?.wasNeverSent == true)
        #if os(Linux)
        #expect(error?.message.contains("update-ca-certificates") == true)
        #endif
        server.stop()
    }

    @Test(
        "What the TLS library says in words is told apart",
        arguments: [
            ("SSL certificate problem: self-signed certificate", CertificateDefect.unknownAuthority),
            ("SSL certificate problem: self signed certificate in certificate chain", .unknownAuthority),
            ("SSL certificate problem: unable to get local issuer certificate", .unknownAuthority),
            ("SSL certificate problem: certificate has expired", .expired),
            ("SSL certificate problem: certificate is not yet valid", .notYetValid),
            ("SSL: no alternative certificate subject name matches target host name 'localhost'", .otherHost),
            ("SSL certificate problem: certificate revoked", .refused),
            ("OpenSSL/3.0: error:0A00010B:SSL routines::wrong version number", nil),
        ])
    func words(words: String, defect: CertificateDefect?) {
        #expect(CertificateDefect(words: words) == defect)
    }

    @Test(
        "A failure without a code is one of the handshake only in words that OpenSSL has for nothing else",
        arguments: [
            ("OpenSSL/3.0.19: error:0A00010B:SSL routines::wrong version number", true),
            ("OpenSSL SSL_connect: Connection reset by peer in connection to a.example:443", true),
            ("SSL certificate problem: certificate has expired", true),
            ("OpenSSL SSL_read: OpenSSL/3.0.19: error:0A000126:SSL routines::unexpected eof while reading", false),
            ("GnuTLS recv error (-110): The TLS connection was non-properly terminated.", false),
            ("Recv failure: Connection reset by peer", false),
            ("transfer closed with outstanding read data remaining", false),
        ])
    func unnamed(words: String, wasNeverSent: Bool) {
        #expect(URLSessionTransport.unnamedFailure(words, host: "a.example").wasNeverSent == wasNeverSent)
    }

    @Test("An address of IPv6 is told in brackets")
    func authority() throws {
        #expect(try #require(URL(string: "http://[::1]:8080/a")).authority == "[::1]:8080")
    }

    // MARK: Authorities that are added

    /// `openssl req -x509 -newkey ed25519 -nodes -subj /CN=a`
    private let pem = """
        A comment.
        -----BEGIN CERTIFICATE-----
        MIIBLDCB36ADAgECAhQciAlqAC3rHjY61c94XRu6A/Wa0jAFBgMrZXAwDDEKMAgG
        A1UEAwwBYTAeFw0yNjExMjIwNjMzNTdaFw0zNjExMTkwNjMzNTdaMAwxCjAIBgNV
        BAMMAWEwKjAFBgMrZXADIQAb5GQncKtPhAfzdcKvP6L1LdOm1g6chBe6ouVUKgJ3
        hqNTMFEwHQYDVR0OBBYEFIhQhfZCjOuUgMWBfN3sceSU/m78MB8GA1UdIwQYMBaA
        FIhQhfZCjOuUgMWBfN3sceSU/m78MA8GA1UdEwEB/wQFMAMBAf8wBQYDK2VwA0EA
        nzM+/YDET1KEEz3gE8gQt2An0K3zm0CgJUdIGvxgfHQ6+GoNhPHB0KsRX6iRuC3Z
        RBkDpbdsUO0B+rXa6615AA==
        -----END CERTIFICATE-----
        """

    @Test("Certificates are read in PEM form, several in one text, and in DER form")
    func forms() throws {
        let one = try TrustedCertificates(Data(pem.utf8))
        #expect(one.certificates.count == 1)
        #expect(try TrustedCertificates(Data((pem + "\n" + pem).utf8)).certificates.count == 2)
        #expect(try TrustedCertificates(one.certificates[0]) == one)
    }

    @Test(
        "What is no certificate is refused",
        arguments: [
            "", "text", "-----BEGIN CERTIFICATE-----\nMIIB",
            "-----BEGIN CERTIFICATE-----\n!\n-----END CERTIFICATE-----",
            "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----",
            "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----",
        ])
    func notCertificates(text: String) {
        #expect(throws: TrustedCertificatesError.notACertificate) { try TrustedCertificates(Data(text.utf8)) }
    }

    @Test("A file that the app does not contain is named")
    func resource() {
        #expect(throws: TrustedCertificatesError.unreadable(path: "localhost.pem")) {
            try TrustedCertificates(named: "localhost.pem")
        }
    }

    #if !canImport(Security)
    @Test("A system that takes no other authorities refuses the setting, and says what to do")
    func unsupported() throws {
        let certificates = try TrustedCertificates(Data(pem.utf8))
        #expect(throws: TrustedCertificatesError.unsupported) {
            try URLSessionTransport().trusting(certificates)
        }
        #expect(TrustedCertificatesError.unsupported.message.contains("update-ca-certificates"))
    }
    #endif
}
