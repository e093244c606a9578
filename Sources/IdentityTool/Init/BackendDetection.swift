import Foundation
import IdentityKit

/// A backend that was recognized: its type and the settings learnt from it.
struct DetectedBackend: Sendable {
    let type: String
    var settings: [String: JSONValue]
    /// The remaining questions about the server; `nil` for the usual questions of the type.
    var questions: [SettingQuestion]?
    /// The name that the server gives itself.
    var name: String?
}

/// Recognizes the backend at an address by the documents that each kind publishes. The requests contain no client identifier.
struct BackendDetection {
    let address: URL
    let transport: any HTTPTransport
    /// The provider types, in the order in which they are tried.
    let plugins: [any ProviderPlugin.Type]

    /// The backend.
    /// - Throws: ``BackendNotRecognizedError``, or `TransportError` when nothing answers at the address.
    func backend() async throws -> DetectedBackend {
        var known: [URL: JSONValue?] = [:]
        for plugin in plugins where !plugin.published.isEmpty {
            guard let found = plugin.recognize(try await documents(of: plugin, &known)) else { continue }
            return DetectedBackend(
                type: plugin.type, settings: found.settings, questions: found.questions, name: found.name)
        }
        throw BackendNotRecognizedError(address: address)
    }

    /// The documents of the server that `plugin` needs to recognize it. Each address is requested only once.
    private func documents(
        of plugin: any ProviderPlugin.Type, _ known: inout [URL: JSONValue?]
    ) async throws -> PublishedDocuments {
        var found: [PublishedDocument: JSONValue] = [:]
        for document in plugin.published {
            guard let url = document.url(of: address) else { continue }
            if !known.keys.contains(url) { known.updateValue(try await object(at: url), forKey: url) }
            if case let object?? = known[url] { found[document] = object }
        }
        return PublishedDocuments(at: address, found)
    }

    /// The JSON object at an address; `nil` if there is none.
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

/// The backend at the address is of no known kind.
struct BackendNotRecognizedError: IdentityFailure {
    let address: URL

    let failureCode = "backend_not_recognized"
    let failureClass = FailureClass.definitive
    var message: String {
        "\(address.addressAlone) publishes no metadata of a known kind of backend. Check the address, or name the kind with --type."
    }
}
