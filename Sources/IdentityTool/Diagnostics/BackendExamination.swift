import Foundation
import IdentityKit
import IdentityOAuth

/// Examines a provider's backend by the first requests of a sign-in. Compares the backend's clock with this machine's,
/// and checks the protection against mix-up attacks.
struct BackendExamination {
    private let provider: ProviderConfiguration
    private let configuration: IdentityConfiguration
    /// The text that completes the advice to try again: a colon and a command, or only a period.
    private let again: String
    private let verbosity: VerboseOption
    private let call: ToolCall

    init(
        _ provider: ProviderConfiguration, of configuration: IdentityConfiguration, again: String,
        _ verbosity: VerboseOption, in call: ToolCall
    ) {
        (self.provider, self.configuration, self.again) = (provider, configuration, again)
        (self.verbosity, self.call) = (verbosity, call)
    }

    func findings() async -> [Finding] {
        let (subject, time) = ("\(provider.name) backend", call.context.clock)
        let difference = Locked<TimeInterval?>(nil)
        let base = verbosity.watching(DefaultTransport.make(deadline: call.context.patience), in: call)
        let transport = ObservedTransport(base) { line in
            guard let date = line.serverDate else { return }
            difference.withLock { $0 = date.timeIntervalSince(time.now) }
        }
        do {
            guard let server = try await examined(by: transport) else { return [] }
            let detail =
                transport.requestCount > 0
                ? "\(server.address) responds as a sign-in needs it"
                : "a sign-in at \(server.address) knows its endpoints from the settings, and asks for nothing first"
            return [.ok(subject, detail), clock(difference.withLock { $0 }), mixUp(server)].compactMap { $0 }
        } catch TransportError.untrustedCertificate(let host, let defect) {
            return [.bad(subject, "the certificate of \(host) is not trusted. \(defect.reason)", fix: defect.advice)]
        } catch {
            let remedy =
                error.identityFailureClass == .transient
                ? "Check the address and the network" : "Correct the settings"
            let kind = await otherKind(after: error, by: transport).map { "The server looks like \($0). " } ?? ""
            var finding = Finding.bad(subject, error.identityMessage, fix: "\(kind)\(remedy), and try again\(again)")
            finding.failureClass = error.identityFailureClass
            return [finding]
        }
    }

    /// Returns the type of backend that the server's documents show, if `error` reports missing metadata. Returns `nil`
    /// for any other error, for the configured type, and for an unknown backend.
    private func otherKind(after error: any Error, by transport: any HTTPTransport) async -> String? {
        guard case OAuthError.invalidMetadata(.notFound) = error,
            let address = provider.backend.flatMap(URL.init(string:))
        else { return nil }
        let plugins = call.registry(for: configuration).plugins
        let found = try? await BackendDetection(address: address, transport: transport, plugins: plugins).backend()
        return found.flatMap { $0.type == provider.type ? nil : $0.type }
    }

    /// Examines the server by the first requests of a sign-in; returns `nil` for a provider without a server.
    /// - Throws: the error that a sign-in would throw.
    private func examined(by transport: ObservedTransport) async throws -> ExaminedServer? {
        let environment = IdentityEnvironment(
            store: MemoryTokenStore(), transport: transport, webAuthenticator: nil, time: call.context.clock,
            variables: call.variables)
        var alone = configuration
        alone.providers = [provider]
        let made = try call.registry(for: alone).makeProviders(for: alone, environment: environment)
        return try await (made[provider] as? any ServerExamining)?.examineServer()
    }

    /// Warns about mix-up attacks: a server that does not name its issuer in responses (RFC 9207) needs a redirect URI
    /// of its own (RFC 9700 section 4.4.2.2). Returns `nil` if the server names its issuer or sends no authorization
    /// responses, or if no other backend shares the redirect URI.
    private func mixUp(_ server: ExaminedServer) -> Finding? {
        let registry = call.registry(for: configuration)
        func whole(_ provider: ProviderConfiguration) -> ProviderConfiguration {
            (try? registry.expanded(provider)) ?? provider
        }
        let own = whole(provider)
        let alike = configuration.providers.map(whole).filter {
            $0.redirectURI != nil && $0.redirectURI == own.redirectURI && $0.backend != own.backend
        }
        guard !alike.isEmpty, server.namesItself == false else { return nil }
        let names = alike.map(\.name).joined(separator: ", ")
        return .warning(
            "\(provider.name) redirect",
            "its responses do not name its issuer, and come to the same redirect URI as those of \(names)",
            fix: "Register a redirectURI of its own and set it, so that its codes are sent to no other server."
        )
    }

    /// Compares this machine's clock with the backend's. With a difference of more than 30 seconds, valid tokens may
    /// seem expired or not yet valid. Returns `nil` if no response had a date.
    /// - Parameter difference: the backend's time minus this machine's, in seconds.
    private func clock(_ difference: TimeInterval?) -> Finding? {
        guard let difference else { return nil }
        let offset = abs(Int(difference.rounded()))
        guard offset > 30 else { return .ok("\(provider.name) clock", "\(offset) s apart") }
        return .warning(
            "\(provider.name) clock", "this machine and the backend are \(offset) s apart",
            fix: "Set this machine's clock, for example with a time service.")
    }
}

extension ProviderConfiguration {
    fileprivate var backend: String? { (settings["issuer"] ?? settings["baseURL"])?.stringValue }
    fileprivate var redirectURI: String? { settings["redirectURI"]?.stringValue }
}
