import Foundation

/// Certificates to trust in addition to the system's, such as the certificate of a company's own authority, or the
/// self-signed certificate of `https://localhost` in development.
///
/// All other checks stay: the certificate must be for the host, valid now and well-formed.
///
/// Every transport of this package can use such certificates, except `URLSessionTransport` on Linux; see <doc:Transports>.
public struct TrustedCertificates: Sendable, Hashable {
    /// The certificates, each in DER form (RFC 5280 section 4.1).
    package let certificates: [Data]

    /// Reads the certificates in the content of a file.
    /// - Parameter data: one certificate in DER form, or one or more in PEM form (RFC 7468 section 5).
    /// - Throws: an error with the code `certificate_invalid` for data in neither form, without a certificate, or with
    ///   a broken one.
    public init(_ data: Data) throws {
        let certificates = try PEMCertificates.certificates(in: data) ?? [data]
        guard certificates.allSatisfy(Self.isCertificate) else { throw TrustedCertificatesError.notACertificate }
        self.certificates = certificates
    }

    /// Reads the certificates in a file that the app contains.
    /// - Parameters:
    ///   - name: the file's name with its extension, such as `localhost.pem`.
    ///   - bundle: the bundle that contains the file.
    /// - Throws: an error with the code `certificate_unreadable` when the bundle has no such file or the file cannot be
    ///   read, or `certificate_invalid`.
    public init(named name: String, in bundle: Bundle = .main) throws {
        guard let file = bundle.url(forResource: name, withExtension: nil), let data = try? Data(contentsOf: file)
        else { throw TrustedCertificatesError.unreadable(path: name) }
        try self.init(data)
    }

    package init(_ several: [TrustedCertificates]) {
        certificates = several.flatMap(\.certificates)
    }

    /// Whether the data is a single DER sequence. The system checks its content.
    private static func isCertificate(_ data: Data) -> Bool {
        let bytes = [UInt8](data.prefix(6))
        guard bytes.count >= 2, bytes[0] == 0x30 else { return false }
        guard bytes[1] & 0x80 != 0 else { return data.count == 2 + Int(bytes[1]) }
        let width = Int(bytes[1] & 0x7F)
        guard (1...4).contains(width), bytes.count >= 2 + width else { return false }
        let length = bytes[2..<(2 + width)].reduce(0) { $0 << 8 | Int($1) }
        return data.count == 2 + width + length
    }
}

extension TrustedCertificates: Decodable {
    /// Reads a list of strings. Each contains certificates in PEM form, or is the path of a file in PEM or DER form.
    /// - Throws: `DecodingError` for certificates that ``init(_:)`` refuses, a file that cannot be read, and an empty
    ///   list; the decoder's error for a value that is no list of strings.
    public init(from decoder: any Decoder) throws {
        let texts = try [String](from: decoder)
        do {
            guard !texts.isEmpty else { throw TrustedCertificatesError.notACertificate }
            self.init(try texts.map { try Self.certificates($0, decoder) })
        } catch {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath, debugDescription: error.identityMessage, underlyingError: error))
        }
    }

    private static func certificates(_ text: String, _ decoder: any Decoder) throws -> TrustedCertificates {
        if PEMCertificates.isPEM(text) { return try TrustedCertificates(Data(text.utf8)) }
        guard let file = decoder.contents(of: text) else { throw TrustedCertificatesError.unreadable(path: text) }
        return try TrustedCertificates(file)
    }
}

extension IdentityConfiguration {
    /// The certificates in the setting `trustedCertificates` of each provider, by the provider's name.
    func certificates(in environment: IdentityEnvironment) -> [String: TrustedCertificates] {
        var certificates: [String: TrustedCertificates] = [:]
        let (key, variables) = ("trustedCertificates", EnvironmentReferences(environment.variables))
        for provider in providers {
            // A mistake in the settings is an error when the provider is made.
            guard let value = provider.settings[key], let resolved = try? variables.resolve(value, at: key) else {
                continue
            }
            certificates[provider.name] = try? SettingsDecoder.decode(
                TrustedCertificates.self, from: resolved.value, at: key, texts: resolved.texts, folder: folder,
                home: environment.givenHome)
        }
        return certificates
    }
}

/// Why certificates cannot be trusted.
package enum TrustedCertificatesError: StatedFailure, Equatable {
    /// A text or a file contains no certificate or a broken one, or the list of certificates is empty.
    case notACertificate
    /// There is no file at `path`, or it cannot be read.
    case unreadable(path: String)
    /// The transport cannot trust additional certificates on this system.
    case unsupported

    package var facts: FailureFacts {
        switch self {
        case .notACertificate:
            .definitive("certificate_invalid", "It must be certificates in PEM form, or one in DER form.")
        case .unreadable(let path):
            .definitive("certificate_unreadable", "There is no file at \(path) that can be read.")
        case .unsupported:
            .definitive(
                "trusted_certificates_unsupported",
                "It has no effect on this system. \(CertificateAdvice.addAuthority)")
        }
    }
}

/// Advice for a server whose authority this system does not trust.
package enum CertificateAdvice {
    /// Explains how to make this system trust the authority of a backend's certificate.
    package static var addAuthority: String {
        #if canImport(Security)
        """
        Name the certificate of its authority in the backend's trustedCertificates, or add it to the system's trust.
        """
        #else
        """
        Name the certificate of its authority in the backend's trustedCertificates, or a file with it in SSL_CERT_FILE, or \
        add it to those of the system: on Debian and Ubuntu copy it to \
        /usr/local/share/ca-certificates as NAME.crt and run update-ca-certificates; on Fedora copy it to \
        /etc/pki/ca-trust/source/anchors and run update-ca-trust.
        """
        #endif
    }
}
