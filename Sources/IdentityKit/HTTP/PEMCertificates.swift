import Foundation

/// The textual form of certificates (RFC 7468 section 5).
enum PEMCertificates {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// Whether `text` holds a certificate rather than naming a file.
    static func isPEM(_ text: String) -> Bool { text.contains("-----BEGIN ") }

    /// The certificates in `data`, in DER form; what stands between them is a comment. `nil` when it is no text of this
    /// form.
    /// - Throws: ``TrustedCertificatesError/notACertificate`` when one is broken, or there are other things alone, such as
    ///   a key.
    static func certificates(in data: Data) throws(TrustedCertificatesError) -> [Data]? {
        guard let text = String(data: data, encoding: .utf8), isPEM(text) else { return nil }
        var certificates: [Data] = []
        var rest = text[...]
        while let start = rest.range(of: begin) {
            guard let stop = rest[start.upperBound...].range(of: end) else { throw .notACertificate }
            let encoded = rest[start.upperBound..<stop.lowerBound].filter { !$0.isWhitespace }
            guard let certificate = Data(base64Encoded: String(encoded)), !certificate.isEmpty else {
                throw .notACertificate
            }
            certificates.append(certificate)
            rest = rest[stop.upperBound...]
        }
        guard !certificates.isEmpty else { throw .notACertificate }
        return certificates
    }
}
