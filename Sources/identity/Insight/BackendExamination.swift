import Foundation
import IdentityKit
import OAuthKit

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Looks at a provider's backend: whether it answers over TLS, is who it should be, has the same time, and can be told
/// from the other backends.
struct BackendExamination {
    private let provider: ProviderConfiguration
    /// Providers at other backends, from which the browser comes back to the same address.
    private let alike: [ProviderConfiguration]

    private let transport: any HTTPTransport

    init(_ provider: ProviderConfiguration, among all: [ProviderConfiguration], _ verbosity: VerboseOption) {
        self.provider = provider
        alike = all.filter {
            $0.redirectURI != nil && $0.redirectURI == provider.redirectURI && $0.backend != provider.backend
        }
        transport = verbosity.watching(Self.transport(for: provider))
    }

    func findings() async -> [Finding] {
        guard let base = address else { return [] }
        let subject = "\(provider.name) backend"
        guard let url = URL(string: base + (path ?? "")) else {
            return [.bad(subject, "\(base) is no address", fix: "Mend the provider's settings.")]
        }
        do {
            let (body, head) = try await transport.data(for: URLRequest(url: url))
            return [answer(head, body, from: base, subject), clock(head), mixUp(head, body)].compactMap { $0 }
        } catch TransportError.untrustedCertificate(let host, let defect) {
            return [.bad(subject, "the certificate of \(host) is not trusted. \(defect.reason)", fix: defect.advice)]
        } catch {
            return [.bad(subject, error.identityMessage, fix: "Check the address and the network.")]
        }
    }

    /// Trusts whom the provider would.
    private static func transport(for provider: ProviderConfiguration) -> URLSessionTransport {
        let transport = URLSessionTransport(deadline: .seconds(10))
        guard let setting = provider.settings["trustedCertificates"],
            let certificates = try? JSONDecoder().decode(
                TrustedCertificates.self, from: JSONEncoder().encode(setting)),
            let trusting = try? transport.trusting(certificates)
        else { return transport }
        return trusting
    }

    private var address: String? {
        // What a variable stands for was checked with the configuration.
        guard let text = provider.backend, !text.hasPrefix("${") else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// Where a server says what it is (OpenID Connect Discovery section 4); `nil` for one that does not.
    private var path: String? {
        provider.type == "insforge" ? "/api/auth/public-config" : "/.well-known/openid-configuration"
    }

    private func answer(_ head: HTTPURLResponse, _ body: Data, from base: String, _ subject: String) -> Finding {
        guard head.statusCode == 200 else {
            return .bad(
                subject, "\(base) answered with the status \(head.statusCode)",
                fix: "Check that the address is the backend's own, with its path.")
        }
        guard provider.type == "openid-connect" else { return .ok(subject, "\(base) answers") }
        let issuer = (try? JSONValue(parsing: body))?["issuer"]?.stringValue
        let expected = provider.settings["issuer"]?.stringValue
        guard issuer == expected else {
            return .bad(
                subject, "it calls itself \(issuer ?? "nothing")",
                fix: "Set the issuer to exactly what it calls itself.")
        }
        return .ok(subject, "\(base) answers and is the issuer")
    }

    /// A server that does not name itself in its responses (RFC 9207) is known by the address they come to, which then
    /// must be its alone (RFC 9700 section 4.4.2.2).
    private func mixUp(_ head: HTTPURLResponse, _ body: Data) -> Finding? {
        guard !alike.isEmpty, head.statusCode == 200, let metadata = try? JSONValue(parsing: body),
            metadata["issuer"] != nil, metadata["authorization_response_iss_parameter_supported"] != true
        else { return nil }
        let names = alike.map(\.name).joined(separator: ", ")
        return .warning(
            "\(provider.name) redirect",
            "its responses do not say whose they are, and come to the same address as those "
                + "of \(names)",
            fix:
                "Give it a redirectURI of its own, and register that one there, so that its codes go to no other server."
        )
    }

    /// Tokens carry times, and a clock that is off makes good ones look bad.
    private func clock(_ head: HTTPURLResponse) -> Finding? {
        guard let text = head.value(forHTTPHeaderField: "Date"), let date = HTTPDate.parse(text) else { return nil }
        let offset = Int(date.timeIntervalSinceNow.rounded())
        guard abs(offset) > 30 else { return .ok("\(provider.name) clock", "\(abs(offset)) s apart") }
        return .warning(
            "\(provider.name) clock", "this machine and the backend are \(abs(offset)) s apart",
            fix: "Set this machine's clock, for example with a time service.")
    }
}

extension ProviderConfiguration {
    /// The address of the backend, as the settings have it.
    fileprivate var backend: String? { (settings["issuer"] ?? settings["baseURL"])?.stringValue }
    /// Where the browser comes back to, as the settings have it.
    fileprivate var redirectURI: String? { settings["redirectURI"]?.stringValue }
}
