import Foundation
import IdentityKit
import IdentityOAuth

/// Examines a provider's backend: its TLS, its issuer, its clock, and whether its responses can be told from those of others.
struct BackendExamination {
    private let provider: ProviderConfiguration
    /// Providers of other backends with the same redirect URI.
    private let alike: [ProviderConfiguration]

    private let transport: any HTTPTransport
    private let time: TimeSource

    init(
        _ provider: ProviderConfiguration, of configuration: IdentityConfiguration, _ verbosity: VerboseOption,
        in call: ToolCall
    ) {
        (self.provider, time) = (provider, call.context.clock)
        alike = configuration.providers.filter {
            $0.redirectURI != nil && $0.redirectURI == provider.redirectURI && $0.backend != provider.backend
        }
        let transport = DefaultTransport.make(deadline: .seconds(10))
        let certificates: TrustedCertificates? = configuration.setting(
            "trustedCertificates", of: provider, variables: call.variables)
        self.transport = verbosity.watching(
            certificates.flatMap { try? (transport as? any TrustingTransport)?.trusting($0) } ?? transport, in: call)
    }

    func findings() async -> [Finding] {
        guard let base = address else { return [] }
        let subject = "\(provider.name) backend"
        guard let url = URL(string: base + path) else {
            return [.bad(subject, "\(base) is not an address", fix: "Correct the provider's settings.")]
        }
        do {
            let (body, head) = try await transport.data(for: URLRequest(url: url))
            return [identity(head, body, from: base, subject), clock(head), mixUp(head, body)].compactMap { $0 }
        } catch TransportError.untrustedCertificate(let host, let defect) {
            return [.bad(subject, "the certificate of \(host) is not trusted. \(defect.reason)", fix: defect.advice)]
        } catch {
            return [.bad(subject, error.identityMessage, fix: "Check the address and the network.")]
        }
    }

    private var address: String? {
        // The value of a variable was checked with the configuration.
        guard let text = provider.backend, !text.hasPrefix("${") else { return nil }
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The path of the server's metadata (OpenID Connect Discovery section 4).
    private var path: String {
        provider.type == "insforge" ? "/api/auth/public-config" : "/.well-known/openid-configuration"
    }

    private func identity(_ head: HTTPURLResponse, _ body: Data, from base: String, _ subject: String) -> Finding {
        guard head.statusCode == 200 else {
            return .bad(
                subject, "\(base) returned the status \(head.statusCode)",
                fix: "Check that the address is the backend's own, with its path.")
        }
        guard provider.type == "openid-connect" else { return .ok(subject, "\(base) responds") }
        let issuer = (try? JSONValue(parsing: body))?["issuer"]?.stringValue
        let expected = provider.settings["issuer"]?.stringValue
        guard issuer == expected else {
            return .bad(
                subject, "its issuer is \(issuer ?? "missing")",
                fix: "Set the issuer to exactly that of the server.")
        }
        return .ok(subject, "\(base) responds and is the issuer")
    }

    /// A server that does not name its issuer in its responses (RFC 9207) needs a redirect URI of its own (RFC 9700 section
    /// 4.4.2.2).
    private func mixUp(_ head: HTTPURLResponse, _ body: Data) -> Finding? {
        guard !alike.isEmpty, head.statusCode == 200, let metadata = try? JSONValue(parsing: body),
            metadata["issuer"] != nil, metadata["authorization_response_iss_parameter_supported"] != true
        else { return nil }
        let names = alike.map(\.name).joined(separator: ", ")
        return .warning(
            "\(provider.name) redirect",
            "its responses do not name its issuer, and come to the same redirect URI as those of \(names)",
            fix: "Register a redirectURI of its own and set it, so that its codes are sent to no other server."
        )
    }

    /// With a wrong clock, valid tokens seem expired or not yet valid.
    private func clock(_ head: HTTPURLResponse) -> Finding? {
        guard let text = head.value(forHTTPHeaderField: "Date"), let date = HTTPDate.parse(text) else { return nil }
        let offset = Int(date.timeIntervalSince(time.now).rounded())
        guard abs(offset) > 30 else { return .ok("\(provider.name) clock", "\(abs(offset)) s apart") }
        return .warning(
            "\(provider.name) clock", "this machine and the backend are \(abs(offset)) s apart",
            fix: "Set this machine's clock, for example with a time service.")
    }
}

extension ProviderConfiguration {
    fileprivate var backend: String? { (settings["issuer"] ?? settings["baseURL"])?.stringValue }
    fileprivate var redirectURI: String? { settings["redirectURI"]?.stringValue }
}
