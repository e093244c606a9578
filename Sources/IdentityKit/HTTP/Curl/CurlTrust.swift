#if canImport(CIdentityCurl)
import CIdentityCurl
import Foundation
import IdentityStoreFormat

/// The authorities that libcurl trusts.
///
/// `CURL_CA_BUNDLE` and `SSL_CERT_FILE` name files that replace the system's file of authorities; when both are set,
/// both files count. `SSL_CERT_DIR` names a folder of authorities. The variables are those of the program `curl` and
/// of OpenSSL.
struct CurlTrust: Sendable {
    private enum Source: Sendable {
        case system
        case file(String)
        /// The content of several files, or of files and added certificates, in PEM form.
        case bundle(Data)
        /// The path of a file that a variable names, and that cannot be read. It may be readable at a later request.
        case unreadable(String)
    }

    /// The source, shared by all copies. While a file that a variable names cannot be read, each request chooses the
    /// source again.
    private let source: Locked<Source>
    private let added: [Data]

    /// The system's authorities, or those of the files that the variables name, without added certificates. Created
    /// once, at first use.
    static let system = CurlTrust(adding: [])

    /// Adds `certificates` to the system's authorities, or to those that the variables name.
    init(adding certificates: TrustedCertificates) { self.init(adding: certificates.certificates) }

    private init(adding certificates: [Data]) {
        added = certificates
        source = Locked(Self.source(adding: certificates))
    }

    private static func source(adding certificates: [Data]) -> Source {
        let named = Self.files.map(\.path)
        if let unreadable = named.first(where: { Self.contents(of: $0) == nil }) { return .unreadable(unreadable) }
        if certificates.isEmpty, Set(named).count <= 1 { return named.first.map(Source.file) ?? .system }
        let files = named.isEmpty ? Self.systemFile.map { [$0] } ?? [] : named
        let added = certificates.map { Data(PEMCertificates.text(of: $0).utf8) }
        return .bundle(Data((files.compactMap(Self.contents) + added).joined(separator: Data("\n".utf8))))
    }

    func prepare(_ request: UnsafeMutableRawPointer) {
        if let folder = Self.value("SSL_CERT_DIR") {
            CurlOption.authoritiesFolder.set(folder, of: request)
            CurlOption.authoritiesFolderForProxies.set(folder, of: request)
        }
        var current = source.withLock { $0 }
        if case .unreadable = current {
            current = Self.source(adding: added)
            source.withLock { [current] in $0 = current }
        }
        switch current {
        case .system: break
        // Pass an unreadable file to libcurl, too, so that the request fails and ``unreadable`` can name the file.
        case .file(let path), .unreadable(let path):
            CurlOption.authorities.set(path, of: request)
            CurlOption.authoritiesForProxies.set(path, of: request)
        case .bundle(let bundle):
            _ = bundle.withUnsafeBytes { identity_curl_request_set_authorities(request, $0.baseAddress, $0.count) }
        }
    }

    /// A message for the error that libcurl cannot read the authorities. It names the first file of the variables that
    /// cannot be read. If all of them can be read, it names the first file. `nil` when no variable names a file.
    static var unreadable: String? {
        (files.first { contents(of: $0.path) == nil } ?? files.first).map {
            "\($0.path), which \($0.variable) names, is no file of certificates that can be read"
        }
    }

    private static var files: [(variable: String, path: String)] {
        ["CURL_CA_BUNDLE", "SSL_CERT_FILE"].compactMap { variable in value(variable).map { (variable, $0) } }
    }

    private static func contents(of path: String) -> Data? { FileManager.default.contents(atPath: path) }

    private static func value(_ variable: String) -> String? {
        ProcessVariables.value(of: variable).flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The first existing file of authorities at the paths of Debian and Ubuntu, Fedora and Red Hat (two paths),
    /// openSUSE and Alpine; `nil` when there is none.
    private static var systemFile: String? {
        [
            "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
            "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem",
        ].first { FileManager.default.fileExists(atPath: $0) }
    }
}
#endif
