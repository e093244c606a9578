import Foundation
import IdentityKit
import InsForge
import IdentityOAuthProviders
import IdentityOAuth
import ThunderID

/// A backend that was recognized by what it publishes.
struct DetectedBackend: Sendable, Equatable {
    let type: String
    /// The settings that name it, such as its issuer exactly as it writes it.
    var settings: [String: JSONValue]
    /// Whether programs may register themselves there (RFC 7591).
    var allowsRegistration = false
}

/// Recognizes the backend at an address by the documents that each kind publishes. No request names a client.
struct BackendDetection {
    let address: URL
    let transport: any HTTPTransport

    /// The backend.
    /// - Throws: ``BackendNotRecognized``, or `TransportError` when nothing answers at the address.
    func backend() async throws -> DetectedBackend {
        if try await document("/api/auth/public-config") != nil {
            return DetectedBackend(type: InsForgePlugin.type, settings: ["baseURL": .string(base)])
        }
        let metadata = try await document("/.well-known/openid-configuration")
        // Every OpenID Connect server has metadata; texts for its sign-in pages has only ThunderID.
        if metadata != nil, try await document("/flow/meta")?["isRegistrationFlowEnabled"] != nil {
            return DetectedBackend(type: ThunderIDPlugin.type, settings: ["baseURL": .string(base)])
        }
        if let metadata, let issuer = metadata["issuer"]?.stringValue {
            return server(OpenIDConnectPlugin.type, issuer, metadata)
        }
        if try await publishesResourceMetadata() {
            return DetectedBackend(
                type: ProtectedResourcePlugin.type, settings: ["resource": .string(address.absoluteString)])
        }
        if let metadata = try await authorizationServer(), let issuer = metadata["issuer"]?.stringValue {
            return server(OAuth2Plugin.type, issuer, metadata)
        }
        throw BackendNotRecognized(address: address)
    }

    /// The document of RFC 8414, before the address's path or below it.
    private func authorizationServer() async throws -> JSONValue? {
        for location in [.authorizationServer, .authorizationServerBelowIssuer] as [Discovery.Location] {
            let place = try? Discovery.url(location, issuer: base, transportSecurity: .loopbackHTTPAllowed)
            if let place, let metadata = try await object(at: place) { return metadata }
        }
        return nil
    }

    private func server(_ type: String, _ issuer: String, _ metadata: JSONValue) -> DetectedBackend {
        DetectedBackend(
            type: type, settings: ["issuer": .string(issuer)],
            allowsRegistration: metadata["registration_endpoint"]?.stringValue != nil)
    }

    /// The address without a slash at its end.
    private var base: String {
        let text = address.absoluteString
        return text.hasSuffix("/") ? String(text.dropLast()) : text
    }

    /// The JSON object at `path` below the address; `nil` when there is none.
    private func document(_ path: String) async throws -> JSONValue? {
        guard let url = URL(string: base + path) else { return nil }
        return try await object(at: url)
    }

    /// Whether the resource publishes its metadata (RFC 9728 section 3.1).
    private func publishesResourceMetadata() async throws -> Bool {
        guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: false) else { return false }
        let path = parts.percentEncodedPath == "/" ? "" : parts.percentEncodedPath
        parts.percentEncodedPath = "/.well-known/oauth-protected-resource" + path
        guard let url = parts.url else { return false }
        return try await object(at: url)?["resource"] != nil
    }

    private func object(at url: URL) async throws -> JSONValue? {
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        let (body, head) = try await transport.data(for: request)
        guard head.statusCode == 200, let value = try? JSONValue(parsing: body), value.objectValue != nil else {
            return nil
        }
        return value
    }
}

/// What is at an address is no backend that is known.
struct BackendNotRecognized: IdentityFailure {
    let address: URL

    let failureCode = "backend_not_recognized"
    let failureClass = FailureClass.definitive
    var message: String {
        "\(address.absoluteString) publishes no metadata of a known kind of backend. Check the address, or name the kind with --type."
    }
}
