import Foundation

/// The textual form of certificates (RFC 7468 section 5).
enum PEMCertificates {
    private static let begin = "-----BEGIN CERTIFICATE-----"
    private static let end = "-----END CERTIFICATE-----"

    /// The PEM form of a certificate in DER form.
    static func text(of certificate: Data) -> String {
        let lines = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        return "\(begin)\n\(lines)\n\(end)\n"
    }

    /// Whether `text` contains the first line of a PEM block, whatever the block contains. Such a text is not a file
    /// path.
    static func isPEM(_ text: String) -> Bool { text.contains("-----BEGIN ") }

    /// Returns the certificates in `data`, in DER form. All other text is ignored.
    /// - Returns: `nil` when `data` contains no PEM block, or is not UTF-8.
    /// - Throws: ``TrustedCertificatesError/notACertificate`` when a certificate is broken, or no PEM block is a
    ///   certificate.
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
